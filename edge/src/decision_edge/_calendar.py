"""Days of the proleptic Gregorian calendar, counted from 1 January 1970."""

from __future__ import annotations

from datetime import date

EPOCH = date(1970, 1, 1).toordinal()
# After 400 years the calendar begins again; Python's own has the years 1 to 9999 alone.
_YEARS, _DAYS = 400, 146_097


def days_from_civil(year: int, month: int, day: int) -> int:
    """Return the days since 1 January 1970; a day beyond the end of its month counts on into the next one."""
    rounds, year_of_round = divmod(year - 1, _YEARS)
    return rounds * _DAYS + date(year_of_round + 1, month, 1).toordinal() + day - 1 - EPOCH


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Return year, month (1–12) and day of the month of a number of days since 1 January 1970."""
    rounds, day_of_round = divmod(days + EPOCH - 1, _DAYS)
    found = date.fromordinal(day_of_round + 1)
    return rounds * _YEARS + found.year, found.month, found.day

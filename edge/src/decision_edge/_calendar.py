"""Days of the proleptic Gregorian calendar, counted from 1 January 1970 (Howard Hinnant's algorithms)."""

from __future__ import annotations

__all__ = ["civil_from_days", "days_from_civil"]


def days_from_civil(year: int, month: int, day: int) -> int:
    """Return the days since 1 January 1970; a day beyond the end of its month counts on into the next one."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Return year, month (1–12) and day of the month of a number of days since 1 January 1970."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1

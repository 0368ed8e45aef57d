"""The values of rules: numbers are doubles, texts are sequences of code points, times count milliseconds."""

from __future__ import annotations

import math
import re
from typing import Any

_MAX_STEPS = 100_000


class Failure(Exception):
    """A rule that cannot be evaluated. Holds the kind of failure, never a value of the input."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind
        self.expression: str | None = None


class Timestamp:
    """A point in time in whole milliseconds since 1970 (UTC)."""

    __slots__ = ("ms",)

    def __init__(self, ms: int) -> None:
        self.ms = ms


class Duration:
    """A span of time in whole milliseconds."""

    __slots__ = ("ms",)

    def __init__(self, ms: int) -> None:
        self.ms = ms


class Run:
    """One evaluation: the input, the loop variables and the steps that are left."""

    __slots__ = ("ctx", "first", "second", "steps")

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        self.first: Any = None
        self.second: Any = None
        self.steps = _MAX_STEPS

    def charge(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise Failure("limit")


def doubles(value: Any) -> Any:
    """The input with every whole number as a double, as JSON numbers are in the workbench."""
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, dict):
        return {str(key): doubles(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [doubles(member) for member in value]
    raise TypeError(f"the input holds a value that is not JSON: {type(value).__name__}")


def is_number(value: Any) -> bool:
    return isinstance(value, float)


def equal(a: Any, b: Any, run: Run) -> bool:
    if a is b and isinstance(a, (list, dict)):
        return True
    if isinstance(a, list):
        if not isinstance(b, list) or len(a) != len(b):
            return False
        for left, right in zip(a, b, strict=True):
            run.charge(1)
            if not equal(left, right, run):
                return False
        return True
    if isinstance(a, dict):
        if not isinstance(b, dict):
            return False
        run.charge(len(a) + len(b))
        return len(a) == len(b) and all(key in b and equal(a[key], b[key], run) for key in sorted(a))
    if isinstance(a, (Timestamp, Duration)):
        return type(a) is type(b) and a.ms == b.ms
    return type(a) is type(b) and a == b


def _units(text: str) -> int:
    """UTF-16 units: what the workbench counts when it charges steps for going over a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def charge_text(text: str, shift: int, run: Run) -> None:
    run.charge(_units(text) >> shift)


def finite(value: float) -> float:
    if not math.isfinite(value):
        raise Failure("overflow")
    return value


def well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def number_text(value: float) -> str:
    """ECMAScript Number::toString: the shortest digits that give the same double."""
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    tail = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power >= 0 else '-'}{abs(power)}"


_MIN_TIMESTAMP = -62_135_596_800_000
_MAX_TIMESTAMP = 253_402_300_799_999
_MAX_DURATION = 315_576_000_000_000


def timestamp_of(ms: int) -> Timestamp:
    if not _MIN_TIMESTAMP <= ms <= _MAX_TIMESTAMP:
        raise Failure("overflow")
    return Timestamp(ms)


def duration_of(ms: int) -> Duration:
    if abs(ms) > _MAX_DURATION:
        raise Failure("overflow")
    return Duration(ms)


def _days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant's algorithm)."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    days += 719_468
    era = days // 146_097
    day_of_era = days - era * 146_097
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


_TIMESTAMP_TEXT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def parse_timestamp(text: str) -> Timestamp:
    match = _TIMESTAMP_TEXT.fullmatch(text)
    if not match:
        raise Failure("bad_value")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    days = 29 if month == 2 and leap else _MONTH_DAYS[month - 1] if 1 <= month <= 12 else 0
    if year < 1 or not 1 <= day <= days or hour > 23 or minute > 59 or second > 59:
        raise Failure("bad_value")
    ms = int((match[7] or "")[:3].ljust(3, "0"))
    offset_hour, offset_minute = int(match[9] or 0), int(match[10] or 0)
    if offset_hour > 23 or offset_minute > 59:
        raise Failure("bad_value")
    offset = (offset_hour * 60 + offset_minute) * (-1 if match[8] == "-" else 1)
    seconds = _days_from_civil(year, month, day) * 86_400 + (hour * 60 + minute - offset) * 60 + second
    return timestamp_of(seconds * 1000 + ms)


_DURATION_TEXT = re.compile(r"([+-])?((?:[0-9]{1,15}(?:\.[0-9]{1,9})?(?:ms|us|ns|h|m|s))+|0)")
_DURATION_PART = re.compile(r"([0-9]+)(?:\.([0-9]+))?(ms|us|ns|h|m|s)")
_UNIT_NS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def parse_duration(text: str) -> Duration:
    match = _DURATION_TEXT.fullmatch(text)
    if not match:
        raise Failure("bad_value")
    ns = 0
    for whole, fraction, unit in _DURATION_PART.findall(match[2]):
        size = _UNIT_NS[unit]
        ns += int(whole) * size + int(fraction or 0) * size // 10 ** len(fraction)
    ms = ns // 1_000_000
    return duration_of(-ms if match[1] == "-" else ms)


def _fraction(ms: int) -> str:
    return "." + f"{ms:03d}".rstrip("0") if ms else ""


def timestamp_text(value: Timestamp) -> str:
    days, rest = divmod(value.ms, 86_400_000)
    year, month, day = civil_from_days(days)
    seconds, ms = divmod(rest, 1000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}T{clock}{_fraction(ms)}Z"


def duration_text(value: Duration) -> str:
    seconds, ms = divmod(abs(value.ms), 1000)
    return f"{'-' if value.ms < 0 else ''}{seconds}{_fraction(ms)}s"

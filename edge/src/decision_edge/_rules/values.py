"""The values of rules: numbers are doubles, strings are sequences of code points, times count milliseconds."""

from __future__ import annotations

import math
import re
from datetime import date, time
from typing import TypeAlias, cast

from .._calendar import EPOCH, civil_from_days
from .._json import JsonObject, format_number
from .._tables import MAX_STEPS, MAX_STEPS_TOGETHER

Value: TypeAlias = "bool | float | str | list[Value] | dict[str, Value] | Timestamp | Duration | None"


READ_SHIFT = 7
"""Units of a string that are read in one step, as a power of two; see `charge_string`."""

_COMPARE_SHIFT = 10


class Failure(Exception):
    """A rule that cannot be evaluated. Holds the kind of failure, never a value of the input."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


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
    """One evaluation: the input, the loop variables and the steps that are left.

    This rule and those after it have `left` steps.
    """

    __slots__ = ("_reserve", "ctx", "first", "second", "steps")

    def __init__(self, ctx: JsonObject, left: int = MAX_STEPS_TOGETHER) -> None:
        # Every JSON value is a value of rules; the type checker cannot know that nobody puts a time into the input.
        self.ctx = cast("Value", ctx)
        self.first: Value = None
        self.second: Value = None
        self.steps = min(MAX_STEPS, left)
        self._reserve = left - self.steps

    def charge(self, steps: int) -> None:
        """Take steps. Raises Failure, kind ``limit``, when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise Failure("limit")

    def count_steps_left(self) -> int:
        """Return the steps that the rules after this one have."""
        return self._reserve + max(self.steps, 0)


def expect_boolean(value: Value) -> bool:
    """Return a boolean value. Raises Failure, kind ``type_mismatch``, for any other."""
    if not isinstance(value, bool):
        raise Failure("type_mismatch")
    return value


def name_type(value: Value) -> str:
    """Return the type of a value by its name in CEL, in which every number is a double."""
    match value:
        case None:
            return "null_type"
        case bool():
            return "bool"
        case float():
            return "double"
        case str():
            return "string"
        case Timestamp():
            return "google.protobuf.Timestamp"
        case Duration():
            return "google.protobuf.Duration"
        case list():
            return "list"
        case dict():
            return "map"


def equal(a: Value, b: Value, run: Run) -> bool:
    """Compare deeply; values of different types are not equal.

    Charges a step for each member compared, and for 1,024 units of a string.
    """
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
        return isinstance(b, type(a)) and a.ms == b.ms
    if isinstance(a, str) and isinstance(b, str) and len(a) >= 1 << (_COMPARE_SHIFT - 1):
        charge_string(a, _COMPARE_SHIFT, run)
    return type(a) is type(b) and a == b


def count_units(string: str) -> int:
    """Return the UTF-16 units, by which the workbench charges steps for going over a string."""
    return len(string) if string.isascii() else len(string.encode("utf-16-le", "surrogatepass")) // 2


def charge_string(string: str, shift: int, run: Run) -> None:
    """Take one step for every 2^shift UTF-16 units of a string."""
    run.charge(count_units(string) >> shift)


def expect_finite(value: float) -> float:
    """Return a number that JSON can hold. Raises Failure, kind ``overflow``, for any other."""
    if not math.isfinite(value):
        raise Failure("overflow")
    return value


def is_well_formed(string: str) -> bool:
    """Return whether a string has no half of a surrogate pair."""
    return string.isascii() or not any("\ud800" <= character <= "\udfff" for character in string)


def format_double(value: float) -> str:
    """Write a double as ECMAScript's Number::toString does: the shortest digits that give the same double."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return format_number(value)


_MIN_TIMESTAMP = -62_135_596_800_000
_MAX_TIMESTAMP = 253_402_300_799_999
_MAX_DURATION = 315_576_000_000_000


def to_timestamp(ms: int) -> Timestamp:
    """Return a point in time of the years 1 to 9999. Raises Failure, kind ``overflow``, for any other."""
    if not _MIN_TIMESTAMP <= ms <= _MAX_TIMESTAMP:
        raise Failure("overflow")
    return Timestamp(ms)


def to_duration(ms: int) -> Duration:
    """Return a span of at most ±10,000 years. Raises Failure, kind ``overflow``, for a longer one."""
    if abs(ms) > _MAX_DURATION:
        raise Failure("overflow")
    return Duration(ms)


_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


def parse_timestamp(string: str) -> Timestamp:
    """Read an RFC 3339 time; digits behind the milliseconds are cut. Raises Failure, kind ``bad_value``."""
    match = _TIMESTAMP.fullmatch(string)
    if not match:
        raise Failure("bad_value")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    offset_hour, offset_minute = int(match[9] or 0), int(match[10] or 0)
    try:
        days = date(year, month, day).toordinal() - EPOCH
        time(hour, minute, second), time(offset_hour, offset_minute)
    except ValueError:
        raise Failure("bad_value") from None
    ms = int((match[7] or "")[:3].ljust(3, "0"))
    offset = (offset_hour * 60 + offset_minute) * (-1 if match[8] == "-" else 1)
    return to_timestamp((days * 86_400 + (hour * 60 + minute - offset) * 60 + second) * 1000 + ms)


_DURATION = re.compile(r"([+-])?((?:[0-9]{1,15}(?:\.[0-9]{1,9})?(?:ms|us|ns|h|m|s))+|0)")
_DURATION_PART = re.compile(r"([0-9]+)(?:\.([0-9]+))?(ms|us|ns|h|m|s)")
_UNIT_NS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def parse_duration(string: str) -> Duration:
    """Read a duration such as ``1h30m`` or ``-1.5s``. Raises Failure, kind ``bad_value``."""
    match = _DURATION.fullmatch(string)
    if not match:
        raise Failure("bad_value")
    ns = 0
    for whole, fraction, unit in _DURATION_PART.findall(match[2]):
        size = _UNIT_NS[unit]
        ns += int(whole) * size + int(fraction or 0) * size // 10 ** len(fraction)
    ms = ns // 1_000_000
    return to_duration(-ms if match[1] == "-" else ms)


def _format_fraction(ms: int) -> str:
    return "." + f"{ms:03d}".rstrip("0") if ms else ""


def format_timestamp(value: Timestamp) -> str:
    """Write a point in time as ``2026-01-31T12:00:00.5Z``, without trailing zeros of the fraction."""
    days, rest = divmod(value.ms, 86_400_000)
    year, month, day = civil_from_days(days)
    seconds, ms = divmod(rest, 1000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}T{clock}{_format_fraction(ms)}Z"


def format_duration(value: Duration) -> str:
    """Write a span in seconds, such as ``-1.5s``."""
    seconds, ms = divmod(abs(value.ms), 1000)
    return f"{'-' if value.ms < 0 else ''}{seconds}{_format_fraction(ms)}s"

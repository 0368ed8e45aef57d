"""Arithmetic, order, membership and access on rule values."""

from __future__ import annotations

import math
from collections.abc import Callable

from .._tables import MAX_LIST_LENGTH, MAX_STRING_LENGTH
from .values import (
    READ_SHIFT,
    Duration,
    Failure,
    Run,
    Timestamp,
    Value,
    charge_string,
    equal,
    expect_finite,
    to_duration,
    to_timestamp,
)


def _add(a: Value, b: Value, run: Run) -> Value:
    if isinstance(a, float) and isinstance(b, float):
        return expect_finite(a + b)
    if isinstance(a, str) and isinstance(b, str):
        if a and "\ud800" <= a[-1] <= "\udbff":
            raise Failure("bad_value")
        charge_string(a, READ_SHIFT, run)
        charge_string(b, READ_SHIFT, run)
        if len(a) + len(b) > MAX_STRING_LENGTH:
            raise Failure("limit")
        return a + b
    if isinstance(a, Duration) and isinstance(b, Duration):
        return to_duration(a.ms + b.ms)
    if isinstance(a, (Timestamp, Duration)) and isinstance(b, (Timestamp, Duration)):
        if isinstance(a, Timestamp) and isinstance(b, Timestamp):
            raise Failure("type_mismatch")
        return to_timestamp(a.ms + b.ms)
    if isinstance(a, list) and isinstance(b, list):
        run.charge(len(a) + len(b))
        if len(a) + len(b) > MAX_LIST_LENGTH:
            raise Failure("limit")
        return a + b
    raise Failure("type_mismatch")


def _subtract(a: Value, b: Value, run: Run) -> Value:
    if isinstance(a, float) and isinstance(b, float):
        return expect_finite(a - b)
    if isinstance(a, Timestamp):
        if isinstance(b, Timestamp):
            return to_duration(a.ms - b.ms)
        if isinstance(b, Duration):
            return to_timestamp(a.ms - b.ms)
    if isinstance(a, Duration) and isinstance(b, Duration):
        return to_duration(a.ms - b.ms)
    raise Failure("type_mismatch")


def _expect_numbers(a: Value, b: Value) -> tuple[float, float]:
    if not isinstance(a, float) or not isinstance(b, float):
        raise Failure("type_mismatch")
    return a, b


def _multiply(a: Value, b: Value, run: Run) -> Value:
    x, y = _expect_numbers(a, b)
    return expect_finite(x * y)


def _divide(a: Value, b: Value, run: Run) -> Value:
    x, y = _expect_numbers(a, b)
    if y == 0:
        raise Failure("division_by_zero")
    return expect_finite(x / y)


def _remainder(a: Value, b: Value, run: Run) -> Value:
    x, y = _expect_numbers(a, b)
    if y == 0:
        raise Failure("division_by_zero")
    if not (x.is_integer() and y.is_integer()):
        raise Failure("bad_value")
    return math.fmod(x, y)


def _compare(a: Value, b: Value, run: Run) -> int:
    """Return -1, 0 or 1 for less, equal or greater. Raises Failure for values that have no common order."""
    if isinstance(a, float) and isinstance(b, float):
        return (a > b) - (a < b)
    if isinstance(a, str) and isinstance(b, str):
        charge_string(a, READ_SHIFT, run)
        return (a > b) - (a < b)
    if isinstance(a, bool) and isinstance(b, bool):
        return a - b
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        return (a.ms > b.ms) - (a.ms < b.ms)
    if isinstance(a, Duration) and isinstance(b, Duration):
        return (a.ms > b.ms) - (a.ms < b.ms)
    raise Failure("type_mismatch")


def _in(a: Value, b: Value, run: Run) -> bool:
    if isinstance(b, list):
        for item in b:
            run.charge(1)
            if equal(a, item, run):
                return True
        return False
    if isinstance(b, dict):
        return isinstance(a, str) and a in b
    raise Failure("type_mismatch")


BINARIES: dict[str, Callable[[Value, Value, Run], Value]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
    "<": lambda a, b, run: _compare(a, b, run) < 0,
    "<=": lambda a, b, run: _compare(a, b, run) <= 0,
    ">": lambda a, b, run: _compare(a, b, run) > 0,
    ">=": lambda a, b, run: _compare(a, b, run) >= 0,
    "==": equal,
    "!=": lambda a, b, run: not equal(a, b, run),
    "in": _in,
}
"""The binary operators; their operands are evaluated before."""


def select_field(value: Value, field: str) -> Value:
    """Return the field of a map. Raises Failure where the value is not a map or has no such field."""
    if not isinstance(value, dict):
        raise Failure("type_mismatch")
    if field not in value:
        raise Failure("missing_field")
    return value[field]


def select_member(value: Value, by: Value) -> Value:
    """Return the member of a list at a position, or of a map at a key. Raises Failure where there is none."""
    if isinstance(value, list):
        if not isinstance(by, float):
            raise Failure("type_mismatch")
        if not by.is_integer():
            raise Failure("bad_value")
        if not 0 <= by < len(value):
            raise Failure("index_out_of_range")
        return value[int(by)]
    if not isinstance(by, str):
        raise Failure("type_mismatch")
    return select_field(value, by)

"""Arithmetic, order, membership and access on rule values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .values import Duration, Failure, Run, Timestamp, charge_text, duration_of, equal, finite, is_number, timestamp_of

_MAX_TEXT = 262_144
_MAX_LIST = 10_000


def _add(a: Any, b: Any, run: Run) -> Any:
    if is_number(a) and is_number(b):
        return finite(a + b)
    if isinstance(a, str) and isinstance(b, str):
        if a and "\ud800" <= a[-1] <= "\udbff":
            raise Failure("bad_value")
        charge_text(a, 10, run)
        charge_text(b, 10, run)
        if len(a) + len(b) > _MAX_TEXT:
            raise Failure("limit")
        return a + b
    if isinstance(a, Duration) and isinstance(b, Duration):
        return duration_of(a.ms + b.ms)
    if isinstance(a, (Timestamp, Duration)) and isinstance(b, (Timestamp, Duration)):
        if isinstance(a, Timestamp) and isinstance(b, Timestamp):
            raise Failure("type_mismatch")
        return timestamp_of(a.ms + b.ms)
    if isinstance(a, list) and isinstance(b, list):
        run.charge(len(a) + len(b))
        if len(a) + len(b) > _MAX_LIST:
            raise Failure("limit")
        return a + b
    raise Failure("type_mismatch")


def _subtract(a: Any, b: Any, run: Run) -> Any:
    if is_number(a) and is_number(b):
        return finite(a - b)
    if isinstance(a, Timestamp):
        if isinstance(b, Timestamp):
            return duration_of(a.ms - b.ms)
        if isinstance(b, Duration):
            return timestamp_of(a.ms - b.ms)
    if isinstance(a, Duration) and isinstance(b, Duration):
        return duration_of(a.ms - b.ms)
    raise Failure("type_mismatch")


def _two_numbers(a: Any, b: Any) -> None:
    if not (is_number(a) and is_number(b)):
        raise Failure("type_mismatch")


def _multiply(a: Any, b: Any, run: Run) -> Any:
    _two_numbers(a, b)
    return finite(a * b)


def _divide(a: Any, b: Any, run: Run) -> Any:
    _two_numbers(a, b)
    if b == 0:
        raise Failure("division_by_zero")
    return finite(a / b)


def _remainder(a: Any, b: Any, run: Run) -> Any:
    _two_numbers(a, b)
    if b == 0:
        raise Failure("division_by_zero")
    if not (a.is_integer() and b.is_integer()):
        raise Failure("bad_value")
    return math.fmod(a, b)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Run], bool]:
    def work(a: Any, b: Any, run: Run) -> bool:
        if type(a) is not type(b):
            raise Failure("type_mismatch")
        if isinstance(a, str):
            charge_text(a, 10, run)
            return test(a, b)
        if isinstance(a, (float, bool)):
            return test(a, b)
        if isinstance(a, (Timestamp, Duration)):
            return test(a.ms, b.ms)
        raise Failure("type_mismatch")

    return work


def _in(a: Any, b: Any, run: Run) -> bool:
    if isinstance(b, list):
        for item in b:
            run.charge(1)
            if equal(a, item, run):
                return True
        return False
    if isinstance(b, dict):
        return isinstance(a, str) and a in b
    raise Failure("type_mismatch")


BINARIES: dict[str, Callable[[Any, Any, Run], Any]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
    "<": _ordered(lambda a, b: a < b),
    "<=": _ordered(lambda a, b: a <= b),
    ">": _ordered(lambda a, b: a > b),
    ">=": _ordered(lambda a, b: a >= b),
    "==": equal,
    "!=": lambda a, b, run: not equal(a, b, run),
    "in": _in,
}


def select(value: Any, field: str) -> Any:
    if not isinstance(value, dict):
        raise Failure("type_mismatch")
    if field not in value:
        raise Failure("missing_field")
    return value[field]


def at(value: Any, by: Any) -> Any:
    if isinstance(value, list):
        if not is_number(by):
            raise Failure("type_mismatch")
        if not by.is_integer():
            raise Failure("bad_value")
        if not 0 <= by < len(value):
            raise Failure("index_out_of_range")
        return value[int(by)]
    if not isinstance(value, dict) or not isinstance(by, str):
        raise Failure("type_mismatch")
    return select(value, by)

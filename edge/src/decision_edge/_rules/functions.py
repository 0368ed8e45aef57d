"""The functions of the rules language. ``matches`` needs the extra ``rules`` (google-re2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeAlias

from .._calendar import civil_from_days, days_from_civil
from .._re2 import PatternError, compile_re2
from .patterns import weigh_pattern
from .strings import STRING_FUNCTIONS, fold_case
from .values import (
    READ_SHIFT,
    Duration,
    Failure,
    Run,
    Timestamp,
    Value,
    charge_string,
    count_units,
    format_double,
    format_duration,
    format_timestamp,
    is_well_formed,
    name_type,
    parse_duration,
    parse_timestamp,
    to_timestamp,
)


class RulesError(ValueError):
    """``rules.json`` cannot be used."""


_CHANGE_SHIFT = 5
"""Units of a string that are changed in one step, as a power of two."""

_INSTRUCTIONS_PER_STEP = 32
"""Instructions of a pattern that are carried out on a character in one step."""

Function: TypeAlias = Callable[[Run, list[Value]], Value]
"""Takes one evaluation and the evaluated arguments, as many as the reader of trees allows. Raises Failure."""

_BLANK = "\t\n\v\f\r \u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_LOWER = {code: code + 32 for code in range(65, 91)}
_UPPER = {code: code - 32 for code in range(97, 123)}


def _unary(work: Callable[[Run, Value], Value]) -> Function:
    return lambda run, args: work(run, args[0])


def _size(run: Run, value: Value) -> float:
    if isinstance(value, str):
        charge_string(value, READ_SHIFT, run)
        return float(len(value))
    if isinstance(value, dict):
        run.charge(len(value))
        return float(len(value))
    if isinstance(value, list):
        return float(len(value))
    raise Failure("type_mismatch")


def _search(test: Callable[[str, str], bool]) -> Function:
    def work(run: Run, args: list[Value]) -> bool:
        whole, part = args
        if not isinstance(whole, str) or not isinstance(part, str):
            raise Failure("type_mismatch")
        charge_string(whole, READ_SHIFT, run)
        if not is_well_formed(part):
            raise Failure("bad_value")
        return test(whole, part)

    return work


def _change_string(change: Callable[[str], str]) -> Function:
    def work(run: Run, value: Value) -> str:
        if not isinstance(value, str):
            raise Failure("type_mismatch")
        charge_string(value, _CHANGE_SHIFT, run)
        return change(value)

    return _unary(work)


def _change_number(change: Callable[[float], float]) -> Function:
    def work(run: Run, value: Value) -> float:
        if not isinstance(value, float):
            raise Failure("type_mismatch")
        if math.isinf(value):
            return abs(value) if change is abs else value
        return change(value) + 0.0

    return _unary(work)


def _round_away(value: float) -> float:
    whole = float(math.trunc(value))
    return whole + math.copysign(1.0, value) if abs(value - whole) >= 0.5 else whole


_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,5})?")


def _int(run: Run, value: Value) -> float:
    if isinstance(value, Timestamp):
        return float(value.ms // 1000)
    if isinstance(value, str):
        if not _WHOLE.fullmatch(value):
            raise Failure("bad_value")
        number = float(value)
    elif isinstance(value, float):
        number = value
    else:
        raise Failure("type_mismatch")
    if not math.isfinite(number):
        raise Failure("bad_value")
    whole = float(math.trunc(number))
    if abs(whole) >= 2.0**63:
        raise Failure("bad_value")
    return whole


def _double(run: Run, value: Value) -> float:
    if isinstance(value, float):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    number = float(value) if _DECIMAL.fullmatch(value) else math.nan
    if not math.isfinite(number):
        raise Failure("bad_value")
    return number


def _string(run: Run, value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_double(value)
    if isinstance(value, Timestamp):
        return format_timestamp(value)
    if isinstance(value, Duration):
        return format_duration(value)
    raise Failure("type_mismatch")


def _bool(run: Run, value: Value) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise Failure("bad_value")


def _pick_extreme(is_better: Callable[[float, float], bool]) -> Function:
    def work(run: Run, args: list[Value]) -> float:
        values = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        run.charge(len(values))
        best: float | None = None
        for value in values:
            if not isinstance(value, float):
                raise Failure("type_mismatch")
            if best is None or is_better(value, best):
                best = value
        if best is None:
            raise Failure("bad_value")
        return best

    return work


def _timestamp(run: Run, value: Value) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, float):
        if not value.is_integer():
            raise Failure("bad_value")
        return to_timestamp(int(value) * 1000)
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    return parse_timestamp(value)


def _duration(run: Run, value: Value) -> Duration:
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    return parse_duration(value)


_ZONE = re.compile(r"([+-]?)([0-9]{2}):([0-9]{2})")


def _read_part(read: Callable[[int], int], of_duration: Callable[[int], int] | None = None) -> Function:
    """Read a part of a point in time, in the zone of the second argument; with `of_duration`, of a span as well.

    Both get milliseconds, `of_duration` without the sign, which its result gets back.
    """

    def work(run: Run, args: list[Value]) -> float:
        value, *zone = args
        if isinstance(value, Duration) and of_duration and not zone:
            count = of_duration(abs(value.ms))
            return float(-count if value.ms < 0 else count)
        if not isinstance(value, Timestamp):
            raise Failure("type_mismatch")
        offset_ms = _read_offset_minutes(zone[0]) * 60_000 if zone else 0
        return float(read(value.ms + offset_ms))

    return work


def _read_offset_minutes(zone: Value) -> int:
    if not isinstance(zone, str):
        raise Failure("type_mismatch")
    if zone == "UTC":
        return 0
    match = _ZONE.fullmatch(zone)
    if not match or int(match[2]) * 60 + int(match[3]) > 14 * 60 or int(match[3]) > 59:
        raise Failure("bad_value")
    return (int(match[2]) * 60 + int(match[3])) * (-1 if match[1] == "-" else 1)


def _to_days(ms: int) -> int:
    return ms // 86_400_000


def _count_days_of_year(ms: int) -> int:
    days = _to_days(ms)
    return days - days_from_civil(civil_from_days(days)[0], 1, 1)


FUNCTIONS: dict[str, Function] = {
    "size": _unary(_size),
    "contains": _search(lambda whole, part: part in whole),
    "startsWith": _search(str.startswith),
    "endsWith": _search(str.endswith),
    "foldCase": _change_string(fold_case),
    "lowerAscii": _change_string(lambda value: value.translate(_LOWER)),
    "upperAscii": _change_string(lambda value: value.translate(_UPPER)),
    "trim": _change_string(lambda value: value.strip(_BLANK)),
    **STRING_FUNCTIONS,
    "int": _unary(_int),
    "double": _unary(_double),
    "string": _unary(_string),
    "bool": _unary(_bool),
    "type": _unary(lambda run, value: name_type(value)),
    "abs": _change_number(abs),
    "ceil": _change_number(lambda value: float(math.ceil(value))),
    "floor": _change_number(lambda value: float(math.floor(value))),
    "round": _change_number(_round_away),
    "min": _pick_extreme(lambda a, b: a < b),
    "max": _pick_extreme(lambda a, b: a > b),
    "timestamp": _unary(_timestamp),
    "duration": _unary(_duration),
    "getFullYear": _read_part(lambda ms: civil_from_days(_to_days(ms))[0]),
    "getMonth": _read_part(lambda ms: civil_from_days(_to_days(ms))[1] - 1),
    "getDate": _read_part(lambda ms: civil_from_days(_to_days(ms))[2]),
    "getDayOfMonth": _read_part(lambda ms: civil_from_days(_to_days(ms))[2] - 1),
    "getDayOfWeek": _read_part(lambda ms: (_to_days(ms) + 4) % 7),
    "getDayOfYear": _read_part(_count_days_of_year),
    "getHours": _read_part(lambda ms: ms // 3_600_000 % 24, lambda ms: ms // 3_600_000),
    "getMinutes": _read_part(lambda ms: ms // 60_000 % 60, lambda ms: ms // 60_000),
    "getSeconds": _read_part(lambda ms: ms // 1_000 % 60, lambda ms: ms // 1_000),
    "getMilliseconds": _read_part(lambda ms: ms % 1_000, lambda ms: ms % 1_000),
}
"""The functions by name, without ``matches``, whose pattern is compiled with the rule."""


def compile_pattern(pattern: str) -> Callable[[Run, Value], bool]:
    """Compile the pattern of ``matches``. Raises RulesError for one that is not RE2, and without google-re2."""
    try:
        is_found = compile_re2(pattern)
    except PatternError as error:
        raise RulesError(f"a rule uses matches() and {error}.") from error

    weight = weigh_pattern(pattern)

    def match(run: Run, value: Value) -> bool:
        if not isinstance(value, str):
            raise Failure("type_mismatch")
        run.charge(count_units(value) * weight // _INSTRUCTIONS_PER_STEP)
        if not is_well_formed(value):
            raise Failure("bad_value")
        return is_found(value)

    return match

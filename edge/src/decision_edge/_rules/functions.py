"""The functions of the rules language. ``matches`` needs the extra ``rules`` (google-re2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from .values import (
    Duration,
    Failure,
    Run,
    Timestamp,
    charge_text,
    civil_from_days,
    duration_text,
    is_number,
    number_text,
    parse_duration,
    parse_timestamp,
    timestamp_text,
    well_formed,
)


class RulesError(ValueError):
    """``rules.json`` cannot be used."""


_BLANK = "\t\n\v\f\r \u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_LOWER = {code: code + 32 for code in range(65, 91)}
_UPPER = {code: code - 32 for code in range(97, 123)}


def _size(run: Run, value: Any) -> float:
    if isinstance(value, str):
        charge_text(value, 10, run)
        return float(len(value))
    if isinstance(value, dict):
        run.charge(len(value))
        return float(len(value))
    if isinstance(value, list):
        return float(len(value))
    raise Failure("type_mismatch")


def _search(test: Callable[[str, str], bool]) -> Callable[..., bool]:
    def work(run: Run, text: Any, part: Any) -> bool:
        if not isinstance(text, str) or not isinstance(part, str):
            raise Failure("type_mismatch")
        charge_text(text, 10, run)
        if not well_formed(part):
            raise Failure("bad_value")
        return test(text, part)

    return work


def _of_text(change: Callable[[str], str]) -> Callable[..., str]:
    def work(run: Run, text: Any) -> str:
        if not isinstance(text, str):
            raise Failure("type_mismatch")
        charge_text(text, 8, run)
        return change(text)

    return work


def _of_number(change: Callable[[float], float]) -> Callable[..., float]:
    def work(run: Run, value: Any) -> float:
        if not is_number(value):
            raise Failure("type_mismatch")
        if math.isinf(value):
            return abs(float(value)) if change is abs else float(value)
        return change(value) + 0.0

    return work


def _round_away(value: float) -> float:
    whole = float(math.trunc(value))
    return whole + math.copysign(1.0, value) if abs(value - whole) >= 0.5 else whole


_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,5})?")


def _int(run: Run, value: Any) -> float:
    if isinstance(value, Timestamp):
        return float(value.ms // 1000)
    if isinstance(value, str):
        if not _WHOLE.fullmatch(value):
            raise Failure("bad_value")
        number = float(value)
    elif is_number(value):
        number = value
    else:
        raise Failure("type_mismatch")
    if not math.isfinite(number):
        raise Failure("bad_value")
    whole = float(math.trunc(number))
    if abs(whole) >= 2.0**63:
        raise Failure("bad_value")
    return whole


def _double(run: Run, value: Any) -> float:
    if isinstance(value, float):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    number = float(value) if _DECIMAL.fullmatch(value) else math.nan
    if not math.isfinite(number):
        raise Failure("bad_value")
    return number


def _string(run: Run, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return number_text(value)
    if isinstance(value, Timestamp):
        return timestamp_text(value)
    if isinstance(value, Duration):
        return duration_text(value)
    raise Failure("type_mismatch")


def _bool(run: Run, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise Failure("bad_value")


def _extreme(better: Callable[[float, float], bool]) -> Callable[..., float]:
    def work(run: Run, *args: Any) -> float:
        values: Sequence[Any] = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        run.charge(len(values))
        best: float | None = None
        for value in values:
            if not is_number(value):
                raise Failure("type_mismatch")
            if best is None or better(value, best):
                best = value
        if best is None:
            raise Failure("bad_value")
        return best

    return work


def _timestamp(run: Run, value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    return parse_timestamp(value)


def _duration(run: Run, value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        raise Failure("type_mismatch")
    return parse_duration(value)


_ZONE = re.compile(r"([+-]?)([0-9]{2}):([0-9]{2})")
_MISSING = object()


def _part(read: Callable[[int], int], of_duration: bool = False) -> Callable[..., float]:
    def work(run: Run, value: Any, zone: Any = _MISSING) -> float:
        if isinstance(value, Duration) and of_duration and zone is _MISSING:
            hours = abs(value.ms) // 3_600_000
            return float(-hours if value.ms < 0 else hours)
        if not isinstance(value, Timestamp):
            raise Failure("type_mismatch")
        if zone is _MISSING or zone == "UTC":
            return float(read(value.ms))
        if not isinstance(zone, str):
            raise Failure("type_mismatch")
        match = _ZONE.fullmatch(zone)
        if not match or int(match[2]) * 60 + int(match[3]) > 14 * 60 or int(match[3]) > 59:
            raise Failure("bad_value")
        minutes = (int(match[2]) * 60 + int(match[3])) * (-1 if match[1] == "-" else 1)
        return float(read(value.ms + minutes * 60_000))

    return work


def _day(ms: int) -> int:
    return ms // 86_400_000


CALLS: dict[str, Callable[..., Any]] = {
    "size": _size,
    "contains": _search(lambda text, part: part in text),
    "startsWith": _search(str.startswith),
    "endsWith": _search(str.endswith),
    "lowerAscii": _of_text(lambda text: text.translate(_LOWER)),
    "upperAscii": _of_text(lambda text: text.translate(_UPPER)),
    "trim": _of_text(lambda text: text.strip(_BLANK)),
    "int": _int,
    "double": _double,
    "string": _string,
    "bool": _bool,
    "abs": _of_number(abs),
    "ceil": _of_number(lambda value: float(math.ceil(value))),
    "floor": _of_number(lambda value: float(math.floor(value))),
    "round": _of_number(_round_away),
    "min": _extreme(lambda a, b: a < b),
    "max": _extreme(lambda a, b: a > b),
    "timestamp": _timestamp,
    "duration": _duration,
    "getFullYear": _part(lambda ms: civil_from_days(_day(ms))[0]),
    "getMonth": _part(lambda ms: civil_from_days(_day(ms))[1] - 1),
    "getDate": _part(lambda ms: civil_from_days(_day(ms))[2]),
    "getDayOfWeek": _part(lambda ms: (_day(ms) + 4) % 7),
    "getHours": _part(lambda ms: ms // 3_600_000 % 24, of_duration=True),
}


def compile_pattern(pattern: str) -> Callable[..., bool]:
    try:
        import re2
    except ImportError as error:
        raise RulesError(
            "a rule uses matches(), which needs google-re2: install the extra with pip install 'decision-edge[rules]'"
        ) from error
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise RulesError("a rule holds a pattern that is not RE2") from error

    def work(run: Run, text: Any, _: Any = None) -> bool:
        if not isinstance(text, str):
            raise Failure("type_mismatch")
        charge_text(text, 6, run)
        if not well_formed(text):
            raise Failure("bad_value")
        return compiled.search(text) is not None

    return work

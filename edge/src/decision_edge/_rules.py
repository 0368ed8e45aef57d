"""Hard rules: checks and evaluates the syntax trees of ``rules.json``.

The same tree gives the same value, the same kind of error and the same trace as in the workbench.
Numbers are doubles, texts are sequences of code points, only own keys of the input are seen.
``matches`` needs the extra ``rules`` (google-re2); everything else is plain Python.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_MAX_RULES = 200
_MAX_DEPTH = 24
_MAX_NODES = 500
_MAX_NESTED = 2
_MAX_ELEMENTS = 1_000
_MAX_STEPS = 100_000
_MAX_TEXT = 262_144
_MAX_LIST = 10_000
_SHOWN_MEMBERS = 50
_SHOWN_CHARACTERS = 200

_OPERATORS = ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in")
_MACROS = ("all", "exists", "exists_one", "map", "filter")
_ARITIES = {
    "size": (1, 1),
    "contains": (2, 2),
    "startsWith": (2, 2),
    "endsWith": (2, 2),
    "matches": (2, 2),
    "lowerAscii": (1, 1),
    "upperAscii": (1, 1),
    "trim": (1, 1),
    "int": (1, 1),
    "double": (1, 1),
    "string": (1, 1),
    "bool": (1, 1),
    "abs": (1, 1),
    "ceil": (1, 1),
    "floor": (1, 1),
    "round": (1, 1),
    "min": (1, 32),
    "max": (1, 32),
    "timestamp": (1, 1),
    "duration": (1, 1),
    "getFullYear": (1, 2),
    "getMonth": (1, 2),
    "getDate": (1, 2),
    "getDayOfWeek": (1, 2),
    "getHours": (1, 2),
}


class RulesError(ValueError):
    """``rules.json`` cannot be used."""


class _Failure(Exception):
    """A rule that cannot be evaluated. Holds the kind of failure, never a value of the input."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind
        self.expression: str | None = None


class _Timestamp:
    """A point in time in whole milliseconds since 1970 (UTC)."""

    __slots__ = ("ms",)

    def __init__(self, ms: int) -> None:
        self.ms = ms


class _Duration:
    """A span of time in whole milliseconds."""

    __slots__ = ("ms",)

    def __init__(self, ms: int) -> None:
        self.ms = ms


class _Run:
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
            raise _Failure("limit")


_Step = Callable[[_Run], Any]
_Hook = Callable[[dict[str, Any], _Step, int], _Step]


# --- values -------------------------------------------------------------------------------------


def _doubles(value: Any) -> Any:
    """The input with every whole number as a double, as JSON numbers are in the workbench."""
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, dict):
        return {str(key): _doubles(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_doubles(member) for member in value]
    raise TypeError(f"the input holds a value that is not JSON: {type(value).__name__}")


def _is_number(value: Any) -> bool:
    return isinstance(value, float)


def _equal(a: Any, b: Any, run: _Run) -> bool:
    if a is b and isinstance(a, (list, dict)):
        return True
    if isinstance(a, list):
        if not isinstance(b, list) or len(a) != len(b):
            return False
        for left, right in zip(a, b, strict=True):
            run.charge(1)
            if not _equal(left, right, run):
                return False
        return True
    if isinstance(a, dict):
        if not isinstance(b, dict):
            return False
        run.charge(len(a) + len(b))
        return len(a) == len(b) and all(key in b and _equal(a[key], b[key], run) for key in sorted(a))
    if isinstance(a, (_Timestamp, _Duration)):
        return type(a) is type(b) and a.ms == b.ms
    return type(a) is type(b) and a == b


def _units(text: str) -> int:
    """UTF-16 units: what the workbench counts when it charges steps for going over a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _charge_text(text: str, shift: int, run: _Run) -> None:
    run.charge(_units(text) >> shift)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise _Failure("overflow")
    return value


def _well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _number_text(value: float) -> str:
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


def _timestamp_of(ms: int) -> _Timestamp:
    if not _MIN_TIMESTAMP <= ms <= _MAX_TIMESTAMP:
        raise _Failure("overflow")
    return _Timestamp(ms)


def _duration_of(ms: int) -> _Duration:
    if abs(ms) > _MAX_DURATION:
        raise _Failure("overflow")
    return _Duration(ms)


def _days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant's algorithm)."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


def _civil_from_days(days: int) -> tuple[int, int, int]:
    days += 719_468
    era = days // 146_097
    day_of_era = days - era * 146_097
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _parse_timestamp(text: str) -> _Timestamp:
    match = _TIMESTAMP.fullmatch(text)
    if not match:
        raise _Failure("bad_value")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    days = 29 if month == 2 and leap else _MONTH_DAYS[month - 1] if 1 <= month <= 12 else 0
    if year < 1 or not 1 <= day <= days or hour > 23 or minute > 59 or second > 59:
        raise _Failure("bad_value")
    ms = int((match[7] or "")[:3].ljust(3, "0"))
    offset_hour, offset_minute = int(match[9] or 0), int(match[10] or 0)
    if offset_hour > 23 or offset_minute > 59:
        raise _Failure("bad_value")
    offset = (offset_hour * 60 + offset_minute) * (-1 if match[8] == "-" else 1)
    seconds = _days_from_civil(year, month, day) * 86_400 + (hour * 60 + minute - offset) * 60 + second
    return _timestamp_of(seconds * 1000 + ms)


_DURATION = re.compile(r"([+-])?((?:[0-9]{1,15}(?:\.[0-9]{1,9})?(?:ms|us|ns|h|m|s))+|0)")
_DURATION_PART = re.compile(r"([0-9]+)(?:\.([0-9]+))?(ms|us|ns|h|m|s)")
_UNIT_NS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def _parse_duration(text: str) -> _Duration:
    match = _DURATION.fullmatch(text)
    if not match:
        raise _Failure("bad_value")
    ns = 0
    for whole, fraction, unit in _DURATION_PART.findall(match[2]):
        size = _UNIT_NS[unit]
        ns += int(whole) * size + int(fraction or 0) * size // 10 ** len(fraction)
    ms = ns // 1_000_000
    return _duration_of(-ms if match[1] == "-" else ms)


def _fraction(ms: int) -> str:
    return "." + f"{ms:03d}".rstrip("0") if ms else ""


def _timestamp_text(value: _Timestamp) -> str:
    days, rest = divmod(value.ms, 86_400_000)
    year, month, day = _civil_from_days(days)
    seconds, ms = divmod(rest, 1000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}T{clock}{_fraction(ms)}Z"


def _duration_text(value: _Duration) -> str:
    seconds, ms = divmod(abs(value.ms), 1000)
    return f"{'-' if value.ms < 0 else ''}{seconds}{_fraction(ms)}s"


# --- operators ----------------------------------------------------------------------------------


def _add(a: Any, b: Any, run: _Run) -> Any:
    if _is_number(a) and _is_number(b):
        return _finite(a + b)
    if isinstance(a, str) and isinstance(b, str):
        if a and "\ud800" <= a[-1] <= "\udbff":
            raise _Failure("bad_value")
        _charge_text(a, 10, run)
        _charge_text(b, 10, run)
        if len(a) + len(b) > _MAX_TEXT:
            raise _Failure("limit")
        return a + b
    if isinstance(a, _Duration) and isinstance(b, _Duration):
        return _duration_of(a.ms + b.ms)
    if isinstance(a, (_Timestamp, _Duration)) and isinstance(b, (_Timestamp, _Duration)):
        if isinstance(a, _Timestamp) and isinstance(b, _Timestamp):
            raise _Failure("type_mismatch")
        return _timestamp_of(a.ms + b.ms)
    if isinstance(a, list) and isinstance(b, list):
        run.charge(len(a) + len(b))
        if len(a) + len(b) > _MAX_LIST:
            raise _Failure("limit")
        return a + b
    raise _Failure("type_mismatch")


def _subtract(a: Any, b: Any, run: _Run) -> Any:
    if _is_number(a) and _is_number(b):
        return _finite(a - b)
    if isinstance(a, _Timestamp):
        if isinstance(b, _Timestamp):
            return _duration_of(a.ms - b.ms)
        if isinstance(b, _Duration):
            return _timestamp_of(a.ms - b.ms)
    if isinstance(a, _Duration) and isinstance(b, _Duration):
        return _duration_of(a.ms - b.ms)
    raise _Failure("type_mismatch")


def _two_numbers(a: Any, b: Any) -> None:
    if not (_is_number(a) and _is_number(b)):
        raise _Failure("type_mismatch")


def _multiply(a: Any, b: Any, run: _Run) -> Any:
    _two_numbers(a, b)
    return _finite(a * b)


def _divide(a: Any, b: Any, run: _Run) -> Any:
    _two_numbers(a, b)
    if b == 0:
        raise _Failure("division_by_zero")
    return _finite(a / b)


def _remainder(a: Any, b: Any, run: _Run) -> Any:
    _two_numbers(a, b)
    if b == 0:
        raise _Failure("division_by_zero")
    if not (a.is_integer() and b.is_integer()):
        raise _Failure("bad_value")
    return math.fmod(a, b)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any, _Run], bool]:
    def work(a: Any, b: Any, run: _Run) -> bool:
        if type(a) is not type(b):
            raise _Failure("type_mismatch")
        if isinstance(a, str):
            _charge_text(a, 10, run)
            return test(a, b)
        if isinstance(a, (float, bool)):
            return test(a, b)
        if isinstance(a, (_Timestamp, _Duration)):
            return test(a.ms, b.ms)
        raise _Failure("type_mismatch")

    return work


def _in(a: Any, b: Any, run: _Run) -> bool:
    if isinstance(b, list):
        for item in b:
            run.charge(1)
            if _equal(a, item, run):
                return True
        return False
    if isinstance(b, dict):
        return isinstance(a, str) and a in b
    raise _Failure("type_mismatch")


_BINARIES: dict[str, Callable[[Any, Any, _Run], Any]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
    "<": _ordered(lambda a, b: a < b),
    "<=": _ordered(lambda a, b: a <= b),
    ">": _ordered(lambda a, b: a > b),
    ">=": _ordered(lambda a, b: a >= b),
    "==": _equal,
    "!=": lambda a, b, run: not _equal(a, b, run),
    "in": _in,
}


def _select(value: Any, field: str) -> Any:
    if not isinstance(value, dict):
        raise _Failure("type_mismatch")
    if field not in value:
        raise _Failure("missing_field")
    return value[field]


def _at(value: Any, by: Any) -> Any:
    if isinstance(value, list):
        if not _is_number(by):
            raise _Failure("type_mismatch")
        if not by.is_integer():
            raise _Failure("bad_value")
        if not 0 <= by < len(value):
            raise _Failure("index_out_of_range")
        return value[int(by)]
    if not isinstance(value, dict) or not isinstance(by, str):
        raise _Failure("type_mismatch")
    return _select(value, by)


# --- functions ----------------------------------------------------------------------------------

_BLANK = "\t\n\v\f\r \u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_LOWER = {code: code + 32 for code in range(65, 91)}
_UPPER = {code: code - 32 for code in range(97, 123)}


def _size(run: _Run, value: Any) -> float:
    if isinstance(value, str):
        _charge_text(value, 10, run)
        return float(len(value))
    if isinstance(value, dict):
        run.charge(len(value))
        return float(len(value))
    if isinstance(value, list):
        return float(len(value))
    raise _Failure("type_mismatch")


def _search(test: Callable[[str, str], bool]) -> Callable[..., bool]:
    def work(run: _Run, text: Any, part: Any) -> bool:
        if not isinstance(text, str) or not isinstance(part, str):
            raise _Failure("type_mismatch")
        _charge_text(text, 10, run)
        if not _well_formed(part):
            raise _Failure("bad_value")
        return test(text, part)

    return work


def _of_text(change: Callable[[str], str]) -> Callable[..., str]:
    def work(run: _Run, text: Any) -> str:
        if not isinstance(text, str):
            raise _Failure("type_mismatch")
        _charge_text(text, 8, run)
        return change(text)

    return work


def _of_number(change: Callable[[float], float]) -> Callable[..., float]:
    def work(run: _Run, value: Any) -> float:
        if not _is_number(value):
            raise _Failure("type_mismatch")
        if math.isinf(value):
            return abs(float(value)) if change is abs else float(value)
        return change(value) + 0.0

    return work


def _round_away(value: float) -> float:
    whole = float(math.trunc(value))
    return whole + math.copysign(1.0, value) if abs(value - whole) >= 0.5 else whole


_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,5})?")


def _int(run: _Run, value: Any) -> float:
    if isinstance(value, _Timestamp):
        return float(value.ms // 1000)
    if isinstance(value, str):
        if not _WHOLE.fullmatch(value):
            raise _Failure("bad_value")
        number = float(value)
    elif _is_number(value):
        number = value
    else:
        raise _Failure("type_mismatch")
    if not math.isfinite(number):
        raise _Failure("bad_value")
    whole = float(math.trunc(number))
    if abs(whole) >= 2.0**63:
        raise _Failure("bad_value")
    return whole


def _double(run: _Run, value: Any) -> float:
    if isinstance(value, float):
        return value
    if not isinstance(value, str):
        raise _Failure("type_mismatch")
    number = float(value) if _DECIMAL.fullmatch(value) else math.nan
    if not math.isfinite(number):
        raise _Failure("bad_value")
    return number


def _string(run: _Run, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if _is_number(value):
        return _number_text(value)
    if isinstance(value, _Timestamp):
        return _timestamp_text(value)
    if isinstance(value, _Duration):
        return _duration_text(value)
    raise _Failure("type_mismatch")


def _bool(run: _Run, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _Failure("type_mismatch")
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise _Failure("bad_value")


def _extreme(better: Callable[[float, float], bool]) -> Callable[..., float]:
    def work(run: _Run, *args: Any) -> float:
        values: Sequence[Any] = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        run.charge(len(values))
        best: float | None = None
        for value in values:
            if not _is_number(value):
                raise _Failure("type_mismatch")
            if best is None or better(value, best):
                best = value
        if best is None:
            raise _Failure("bad_value")
        return best

    return work


def _timestamp(run: _Run, value: Any) -> _Timestamp:
    if isinstance(value, _Timestamp):
        return value
    if not isinstance(value, str):
        raise _Failure("type_mismatch")
    return _parse_timestamp(value)


def _duration(run: _Run, value: Any) -> _Duration:
    if isinstance(value, _Duration):
        return value
    if not isinstance(value, str):
        raise _Failure("type_mismatch")
    return _parse_duration(value)


_ZONE = re.compile(r"([+-]?)([0-9]{2}):([0-9]{2})")
_MISSING = object()


def _part(read: Callable[[int], int], of_duration: bool = False) -> Callable[..., float]:
    def work(run: _Run, value: Any, zone: Any = _MISSING) -> float:
        if isinstance(value, _Duration) and of_duration and zone is _MISSING:
            hours = abs(value.ms) // 3_600_000
            return float(-hours if value.ms < 0 else hours)
        if not isinstance(value, _Timestamp):
            raise _Failure("type_mismatch")
        if zone is _MISSING or zone == "UTC":
            return float(read(value.ms))
        if not isinstance(zone, str):
            raise _Failure("type_mismatch")
        match = _ZONE.fullmatch(zone)
        if not match or int(match[2]) * 60 + int(match[3]) > 14 * 60 or int(match[3]) > 59:
            raise _Failure("bad_value")
        minutes = (int(match[2]) * 60 + int(match[3])) * (-1 if match[1] == "-" else 1)
        return float(read(value.ms + minutes * 60_000))

    return work


def _day(ms: int) -> int:
    return ms // 86_400_000


_CALLS: dict[str, Callable[..., Any]] = {
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
    "getFullYear": _part(lambda ms: _civil_from_days(_day(ms))[0]),
    "getMonth": _part(lambda ms: _civil_from_days(_day(ms))[1] - 1),
    "getDate": _part(lambda ms: _civil_from_days(_day(ms))[2]),
    "getDayOfWeek": _part(lambda ms: (_day(ms) + 4) % 7),
    "getHours": _part(lambda ms: ms // 3_600_000 % 24, of_duration=True),
}


def _pattern(pattern: str) -> Callable[..., bool]:
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

    def work(run: _Run, text: Any, _: Any = None) -> bool:
        if not isinstance(text, str):
            raise _Failure("type_mismatch")
        _charge_text(text, 6, run)
        if not _well_formed(text):
            raise _Failure("bad_value")
        return compiled.search(text) is not None

    return work


# --- the tree -----------------------------------------------------------------------------------


def _children(node: dict[str, Any]) -> list[dict[str, Any]]:
    kind = node["k"]
    if kind in ("lit", "var"):
        return []
    if kind in ("get", "has", "not", "neg"):
        return [node["of"]]
    if kind == "index":
        return [node["of"], node["by"]]
    if kind in ("and", "or", "call"):
        args: list[dict[str, Any]] = node["args"]
        return args
    if kind == "if":
        return [node["test"], node["then"], node["else"]]
    if kind == "op":
        return [node["left"], node["right"]]
    if kind == "list":
        items: list[dict[str, Any]] = node["items"]
        return items
    if kind == "map":
        return [part for entry in node["entries"] for part in entry]
    return [node["of"], *(part for part in (node["test"], node["result"]) if part is not None)]


def _weight(node: dict[str, Any]) -> int:
    return 1 + sum(_weight(child) for child in _children(node))


class _Reader:
    """Checks a tree from a file: known kinds and functions, variables in scope, limits kept."""

    def __init__(self) -> None:
        self.nodes = 0
        self.scope = ["ctx"]

    def read(self, node: Any, depth: int = 1) -> dict[str, Any]:
        self.nodes += 1
        if self.nodes > _MAX_NODES or depth > _MAX_DEPTH or not isinstance(node, dict):
            raise ValueError("node")
        at = node["at"]
        if not (isinstance(at, list) and len(at) == 2 and all(type(end) is int for end in at)):
            raise ValueError("at")
        return {**self._fields(node, functools.partial(self.read, depth=depth + 1)), "at": at}

    def _fields(self, node: dict[str, Any], below: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        kind = node["k"]
        if kind == "lit":
            value = node["v"]
            if value is not None and not isinstance(value, (bool, str)):
                value = float(value) if isinstance(value, (int, float)) else math.nan
                if not math.isfinite(value):
                    raise ValueError("lit")
            return {"k": kind, "v": value}
        if kind == "var":
            if node["name"] not in self.scope:
                raise ValueError("var")
            return {"k": kind, "name": node["name"]}
        if kind in ("get", "has"):
            return {"k": kind, "of": below(node["of"]), "field": _text(node["field"])}
        if kind in ("not", "neg"):
            return {"k": kind, "of": below(node["of"])}
        if kind == "index":
            return {"k": kind, "of": below(node["of"]), "by": below(node["by"])}
        if kind in ("and", "or"):
            return {"k": kind, "args": [below(arg) for arg in _list(node["args"])]}
        if kind == "if":
            return {"k": kind, "test": below(node["test"]), "then": below(node["then"]), "else": below(node["else"])}
        if kind == "op":
            if node["op"] not in _OPERATORS:
                raise ValueError("op")
            return {"k": kind, "op": node["op"], "left": below(node["left"]), "right": below(node["right"])}
        if kind == "list":
            return {"k": kind, "items": [below(item) for item in _list(node["items"])]}
        if kind == "map":
            return {"k": kind, "entries": [(below(key), below(value)) for key, value in _list(node["entries"])]}
        if kind == "call":
            name, args = _text(node["fn"]), [below(arg) for arg in _list(node["args"])]
            low, high = _ARITIES[name]
            if not low <= len(args) <= high:
                raise ValueError("call")
            if name == "matches" and not isinstance(args[1].get("v"), str):
                raise ValueError("matches")
            return {"k": kind, "fn": name, "args": args}
        if kind == "each":
            return self._each(node, below)
        raise ValueError("kind")

    def _each(self, node: dict[str, Any], below: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        macro, name = node["macro"], _text(node["name"])
        if macro not in _MACROS or name == "ctx" or len(self.scope) > _MAX_NESTED:
            raise ValueError("each")
        of = below(node["of"])
        self.scope.append(name)
        test = None if node["test"] is None else below(node["test"])
        result = None if node["result"] is None else below(node["result"])
        self.scope.pop()
        if result is None if macro == "map" else test is None or result is not None:
            raise ValueError("each")
        return {"k": "each", "macro": macro, "of": of, "name": name, "test": test, "result": result}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("list")
    return value


# --- evaluation ---------------------------------------------------------------------------------


def _no_hook(node: dict[str, Any], step: _Step, depth: int) -> _Step:
    return step


class _Compiler:
    """Turns a tree into closures; ``hook`` may put its own step around each node."""

    def __init__(self, hook: _Hook = _no_hook) -> None:
        self.hook = hook

    def compile(self, node: dict[str, Any], scope: tuple[str, ...] = ()) -> _Step:
        return self.hook(node, self._plain(node, scope), len(scope))

    def _plain(self, node: dict[str, Any], scope: tuple[str, ...]) -> _Step:
        kind = node["k"]
        below = functools.partial(self.compile, scope=scope)
        if kind == "lit":
            value = node["v"]
            return lambda run: value
        if kind == "var":
            return _variable(node["name"], scope)
        if kind == "get":
            of, field = below(node["of"]), node["field"]
            return lambda run: _select(of(run), field)
        if kind == "has":
            return _has(below(node["of"]), node["field"])
        if kind == "index":
            of, by = below(node["of"]), below(node["by"])
            return lambda run: _at(of(run), by(run))
        if kind == "not":
            return _not(below(node["of"]))
        if kind == "neg":
            return _negative(below(node["of"]))
        if kind in ("and", "or"):
            return _logic([below(arg) for arg in node["args"]], kind == "or")
        if kind == "if":
            return _choice(below(node["test"]), below(node["then"]), below(node["else"]))
        if kind == "op":
            left, right, work = below(node["left"]), below(node["right"]), _BINARIES[node["op"]]
            return lambda run: work(left(run), right(run), run)
        if kind == "list":
            items = [below(item) for item in node["items"]]
            return lambda run: [item(run) for item in items]
        if kind == "map":
            return _map([(below(key), below(value)) for key, value in node["entries"]])
        if kind == "call":
            if node["fn"] == "matches":
                text, match = below(node["args"][0]), _pattern(node["args"][1]["v"])
                return lambda run: match(run, text(run))
            args, call = [below(arg) for arg in node["args"]], _CALLS[node["fn"]]
            return lambda run: call(run, *[arg(run) for arg in args])
        return self._each(node, scope)

    def _each(self, node: dict[str, Any], scope: tuple[str, ...]) -> _Step:
        of = self.compile(node["of"], scope)
        inner = (*scope, node["name"])
        test = None if node["test"] is None else self.compile(node["test"], inner)
        result = None if node["result"] is None else self.compile(node["result"], inner)
        cost = sum(_weight(part) for part in (node["test"], node["result"]) if part is not None)
        slot = "second" if scope else "first"
        macro = node["macro"]

        def members(run: _Run) -> Iterable[Any]:
            value = of(run)
            if not isinstance(value, (list, dict)):
                raise _Failure("type_mismatch")
            if len(value) > _MAX_ELEMENTS:
                raise _Failure("limit")
            for member in value if isinstance(value, list) else sorted(value):
                setattr(run, slot, member)
                run.charge(cost)
                yield member

        def collect(run: _Run) -> list[Any]:
            values = []
            for member in members(run):
                if test is not None:
                    keep = test(run)
                    if not isinstance(keep, bool):
                        raise _Failure("type_mismatch")
                    if not keep:
                        continue
                values.append(member if result is None else result(run))
            return values

        if macro in ("map", "filter"):
            return collect
        if macro == "exists_one":
            return lambda run: len(collect(run)) == 1
        assert test is not None
        return _quantify(members, test, macro == "exists")


def _variable(name: str, scope: tuple[str, ...]) -> _Step:
    if len(scope) == 2 and scope[1] == name:
        return lambda run: run.second
    if scope and scope[0] == name:
        return lambda run: run.first
    return lambda run: run.ctx


def _has(of: _Step, field: str) -> _Step:
    def step(run: _Run) -> bool:
        value = of(run)
        if not isinstance(value, dict):
            raise _Failure("type_mismatch")
        return field in value

    return step


def _not(of: _Step) -> _Step:
    def step(run: _Run) -> bool:
        value = of(run)
        if not isinstance(value, bool):
            raise _Failure("type_mismatch")
        return not value

    return step


def _negative(of: _Step) -> _Step:
    def step(run: _Run) -> Any:
        value = of(run)
        if _is_number(value):
            return -value
        if isinstance(value, _Duration):
            return _duration_of(-value.ms)
        raise _Failure("type_mismatch")

    return step


def _choice(test: _Step, yes: _Step, no: _Step) -> _Step:
    def step(run: _Run) -> Any:
        value = test(run)
        if not isinstance(value, bool):
            raise _Failure("type_mismatch")
        return yes(run) if value else no(run)

    return step


def _map(entries: list[tuple[_Step, _Step]]) -> _Step:
    def step(run: _Run) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_step, value_step in entries:
            key = key_step(run)
            value = value_step(run)
            if not isinstance(key, str):
                raise _Failure("type_mismatch")
            if key in values:
                raise _Failure("duplicate_key")
            values[key] = value
        return values

    return step


def _settle(run: _Run, tests: Iterable[_Step], settles: bool) -> bool:
    """True or false as soon as a test says `settles`, which wins over errors of the others; limits always end it."""
    failure: _Failure | None = None
    for test in tests:
        try:
            value: Any = test(run)
            if not isinstance(value, bool):
                raise _Failure("type_mismatch")
            if value == settles:
                return settles
        except _Failure as error:
            if error.kind == "limit":
                raise
            failure = failure or error
    if failure:
        raise failure
    return not settles


def _logic(args: list[_Step], settles: bool) -> _Step:
    """``and`` (settled by false) and ``or`` (settled by true)."""
    return lambda run: _settle(run, args, settles)


def _quantify(members: Callable[[_Run], Iterable[Any]], test: _Step, settles: bool) -> _Step:
    return lambda run: _settle(run, (test for _ in members(run)), settles)


# --- trace --------------------------------------------------------------------------------------


def _recordable(root: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def walk(node: dict[str, Any], part_of_path: bool) -> bool:
        kind = node["k"]
        reads = kind == "var"
        for child in [node["of"]] if kind == "each" else _children(node):
            if walk(child, kind in ("get", "index", "has") and child is node["of"]):
                reads = True
        path = kind in ("get", "index") and not part_of_path
        if reads and (path or kind in ("has", "op", "call", "each")):
            found.append(node)
        return bool(reads)

    walk(root, False)
    return found


def _is_small(value: Any) -> bool:
    left = _SHOWN_MEMBERS

    def walk(inner: Any) -> bool:
        nonlocal left
        if not isinstance(inner, (list, dict)):
            return True
        left -= len(inner)
        return left >= 0 and all(map(walk, inner if isinstance(inner, list) else inner.values()))

    return walk(value)


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _SHOWN_CHARACTERS else value[:_SHOWN_CHARACTERS] + "…"
    if _is_number(value):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, _Timestamp):
        return _timestamp_text(value)
    if isinstance(value, _Duration):
        return _duration_text(value)
    if isinstance(value, list):
        return [_shown(member) for member in value] if _is_small(value) else f"list of {len(value)}"
    if isinstance(value, dict):
        return {key: _shown(value[key]) for key in sorted(value)} if _is_small(value) else f"map of {len(value)}"
    return value


class _Rule:
    def __init__(self, rule: dict[str, Any], tree: dict[str, Any]) -> None:
        self.rule = rule
        self.tree = tree
        self.recorded = sorted(_recordable(tree), key=lambda node: (node["at"][0], -node["at"][1]))
        self._wanted = {id(node) for node in self.recorded}
        self._seen: dict[int, Any] = {}
        self._step = _Compiler(self._hook).compile(tree)

    def _text(self, node: dict[str, Any]) -> str:
        return str(self.rule["condition"][node["at"][0] : node["at"][1]])

    def _hook(self, node: dict[str, Any], step: _Step, depth: int) -> _Step:
        keep = depth == 0 and id(node) in self._wanted

        def traced(run: _Run) -> Any:
            try:
                value = step(run)
            except _Failure as failure:
                if failure.expression is None:
                    failure.expression = self._text(node)
                raise
            if keep:
                self._seen[id(node)] = value
            return value

        return traced

    def evaluate(self, data: Any) -> tuple[bool, dict[str, Any]]:
        self._seen = {}
        matched = False
        error: str | None = None
        try:
            value = self._step(_Run(data))
            if not isinstance(value, bool):
                raise _with_text(_Failure("type_mismatch"), self._text(self.tree))
            matched = value
        except _Failure as failure:
            error = f"{failure.kind}: {failure.expression}"
        values: list[dict[str, Any]] = []
        for node in self.recorded:
            text = self._text(node)
            if id(node) in self._seen and not any(entry["expression"] == text for entry in values):
                values.append({"expression": text, "value": _shown(self._seen[id(node)])})
        outcome = "error" if error else "matched" if matched else "not_matched"
        return matched, {"name": self.rule["name"], "outcome": outcome, "error": error, "values": values}


def _with_text(failure: _Failure, text: str) -> _Failure:
    failure.expression = text
    return failure


class RuleSet:
    """Rules in the order in which they are evaluated."""

    def __init__(self, rules: list[_Rule]) -> None:
        self._rules = rules

    def evaluate(self, input: Any) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """The first rule that holds for the input, or None, and how each rule fared.

        A rule that errs does not match; its trace entry says why. Rules behind the match are ``not_reached``.
        """
        data = _doubles(input)
        matched: dict[str, Any] | None = None
        trace: list[dict[str, Any]] = []
        for rule in self._rules:
            if matched is not None:
                trace.append({"name": rule.rule["name"], "outcome": "not_reached", "error": None, "values": []})
                continue
            holds, entry = rule.evaluate(data)
            trace.append(entry)
            if holds:
                matched = rule.rule
        return matched, trace


def load_rules(rules_file: dict[str, Any]) -> RuleSet:
    """Loads the content of ``rules.json``.

    Raises RulesError where a tree is not sound, or where a rule uses ``matches`` and google-re2 is not installed.
    """
    rules = rules_file.get("rules") if isinstance(rules_file, dict) else None
    if not isinstance(rules, list) or len(rules) > _MAX_RULES:
        raise RulesError("rules.json is not a list of compiled rules")
    loaded: list[_Rule] = []
    for number, rule in enumerate(rules, 1):
        try:
            tree = _Reader().read(rule["ast"])
            plain = {
                "name": _text(rule["name"]),
                "condition": _text(rule["condition"]),
                "then": _text(rule["then"]),
                "reason_code": None if rule.get("reason_code") is None else _text(rule["reason_code"]),
                "priority": rule.get("priority", 100),
            }
        except (KeyError, TypeError, ValueError) as error:
            raise RulesError(f"rules.json: the tree of rule {number} is not sound") from error
        loaded.append(_Rule(plain, tree))
    return RuleSet(loaded)

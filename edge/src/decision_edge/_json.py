"""JSON values as JavaScript sees them: every number is a double, a bool is not a number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import TypeAlias

from ._errors import InvalidBundle
from ._tables import MAX_JSON_DEPTH, MAX_JSON_SEPARATORS

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"

_MAX_SAFE_INTEGER = 2**53 - 1


def _refuse_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


def parse_json(text: str) -> JsonValue:
    """Parse strict JSON (no NaN, no Infinity). Raises ValueError, also where the nesting is too deep to parse."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error
    return value


def parse_entry(data: bytes, name: str) -> JsonValue:
    """Parse a JSON entry of a bundle; refusals call it `name`.

    What parsing may take is bounded by the commas and brackets that are counted before: a small file can hold
    millions of empty lists. Numbers that no double holds are refused, also where nothing reads them.
    """
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_JSON_SEPARATORS:
        raise InvalidBundle(f"{name} holds too many values.")
    try:
        value = parse_json(data.decode("utf-8"))
    except ValueError as error:
        raise InvalidBundle(f"{name} is not JSON: {error}.") from error
    _check_values(value, name)
    return value


def _check_values(root: JsonValue, name: str) -> None:
    """Walk level by level, so that no nesting is too deep for it."""
    level = [root]
    depth = 0
    while level:
        following: list[JsonValue] = []
        for value in level:
            if isinstance(value, (dict, list)):
                if depth == MAX_JSON_DEPTH:
                    raise InvalidBundle(f"{name} is nested too deeply.")
                following.extend(value.values() if isinstance(value, dict) else value)
            elif isinstance(value, (int, float)) and not math.isfinite(to_double(value)):
                raise InvalidBundle(f"{name} holds a number that is too large for a double.")
        level, depth = following, depth + 1


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Turn what is raised for JSON of an unexpected shape into InvalidBundle that names the place."""
    try:
        yield
    except (KeyError, IndexError, OverflowError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InvalidBundle(f"{place} is not as the format says: {problem}.") from error


def expect_object(value: JsonValue) -> JsonObject:
    """Return a value that is a JSON object. Raises ValueError for any other."""
    if not isinstance(value, dict):
        raise ValueError(f"an object is expected where {_name_type(value)} is")
    return value


def expect_keys(value: JsonValue, required: Set[str], optional: Set[str] = frozenset()) -> JsonObject:
    """Return an object that has all `required` keys and no others but `optional` ones. Raises ValueError."""
    found = expect_object(value)
    if missing := sorted(required - found.keys()):
        raise ValueError(f"{missing[0]} is missing")
    if unknown := sorted(found.keys() - required - optional):
        raise ValueError(f"{unknown[0][:50]!r} is not known")
    return found


def read_record(value: JsonValue) -> JsonObject:
    """Return an object whose keys are names out of the data. Raises ValueError for a name that JavaScript reserves."""
    found = expect_object(value)
    if "__proto__" in found:
        raise ValueError("'__proto__' cannot be a name")
    return found


def expect_list(value: JsonValue) -> list[JsonValue]:
    """Return a value that is a JSON array. Raises ValueError for any other."""
    if not isinstance(value, list):
        raise ValueError(f"a list is expected where {_name_type(value)} is")
    return value


def expect_string(value: JsonValue) -> str:
    """Return a value that is a string. Raises ValueError for any other."""
    if not isinstance(value, str):
        raise ValueError(f"a string is expected where {_name_type(value)} is")
    return value


def expect_strings(value: JsonValue) -> list[str]:
    """Return a value that is a JSON array of strings. Raises ValueError for any other."""
    return [expect_string(member) for member in expect_list(value)]


def expect_number(value: JsonValue) -> float:
    """Return a JSON number as a double. Raises ValueError for another type, and for numbers that no double holds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"a number is expected where {_name_type(value)} is")
    number = to_double(value)
    if not math.isfinite(number):
        raise ValueError("a number is too large for a double")
    return number


def expect_integer(value: JsonValue) -> int:
    """Return a whole JSON number, written as 3 or as 3.0. Raises ValueError for any other value."""
    number = expect_number(value)
    if not number.is_integer() or abs(number) > _MAX_SAFE_INTEGER:
        raise ValueError("a whole number is expected where a fraction is, or one that no double holds exactly")
    return int(number)


def _name_type(value: JsonValue) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else "a number"


def to_double(value: int | float) -> float:
    """Return the nearest double; an infinity for whole numbers beyond all of them, as JavaScript reads them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def find_value(value: JsonValue, path: list[str]) -> JsonValue:
    """Follow own keys of objects; None where a key is absent or the way leads through something else."""
    for segment in path:
        if not isinstance(value, dict):
            return None
        value = value.get(segment)
    return value


def format_number(number: float) -> str:
    """Write a finite double as JavaScript's JSON.stringify does: 1.0 → "1", 1e21 → "1e+21", 1e-7 → "1e-7"."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(float(number))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    padded = whole + fraction
    digits = padded.lstrip("0")
    # The value is 0.digits × 10^point.
    point = len(whole) + int(exponent or 0) - (len(padded) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"

"""JSON values as JavaScript sees them: every number is a double, a bool is no number."""

from __future__ import annotations

import json
import math
from typing import Any

from ._errors import InvalidInput

__all__ = ["MAX_DEPTH", "clean_input", "number_text", "parse_json", "value_at"]

MAX_DEPTH = 32


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_json(text: str) -> Any:
    """Parse strict JSON (no NaN, no Infinity). Raises ValueError, also where the nesting is too deep to parse."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error


def clean_input(value: object) -> dict[str, Any]:
    """Return a deep copy of an input object with every number as float. Raises InvalidInput, naming the place."""
    if not isinstance(value, dict):
        raise InvalidInput(f"The input must be a JSON object (a dict), not {type(value).__name__}.")
    cleaned: dict[str, Any] = _clean(value, "input", 1)
    return cleaned


def _clean(value: object, place: str, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean_text(value, place)
    if isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise InvalidInput(f"{place} is not a finite number.")
        return number
    if isinstance(value, (dict, list, tuple)) and depth > MAX_DEPTH:
        raise InvalidInput(f"The input is nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, dict):
        result: dict[str, Any] = {}
        for key, member in value.items():
            if not isinstance(key, str):
                raise InvalidInput(f"{place} has a key that is not a string: {key!r}.")
            name = _clean_text(key, f"a key of {place}")
            result[name] = _clean(member, f"{place}.{name}", depth + 1)
        return result
    if isinstance(value, (list, tuple)):
        return [_clean(member, f"{place}[{index}]", depth + 1) for index, member in enumerate(value)]
    raise InvalidInput(f"{place} is of type {type(value).__name__}, which JSON does not have.")


def _clean_text(text: str, place: str) -> str:
    if "\x00" in text:
        raise InvalidInput(f"{place} contains a NUL character.")
    if not text.isascii() and any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise InvalidInput(f"{place} contains half of a surrogate pair, which is no valid text.")
    return str(text)


def value_at(value: object, path: list[str]) -> object:
    """Follow own keys of objects; None where a key is absent or the way leads through something else."""
    for segment in path:
        if not isinstance(value, dict):
            return None
        value = value.get(segment)
    return value


def number_text(number: float) -> str:
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

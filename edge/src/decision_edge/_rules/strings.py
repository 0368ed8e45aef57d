"""The string extension of CEL: strings searched, cut, replaced, split and joined. Places count code points.

No string may have half a surrogate pair: in the workbench two halves could become one character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import cast

from .._tables import MAX_LIST_LENGTH, MAX_STRING_LENGTH
from .values import Failure, Run, Value, charge_string, count_units, is_well_formed


def fold_case(text: str) -> str:
    """Fold a text as the workbench does: `ÄRGER` and `Ärger` become `ärger`, `STRASSE` and `Straße` one text."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text).lower().upper().lower()
    # The small sigma at the end of a word, and the dot above that lower case leaves of a Turkish İ.
    return unicodedata.normalize("NFC", folded.replace("ς", "σ").replace("i\u0307", "i"))


def _read_strings(values: list[Value]) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise Failure("type_mismatch")
    strings = cast("list[str]", values)
    if not all(map(is_well_formed, strings)):
        raise Failure("bad_value")
    return strings


def _read_whole(args: list[Value], position: int, otherwise: int) -> int:
    """Read the argument at a position as a whole number; ``otherwise`` where it is left out."""
    if position >= len(args):
        return otherwise
    value = args[position]
    if not isinstance(value, float):
        raise Failure("type_mismatch")
    if not value.is_integer():
        raise Failure("bad_value")
    return int(value)


def _charge_search(text: str, part: str, run: Run) -> None:
    units = count_units(text)
    run.charge((units >> 10) + units * min(count_units(part), units) // 4096)


def _substring(run: Run, args: list[Value]) -> str:
    (text,) = _read_strings(args[:1])
    start = _read_whole(args, 1, 0)
    end = _read_whole(args, 2, max(start, len(text)))
    charge_string(text, 8, run)
    if not 0 <= start <= end <= len(text):
        raise Failure("index_out_of_range")
    return text[start:end]


def _char_at(run: Run, args: list[Value]) -> str:
    return _substring(run, args)[:1]


def _index_of(run: Run, args: list[Value]) -> float:
    text, part = _read_strings(args[:2])
    start = _read_whole(args, 2, 0)
    _charge_search(text, part, run)
    if not 0 <= start <= len(text):
        raise Failure("index_out_of_range")
    return float(text.find(part, start))


def _last_index_of(run: Run, args: list[Value]) -> float:
    text, part = _read_strings(args[:2])
    start = _read_whole(args, 2, len(text))
    _charge_search(text, part, run)
    if not 0 <= start <= len(text):
        raise Failure("index_out_of_range")
    return float(text.rfind(part, 0, start + len(part)))


def _replace(run: Run, args: list[Value]) -> str:
    text, part, replacement = _read_strings(args[:3])
    most = _read_whole(args, 3, -1)
    charge_string(text, 8, run)
    _charge_search(text, part, run)
    occurrences = text.count(part)
    count = occurrences if most < 0 else min(most, occurrences)
    size = len(text) + count * (len(replacement) - len(part))
    if count > MAX_STRING_LENGTH or size > MAX_STRING_LENGTH:
        raise Failure("limit")
    result = text.replace(part, replacement, count)
    charge_string(result, 8, run)
    return result


def _split(run: Run, args: list[Value]) -> list[Value]:
    text, separator = _read_strings(args[:2])
    most = _read_whole(args, 2, -1)
    charge_string(text, 8, run)
    _charge_search(text, separator, run)
    if most == 0 or (text == "" and separator == ""):
        return []
    cuts = max(0, len(text) - 1) if separator == "" else text.count(separator)
    if most > 0:
        cuts = min(cuts, most - 1)
    run.charge(cuts + 1)
    if cuts >= MAX_LIST_LENGTH:
        raise Failure("limit")
    if separator == "":
        return [*text[:cuts], text[cuts:]]
    return cast("list[Value]", text.split(separator, cuts))


def _join(run: Run, args: list[Value]) -> str:
    parts = args[0]
    if not isinstance(parts, list):
        raise Failure("type_mismatch")
    run.charge(len(parts))
    between, *strings = _read_strings([args[1] if len(args) > 1 else "", *parts])
    if max(0, len(strings) - 1) * len(between) + sum(map(len, strings)) > MAX_STRING_LENGTH:
        raise Failure("limit")
    result = between.join(strings)
    charge_string(result, 8, run)
    return result


STRING_FUNCTIONS: dict[str, Callable[[Run, list[Value]], Value]] = {
    "charAt": _char_at,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "substring": _substring,
}
"""The functions of the string extension by name."""

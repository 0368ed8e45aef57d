"""The tabular part of the feature plan: one input object → the slots of the dense vector."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._calendar import civil_from_days, days_from_civil
from .._errors import InvalidBundle
from .._json import (
    JsonObject,
    JsonValue,
    expect_integer,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    expect_string,
    expect_strings,
    find_value,
    format_number,
    reading,
)

Encode: TypeAlias = Callable[[JsonValue], list[float]]
Scale: TypeAlias = Callable[[float], float]
Matrix: TypeAlias = npt.NDArray[np.float64]

# The keys of a field besides kind and path: required ones, and optional ones.
_KEYS: dict[str, tuple[set[str], set[str]]] = {
    "number": ({"median", "mean", "std"}, {"since"}),
    "boolean": (set(), set()),
    "category": ({"values"}, set()),
    "date": ({"mean", "std"}, set()),
    "numbers": ({"stats"}, set()),
    "strings": ({"stats", "values"}, set()),
    "objects": ({"stats"}, {"members"}),
}
_MAX_LISTED, _MAX_MEMBERS = 50, 8
_HASHABLE = frozenset((str, float, bool, type(None)))

_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


class TabularFeatures:
    """Compiled `fields` of a feature plan. Raises InvalidBundle where the plan is not as the format says."""

    def __init__(self, plan: JsonObject) -> None:
        with reading("features.json: a field"):
            expect_keys(plan, {"format", "fields", "tabular_size", "left_out", "text"})
            if isinstance(plan["format"], bool) or plan["format"] != 1:
                raise ValueError(f"format {plan['format']!r} is not known to this version")
            for entry in expect_list(plan["left_out"]):
                described = expect_keys(entry, {"path", "reason"})
                expect_string(described["path"]), expect_string(described["reason"])
            fields = [expect_object(field) for field in expect_list(plan["fields"])]
            self._fields = [(read_path(field["path"]), _read_since(field), _compile(field)) for field in fields]
            self.size = expect_integer(plan["tabular_size"])
        self.field_sizes = [len(encode(None)) for _, _, encode in self._fields]
        slots = sum(self.field_sizes)
        if slots != self.size:
            raise InvalidBundle(f"features.json: the fields have {slots} slots, tabular_size says {self.size}.")

    def encode(self, values: JsonObject) -> list[float]:
        """Return the slots in plan order, as doubles; `values` is a cleaned input."""
        slots: list[float] = []
        for path, since, encode in self._fields:
            value = find_value(values, path)
            slots.extend(encode(value if since is None else _count_days(value, find_value(values, since))))
        return slots

    def encode_columns(self, find_column: Callable[[list[str]], list[JsonValue]], rows: int) -> Matrix:
        """Return the numbers of `encode` for many inputs, a row each, from the values that they have at a path."""
        dense = np.zeros((rows, self.size))
        start = 0
        for (path, since, encode), size in zip(self._fields, self.field_sizes, strict=True):
            column = find_column(path)
            if since is not None:
                column = list(map(_count_days, column, find_column(since)))
            _encode_column(encode, column, dense[:, start : start + size])
            start += size
        return dense


def _encode_column(encode: Encode, column: list[JsonValue], slots: Matrix) -> None:
    """Fill the slots of a field. Values that occur again and again are encoded once."""
    types = set(map(type, column))
    if isinstance(encode, _Number):
        encode.fill(column, slots)
    # As keys, True and 1.0 are the same.
    elif types <= _HASHABLE and not types >= {bool, float}:
        places = {value: at for at, value in enumerate(dict.fromkeys(column))}
        slots[:] = np.array([encode(value) for value in places])[list(map(places.__getitem__, column))]
    else:
        slots[:] = [encode(value) for value in column]


def read_path(value: JsonValue) -> list[str]:
    """Return the keys that lead to a value of the input. Raises ValueError where they are not a list of strings."""
    path = expect_strings(value)
    if not path:
        raise ValueError("a path is empty")
    return path


def _read_since(field: JsonObject) -> list[str] | None:
    """Return the path of the date since which a number counts the days; None where it stands in the input."""
    return read_path(field["since"]) if "since" in field else None


def _compile(field: JsonObject) -> Encode:
    kind = expect_string(field["kind"])
    compilers: dict[str, Callable[[JsonObject], Encode]] = {
        "number": _Number,
        "boolean": _compile_boolean,
        "category": _compile_category,
        "date": _compile_date,
        "numbers": _compile_numbers,
        "strings": _compile_strings,
        "objects": _compile_objects,
    }
    if kind not in compilers:
        raise ValueError(f"the kind {kind!r} is not known")
    required, optional = _KEYS[kind]
    expect_keys(field, {"kind", "path"} | required, optional)
    return compilers[kind](field)


def _compile_scale(stats: JsonObject) -> Scale:
    mean, std = expect_number(stats["mean"]), expect_number(stats["std"])
    if std < 0:
        raise ValueError("a standard deviation is negative")
    std = std or 1.0
    return lambda x: min(max((x - mean) / std, -8.0), 8.0)


def _compile_scales(field: JsonObject, count: int) -> list[Scale]:
    scales = [_compile_scale(expect_keys(stats, {"mean", "std"})) for stats in expect_list(field["stats"])]
    if len(scales) != count:
        raise ValueError(f"{count} stats are expected where {len(scales)} are")
    return scales


class _Number:
    """Encodes a number, or a column of them at once."""

    def __init__(self, field: JsonObject) -> None:
        self._z = _compile_scale(field)
        self._mean, self._std = expect_number(field["mean"]), expect_number(field["std"]) or 1.0
        self._missing = [self._z(expect_number(field["median"])), 1.0]

    def __call__(self, value: JsonValue) -> list[float]:
        return [self._z(value), 0.0] if isinstance(value, float) else self._missing

    def fill(self, column: list[JsonValue], slots: Matrix) -> None:
        numbers = np.array([value if isinstance(value, float) else None for value in column], np.float64)
        with np.errstate(over="ignore"):
            slots[:, 0] = np.minimum(np.maximum((numbers - self._mean) / self._std, -8.0), 8.0)
        slots[np.isnan(numbers)] = self._missing


def _compile_boolean(field: JsonObject) -> Encode:
    def encode(value: JsonValue) -> list[float]:
        return [float(value), 0.0] if isinstance(value, bool) else [0.0, 1.0]

    return encode


def _compile_category(field: JsonObject) -> Encode:
    values = expect_strings(field["values"])
    size = len(values)
    index = {value: position for position, value in enumerate(values)}

    def encode(value: JsonValue) -> list[float]:
        slots = [0.0] * (size + 2)
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, float):
            value = format_number(value)
        slots[index.get(value, size) if isinstance(value, str) else size + 1] = 1.0
        return slots

    return encode


def _compile_date(field: JsonObject) -> Encode:
    z = _compile_scale(field)

    def encode(value: JsonValue) -> list[float]:
        parsed = _parse_date(value) if isinstance(value, str) else None
        if parsed is None:
            return [0.0] * 7 + [1.0]
        days, month, hour, _ = parsed
        slots = [z(_count_epoch_days(parsed))]
        # Day 0 (1 January 1970) was a Thursday; Monday is weekday 0.
        for part, parts in ((month - 1, 12), ((days + 3) % 7, 7), (hour, 24)):
            angle = 2 * math.pi * part / parts
            slots += [math.sin(angle), math.cos(angle)]
        return [*slots, 0.0]

    return encode


def _count_epoch_days(parsed: tuple[int, int, int, int]) -> float:
    days, _, hour, minute = parsed
    return days + hour / 24 + minute / 1440


def _count_days(until: JsonValue, since: JsonValue) -> float | None:
    """Return the days from one date to another; None where either is no date."""
    last = _parse_date(until) if isinstance(until, str) else None
    first = _parse_date(since) if isinstance(since, str) else None
    return None if last is None or first is None else _count_epoch_days(last) - _count_epoch_days(first)


def is_date(value: JsonValue) -> bool:
    """Return whether a value is a date or a time that the workbench reads."""
    return isinstance(value, str) and _parse_date(value) is not None


def is_calendar_day(value: str) -> bool:
    """Return whether a date names a day of the calendar: the 31st of February counts as one of March."""
    year, month, day = int(value[:4]), int(value[5:7]), int(value[8:10])
    return civil_from_days(days_from_civil(year, month, day)) == (year, month, day)


# Days come again and again, and each is read twice: for what is not read, and for its slots.
@lru_cache(maxsize=4_096)
def _parse_date(string: str) -> tuple[int, int, int, int] | None:
    found = _DATE.fullmatch(string)
    if found is None:
        return None
    year, month, day, hour, minute = (int(part or 0) for part in found.group(1, 2, 3, 4, 5))
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour <= 23):
        return None
    return days_from_civil(year, month, day), month, hour, minute


def _summarise(values: Sequence[JsonValue]) -> tuple[float, float, float, float] | None:
    """Return mean, minimum, maximum and sum of the numbers among the values; None where there is none."""
    members = [value for value in values if isinstance(value, float)]
    if not members:
        return None
    total = 0.0
    for member in members:  # Not sum(): newer Pythons compensate rounding, JavaScript does not.
        total += member
    return total / len(members), min(members), max(members), total


def _compile_numbers(field: JsonObject) -> Encode:
    z = _compile_scales(field, 5)

    def encode(value: JsonValue) -> list[float]:
        if not isinstance(value, list):
            return [0.0] * 5 + [1.0]
        length = z[0](float(len(value)))
        moments = _summarise(value)
        if moments is None:
            return [length, 0.0, 0.0, 0.0, 0.0, 0.0]
        return [length, *(scale(moment) for scale, moment in zip(z[1:], moments, strict=True)), 0.0]

    return encode


def _compile_strings(field: JsonObject) -> Encode:
    (z,), values = _compile_scales(field, 1), expect_strings(field["values"])
    if len(values) > _MAX_LISTED:
        raise ValueError(f"more than {_MAX_LISTED} values are listed")

    def encode(value: JsonValue) -> list[float]:
        if not isinstance(value, list):
            return [0.0] * (1 + len(values)) + [1.0]
        present = {member for member in value if isinstance(member, str)}
        return [z(float(len(value))), *(float(known in present) for known in values), 0.0]

    return encode


def _compile_objects(field: JsonObject) -> Encode:
    (z,) = _compile_scales(field, 1)
    described = [expect_keys(member, {"path", "stats"}) for member in expect_list(field.get("members", []))]
    if len(described) > _MAX_MEMBERS:
        raise ValueError(f"more than {_MAX_MEMBERS} members are described")
    members = [(read_path(member["path"]), _compile_scales(member, 4)) for member in described]

    def encode(value: JsonValue) -> list[float]:
        if not isinstance(value, list):
            return [0.0] * (1 + 4 * len(members)) + [1.0]
        slots = [z(float(len(value)))]
        for path, scales in members:
            moments = _summarise([find_value(member, path) for member in value if isinstance(member, dict)])
            if moments is None:
                slots += [0.0] * 4
            else:
                slots += [scale(moment) for scale, moment in zip(scales, moments, strict=True)]
        return [*slots, 0.0]

    return encode

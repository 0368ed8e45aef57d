"""The tabular part of the feature plan: one input object → the slots of the dense vector."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from ._calendar import days_from_civil
from ._errors import InvalidBundle
from ._json import find_value, format_number

__all__ = ["TabularFeatures"]

Encode = Callable[[object], list[float]]

_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


class TabularFeatures:
    """Compiled `fields` of a feature plan. Raises InvalidBundle where the plan is not as the format says."""

    def __init__(self, plan: dict[str, Any]) -> None:
        try:
            self._fields = [([str(part) for part in field["path"]], _compile(field)) for field in plan["fields"]]
            self.size = int(plan["tabular_size"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InvalidBundle(f"features.json: a field is not as the format says ({error!r})") from error
        self.field_sizes = [len(encode(None)) for _, encode in self._fields]
        slots = sum(self.field_sizes)
        if slots != self.size:
            raise InvalidBundle(f"features.json: the fields have {slots} slots, tabular_size says {self.size}")

    def encode(self, values: dict[str, Any]) -> list[float]:
        """Return the slots in plan order, as doubles; `values` is a cleaned input."""
        slots: list[float] = []
        for path, encode in self._fields:
            slots.extend(encode(find_value(values, path)))
        return slots


def _compile(field: dict[str, Any]) -> Encode:
    kinds: dict[str, Callable[[dict[str, Any]], Encode]] = {
        "number": _number,
        "boolean": _boolean,
        "category": _category,
        "date": _date,
        "numbers": _numbers,
        "strings": _strings,
        "objects": _objects,
    }
    return kinds[field["kind"]](field)


def _scaler(stats: dict[str, Any]) -> Callable[[float], float]:
    mean, std = float(stats["mean"]), float(stats["std"]) or 1.0
    return lambda x: min(max((x - mean) / std, -8.0), 8.0)


def _scalers(field: dict[str, Any], count: int) -> list[Callable[[float], float]]:
    scalers = [_scaler(stats) for stats in field["stats"]]
    if len(scalers) != count:
        raise ValueError(f"{count} stats expected, {len(scalers)} found")
    return scalers


def _number(field: dict[str, Any]) -> Encode:
    median, z = float(field["median"]), _scaler(field)

    def encode(value: object) -> list[float]:
        return [z(value), 0.0] if isinstance(value, float) else [z(median), 1.0]

    return encode


def _boolean(field: dict[str, Any]) -> Encode:
    def encode(value: object) -> list[float]:
        return [float(value), 0.0] if isinstance(value, bool) else [0.0, 1.0]

    return encode


def _category(field: dict[str, Any]) -> Encode:
    size = len(field["values"])
    index = {str(value): position for position, value in enumerate(field["values"])}

    def encode(value: object) -> list[float]:
        slots = [0.0] * (size + 2)
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, float):
            value = format_number(value)
        slots[index.get(value, size) if isinstance(value, str) else size + 1] = 1.0
        return slots

    return encode


def _date(field: dict[str, Any]) -> Encode:
    z = _scaler(field)

    def encode(value: object) -> list[float]:
        parsed = _parse_date(value) if isinstance(value, str) else None
        if parsed is None:
            return [0.0] * 7 + [1.0]
        days, month, hour, minute = parsed
        slots = [z(days + hour / 24 + minute / 1440)]
        # Day 0 (1 January 1970) was a Thursday; Monday is weekday 0.
        for part, parts in ((month - 1, 12), ((days + 3) % 7, 7), (hour, 24)):
            angle = 2 * math.pi * part / parts
            slots += [math.sin(angle), math.cos(angle)]
        return [*slots, 0.0]

    return encode


def _parse_date(text: str) -> tuple[int, int, int, int] | None:
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute = (int(part or 0) for part in found.group(1, 2, 3, 4, 5))
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour <= 23):
        return None
    return days_from_civil(year, month, day), month, hour, minute


def _summary(values: list[object]) -> tuple[float, float, float, float] | None:
    """Return mean, least, greatest and sum of the numbers among the values; None where there is none."""
    members = [value for value in values if isinstance(value, float)]
    if not members:
        return None
    total = 0.0
    for member in members:  # not sum(): newer Pythons compensate, JavaScript does not
        total += member
    return total / len(members), min(members), max(members), total


def _numbers(field: dict[str, Any]) -> Encode:
    z = _scalers(field, 5)

    def encode(value: object) -> list[float]:
        if not isinstance(value, list):
            return [0.0] * 5 + [1.0]
        length = z[0](float(len(value)))
        figures = _summary(value)
        if figures is None:
            return [length, 0.0, 0.0, 0.0, 0.0, 0.0]
        return [length, *(scale(figure) for scale, figure in zip(z[1:], figures, strict=True)), 0.0]

    return encode


def _strings(field: dict[str, Any]) -> Encode:
    (z,), values = _scalers(field, 1), [str(value) for value in field["values"]]

    def encode(value: object) -> list[float]:
        if not isinstance(value, list):
            return [0.0] * (1 + len(values)) + [1.0]
        present = {member for member in value if isinstance(member, str)}
        return [z(float(len(value))), *(float(known in present) for known in values), 0.0]

    return encode


def _objects(field: dict[str, Any]) -> Encode:
    (z,) = _scalers(field, 1)
    members = [([str(part) for part in member["path"]], _scalers(member, 4)) for member in field.get("members", [])]

    def encode(value: object) -> list[float]:
        if not isinstance(value, list):
            return [0.0] * (1 + 4 * len(members)) + [1.0]
        slots = [z(float(len(value)))]
        for path, scalers in members:
            figures = _summary([find_value(member, path) for member in value if isinstance(member, dict)])
            if figures is None:
                slots += [0.0] * 4
            else:
                slots += [scale(figure) for scale, figure in zip(scalers, figures, strict=True)]
        return [*slots, 0.0]

    return encode

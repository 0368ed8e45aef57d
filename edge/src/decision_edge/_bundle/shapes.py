"""JSON values beside the part of JSON Schema that the workbench writes for its files, without loading a library."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from .._json import JsonValue, expect_integer, expect_keys, expect_list, expect_number, expect_object, expect_string

Shape: TypeAlias = "Mapping[str, Any]"


def _expect_boolean(value: JsonValue) -> None:
    if not isinstance(value, bool):
        raise ValueError("true or false is expected")


def _expect_null(value: JsonValue) -> None:
    if value is not None:
        raise ValueError("null is expected")


_EXPECT: Mapping[str, Callable[[JsonValue], object]] = {
    "array": expect_list,
    "boolean": _expect_boolean,
    "integer": expect_integer,
    "null": _expect_null,
    "number": expect_number,
    "object": expect_object,
    "string": expect_string,
}


def check_shape(shape: Shape, value: JsonValue) -> None:
    """Raise ValueError that names the place where a value is not as its shape says."""
    if alternatives := shape.get("anyOf") or shape.get("oneOf"):
        return _check_any(alternatives, value)
    types = [shape["type"]] if isinstance(shape["type"], str) else shape["type"]
    if value is None and "null" in types:
        return None
    _EXPECT[types[0]](value)
    allowed = [shape["const"]] if "const" in shape else shape.get("enum", [value])
    if value not in allowed or ("not" in shape and value == shape["not"]["const"]):
        raise ValueError(f"{json.dumps(value)[:50]} is none of what is allowed")
    if isinstance(value, str):
        _check_bounds(shape, "Length", len(value))
        if "pattern" in shape and not re.fullmatch(shape["pattern"], value, re.ASCII):
            raise ValueError(f"{json.dumps(value)[:50]} does not match {shape['pattern']}")
    elif isinstance(value, list):
        _check_items(shape, value)
    elif isinstance(value, dict):
        _check_members(shape, value)
    elif isinstance(value, (int, float)):
        _check_bounds(shape, "imum", value)
    return None


def _check_any(alternatives: Sequence[Shape], value: JsonValue) -> None:
    for shape in alternatives:
        with suppress(ValueError):
            return check_shape(shape, value)
    return check_shape(alternatives[0], value)


def _check_bounds(shape: Shape, of: str, amount: float) -> None:
    least, most = shape.get(f"min{of}"), shape.get(f"max{of}")
    if (least is not None and amount < least) or (most is not None and amount > most):
        what = "the value" if of == "imum" else f"the number of {of.lower().replace('length', 'characters')}"
        raise ValueError(f"{what} is {amount}, and must be from {least or 0} to {'any' if most is None else most}")


def _check_items(shape: Shape, values: Sequence[JsonValue]) -> None:
    _check_bounds(shape, "Items", len(values))
    if shape.get("uniqueItems") and len({json.dumps(value) for value in values}) < len(values):
        raise ValueError("values are repeated")
    shapes = shape.get("prefixItems") or [shape["items"]] * len(values)
    for at, (each, value) in enumerate(zip(shapes, values, strict=True)):
        _check_at(f"[{at}]", each, value)


def _check_members(shape: Shape, values: Mapping[str, JsonValue]) -> None:
    _check_bounds(shape, "Properties", len(values))
    known, others = shape.get("properties", {}), shape["additionalProperties"]
    if not others:
        expect_keys(dict(values), set(shape.get("required", [])), known.keys())
    for name, value in values.items():
        _check_at(name[:50], known.get(name, others), value)


def _check_at(place: str, shape: Shape, value: JsonValue) -> None:
    try:
        check_shape(shape, value)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error

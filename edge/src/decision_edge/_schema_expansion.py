"""Whether the references of an input schema can be followed, as the workbench decides it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias
from urllib.parse import unquote

from ._json import JsonObject, JsonValue

__all__ = ["find_unfollowable"]

_MAX_EXPANDED_PARTS = 10_000
_REFERENCES = ("$ref", "$dynamicRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")
_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")

Part: TypeAlias = "JsonObject | list[JsonValue]"


def find_unfollowable(schema: JsonObject) -> str | None:
    """Say why the references of a schema cannot be followed; None where they can.

    A part may not be applied to the same value for ever, and no part may have more than 10,000 parts where references
    are followed; one that refers to itself for a value inside counts once on each path.
    """
    list_targets = _read_references(schema)
    if _has_loop(schema, list_targets):
        return "it refers to itself without end"
    if _measure(schema, list_targets) > _MAX_EXPANDED_PARTS:
        return f"it has more than {_MAX_EXPANDED_PARTS} parts where references are followed"
    return None


def _list_parts(part: Part) -> Iterator[Part]:
    for child in part.values() if isinstance(part, dict) else part:
        if isinstance(child, (dict, list)):
            yield child


def _read_references(schema: JsonObject) -> Callable[[Part], list[Part]]:
    """Prepare to list what a part refers to, where that is in the schema."""
    resources: dict[int, Part] = {}
    anchored: dict[tuple[int, str], Part] = {}

    def index(part: Part, outer: Part) -> None:
        resource = part if isinstance(part, dict) and isinstance(part.get("$id"), str) else outer
        resources[id(part)] = resource
        if isinstance(part, dict):
            for keyword in _ANCHORS:
                name = part.get(keyword)
                if isinstance(name, str):
                    anchored[id(resource), name] = part
        for child in _list_parts(part):
            index(child, resource)

    index(schema, schema)

    def list_targets(part: Part) -> list[Part]:
        targets: list[Part] = []
        for keyword in _REFERENCES if isinstance(part, dict) else ():
            reference = part.get(keyword) if isinstance(part, dict) else None
            if not isinstance(reference, str) or not reference.startswith("#"):
                continue
            resource = resources[id(part)]
            target = anchored.get((id(resource), reference[1:])) or _find_part(resource, reference[1:])
            if target is not None:
                targets.append(target)
        return targets

    return list_targets


def _find_part(resource: Part, fragment: str) -> Part | None:
    """Find the part at a JSON pointer of a reference."""
    found: JsonValue = resource
    for raw in fragment.split("/")[1:]:
        # A percent sign that encodes nothing makes the reference dangle.
        if re.search(r"%(?![0-9a-fA-F]{2})", raw):
            return None
        key = unquote(raw).replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif (
            isinstance(found, list)
            and key.isascii()
            and key.isdigit()
            and str(int(key)) == key
            and int(key) < len(found)
        ):
            found = found[int(key)]
        else:
            return None
    return found if isinstance(found, (dict, list)) else None


def _has_loop(schema: JsonObject, list_targets: Callable[[Part], list[Part]]) -> bool:
    """Return whether a part is applied to the same value for ever."""
    state: dict[int, bool] = {}

    def list_applied(part: Part) -> Iterator[Part]:
        yield from list_targets(part)
        for keyword in _SAME_VALUE if isinstance(part, dict) else ():
            value = part.get(keyword) if isinstance(part, dict) else None
            if isinstance(value, list) or (keyword == "dependentSchemas" and isinstance(value, dict)):
                yield from _list_parts(value)
            elif isinstance(value, dict):
                yield value

    def follow(part: Part) -> bool:
        if id(part) in state:
            return state[id(part)]
        state[id(part)] = True
        if any(map(follow, list_applied(part))):
            return True
        state[id(part)] = False
        return False

    def search(part: Part) -> bool:
        return follow(part) or any(map(search, _list_parts(part)))

    return search(schema)


def _measure(schema: JsonObject, list_targets: Callable[[Part], list[Part]]) -> int:
    """Return the parts of a schema, each reference counted as all that it refers to; at least more than may be."""
    sizes: dict[int, int] = {}
    largest = 0

    def measure(part: Part) -> int:
        nonlocal largest
        if id(part) in sizes:
            return sizes[id(part)]
        sizes[id(part)] = 0
        size = 1
        for below in (*list_targets(part), *_list_parts(part)):
            if largest > _MAX_EXPANDED_PARTS:
                break
            size += measure(below)
        sizes[id(part)] = size
        largest = max(largest, size)
        return size

    measure(schema)
    return largest

"""The syntax tree of a rule as ``rules.json`` keeps it, and the check that a tree from a file is one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

_MAX_DEPTH = 24
_MAX_NODES = 500
_MAX_NESTED = 2

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


def children(node: dict[str, Any]) -> list[dict[str, Any]]:
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


def weight(node: dict[str, Any]) -> int:
    return 1 + sum(weight(child) for child in children(node))


class Reader:
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
            return {"k": kind, "of": below(node["of"]), "field": read_text(node["field"])}
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
            name, args = read_text(node["fn"]), [below(arg) for arg in _list(node["args"])]
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
        macro, name = node["macro"], read_text(node["name"])
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


def read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("list")
    return value

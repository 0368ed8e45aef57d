"""The fields of a policy, out of the parts of its bundle, and what an input holds besides them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._json import JsonObject, JsonValue
from ._model.features import is_date

__all__ = ["EdgeField", "Fields", "Tree", "describe_kind", "find_wrong"]

# Names that a misspelt one is compared with, and letters of it that are read.
_MAX_COMPARED = 200
_MAX_LETTERS = 100


@dataclass(frozen=True)
class EdgeField:
    """A field that the policy reads, or that its input schema names."""

    path: str
    """Keys joined by dots, as the column of a table is called."""
    kind: str
    """"number", "boolean", "category", "date", "text", "numbers", "strings" or "objects" (lists), else "any"."""
    required: bool
    """Whether the input schema refuses an input without it, where the object around it is there."""
    missing: float | None = None
    """The share of the examples without it; None where the bundle does not say it."""
    values: tuple[str, ...] | None = None
    """The categories or list members that the policy knows."""
    range: tuple[float, float] | tuple[str, str] | None = None
    """Lowest and highest number, or first and last date, of the examples. Of bundles of earlier versions: between which
    numbers a value is familiar, where they tell."""


# What is not of its kind counts as missing. Numbers and booleans count as the category that they are written as.
_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "number": ("a number", (float,)),
    "boolean": ("true or false", (bool,)),
    "category": ("a string", (str, float, bool)),
    "date": ("an ISO 8601 date", (str,)),
    "text": ("a string", (str,)),
    "numbers": ("a list", (list,)),
    "strings": ("a list", (list,)),
    "objects": ("a list", (list,)),
    "any": ("", (object,)),
}

# Names of an object; a field's kind at the end of each path.
Tree: TypeAlias = "dict[str, Tree | str]"


class Fields:
    """The fields of a checked bundle: `plan`, `rules` and `schema` as its entries hold them.

    `contract` is the list of the manifest; bundles of earlier versions have none. Then `ranges` are the lower and upper
    ends that familiarity knows for each tabular slot; empty where it knows none.
    """

    def __init__(
        self,
        plan: Any,
        rules: Any,
        schema: Any,
        contract: Any,
        sizes: Sequence[int],
        ranges: Sequence[Sequence[float]],
    ) -> None:
        self.tree: Tree = {}
        found: dict[tuple[str, ...], EdgeField] = {}
        required = dict(_iterate_properties(schema))
        start = 0
        for field, size in zip(plan["fields"], sizes, strict=True):
            path, ends = tuple(field["path"]), None
            if ranges and field["kind"] == "number":
                low, high = (float(f"{end[start] * (field['std'] or 1.0) + field['mean']:.6g}") for end in ranges)
                ends = low, high
            values = tuple(field["values"]) if "values" in field else None
            found[path] = EdgeField(".".join(path), field["kind"], required.get(path, False), None, values, ends)
            start += size
        for path in map(tuple, (plan["text"] or {"fields": []})["fields"]):
            found[path] = EdgeField(".".join(path), "text", required.get(path, False))
        others = {*required, *_iterate_paths([rule["ast"] for rule in rules["rules"]])}
        # A rule that reads the whole input, as `"x" in ctx` does, may read any field.
        self._reads_all = () in others
        # The longest first: what is known within an object stands for the object.
        for path in (*found, *sorted(others - found.keys() - {()}, key=lambda path: (-len(path), path))):
            field = found.get(path) or EdgeField(".".join(path), "any", required.get(path, False))
            if self._add(path, field.kind):
                found[path] = field
        for left_out in plan["left_out"]:
            self._add(tuple(left_out["path"].split(".")), "any")
        self.listed = tuple(found.values()) if not contract else tuple(map(_read_field, contract))

    def find_unread(self, values: JsonObject) -> list[str]:
        """Return a sentence for each value of a cleaned input that no field reads, or that is of another kind."""
        return list(self._walk(values, self.tree, ""))

    def describe_unknown(self, name: str, tree: Tree) -> str | None:
        """Return what is to be said of a key that no field has; None where a rule may read any."""
        return None if self._reads_all else f"is no field of the policy{_make_hint(name, tree)}"

    def _add(self, path: tuple[str, ...], kind: str) -> bool:
        place = self.tree
        for segment in path[:-1]:
            inner = place.setdefault(segment, {})
            if isinstance(inner, str):
                return False
            place = inner
        return path[-1] not in place and bool(place.setdefault(path[-1], kind))

    def _walk(self, values: JsonObject, tree: Tree, above: str) -> Iterator[str]:
        for name, value in values.items():
            known = tree.get(name)
            if known is None:
                if (problem := self.describe_unknown(name, tree)) is not None:
                    yield f"{above + name!r} {problem}"
            elif isinstance(known, dict):
                if isinstance(value, dict):
                    yield from self._walk(value, known, f"{above}{name}.")
                elif value is not None:
                    yield f"{above + name!r} must be an object"
            elif _is_wrong(known, value):
                yield f"{above + name!r} {describe_kind(known)}"


def describe_kind(kind: str) -> str:
    """Return what is to be said of a value that is not of a field's kind."""
    return f"must be {_TYPES[kind][0]}"


def find_wrong(kind: str, column: Sequence[JsonValue]) -> list[bool] | None:
    """Return which cleaned values are not of a field's kind; None where all are."""
    types = set(map(type, column))
    if kind == "date" and types <= {str, type(None)}:
        wrong = {value for value in set(column) if _is_wrong(kind, value)}
        return [value in wrong for value in column] if wrong else None
    allowed = _TYPES[kind][1]
    if kind != "date" and all(issubclass(each, (*allowed, type(None))) for each in types):
        return None
    return [_is_wrong(kind, value) for value in column]


def _is_wrong(kind: str, value: JsonValue) -> bool:
    if value is None:
        return False
    return not isinstance(value, _TYPES[kind][1]) or (kind == "date" and not is_date(value))


def _read_field(field: Any) -> EdgeField:
    values, ends = (None if field[name] is None else tuple(field[name]) for name in ("values", "range"))
    return EdgeField(".".join(field["path"]), field["kind"], field["required"], field["missing"], values, ends)


def _make_hint(name: str, tree: Tree) -> str:
    if "." in name:
        return "; nest it, or give the table itself"
    nearest = _find_nearest(name, sorted(tree))
    return "" if nearest is None else f"; did you mean {nearest!r}?"


def _iterate_properties(schema: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the path of each property without properties of its own, and whether it is required."""
    for name, part in schema.get("properties", {}).items():
        path = (*above, name)
        if isinstance(part, dict) and part.get("properties"):
            yield from _iterate_properties(part, path)
        else:
            yield path, name in schema.get("required", [])


def _iterate_paths(node: JsonValue) -> Iterator[tuple[str, ...]]:
    """Yield the paths that the syntax trees of rules read from the input, `()` for the input itself."""
    if isinstance(node, dict) and (path := _read_path(node)) is not None:
        yield path
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _iterate_paths(child)


def _read_path(node: Any) -> tuple[str, ...] | None:
    if node.get("k") == "var" and node["name"] == "ctx":
        return ()
    above = _read_path(node["of"]) if node.get("k") in ("get", "has", "index") else None
    if above is None:
        return None
    key = node["field"] if "field" in node else node["by"].get("v")
    return (*above, key) if isinstance(key, str) else None


def _find_nearest(word: str, candidates: Sequence[str]) -> str | None:
    """Return the name that a misspelt one most likely stands for, as the workbench finds it: a third may differ."""
    lowered, best, least = word[:_MAX_LETTERS].lower(), None, len(word) + 1
    allowed = {name: max(1, max(len(lowered), len(name)) // 3) for name in candidates}
    fitting = [name for name in candidates if abs(len(name) - len(lowered)) <= allowed[name]]
    for name in fitting[:_MAX_COMPARED]:
        distance = _count_edits(lowered, name.lower())
        if distance <= allowed[name] and distance < least:
            best, least = name, distance
    return best


def _count_edits(a: str, b: str) -> int:
    """Return the distance by optimal string alignment: edits and transpositions of neighbours."""
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]

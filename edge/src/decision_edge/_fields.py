"""The fields of a policy, out of the parts of its bundle, and what an input holds besides them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as make_field
from itertools import islice
from typing import TypeAlias

from ._json import JsonObject, JsonValue, expect_list, expect_number, expect_object, expect_string, expect_strings
from ._model.features import is_calendar_day, is_date
from ._reading import MAX_SENTENCES, Readings, keep_first, quote
from ._rules.strings import fold_case
from ._tables import BLANKS

# Code points of a name that a sentence repeats.
_MAX_SHOWN_NAME = 100
# Letters that may be wrong in a misspelt name: a third of them, and no more. A longer name is compared with nothing.
_MAX_EDITS = 4
_MAX_LETTERS = 100
# Pairs of letters that all hints about one input, or about the inputs of one batch, may compare, so that no call holds
# others up.
_MAX_LETTER_PAIRS = 30_000
# Lists of sentences that are kept: the inputs of one program hold the same names again and again.
_MAX_KEPT = 100


@dataclass(frozen=True)
class EdgeField:
    """A field that the policy reads, or that its input schema names."""

    path: str
    """Keys joined by dots, as the column of a table is called."""
    kind: str
    """"number", "boolean", "category", "date", "text", "conversation", "numbers", "strings" or "objects" (lists),
    else "any"."""
    required: bool
    """Whether the input schema refuses an input without it, where the object around it is there."""
    missing: float | None = None
    """The share of the examples without it; None where the bundle does not say it."""
    values: tuple[str, ...] | None = None
    """The categories or list members that the policy knows."""
    range: tuple[float, float] | tuple[str, str] | None = None
    """Lowest and highest number, or first and last date, of the examples. Of bundles of earlier versions: between which
    numbers a value is familiar, where they tell."""
    reading: str | None = None
    """The form that a text must have, such as "a date with the day first"; None where texts stay as they are."""


# A value of another kind counts as missing. Numbers and booleans count as the category that they are written as.
_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "number": ("a number", (float,)),
    "boolean": ("true or false", (bool,)),
    "category": ("a string", (str, float, bool)),
    "date": ("an ISO 8601 date", (str,)),
    "text": ("a string", (str,)),
    "conversation": ("a list of turns or a string", (str, list)),
    "numbers": ("a list", (list,)),
    "strings": ("a list", (list,)),
    "objects": ("a list", (list,)),
    "any": ("", (object,)),
    "object": ("an object", (dict,)),
}

# Names of an object; a field's kind at the end of each path.
Tree: TypeAlias = "dict[str, Tree | str]"
# A path that is not read, and the kind that its value should have ("object" among them), or behind "=" what is to be
# said of a value that is read; None where no field has it.
Found: TypeAlias = "tuple[tuple[str, ...], str | None]"


class Fields:
    """The fields of a checked bundle: `plan`, `rules` and `schema` as its entries hold them.

    `contract` is the list of the manifest; bundles of earlier versions have none. Then `ranges` are the lower and upper
    ends that familiarity knows for each tabular slot; empty where it knows none.
    """

    def __init__(
        self,
        plan: JsonObject,
        rules: JsonObject,
        schema: JsonObject,
        contract: JsonValue,
        sizes: Sequence[int],
        ranges: Sequence[Sequence[float]],
        readings: Readings | None = None,
    ) -> None:
        self.readings = readings or Readings(())
        self.tree: Tree = {}
        # The categories of each field, and each of them by its folded text.
        self._known: dict[tuple[str, ...], tuple[frozenset[str], dict[str, str]]] = {}
        found: dict[tuple[str, ...], EdgeField] = {}
        required = dict(_iterate_properties(schema))
        start = 0
        for listed, size in zip(expect_list(plan["fields"]), sizes, strict=True):
            planned = expect_object(listed)
            start += size
            # The days between two dates, which are fields of their own.
            if "since" in planned:
                continue
            path, kind, ends = tuple(expect_strings(planned["path"])), expect_string(planned["kind"]), None
            if ranges and kind == "number":
                mean, std = expect_number(planned["mean"]), expect_number(planned["std"]) or 1.0
                low, high = (float(f"{end[start - size] * std + mean:.6g}") for end in ranges)
                ends = low, high
            values = tuple(expect_strings(planned["values"])) if "values" in planned else None
            found[path] = EdgeField(".".join(path), kind, required.get(path, False), None, values, ends)
            if kind == "category" and values is not None:
                self._known[path] = frozenset(values), {fold_case(each): each for each in reversed(values)}
        text = expect_object(plan["text"] or {"fields": []})
        conversations = expect_list(text.get("conversations", []))
        for keys in expect_list(text["fields"]):
            path, kind = tuple(expect_strings(keys)), "conversation" if keys in conversations else "text"
            found[path] = EdgeField(".".join(path), kind, required.get(path, False))
        trees = [expect_object(rule)["ast"] for rule in expect_list(rules["rules"])]
        others = {*required, *_iterate_paths(trees)}
        # A rule that reads the whole input, as `"x" in ctx` does, may read any field.
        self.reads_all = () in others
        # The longest first: what is known within an object stands for the object.
        for path in (*found, *sorted(others - found.keys() - {()}, key=lambda path: (-len(path), path))):
            field = found.get(path) or EdgeField(".".join(path), "any", required.get(path, False))
            if self._add(path, field.kind):
                found[path] = field
        for left_out in expect_list(plan["left_out"]):
            self._add(tuple(expect_string(expect_object(left_out)["path"]).split(".")), "any")
        self.tree = _sort_names(self.tree)
        self._described: dict[tuple[Found, ...], list[str]] = {}
        # By the name of the column of a table that fills them: fields within objects.
        self.places: dict[Hashable, Sequence[str]] = {".".join(path): path for path in found if len(path) > 1}
        fields = map(_read_field, expect_list(contract)) if contract else found.values()
        self.listed = tuple(replace(each, reading=self.readings.describe(each.path)) for each in fields)

    def find_unread(self, values: JsonObject) -> list[str]:
        """Return a sentence for each value of a cleaned input that no field reads, or that is of another kind."""
        return self.describe(self._walk(values, self.tree, ()))

    def describe(self, found: Iterable[Found], budget: HintBudget | None = None) -> list[str]:
        """Return a sentence for each thing found in one input: at most twenty, and how many more there are.

        Inputs of one batch share a budget of hints; once it is spent, their sentences come without.
        """
        left = iter(found)
        first = tuple((_cut(path), kind) for path, kind in islice(left, MAX_SENTENCES))
        more = sum(1 for _ in left)
        return [*self._describe(first, budget or HintBudget()), *([f"and {more} more"] if more else [])]

    def _describe(self, found: tuple[Found, ...], budget: HintBudget) -> list[str]:
        known = self._described.get(found)
        if known is not None:
            return known
        sentences = self._describe_all(found, budget)
        # Hints that a spent budget has left out may be given to another call.
        if budget.letter_pairs > 0:
            if len(self._described) >= _MAX_KEPT:
                self._described.clear()
            self._described[found] = sentences
        return sentences

    def _describe_all(self, found: tuple[Found, ...], budget: HintBudget) -> list[str]:
        sentences = []
        for path, kind in found:
            if kind is None:
                problem = f"is no field of the policy{self._make_hint(path, budget)}"
            elif kind.startswith("="):
                problem = kind[1:]
            else:
                problem = f"must be {_TYPES[kind][0]}"
            sentences.append(f"{quote('.'.join(path))} {problem}")
        return sentences

    def find_doubt(self, path: tuple[str, ...], kind: str, value: JsonValue) -> str | None:
        """Return why a value that is read may not be meant: no day of the calendar, or a category in other case."""
        if not isinstance(value, str):
            return None
        if kind == "date":
            return None if not is_date(value) or is_calendar_day(value) else "is no day of the calendar"
        known, by_folded = self._known.get(path, (frozenset(), {}))
        near = None if value in known or not by_folded else by_folded.get(fold_case(value.strip(BLANKS)))
        return None if near is None else f"is no known value; did you mean {quote(near)}?"

    def _make_hint(self, path: tuple[str, ...], budget: HintBudget) -> str:
        level = self.tree
        for segment in path[:-1]:
            inner = level[segment]
            level = inner if isinstance(inner, dict) else {}
        if "." in path[-1]:
            return "; nest it, or give the table itself"
        if path not in budget.nearest:
            budget.nearest[path] = _find_nearest(path[-1], level, budget)
        nearest = budget.nearest[path]
        return "" if nearest is None else f"; did you mean {quote(nearest)}?"

    def _add(self, path: tuple[str, ...], kind: str) -> bool:
        place = self.tree
        for segment in path[:-1]:
            inner = place.setdefault(segment, {})
            if isinstance(inner, str):
                return False
            place = inner
        return path[-1] not in place and bool(place.setdefault(path[-1], kind))

    def _walk(self, values: JsonObject, tree: Tree, above: tuple[str, ...]) -> Iterator[Found]:
        for name, value in values.items():
            known = tree.get(name)
            if known is None:
                if not self.reads_all:
                    yield (*above, name), None
            elif isinstance(known, dict):
                if isinstance(value, dict):
                    yield from self._walk(value, known, (*above, name))
                elif value is not None:
                    yield (*above, name), "object"
            elif _is_wrong(known, value):
                yield (*above, name), known
            elif (doubt := self.find_doubt((*above, name), known, value)) is not None:
                yield (*above, name), f"={doubt}"


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


def describe_lost(places: Sequence[str]) -> list[str]:
    """Return a sentence for each whole number that loses digits, by its place in the input: as many as above."""
    problem = "is a whole number beyond 2^53, which loses digits; send it as text"
    return keep_first([f"{quote(_shorten(place.removeprefix('input.')))} {problem}" for place in places])


def _is_wrong(kind: str, value: JsonValue) -> bool:
    if value is None:
        return False
    return not isinstance(value, _TYPES[kind][1]) or (kind == "date" and not is_date(value))


def _read_field(listed: JsonValue) -> EdgeField:
    field = expect_object(listed)
    path, kind, missing = ".".join(expect_strings(field["path"])), expect_string(field["kind"]), field["missing"]
    values = None if field["values"] is None else tuple(expect_strings(field["values"]))
    ends: tuple[float, float] | tuple[str, str] | None = None
    match field["range"]:
        case [int() | float() as low, int() | float() as high]:
            ends = low, high
        case [str() as first, str() as last]:
            ends = first, last
    share = missing if isinstance(missing, (int, float)) else None
    return EdgeField(path, kind, field["required"] is True, share, values, ends)


def _sort_names(tree: Tree) -> Tree:
    return {name: _sort_names(known) if isinstance(known, dict) else known for name, known in sorted(tree.items())}


def _cut(path: tuple[str, ...]) -> tuple[str, ...]:
    return (*path[:-1], _shorten(path[-1]))


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_SHOWN_NAME else f"{name[:_MAX_SHOWN_NAME]}…"


def _iterate_properties(schema: JsonObject, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the path of each property without properties of its own, and whether it is required."""
    required = expect_list(schema.get("required", []))
    for name, part in expect_object(schema.get("properties", {})).items():
        path = (*above, name)
        if isinstance(part, dict) and part.get("properties"):
            yield from _iterate_properties(part, path)
        else:
            yield path, name in required


def _iterate_paths(node: JsonValue) -> Iterator[tuple[str, ...]]:
    """Yield the paths that the syntax trees of rules read from the input, `()` for the input itself."""
    if isinstance(node, dict) and (path := _read_path(node)) is not None:
        yield path
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _iterate_paths(child)


def _read_path(node: JsonObject) -> tuple[str, ...] | None:
    if node.get("k") == "var" and node["name"] == "ctx":
        return ()
    above = _read_path(expect_object(node["of"])) if node.get("k") in ("get", "has", "index") else None
    if above is None:
        return None
    key = node["field"] if "field" in node else expect_object(node["by"]).get("v")
    return (*above, key) if isinstance(key, str) else None


@dataclass
class HintBudget:
    """Pairs of letters that are left to compare, and the hints found: a name that recurs in a batch costs once."""

    letter_pairs: int = _MAX_LETTER_PAIRS
    nearest: dict[tuple[str, ...], str | None] = make_field(default_factory=dict)


def _find_nearest(name: str, candidates: Iterable[str], budget: HintBudget) -> str | None:
    """Return the nearest of some names to a misspelt one, as the workbench finds it; None where none is near."""
    letters, best, least = name.lower(), None, _MAX_EDITS + 1
    if len(letters) > _MAX_LETTERS:
        return None
    for candidate in candidates:
        if least == 0:
            break
        others = candidate.lower()
        most = min(max(1, max(len(letters), len(others)) // 3), least - 1)
        if abs(len(others) - len(letters)) > most:
            continue
        # The nearest of some of the names might mislead.
        if budget.letter_pairs <= 0:
            return None
        distance = _count_edits(letters, others, most, budget)
        if distance <= most:
            best, least = candidate, distance
    return best


def _count_edits(a: str, b: str, most: int, budget: HintBudget) -> int:
    """Return the distance by optimal string alignment: edits and transpositions of neighbours.

    Of words that are further apart than `most` it only finds that they are, after few rows (Ukkonen).
    """
    beyond = most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [beyond] * (len(b) + 1)
        if i <= most:
            row[0] = i
        for j in range(max(1, i - most), min(len(b), i + most) + 1):
            other = b[j - 1]
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row[j] = cost
        budget.letter_pairs -= 2 * most + 1
        if min(row) > most:
            return beyond
        before, last = last, row
    return last[-1]

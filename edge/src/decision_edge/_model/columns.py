"""A batch of inputs as columns: one list of checked values for each field, which is what a batch is computed from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from .._errors import InvalidInput
from .._fields import Fields, Found, HintBudget, Tree, describe_lost, find_wrong
from .._inputs import MAX_EXACT, Part, clean_member, is_missing
from .._json import JsonValue, find_value
from .._reading import keep_first, quote
from .._tables import MAX_INPUT_DEPTH, MAX_INPUT_KEYS

# Types whose values are never a missing value of a table.
_NEVER_MISSING = frozenset((str, int, bool))


class _Absent:
    """Stands where an input has no such key."""


_ABSENT = _Absent()
# None of these is changed by a check, whatever else stands in the column.
_PLAIN = frozenset((str, bool, type(None)))

# The keys of a level of the inputs: a value of each input, or what lies below, where a table has it as columns.
Level: TypeAlias = "dict[Hashable, list[object] | Level]"


Note = TypeVar("Note")


class Batch:
    """The columns of some inputs, by the paths of the fields, and the parts of each input that are not read.

    Raises InvalidInput where an input holds what JSON cannot hold; only `clean_input` knows which one.
    """

    def __init__(self, level: Level, size: int, fields: Fields) -> None:
        self.size = size
        self._found: defaultdict[int, list[Found]] = defaultdict(list)
        self._columns: dict[tuple[str, ...], list[JsonValue]] = {}
        self._fields = fields
        self._misread: defaultdict[int, list[str]] = defaultdict(list)
        self._lost: defaultdict[int, list[str]] = defaultdict(list)
        self._read_level(level, fields.tree, ())
        budget = HintBudget()
        self.unread = {row: fields.describe(found, budget) for row, found in self._found.items()}
        self.note_first({row: keep_first(misread) for row, misread in self._misread.items()})
        self.note_first({row: describe_lost(places) for row, places in self._lost.items()})

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, object]], fields: Fields) -> Batch:
        """Turn mappings into columns."""
        return cls(_transpose(rows), len(rows), fields)

    @classmethod
    def of_part(cls, part: Part, fields: Fields) -> Batch:
        """Take mappings, or columns of a table as they are: dotted ones lie below others, empty cells are absent."""
        if not part.columns:
            return cls.of_rows([row for row in part.rows if isinstance(row, Mapping)], fields)
        level: Level = {}
        for path, column in zip(part.paths, part.columns, strict=True):
            place = level
            for segment in path[:-1]:
                inner = place.setdefault(segment, {})
                if isinstance(inner, dict):
                    place = inner
            place[path[-1]] = _drop_missing(column)
        return cls(level, len(part.columns[0]), fields)

    def note_first(self, notes: Mapping[int, list[str]]) -> None:
        """Say of inputs, by their places, before what is not read of them."""
        for row, sentences in notes.items():
            self.unread[row] = [*sentences, *self.unread.get(row, [])]

    def find_column(self, path: Sequence[str]) -> list[JsonValue]:
        """Return the values at a path, None where there is none."""
        if (column := self._columns.get(tuple(path))) is not None:
            return column
        for depth in range(len(path) - 1, 0, -1):
            if (outer := self._columns.get(tuple(path[:depth]))) is not None:
                return [find_value(value, list(path[depth:])) for value in outer]
        return [None] * self.size

    def _read_level(self, level: Level, tree: Tree, above: tuple[str, ...]) -> None:
        if len(above) >= MAX_INPUT_DEPTH:
            raise InvalidInput("nested too deeply")
        for name, column in level.items():
            if not isinstance(name, str):
                raise InvalidInput("a key is not a string")
            known, path = tree.get(name), (*above, name)
            if isinstance(column, dict):
                if isinstance(known, dict):
                    self._read_level(column, known, path)
                    continue
                column = _join_level(column, self.size)
            if isinstance(known, dict):
                column = self._read_objects(column, known, path)
            read = _clean_column(column, len(above) + 2, ".".join(path), self._lost)
            cleaned, problem, misread = self._fields.readings.read_column(path, read)
            self._columns[path] = cleaned
            _note(self._misread, misread, f"{quote('.'.join(path))} {problem}")
            if known is None and not self._fields.reads_all:
                # Null counts as present, a missing value does not.
                there = [value is not None or raw is None for value, raw in zip(cleaned, column, strict=True)]
                _note(self._found, there, (path, None))
            elif isinstance(known, dict):
                _note(self._found, [value is not None for value in cleaned], (path, "object"))
            elif known is not None:
                if (wrong := find_wrong(known, cleaned)) is not None:
                    _note(self._found, wrong, (path, known))
                if known in ("category", "date"):
                    self._note_doubts(path, known, cleaned)

    def _read_objects(self, column: list[object], tree: Tree, path: tuple[str, ...]) -> list[object]:
        """Read the objects of a column as a level of their own; return the rest of it."""
        # Asked of the type first: whether something else is a Mapping takes long to find out.
        rows = [value if isinstance(value, (dict, Mapping)) else None for value in column]
        self._read_level(_transpose([{} if row is None else row for row in rows]), tree, path)
        return [value if row is None else _ABSENT for value, row in zip(column, rows, strict=True)]

    def _note_doubts(self, path: tuple[str, ...], kind: str, values: list[JsonValue]) -> None:
        texts = {value for value in values if isinstance(value, str)}
        doubts = {text: doubt for text in texts if (doubt := self._fields.find_doubt(path, kind, text)) is not None}
        if not doubts:
            return
        for row, value in enumerate(values):
            if isinstance(value, str) and value in doubts:
                self._found[row].append((path, f"={doubts[value]}"))


def _note(notes: defaultdict[int, list[Note]], rows: Iterable[bool], note: Note) -> None:
    for row, is_noted in enumerate(rows):
        if is_noted:
            notes[row].append(note)


def _transpose(rows: Sequence[Mapping[str, object]]) -> Level:
    names: dict[str, object] = {}
    for row in rows:
        if len(row) > MAX_INPUT_KEYS:
            raise InvalidInput("too many keys")
        names.update(row)
    return {name: [row.get(name, _ABSENT) for row in rows] for name in names}


def _drop_missing(column: list[object]) -> list[object]:
    types = set(map(type, column))
    if types <= _NEVER_MISSING:
        return column
    if types <= {float, *_NEVER_MISSING}:
        return [value if value == value else _ABSENT for value in column]
    return [_ABSENT if value is None or is_missing(value) else value for value in column]


def _join_level(level: Level, size: int) -> list[object]:
    """Return columns below a name as an object of each input, absent where all of them are."""
    parts = {name: _join_level(part, size) if isinstance(part, dict) else part for name, part in level.items()}
    rows = [{name: part[row] for name, part in parts.items() if part[row] is not _ABSENT} for row in range(size)]
    return [row or _ABSENT for row in rows]


def _clean_column(column: list[Any], depth: int, place: str, lost: defaultdict[int, list[str]]) -> list[JsonValue]:
    """Return the values of a column as JSON has them, numbers as doubles; None for what is absent or missing.

    Adds to `lost`, by their row, the places of whole numbers that lose digits.
    """
    types = set(map(type, column))
    cleaned: list[JsonValue] = column
    places: list[str] = []
    if types == {int} and min(column) > -MAX_EXACT and max(column) < MAX_EXACT:
        cleaned = list(map(float, column))
    elif not types <= _PLAIN and not (types == {float} and np.isfinite(np.array(column)).all()):
        cleaned = []
        for row, value in enumerate(column):
            cleaned.append(_clean_cell(value, depth, place, places))
            if places:
                lost[row] += places
                places.clear()
    if str in types:
        text = "".join([value for value in cleaned if type(value) is str])
        if "\x00" in text:
            raise InvalidInput("a NUL character")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InvalidInput("half of a surrogate pair") from error
    return cleaned


def _clean_cell(value: Any, depth: int, place: str, lost: list[str]) -> JsonValue:
    kind = type(value)
    if kind is float:
        if value - value == 0:
            return value  # type: ignore[no-any-return]
    elif kind is int and -MAX_EXACT < value < MAX_EXACT:
        return float(value)
    elif kind in _PLAIN:
        return value  # type: ignore[no-any-return]
    elif kind is _Absent:
        return None
    return None if is_missing(value) else clean_member(value, place, depth, lost)

"""The inputs that can be decided: mappings, rows of tables, and values of other libraries in them."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np

from ._errors import InvalidInput
from ._json import JsonObject, JsonValue, format_number, to_double
from ._tables import MAX_INPUT_DEPTH, MAX_INPUT_KEYS

if TYPE_CHECKING:
    import pandas
    import pyarrow

Row: TypeAlias = "Mapping[str, object] | pandas.Series"
Rows: TypeAlias = "Iterable[Row] | pandas.DataFrame | pyarrow.Table | ArrowStream | LazyTable"


@runtime_checkable
class ArrowStream(Protocol):
    """A table of a library that hands it on by Arrow's C interface: Polars, DuckDB, and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the table as a stream."""


@runtime_checkable
class LazyTable(Protocol):
    """A table of Polars that is not computed yet."""

    def collect_schema(self) -> object:
        """Return the types of its columns."""

    def collect(self) -> ArrowStream:
        """Compute the table."""


Path: TypeAlias = "list[Hashable]"
Places: TypeAlias = Mapping[Hashable, Sequence[str]]

_NO_PLACES: Places = {}
# Names of parts that are called like fields nest: "stay.adults", not "No. of rooms", "Sr." or the "Amount.1" of pandas.
_DOTTED_NAME = re.compile(r"[^0-9\s.][^\s.]*(?:\.[^0-9\s.][^\s.]*)+")
# Whole numbers below it are doubles as they are.
MAX_EXACT = 2**53
# Looked up before anything else, because nearly every value is one of them: none is ever a missing value.
_NEVER_MISSING = frozenset((str, int, bool, list, dict, type(None)))


class Part:
    """Some inputs one after another, the first of which has the index `start`.

    Of a table, `columns` are the values of each of its columns, and `paths` the places that they fill in an input.
    """

    def __init__(self, start: int, rows: list[Row], paths: Sequence[Path] = (), columns: Sequence[list[object]] = ()):
        self.start = start
        self.paths = paths
        self.columns = columns
        self._rows = rows

    @property
    def rows(self) -> list[Row]:
        """The inputs; those of a table with dotted columns nested and empty cells left out."""
        if self.columns:
            return [_nest_row(self.paths, row) for row in zip(*self.columns, strict=True)]
        return self._rows

    @property
    def is_plain(self) -> bool:
        """Whether the inputs are mappings or of a table, and not Series or something that is not an input."""
        return all(type(row) is dict or isinstance(row, Mapping) for row in self._rows)


def iterate_parts(inputs: Rows, size: int, places: Places) -> Iterator[Part]:
    """Yield inputs in parts of `size`; a column called like one of `places` fills it.

    Raises InvalidInput for columns that name one place, or none.
    """
    if _is_arrow(inputs):
        paths = _split_columns(inputs.column_names, places)
        for start in range(0, inputs.num_rows, size):
            columns = [column.to_pylist() for column in inputs.slice(start, size).columns]
            yield Part(start, [], paths, [_drop_empty(column) for column in columns])
    elif _is_frame(inputs):
        paths = _split_columns(list(inputs.columns), places)
        for start in range(0, len(inputs), size):
            rows = inputs.iloc[start : start + size]
            yield Part(start, [], paths, [rows.iloc[:, at].tolist() for at in range(rows.shape[1])])
    elif isinstance(inputs, ArrowStream):
        yield from iterate_parts(_to_arrow(inputs), size, places)
    elif isinstance(inputs, LazyTable):
        yield from iterate_parts(inputs.collect(), size, places)
    elif isinstance(inputs, np.ndarray) and inputs.dtype != object:
        raise InvalidInput(
            "A NumPy array does not name its fields; give a pandas DataFrame: pandas.DataFrame(array, columns=[…])."
        )
    else:
        left = iter(inputs)
        start = 0
        while part := list(islice(left, size)):
            yield Part(start, part)
            start += len(part)


def _is_arrow(inputs: Rows) -> TypeGuard[pyarrow.Table]:
    return hasattr(inputs, "to_batches") and hasattr(inputs, "column_names")


def _is_frame(inputs: Rows) -> TypeGuard[pandas.DataFrame]:
    return hasattr(inputs, "iloc") and hasattr(inputs, "columns")


def _is_series(value: object) -> TypeGuard[pandas.Series]:
    return hasattr(value, "index") and hasattr(value, "items") and not hasattr(value, "columns")


def _to_arrow(table: ArrowStream) -> pyarrow.Table:
    """Return a table of another library, such as Polars, as one of Arrow. Raises InvalidInput."""
    name = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"
    try:
        import pyarrow
    except ImportError as error:
        raise InvalidInput(f"A {name} is read with pyarrow, which is not installed; give its rows as dicts.") from error
    try:
        return pyarrow.table(table)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"A {name} is no table; give one, or dicts.") from error


def to_plain(value: Row, places: Places) -> dict[str, object]:
    """Return an input that was decided as a dict: itself where it is one."""
    if isinstance(value, dict):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    # Decided, so every name is a string.
    return {str(name): cell for name, cell in _nest_row(_split_columns(list(value.index), places), value).items()}


def _drop_empty(values: list[object]) -> list[object]:
    """Return the values of an Arrow column, empty texts as missing: its CSV reader has no other way to write them."""
    return [None if value == "" else value for value in values] if "" in values else values


def clean_input(value: object, places: Places = _NO_PLACES, lost: list[str] | None = None) -> JsonObject:
    """Return a deep copy of an input object with every number as float. Raises InvalidInput, naming the place.

    A pandas Series is read as the row of a table, whose columns called like one of `places` fill it. Adds to `lost` the
    places of whole numbers that are others as floats.
    """
    if isinstance(value, Mapping):
        return _clean_object(value, "input", 1, lost)
    if _is_series(value):
        return _clean_object(_nest_row(_split_columns(list(value.index), places), value), "input", 1, lost)
    hint = "; tables are for predict_many" if hasattr(value, "columns") else ""
    raise InvalidInput(
        f"The input must be a JSON object (a Mapping or a pandas Series), not {type(value).__name__}{hint}."
    )


def split_name(name: Hashable) -> Path:
    """Return the path that a column fills by its name, as in an import of the workbench."""
    return [*name.split(".")] if isinstance(name, str) and _DOTTED_NAME.fullmatch(name) else [name]


def _split_columns(names: Sequence[Hashable], places: Places) -> list[Path]:
    """Return the path that each column of a table fills: the field that is called so, else by its name.

    Raises InvalidInput where there are more than an input has keys, or two of them name the same place.
    """
    if len(names) > MAX_INPUT_KEYS:
        raise InvalidInput(f"The table has more than {MAX_INPUT_KEYS:,} columns; drop those that nothing reads.")
    if len(set(names)) < len(names):
        raise InvalidInput("The table has two columns of one name; rename or drop one.")
    paths: list[Path] = [[*places[name]] if name in places else split_name(name) for name in names]
    if any("__proto__" in path for path in paths):
        raise InvalidInput('The table has a column "__proto__", which is not allowed.')
    known = {tuple(path) for path in paths}
    for path in paths:
        for depth in range(1, len(path)):
            if tuple(path[:depth]) in known:
                outer, inner = ".".join(map(str, path[:depth])), ".".join(map(str, path))
                raise InvalidInput(f"The columns {outer!r} and {inner!r} name the same place; drop one.")
    return paths


def _nest_row(paths: Sequence[Path], cells: Iterable[object]) -> dict[Hashable, object]:
    """Return a row of a table as an input; empty cells are left out."""
    nested: dict[Hashable, object] = {}
    for path, value in zip(paths, cells, strict=True):
        if value is None or is_missing(value):
            continue
        place = nested
        for segment in path[:-1]:
            inner = place.setdefault(segment, {})
            if isinstance(inner, dict):
                place = inner
        place[path[-1]] = value
    return nested


def is_missing(value: object) -> bool:
    """Return whether a value is NaN, pandas' NA or NaT, or numpy's NaT."""
    if type(value) in _NEVER_MISSING:
        return False
    if isinstance(value, (float, Decimal, np.inexact, np.datetime64)):
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType")


def clean_member(value: object, place: str, depth: int, lost: list[str] | None = None) -> JsonValue:
    """Return a value within an input as JSON has it, `depth` levels deep. Raises InvalidInput, naming the place."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean_string(value, place)
    if isinstance(value, (int, float)):
        number = to_double(value)
        if not math.isfinite(number):
            raise InvalidInput(f"{place} is not a finite number.")
        if lost is not None and isinstance(value, int) and _loses_digits(value, number):
            lost.append(place)
        return number
    # The types of JSON first: whether something else is a Mapping takes long to find out.
    if isinstance(value, (dict, list, tuple, np.ndarray, Mapping)) and depth > MAX_INPUT_DEPTH:
        raise InvalidInput(f"The input is nested deeper than {MAX_INPUT_DEPTH} levels.")
    if isinstance(value, (dict, Mapping)):
        return _clean_object(value, place, depth, lost)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return clean_member(value.tolist(), place, depth, lost)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [clean_member(member, f"{place}[{index}]", depth + 1, lost) for index, member in enumerate(value)]
    if is_missing(value):
        raise InvalidInput(f"{place} is missing within a list; leave the member out.")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return clean_member(float(value), place, depth)
    if isinstance(value, np.datetime64):
        return clean_member(value.astype("datetime64[us]").item(), place, depth)
    if isinstance(value, np.floating):
        return clean_member(float(value), place, depth)
    if isinstance(value, (np.bool_, np.integer)):
        return clean_member(value.item(), place, depth, lost)
    raise InvalidInput(f"{place} is of type {type(value).__name__}, which JSON does not have.")


def _loses_digits(value: int, number: float) -> bool:
    """Return whether a double is neither a whole number nor written as it, in the shortest digits."""
    # The number of a class of integers, as `int` writes it.
    return not -MAX_EXACT < value < MAX_EXACT and int(number) != value and format_number(number) != int.__repr__(value)


# Looking up the exact type is fastest, but type checkers cannot follow it.
def _clean_object(value: Mapping[Any, Any], place: str, depth: int, lost: list[str] | None = None) -> JsonObject:
    if len(value) > MAX_INPUT_KEYS:
        raise InvalidInput(f"{place} has more than {MAX_INPUT_KEYS:,} keys.")
    if "__proto__" in value:
        raise InvalidInput(f'{place} has the key "__proto__", which is not allowed.')
    cleaned: JsonObject = {}
    for key, member in value.items():
        if not isinstance(key, str):
            raise InvalidInput(f"{place} has a key that is not a string: {key!r}.")
        name, kind = _clean_string(key, f"a key of {place}"), type(member)
        if kind is float and member - member == 0:
            cleaned[name] = member
        elif kind is int and -MAX_EXACT < member < MAX_EXACT:
            cleaned[name] = float(member)
        elif kind is bool or (kind is str and member.isascii() and "\x00" not in member):
            cleaned[name] = member
        elif not is_missing(member):
            cleaned[name] = clean_member(member, f"{place}.{name}", depth + 1, lost)
    return cleaned


def _clean_string(value: str, place: str) -> str:
    if type(value) is str and value.isascii() and "\x00" not in value:
        return value
    if "\x00" in value:
        raise InvalidInput(f"{place} contains a NUL character.")
    if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
        raise InvalidInput(f"{place} contains half of a surrogate pair, which is no valid text.")
    # The value of an Enum that is a string: `str` would give the name.
    return str.__str__(value)

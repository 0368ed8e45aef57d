"""How the texts of a field are read as its kind, as an import of the workbench reads the cells of its column."""

from __future__ import annotations

import datetime
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from ._json import JsonObject, JsonValue, expect_integer, expect_object, expect_string, expect_strings
from ._model.features import is_date
from ._tables import (
    BLANKS,
    DATE_PATTERNS,
    MAX_DATE_LENGTH,
    MAX_NUMBER_DIGITS,
    MAX_NUMBER_LENGTH,
    MAX_WORD_LENGTH,
    MISSING_MARKS,
    MISSING_WORDS,
    MONTHS,
    NO_WORDS,
    NUMBER_PATTERNS,
    USUAL_LAST_YEAR,
    YES_WORDS,
)

# Letters as they are, digits and blanks of ASCII alone: what the workbench's patterns mean.
_NUMBER = {name: re.compile(pattern, re.ASCII) for name, pattern in NUMBER_PATTERNS.items()}
_DATE = {name: re.compile(pattern, re.ASCII) for name, pattern in DATE_PATTERNS.items()}
_MONTHS = [re.compile(pattern, re.ASCII) for pattern in MONTHS]
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)
_OFFSET = re.compile(r"[+-]\d{2}(?::?\d{2})?\Z", re.ASCII)
# An offset from UTC without the colon that ISO 8601 sets before its minutes where it sets one in the time.
_BARE_OFFSET = re.compile(r"(^|:\d{2}(?:[.,]\d+)?)([+-]\d{2})(\d{2})\Z", re.ASCII)
# Sentences about one input; of more only their number is given.
MAX_SENTENCES = 20
_SPACES = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2212": "-", "\u2013": "-"})
_SEPARATORS = {";": "semicolons", "|": "bars", ",": "commas"}
_DATES = {
    "day_first": "a date with the day first",
    "month_first": "a date with the month first",
    "year_first": "a date with the year first",
    "month_only": "a month of a year",
}


class Misread:
    """The value of a text that is not of its field's kind."""


_MISREAD = Misread()
# None where a text says that there is no value.
TextReader: TypeAlias = "Callable[[str], JsonValue | Misread]"


class _Field:
    def __init__(self, reading: JsonObject) -> None:
        self.read = _compile(reading)
        self.noun = _describe(reading)
        self.problem = f"must be {self.noun}"


_Tree: TypeAlias = "dict[str, _Tree | _Field]"


class Readings:
    """The readings of a bundle's manifest; without any, inputs stay what they are."""

    def __init__(self, listed: Iterable[JsonValue]) -> None:
        self._tree: _Tree = {}
        self._fields: dict[tuple[str, ...], _Field] = {}
        for each in map(expect_object, listed):
            path, place = expect_strings(each["path"]), self._tree
            for segment in path[:-1]:
                inner = place.get(segment)
                if not isinstance(inner, dict):
                    inner = place[segment] = {}
                place = inner
            place[path[-1]] = self._fields[tuple(path)] = _Field(expect_object(each["reading"]))

    def __bool__(self) -> bool:
        return bool(self._tree)

    def describe(self, path: str) -> str | None:
        """Return what a text at a dotted path must be; None where texts stay what they are."""
        return next((field.noun for keys, field in self._fields.items() if ".".join(keys) == path), None)

    def read(self, values: JsonObject) -> tuple[JsonObject, list[str]]:
        """Return a cleaned input as it is read, and a sentence for each text that is not of its kind: it is missing."""
        misread: list[str] = []
        read = _read_level(values, self._tree, "", misread) if self._tree else values
        return read, keep_first(misread)

    def read_column(self, path: Sequence[str], column: list[JsonValue]) -> tuple[list[JsonValue], str, list[bool]]:
        """Return the values of a field as they are read, and of which rows to say that they are not of its kind."""
        field = self._fields.get(tuple(path))
        texts = {value for value in column if isinstance(value, str)} if field else set()
        if field is None or not texts:
            return column, "", []
        read = {text: field.read(text) for text in texts}
        values = [read[value] if isinstance(value, str) else value for value in column]
        wrong = [isinstance(value, Misread) for value in values]
        return [None if isinstance(value, Misread) else value for value in values], field.problem, wrong


def quote(name: str) -> str:
    """Return a name of the input as sentences about it hold it."""
    return f"'{json.dumps(name, ensure_ascii=False)[1:-1]}'"


def keep_first(sentences: list[str]) -> list[str]:
    """Return the sentences about one input: at most twenty, and how many more there are."""
    more = len(sentences) - MAX_SENTENCES
    return [*sentences[:MAX_SENTENCES], f"and {more} more"] if more > 0 else sentences


def _read_level(values: JsonObject, tree: _Tree, above: str, misread: list[str]) -> JsonObject:
    changed: JsonObject | None = None
    for name, value in values.items():
        field = tree.get(name)
        read: JsonValue | Misread = value
        if isinstance(field, _Field) and isinstance(value, str):
            read = field.read(value)
            if isinstance(read, Misread):
                misread.append(f"{quote(above + name)} {field.problem}")
        elif isinstance(field, dict) and isinstance(value, dict):
            read = _read_level(value, field, f"{above}{name}.", misread)
        if read is value:
            continue
        changed = {**values} if changed is None else changed
        changed[name] = None if isinstance(read, Misread) else read
    return values if changed is None else changed


def _compile(reading: JsonObject) -> TextReader:
    """Return the reader of one field's texts, without the blanks around them."""
    usual = MISSING_MARKS if reading["kind"] in ("text", "list") else (*MISSING_MARKS, *MISSING_WORDS)
    missing = frozenset(usual) if "missing" not in reading else _to_words(expect_strings(reading["missing"]))
    read_text = _compile_kind(reading)

    def read(given: str) -> JsonValue | Misread:
        text = given.strip(BLANKS)
        if len(text) <= MAX_WORD_LENGTH and text.lower() in missing:
            return None
        return read_text(text)

    return read


def _compile_kind(reading: JsonObject) -> TextReader:
    kind = reading["kind"]
    if kind == "number":
        decimal, unit = expect_string(reading["decimal"]), reading.get("unit")

        def read_number(text: str) -> JsonValue | Misread:
            found = _read_number(text, decimal)
            if found is None or (unit is not None and found[1] not in ("", unit)):
                return _MISREAD
            return found[0]

        return read_number
    if kind == "date":
        order = expect_string(reading["order"])
        last_year = expect_integer(reading.get("last_year", USUAL_LAST_YEAR))
        return lambda text: _MISREAD if (iso := _read_date(text, order, last_year)) is None else iso
    if kind == "boolean":
        yes = _to_words(["true", *expect_strings(reading["yes"])]) if "yes" in reading else frozenset(YES_WORDS)
        no = _to_words(["false", *expect_strings(reading["no"])]) if "no" in reading else frozenset(NO_WORDS)

        def read_word(text: str) -> JsonValue | Misread:
            word = text if len(text) > MAX_WORD_LENGTH else text.lower()
            return True if word in yes else False if word in no else _MISREAD

        return read_word
    if kind == "list":
        separator = expect_string(reading["separator"])
        return lambda text: [part for each in text.split(separator) if (part := each.strip(BLANKS))]
    return lambda text: text


def _to_words(words: Iterable[str]) -> frozenset[str]:
    return frozenset(["", *(word.strip(BLANKS).lower() for word in words)])


def _describe(reading: JsonObject) -> str:
    kind = reading["kind"]
    if kind == "number":
        comma = " with a decimal comma" if reading["decimal"] == "," else ""
        return f"a number{comma}{f' in {unit}' if (unit := reading.get('unit')) else ''}"
    if kind == "date":
        return _DATES[expect_string(reading["order"])]
    if kind == "boolean":
        yes, no = (expect_strings(reading.get(words, [])) for words in ("yes", "no"))
        return f"yes or no ({yes[0]}, {no[0]})" if yes and no and yes[0] and no[0] else "yes or no"
    if kind == "list":
        return f"a list with {_SEPARATORS[expect_string(reading['separator'])]}"
    return "a text"


def _read_number(text: str, decimal: str) -> tuple[float, str] | None:
    """Return a number whose decimals follow the given sign, and its unit; None if the text is not one."""
    if _NUMBER["plain"].match(text):
        return float(text), ""
    if len(text) > MAX_NUMBER_LENGTH or _NUMBER["telephone"].match(text):
        return None
    simple = text.translate(_SPACES)
    if in_brackets := _NUMBER["bracketed"].match(simple):
        simple = f"{in_brackets[1]}-{in_brackets[2]}{in_brackets[3]}"
    found = _NUMBER["signed"].match(simple)
    if found is None:
        return None
    first, before, second, digits, third, after, fourth = found.groups()
    sign = first + second + third + fourth
    if len(sign) > 1 or (before and after):
        return None
    if not _NUMBER["point" if decimal == "." else "comma"].match(digits) or _NUMBER["zeroFirst"].match(digits):
        return None
    joined = re.sub(r"[, '’]" if decimal == "." else r"[. '’]", "", digits).replace(",", ".")
    if joined.isdigit() and len(joined) > MAX_NUMBER_DIGITS:
        return None
    value = float(f"-{joined}" if sign == "-" else joined)
    return (value, before + after) if math.isfinite(value) else None


def _read_date(text: str, order: str, last_year: int) -> str | None:
    """Return a date with an optional time as ISO 8601, without time zones; None if it is not one in this order."""
    if len(text) > MAX_DATE_LENGTH or not _DIGIT.search(text):
        return None
    if _ISO_DAY.match(text) and is_date(text):
        is_day = _to_iso(text[:4], int(text[5:7]), int(text[8:10]), last_year) is not None
        return _BARE_OFFSET.sub(r"\1\2:\3", text) if is_day else None
    if order == "month_only":
        return _read_month(_fold(text), last_year)
    folded = _DATE["weekday"].sub("", _fold(text), count=1)
    if stamp := _DATE["stamp"].match(folded):
        year, month, day, hour, minute, second, zone = stamp.groups()
        date = _to_iso(year, int(month), int(day), last_year) if order == "year_first" else None
        time = "" if hour is None else _to_iso_time(hour, minute, second, None, zone)
        return None if date is None or time is None else date + time
    clock = _DATE["time"].search(folded)
    if clock is None:
        return _read_day(folded, order, last_year)
    hour, minute, second, half, zone, year_behind = clock.groups()
    before = folded[: clock.start()].removesuffix(",")
    date = _read_day(before if year_behind is None else f"{before} {year_behind}", order, last_year)
    time = _to_iso_time(hour, minute, second, half, zone)
    return None if date is None or time is None else date + time


def _fold(text: str) -> str:
    bare = "".join(each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each)[0] != "M")
    return bare.replace("\u00a0", " ").replace("\u202f", " ").strip(BLANKS).lower()


def _read_month(text: str, last_year: int) -> str | None:
    if found := _DATE["monthThenYear"].match(text) or _DATE["monthThenShortYear"].match(text):
        month, year = found.groups()
    elif found := _DATE["yearThenMonth"].match(text):
        year, month = found.groups()
    else:
        return None
    return _to_iso(year, int(month) if month[0].isdigit() else _find_month(month), 1, last_year)


def _read_day(text: str, order: str, last_year: int) -> str | None:
    if numbers := _DATE["numeric"].match(text):
        return _order_numbers(numbers[1], numbers[3], numbers[4], order, last_year)
    if between := _DATE["nameBetween"].match(text):
        before, name, after = between.groups()
        year, day = (before, after) if len(before) == 4 else (after, before)
        is_in_order = order == ("year_first" if len(before) == 4 else "day_first")
        return _to_iso(year, _find_month(name), int(day), last_year) if is_in_order and len(day) <= 2 else None
    first = _DATE["nameFirst"].match(text)
    if first is None or order != "month_first":
        return None
    return _to_iso(first[3], _find_month(first[1]), int(first[2]), last_year)


def _order_numbers(first: str, second: str, third: str, order: str, last_year: int) -> str | None:
    if len(first) > 2:
        is_year_first = len(first) == 4 and len(third) <= 2 and order == "year_first"
        return _to_iso(first, int(second), int(third), last_year) if is_year_first else None
    if order == "day_first":
        return _to_iso(third, int(second), int(first), last_year)
    if order == "month_first":
        return _to_iso(third, int(first), int(second), last_year)
    return _to_iso(first, int(second), int(third), last_year) if len(first) == len(third) == 2 else None


def _find_month(word: str) -> int:
    return next((at for at, month in enumerate(_MONTHS, 1) if month.match(word)), 0)


def _to_iso(year_text: str, month: int, day: int, last_year: int) -> str | None:
    if len(year_text) not in (2, 4):
        return None
    year = int(year_text)
    if len(year_text) == 2:
        year = last_year - (last_year - year) % 100
    try:
        return datetime.date(year, month, day).isoformat() if year >= 1000 else None
    except ValueError:
        return None


def _to_iso_time(hour_text: str, minute: str, second: str | None, half: str | None, zone: str | None) -> str | None:
    hour = int(hour_text) if half is None else int(hour_text) % 12 + (12 if half == "p" else 0)
    if hour > 23 or int(minute) > 59 or int(second or 0) > 59:
        return None
    if half is not None and not 1 <= int(hour_text) <= 12:
        return None
    offset = _OFFSET.search(zone or "")
    end = "Z" if zone in ("z", "utc", "gmt") else "" if offset is None else _BARE_OFFSET.sub(r"\1\2:\3", offset[0])
    return f"T{hour:02}:{minute}{'' if second is None else f':{second}'}{f'{end}:00' if len(end) == 3 else end}"

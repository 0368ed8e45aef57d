"""Parts a text of any script into words and signs, as the workbench does."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

from .._tables import KNOWN_CHARACTER_RUNS, LONE_RANGES, MAX_WORD_CODE_POINTS

_RUN_ENDS = list(accumulate(int(run, 36) for run in KNOWN_CHARACTER_RUNS.split(" ")))
_LONE_STARTS = [first for first, _ in LONE_RANGES]
_ACCENTS = re.compile("[\u0300-\u036f]+")
_FLAG_LETTERS = re.compile("[\U0001f1e6-\U0001f1ff]{1,2}")
_WHITE_SPACE = "\t\n\x0b\x0c\r"
# Characters that are remembered; texts of more are read all the same.
_MAX_REMEMBERED = 20_000


class _Signs(dict[int, "str | int | None"]):
    """The place of each character for `str.translate`, found when it first occurs: blanks part signs from words."""

    def __missing__(self, code: int) -> str | int | None:
        value = _place(code)
        if len(self) < _MAX_REMEMBERED:
            self[code] = value
        return value


def _place(code: int) -> str | int | None:
    sign = chr(code)
    category = unicodedata.category(sign)
    if sign in _WHITE_SPACE or category[0] == "Z":
        return " "
    if 0x1F1E6 <= code <= 0x1F1FF:
        return code
    if 0xFE00 <= code <= 0xFE0F or (category in ("Cc", "Cf", "Cs", "Co") and not 0xE0020 <= code <= 0xE007F):
        return None
    at = bisect_right(_LONE_STARTS, code) - 1
    is_lone = at >= 0 and code <= LONE_RANGES[at][1]
    return code if category[0] in "LMN" and not is_lone else f" {sign} "


class WordSplitter:
    """Parts texts into words (letters, marks and digits in a row, in lower case and without accents) and all other
    signs that are seen, one by one.
    """

    def __init__(self) -> None:
        self._signs = _Signs()
        self._known: set[str] = set()

    def split(self, text: str) -> list[str]:
        """Return the words and signs of a text in their order."""
        if text.isascii():
            return self._part(text.lower())
        unknown = self._find_unknown(text)
        if not unknown:
            return self._split_known(text)
        # A character that not every runtime knows stays as it is, so that none reads it in its own way.
        words: list[str] = []
        for part in re.split(f"([{re.escape(''.join(sorted(unknown)))}])", text):
            words += [part] if part in unknown else self._split_known(part)
        return words

    def _find_unknown(self, text: str) -> set[str]:
        fresh = set(text).difference(self._known)
        unknown = {sign for sign in fresh if bisect_right(_RUN_ENDS, ord(sign)) % 2}
        if len(self._known) < _MAX_REMEMBERED:
            self._known |= fresh - unknown
        return unknown

    def _split_known(self, text: str) -> list[str]:
        lower = unicodedata.normalize("NFKC", text).lower()
        bare = _ACCENTS.sub("", unicodedata.normalize("NFD", lower))
        return self._part(unicodedata.normalize("NFC", bare))

    def _part(self, text: str) -> list[str]:
        parted = text.translate(self._signs)
        if not parted.isascii():
            parted = _FLAG_LETTERS.sub(r" \g<0> ", parted)
        words = parted.split(" ")
        if len(max(words, key=len)) > MAX_WORD_CODE_POINTS:
            words = [piece for word in words for piece in _cut(word)]
        return [word for word in words if word]


def _cut(word: str) -> list[str]:
    return [word[at : at + MAX_WORD_CODE_POINTS] for at in range(0, len(word), MAX_WORD_CODE_POINTS)]

"""N-grams of words: words, pairs of words and the letters within words, weighted by TF-IDF."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from itertools import pairwise
from operator import mul

from .._json import JsonObject, expect_integer, expect_keys, expect_list, expect_number, expect_strings

_LETTER_LENGTHS = (2, 3, 4)
# Words whose letters are remembered.
_MAX_REMEMBERED = 20_000


class WordNgrams:
    """(1 + ln count) · idf of the known n-grams, words with pairs and letters each with half of the squared length.

    Where the vocabulary says so, unknown n-grams count in the length one by one.
    """

    def __init__(self, spec: JsonObject) -> None:
        expect_keys(spec, {"words", "pairs", "letters", "texts", "df", "unknown", "scale"})
        words, pairs, letters = (expect_strings(spec[kind]) for kind in ("words", "pairs", "letters"))
        if not all(words) or any(len(letter) < 2 for letter in letters):
            raise ValueError("an n-gram is too short")
        if not all(len(parts) == 2 and all(parts) for parts in (pair.split(" ") for pair in pairs)):
            raise ValueError("a pair is not of two words")
        df = [expect_integer(count) for count in expect_list(spec["df"])]
        texts = expect_integer(spec["texts"])
        if min(texts, *df, 0) < 0:
            raise ValueError("a number of texts is negative")
        if not isinstance(spec["unknown"], bool):
            raise ValueError("unknown is no boolean")
        self.size = len(words) + len(pairs) + len(letters)
        if len(df) != self.size:
            raise ValueError(f"{len(df)} numbers of texts are there for {self.size} n-grams")
        self._idf = [math.log((1 + texts) / (1 + count)) + 1 for count in df]
        self._unknown_square = (math.log(1 + texts) + 1) ** 2 if spec["unknown"] else 0.0
        self._scale = expect_number(spec["scale"])
        self._words = {word: at for at, word in enumerate(words)}
        self._pairs = {pair: len(words) + at for at, pair in enumerate(pairs)}
        self._letters = {letter: len(words) + len(pairs) + at for at, letter in enumerate(letters)}
        self._remembered: dict[str, tuple[list[int], int]] = {}

    def encode(self, words: list[str]) -> tuple[list[int], list[float]]:
        """Return the indices of the known n-grams of a text and their values."""
        pairs = [f"{word} {after}" for word, after in pairwise(words)]
        first = [self._words[word] for word in words if word in self._words]
        first += [self._pairs[pair] for pair in pairs if pair in self._pairs]
        unknown_letters, second, remembered = 0, [], self._remembered
        for word in words:
            places, unknown = remembered.get(word) or self._find_letters(word)
            second += places
            unknown_letters += unknown
        indices, values = self._weigh(first, len(words) + len(pairs) - len(first))
        letters, others = self._weigh(second, unknown_letters)
        return indices + letters, values + others

    def _weigh(self, half: list[int], unknown: int) -> tuple[list[int], list[float]]:
        if not half:
            return [], []
        counts, idf = Counter(half), self._idf
        if len(counts) == len(half):
            weights = [idf[at] for at in half]
        else:
            weights = [idf[at] if count == 1 else (1 + math.log(count)) * idf[at] for at, count in counts.items()]
        squares = sum(map(mul, weights, weights)) + unknown * self._unknown_square
        factor = self._scale / math.sqrt(2 * squares)
        return list(counts), [weight * factor for weight in weights]

    def _find_letters(self, word: str) -> tuple[list[int], int]:
        """Return the places of the letters of a word that are known, and how many are not."""
        letters: list[str] = []
        if unicodedata.category(word[0])[0] in "LMN":
            whole = f"<{word}>"
            for length in _LETTER_LENGTHS:
                if length < len(whole):
                    letters += [whole[at : at + length] for at in range(len(whole) - length + 1)]
        known = [self._letters[letter] for letter in letters if letter in self._letters]
        found = (known, len(letters) - len(known))
        if len(self._remembered) < _MAX_REMEMBERED:
            self._remembered[word] = found
        return found

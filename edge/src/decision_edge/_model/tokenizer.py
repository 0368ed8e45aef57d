"""Word pieces of a text (Devlin et al. 2019, BERT): the same ids as in the workbench."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from string import punctuation

from .._json import JsonObject, expect_integer, expect_list, expect_object

# Words that are kept with their ids: a text repeats most of its words.
_KEPT_WORDS = 20_000

# Those above U+FFFF are also letters to the workbench.
_IDEOGRAPHS = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


class _Parts(dict[int, str]):
    """The replacement of each character, for `str.translate`: nothing for controls and marks, a word of its own for
    punctuation and ideographs. Found when a character first occurs.
    """

    def __missing__(self, point: int) -> str:
        character = chr(point)
        category = unicodedata.category(character)
        if character == "\ufffd" or (category in ("Cc", "Cf", "Co", "Cs", "Mn") and character not in "\t\n\r"):
            part = ""
        elif category.startswith("P") or character in punctuation or _IDEOGRAPHS.match(character):
            part = f" {character} "
        else:
            part = character
        self[point] = part
        return part


class Tokenizer:
    """Compiled `tokenizer.json` of a lower-casing BERT model. Raises ValueError or KeyError for any other kind.

    The cut and the filling that the file asks for are left out: both would change the n-grams.
    """

    def __init__(self, file: JsonObject) -> None:
        model = expect_object(file["model"])
        settings = {key: model[key] for key in ("type", "unk_token", "continuing_subword_prefix")}
        if settings != {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}:
            raise ValueError("the model is no WordPiece")
        normalizer = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True}
        if file["normalizer"] != {**normalizer, "strip_accents": None, "lowercase": True}:
            raise ValueError("the normalizer is not that of a lower-casing BERT")
        if file["pre_tokenizer"] != {"type": "BertPreTokenizer"}:
            raise ValueError("the words are not parted as by BERT")
        self._ids = {piece: expect_integer(id_) for piece, id_ in expect_object(model["vocab"]).items()}
        self._unknown = self._ids["[UNK]"]
        self._max_characters = expect_integer(model["max_input_chars_per_word"])
        self._longest = max(map(len, self._ids))
        special = [expect_object(token) for token in expect_list(file["added_tokens"])]
        self._special = {str(token["content"]): expect_integer(token["id"]) for token in special}
        self._specials = re.compile(f"({'|'.join(map(re.escape, self._special)) or '(?!)'})")
        self._find_pieces = lru_cache(_KEPT_WORDS)(self._split_word)
        self._parts = _Parts()

    def encode(self, text: str) -> list[int]:
        """Return the ids of the whole text, without special tokens at its ends."""
        ids: list[int] = []
        for part in self._specials.split(text):
            if part in self._special:
                ids.append(self._special[part])
            else:
                plain = unicodedata.normalize("NFD", part.lower()).translate(self._parts)
                for word in plain.split():
                    ids += self._find_pieces(word) if len(word) <= self._max_characters else (self._unknown,)
        return ids

    def _split_word(self, word: str) -> tuple[int, ...]:
        """Return the longest known pieces from the left on; the unknown one alone where a rest has none."""
        ids: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                found = self._ids.get(prefix + word[start:end])
                if found is not None:
                    break
            else:
                return (self._unknown,)
            ids.append(found)
            start, prefix = end, "##"
        return tuple(ids)

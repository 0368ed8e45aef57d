"""Pieces of a text by a unigram language model (Kudo 2018), as SentencePiece cuts it: the same ids as in the workbench.

Characters are replaced, mostly by a map, blanks part the words, and of each word the likeliest pieces are taken.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from base64 import b64decode
from collections.abc import Callable
from functools import lru_cache, partial
from math import inf

from .._json import JsonObject, expect_integer, expect_list, expect_number, expect_object, expect_string

# A text repeats most of its words; longer ones are hardly ever met again.
_KEPT_WORDS, _MAX_KEPT_LENGTH = 20_000, 64
# Bytes that are replaced together at most: a letter with its accents.
_MAX_REPLACED_BYTES = 16
# Bytes that stand in their place at most: a foreign map must not make a short text a long one.
_MAX_REPLACEMENT_BYTES = 256
# How much less likely than the least likely piece an unknown character is, as a logarithm.
_UNKNOWN_PENALTY = 10.0
_MAX_PIECE_LENGTH = 64
_WORD_START = "▁"

_PLAIN = re.compile("[!-~]*")
_APART = re.compile(f"[ {_WORD_START}]+")
_CHARACTERS = re.compile(r"\[[^!-~]+\]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class UnigramTokenizer:
    """Compiled `tokenizer.json` of a unigram model. Raises ValueError or KeyError for any other kind."""

    def __init__(self, file: JsonObject) -> None:
        model = expect_object(file["model"])
        normalizer = expect_object(file["normalizer"])
        steps = expect_list(normalizer["normalizers"]) if "normalizers" in normalizer else [normalizer]
        self._steps = [_compile_step(expect_object(step)) for step in steps]
        words = expect_object(file["pre_tokenizer"])
        if "pretokenizers" in words:
            apart, words = (expect_object(part) for part in expect_list(words["pretokenizers"]))
            if apart["type"] != "WhitespaceSplit":
                raise ValueError("the words are not parted as by SentencePiece")
        if words["type"] != "Metaspace" or words["replacement"] != _WORD_START:
            raise ValueError("the words are not parted as by SentencePiece")
        special = {expect_integer(expect_object(token)["id"]) for token in expect_list(file["added_tokens"])}
        self._ids: dict[str, tuple[int, float]] = {}
        least, longest = 0.0, 1
        for id_, pair in enumerate(expect_list(model["vocab"])):
            found, likelihood = expect_list(pair)
            piece, score = expect_string(found), expect_number(likelihood)
            least = min(least, score)
            if id_ not in special:
                self._ids[piece] = (id_, score)
                longest = max(longest, len(piece))
        if longest > _MAX_PIECE_LENGTH:
            raise ValueError(f"a piece has more than {_MAX_PIECE_LENGTH} characters")
        self._longest = longest
        self._unknown = (expect_integer(model["unk_id"]), least - _UNKNOWN_PENALTY)
        self._find_pieces = lru_cache(_KEPT_WORDS)(self._encode_word)

    def encode(self, text: str) -> list[int]:
        """Return the ids of the whole text, without special tokens at its ends."""
        ids: list[int] = []
        for word in text.split(" "):
            ids += self._find_pieces(word) if len(word) <= _MAX_KEPT_LENGTH else self._encode_word(word)
        return ids

    def _encode_word(self, word: str) -> tuple[int, ...]:
        plain = word
        if not _PLAIN.fullmatch(word):
            plain = _HALF_PAIR.sub("\ufffd", word)
            for step in self._steps:
                plain = step(plain)
        return tuple(id_ for part in _APART.split(plain) if part for id_ in self._cut(_WORD_START + part))

    def _cut(self, word: str) -> list[int]:
        """Find the best way to each character in turn (Viterbi 1967), the longer piece where equal.

        Unknown characters in a row are one piece.
        """
        count = len(word)
        scores = [0.0] + [-inf] * count
        best = [(0, 0)] * (count + 1)
        for start in range(count):
            so_far, is_known = scores[start], False
            for end in range(start + 1, min(count, start + self._longest) + 1):
                found = self._ids.get(word[start:end])
                if found is None:
                    continue
                is_known = is_known or end == start + 1
                if so_far + found[1] > scores[end]:
                    scores[end], best[end] = so_far + found[1], (start, found[0])
            if not is_known and so_far + self._unknown[1] > scores[start + 1]:
                scores[start + 1], best[start + 1] = so_far + self._unknown[1], (start, self._unknown[0])
        ids: list[int] = []
        end = count
        while end > 0:
            end, id_ = best[end]
            if id_ != self._unknown[0] or not ids or ids[-1] != id_:
                ids.append(id_)
        return ids[::-1]


def _compile_step(step: JsonObject) -> Callable[[str], str]:
    """Compile a step that changes the characters of a word; none of them touches the printable ones of ASCII.

    Those that join and strip blanks do nothing more, since blanks part the words.
    """
    kind = step["type"]
    if kind == "Precompiled":
        return _CharacterMap(b64decode(expect_string(step["precompiled_charsmap"])))
    if kind == "NFKC":
        return partial(unicodedata.normalize, "NFKC")
    if kind == "Strip":
        return str
    if kind == "Replace":
        pattern = expect_string(expect_object(step["pattern"])["Regex"])
        content = expect_string(step["content"])
        if content in ("", " ") and pattern == " {2,}":
            return str
        if content in ("", " ") and _CHARACTERS.fullmatch(pattern):
            return partial(re.compile(pattern).sub, content)
    raise ValueError("the characters are not replaced as by SentencePiece")


class _CharacterMap:
    """SentencePiece's map of characters: at each place the longest sequence that the map knows is replaced.

    It is a double-array trie over UTF-8 (Aoe 1989), in the units of Darts-clone, and the texts it leads to, each ended
    by 0.
    """

    def __init__(self, file: bytes) -> None:
        if len(file) < 8:
            raise ValueError("the map of characters is cut off")
        (size,) = struct.unpack_from("<I", file)
        if size % 4 != 0 or not 4 <= size <= len(file) - 4:
            raise ValueError("the map of characters is cut off")
        self._units = struct.unpack_from(f"<{size // 4}I", file, 4)
        self._texts = file[4 + size :]
        if self._texts[-1:] not in (b"", b"\0"):
            raise ValueError("the map of characters is cut off")
        if max(map(len, self._texts.split(b"\0"))) > _MAX_REPLACEMENT_BYTES:
            raise ValueError("the map of characters replaces one by too many")

    def __call__(self, text: str) -> str:
        data = text.encode()
        replaced = bytearray()
        at = 0
        while at < len(data):
            end, place = self._find_longest(data, at)
            if end > at:
                replaced += self._texts[place : self._texts.find(b"\0", place)]
            else:
                end = at + _count_sequence_bytes(data[at])
                replaced += data[at:end]
            at = end
        return replaced.decode("utf-8", "replace")

    def _find_longest(self, data: bytes, start: int) -> tuple[int, int]:
        """Return where the longest known sequence ends, and where its text begins; `start` without one."""
        found = (start, 0)
        place = _to_offset(self._units[0])
        for at in range(start, min(len(data), start + _MAX_REPLACED_BYTES)):
            byte = data[at]
            place ^= byte
            # Zeros fill up the table, and stand in no sequence.
            if byte == 0 or place >= len(self._units) or self._units[place] & 0x800000FF != byte:
                break
            unit = self._units[place]
            place ^= _to_offset(unit)
            if unit >> 8 & 1 and place < len(self._units):
                found = (at + 1, self._units[place] & 0x7FFFFFFF)
        return found


def _to_offset(unit: int) -> int:
    return unit >> 10 << ((unit & 0x200) >> 6)


def _count_sequence_bytes(first: int) -> int:
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4

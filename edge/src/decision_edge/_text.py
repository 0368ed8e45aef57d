"""The text part of the feature plan: word-piece n-grams and the sentence embedding."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from ._classifier import open_session
from ._errors import InvalidBundle
from ._json import find_value

__all__ = ["TextFeatures", "joined_text"]

_START, _END = 101, 102


def joined_text(values: dict[str, Any], fields: list[list[str]]) -> str:
    """Return the text fields joined by line breaks; what is missing or no text is left out."""
    return "\n".join(text for path in fields if isinstance(text := find_value(values, path), str))


class TextFeatures:
    """Compiled `text` of a feature plan. `encoder` is needed only where the plan has an encoder."""

    def __init__(self, plan: dict[str, Any], tokenizer: bytes, encoder: bytes | None) -> None:
        try:
            self._tokenizer = Tokenizer.from_str(tokenizer.decode("utf-8"))
        except Exception as error:  # the library raises plain Exception
            raise InvalidBundle(f"text/tokenizer.json cannot be read ({error})") from error
        # The file as shipped cuts at 128 tokens and pads: both would change the n-grams.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        try:
            self._fields = [[str(part) for part in path] for path in plan["fields"]]
            self.ngrams = None if plan["ngrams"] is None else _Ngrams(plan["ngrams"])
            self.encoder = None
            if plan["encoder"] is not None and encoder is not None:
                self.encoder = _Encoder(plan["encoder"], encoder)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InvalidBundle(f"features.json: text is not as the format says ({error!r})") from error

    def tokens(self, values: dict[str, Any]) -> list[int]:
        """Return the token ids of all text fields joined by line breaks, without special tokens, never cut."""
        ids: list[int] = self._tokenizer.encode(joined_text(values, self._fields), add_special_tokens=False).ids
        return ids


class _Ngrams:
    """TF-IDF over known uni- and bigrams of token ids: (1 + ln count) · idf, L2-normalised, times scale."""

    def __init__(self, spec: dict[str, Any]) -> None:
        unigrams, flat = spec["unigrams"], spec["bigrams"]
        self._unigrams = {int(token): position for position, token in enumerate(unigrams)}
        pairs = zip(flat[0::2], flat[1::2], strict=True)
        self._bigrams = {(int(a), int(b)): len(unigrams) + position for position, (a, b) in enumerate(pairs)}
        self._idf = [float(weight) for weight in spec["idf"]]
        self._scale = float(spec["scale"])
        self.size = len(unigrams) + len(flat) // 2
        if len(self._idf) != self.size:
            raise ValueError(f"{self.size} n-grams, {len(self._idf)} idf weights")

    def encode(self, ids: list[int]) -> tuple[list[int], list[float]]:
        """Return the indices of the known n-grams, ascending, and their values."""
        counts: dict[int, int] = {}
        known = [self._unigrams.get(token) for token in ids]
        known += [self._bigrams.get(pair) for pair in pairwise(ids)]
        for index in known:
            if index is not None:
                counts[index] = counts.get(index, 0) + 1
        indices = sorted(counts)
        values = [(1 + math.log(counts[index])) * self._idf[index] for index in indices]
        norm = math.sqrt(math.fsum(value * value for value in values)) or 1.0
        return indices, [value / norm * self._scale for value in values]


class _Encoder:
    """The sentence encoder: one unpadded text a call, adapters switched off (zeros)."""

    def __init__(self, spec: dict[str, Any], model: bytes) -> None:
        self.size = int(spec["dimensions"])
        self._max_tokens = int(spec["max_tokens"])
        self._scale = float(spec["scale"])
        self._session = open_session(model, "text/encoder.int8.onnx")
        self._adapters: dict[str, npt.NDArray[np.float32]] = {}
        for node in self._session.get_inputs():
            if node.name not in ("input_ids", "attention_mask"):
                shape = [side if isinstance(side, int) else 1 for side in node.shape]
                self._adapters[node.name] = np.zeros(shape, np.float32)

    def encode(self, ids: list[int]) -> list[float]:
        """Return the embedding of the first tokens, times scale."""
        row = np.array([[_START, *ids[: self._max_tokens - 2], _END]], np.int64)
        feeds = {"input_ids": row, "attention_mask": np.ones_like(row), **self._adapters}
        embedding = np.asarray(self._session.run(["sentence_embedding"], feeds)[0], np.float64).reshape(-1)
        if embedding.size != self.size:
            raise InvalidBundle(f"text/encoder.int8.onnx gives {embedding.size} dimensions, the plan says {self.size}")
        return [float(component) for component in embedding * self._scale]

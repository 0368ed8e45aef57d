"""Whether an input is like the examples that the policy learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ._json import (
    JsonObject,
    JsonValue,
    expect_integer,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    reading,
)

__all__ = ["Familiarity"]

# Differences of rounding between implementations must not move a value over an end of its range.
_SLACK = 1e-4
_MAX_BYTE = 127


class Familiarity:
    """Compiled `familiarity.json`. Raises InvalidBundle where it does not fit the feature plan."""

    def __init__(self, file: JsonObject, plan: JsonObject, field_sizes: Sequence[int]) -> None:
        self._field_sizes = field_sizes
        self._tabular_size = sum(field_sizes)
        with reading("familiarity.json"):
            expect_keys(file, {"words", "embedding", "fields"}, {"nearest"})
            text = expect_object(plan["text"]) if plan.get("text") is not None else {}
            words, embedding, fields = (file[check] for check in ("words", "embedding", "fields"))
            self._words = None if words is None else _Words(expect_object(words), expect_object(text["ngrams"]))
            self._embedding = None
            if embedding is not None:
                self._embedding = _Embedding(expect_object(embedding), expect_object(text["encoder"]))
            self._nearest = None
            if "nearest" in file:
                self._nearest = _Nearest(expect_object(file["nearest"]), expect_object(text["encoder"]))
            self._fields = None if fields is None else _Fields(expect_object(fields), field_sizes)

    def is_unfamiliar(self, dense: Sequence[float], ids: Sequence[int]) -> bool:
        """Return whether any check fails for a dense vector and the token ids of the text."""
        if self._words is not None and self._words.is_outside(ids):
            return True
        if self._embedding is not None and self._embedding.is_outside(dense[self._tabular_size :]):
            return True
        if self._nearest is not None and self._nearest.is_outside(dense[self._tabular_size :]):
            return True
        return self._fields is not None and self._fields.is_outside(dense)


class _Words:
    """The mean rarity of the text's tokens must not be above a limit."""

    def __init__(self, check: JsonObject, ngrams: JsonObject) -> None:
        expect_keys(check, {"unknown", "most"})
        tokens = [expect_integer(token) for token in expect_list(ngrams["unigrams"])]
        # The weights of the bigrams follow those of the unigrams.
        self._idf = dict(zip(tokens, _read_numbers(ngrams["idf"]), strict=False))
        self._unknown = expect_number(check["unknown"])
        self._max_rarity = expect_number(check["most"])

    def is_outside(self, ids: Sequence[int]) -> bool:
        unknown = self._unknown
        rarity = sum(self._idf.get(token, unknown) for token in ids) / len(ids) if ids else unknown
        return rarity > self._max_rarity


class _Embedding:
    """The largest dot product with an option's mean direction must not be below a limit."""

    def __init__(self, check: JsonObject, encoder: JsonObject) -> None:
        expect_keys(check, {"centroids", "least"})
        rows = [_read_numbers(row) for row in expect_list(check["centroids"])]
        if not rows or len({len(row) for row in rows}) != 1:
            raise ValueError("the centroids are not of one length")
        self._centroids: npt.NDArray[np.float64] = np.array(rows, np.float64)
        if self._centroids.ndim != 2 or self._centroids.shape[1] != expect_integer(encoder["dimensions"]):
            raise ValueError("the centroids do not have the encoder's dimensions")
        self._min_similarity = expect_number(check["least"])

    def is_outside(self, embedding: Sequence[float]) -> bool:
        # The workbench compares the dense vector as it stands, in float32.
        direction = np.array(embedding, np.float32).astype(np.float64)
        return float(np.max(self._centroids @ direction)) < self._min_similarity


class _Nearest:
    """The largest cosine with an example, along the directions that tell options apart, must not be below a limit."""

    def __init__(self, check: JsonObject, encoder: JsonObject) -> None:
        expect_keys(check, {"basis", "scale", "offset", "examples", "least"})
        basis = _read_bytes(check["basis"], expect_integer(encoder["dimensions"]))
        self._scale = np.array(_read_numbers(check["scale"]), np.float64)
        self._offset = np.array(_read_numbers(check["offset"]), np.float64)
        if len(self._scale) != len(basis) or len(self._offset) != len(basis):
            raise ValueError("the directions are not as many as their scales and offsets")
        self._basis = basis
        self._examples = _read_bytes(check["examples"], len(basis))
        self._min_similarity = expect_number(check["least"])

    def is_outside(self, embedding: Sequence[float]) -> bool:
        # The workbench compares the dense vector as it stands, in float32.
        direction = np.array(embedding, np.float32).astype(np.float64)
        projected = (self._basis @ direction) * self._scale - self._offset
        length = float(np.linalg.norm(projected)) or 1.0
        return float(np.max(self._examples @ (projected / length))) / _MAX_BYTE < self._min_similarity


class _Fields:
    """No more than a number of fields may have a slot outside the range of the examples."""

    def __init__(self, check: JsonObject, field_sizes: Sequence[int]) -> None:
        expect_keys(check, {"low", "high", "most"})
        self._low, self._high = _read_numbers(check["low"]), _read_numbers(check["high"])
        if len(self._low) != sum(field_sizes) or len(self._high) != sum(field_sizes):
            raise ValueError("the ranges do not have the plan's slots")
        self._field_sizes = field_sizes
        self._max_outside = expect_integer(check["most"])
        if self._max_outside < 0:
            raise ValueError("a number of fields is negative")

    def is_outside(self, dense: Sequence[float]) -> bool:
        low, high = self._low, self._high
        count, start = 0, 0
        for size in self._field_sizes:
            slots = range(start, start + size)
            count += any(not low[s] - _SLACK <= dense[s] <= high[s] + _SLACK for s in slots)
            start += size
        return count > self._max_outside


def _read_bytes(value: JsonValue, width: int) -> npt.NDArray[np.float64]:
    """Read rows of `width` signed bytes, at least one."""
    rows = [[expect_integer(number) for number in expect_list(row)] for row in expect_list(value)]
    if not rows or any(len(row) != width for row in rows):
        raise ValueError(f"there are no rows of {width} numbers each")
    if any(abs(number) > _MAX_BYTE for row in rows for number in row):
        raise ValueError(f"a number is beyond {_MAX_BYTE}")
    return np.array(rows, np.float64)


def _read_numbers(value: JsonValue) -> list[float]:
    return [expect_number(number) for number in expect_list(value)]

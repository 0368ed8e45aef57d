"""Whether an input is like the examples that the policy learned from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._json import (
    JsonObject,
    JsonValue,
    expect_integer,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    expect_strings,
    reading,
)

Matrix: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

# Differences of rounding between implementations must not move a value over an end of its range.
_SLACK = 1e-4
_MAX_BYTE = 127


class Familiarity:
    """Compiled `familiarity.json`. Raises InvalidBundle where it does not fit the feature plan."""

    def __init__(self, file: JsonObject, plan: JsonObject, field_sizes: Sequence[int]) -> None:
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

    @property
    def ranges(self) -> tuple[Sequence[float], ...]:
        """The lowest and the highest usual value of each tabular slot; empty where ranges are not checked."""
        return () if self._fields is None else (self._fields.low, self._fields.high)

    def is_unfamiliar(self, dense: Sequence[float], units: Sequence[int | str]) -> bool:
        """Return whether any check fails for a dense vector and the words or pieces of the text."""
        return self.find_unfamiliar(np.array([dense]), [units])[0]

    def find_unfamiliar(self, dense: Matrix, texts: Sequence[Sequence[int | str]]) -> list[bool]:
        """Return for each row of `dense`, with the words or pieces of its text, whether any check fails."""
        outside = np.zeros(len(dense), np.bool_)
        if self._words is not None:
            outside |= [self._words.is_outside(units) for units in texts]
        if self._embedding is not None or self._nearest is not None:
            directions = _to_directions(dense[:, self._tabular_size :])
            for check in (self._embedding, self._nearest):
                if check is not None:
                    outside |= check.find_outside(directions)
        if self._fields is not None:
            outside |= self._fields.find_outside(dense)
        flags: list[bool] = outside.tolist()
        return flags


class _Words:
    """The mean rarity of the text's words, or pieces, must not be above a limit."""

    def __init__(self, check: JsonObject, ngrams: JsonObject) -> None:
        expect_keys(check, {"unknown", "most"}, {"known"})
        self._unknown = expect_number(check["unknown"])
        self._max_rarity = expect_number(check["most"])
        if ("known" in check) != ("words" in ngrams):
            raise ValueError("its words are not those of the feature plan")
        self._idf: dict[int | str, float] = {}
        if "known" in check:
            known = expect_keys(check["known"], {"words", "df"})
            words = expect_strings(known["words"])
            counts = [expect_integer(count) for count in expect_list(known["df"])]
            if min(counts, default=0) < 0:
                raise ValueError("a number of texts is negative")
            idf = [self._unknown - math.log(1 + count) for count in counts]
            self._idf.update(zip(words, idf, strict=True))
        else:
            tokens = [expect_integer(token) for token in expect_list(ngrams["unigrams"])]
            # The weights of the bigrams follow those of the unigrams.
            self._idf.update(zip(tokens, _read_numbers(ngrams["idf"]), strict=False))

    def is_outside(self, units: Sequence[int | str]) -> bool:
        unknown = self._unknown
        rarity = sum(self._idf.get(unit, unknown) for unit in units) / len(units) if units else unknown
        return rarity > self._max_rarity


class _Embedding:
    """The largest dot product with an option's mean direction must not be below a limit."""

    def __init__(self, check: JsonObject, encoder: JsonObject) -> None:
        expect_keys(check, {"centroids", "least"})
        rows = [_read_numbers(row) for row in expect_list(check["centroids"])]
        width = expect_integer(encoder["dimensions"])
        if not rows or width < 1 or any(len(row) != width for row in rows):
            raise ValueError("the centroids do not have the encoder's dimensions")
        self._centroids = np.array(rows, np.float64)
        self._min_similarity = expect_number(check["least"])

    def find_outside(self, directions: Matrix) -> Flags:
        similarities: Matrix = (directions @ self._centroids.T).max(axis=1)
        return similarities < self._min_similarity


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

    def find_outside(self, directions: Matrix) -> Flags:
        projected = (directions @ self._basis.T.astype(np.float64)) * self._scale - self._offset
        lengths = np.linalg.norm(projected, axis=1, keepdims=True)
        projected /= np.where(lengths == 0, 1.0, lengths)
        similarities: Matrix = (projected @ self._examples.T.astype(np.float64)).max(axis=1) / _MAX_BYTE
        return similarities < self._min_similarity


class _Fields:
    """No more than a number of fields may have a slot outside the range of the examples."""

    def __init__(self, check: JsonObject, field_sizes: Sequence[int]) -> None:
        expect_keys(check, {"low", "high", "most"})
        self.low, self.high = _read_numbers(check["low"]), _read_numbers(check["high"])
        if len(self.low) != sum(field_sizes) or len(self.high) != sum(field_sizes):
            raise ValueError("the ranges do not have the plan's slots")
        self._lowest, self._highest = np.array(self.low) - _SLACK, np.array(self.high) + _SLACK
        self._starts = np.cumsum([0, *field_sizes[:-1]])
        self._max_outside = expect_integer(check["most"])
        if self._max_outside < 0:
            raise ValueError("a number of fields is negative")

    def find_outside(self, dense: Matrix) -> Flags:
        if not self.low:
            return np.zeros(len(dense), np.bool_)
        slots = dense[:, : len(self.low)]
        outside = (slots < self._lowest) | (slots > self._highest)
        counts: npt.NDArray[np.int64] = np.logical_or.reduceat(outside, self._starts, axis=1).sum(axis=1)
        return counts > self._max_outside


def _to_directions(embeddings: npt.ArrayLike) -> Matrix:
    """Return embeddings as the workbench compares them: as they stand in the dense vector, in float32."""
    return np.array(embeddings, np.float32).astype(np.float64)


def _read_bytes(value: JsonValue, width: int) -> npt.NDArray[np.int8]:
    """Read rows of `width` signed bytes, at least one; they stay bytes, as they are an eighth of what doubles take."""
    rows = [[expect_integer(number) for number in expect_list(row)] for row in expect_list(value)]
    if not rows or any(len(row) != width for row in rows):
        raise ValueError(f"there are no rows of {width} numbers each")
    if any(abs(number) > _MAX_BYTE for row in rows for number in row):
        raise ValueError(f"a number is beyond {_MAX_BYTE}")
    return np.array(rows, np.int8)


def _read_numbers(value: JsonValue) -> list[float]:
    return [expect_number(number) for number in expect_list(value)]

"""Whether an input is like the examples that the policy learned from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InvalidBundle

__all__ = ["Familiarity"]

_SLACK = 1e-4


class Familiarity:
    """Compiled `familiarity.json`. Raises InvalidBundle where it does not fit the feature plan."""

    def __init__(self, file: dict[str, Any], plan: dict[str, Any], field_sizes: list[int]) -> None:
        self._field_sizes = field_sizes
        self._tabular = sum(field_sizes)
        self._words: tuple[dict[int, float], float, float] | None = None
        self._embedding: tuple[np.ndarray[Any, np.dtype[np.float64]], float] | None = None
        self._fields: tuple[list[float], list[float], int] | None = None
        try:
            text = plan.get("text") or {}
            if (words := file["words"]) is not None:
                ngrams = text["ngrams"]
                # idf goes on with the bigrams.
                idf = {
                    int(token): float(weight) for token, weight in zip(ngrams["unigrams"], ngrams["idf"], strict=False)
                }
                self._words = idf, float(words["unknown"]), float(words["most"])
            if (embedding := file["embedding"]) is not None:
                centroids = np.array(embedding["centroids"], np.float64)
                if centroids.ndim != 2 or centroids.shape[1] != int(text["encoder"]["dimensions"]):
                    raise ValueError("the centroids do not have the encoder's dimensions")
                self._embedding = centroids, float(embedding["least"])
            if (fields := file["fields"]) is not None:
                low, high = ([float(end) for end in fields[name]] for name in ("low", "high"))
                if len(low) != self._tabular or len(high) != self._tabular:
                    raise ValueError("the ranges do not have the plan's slots")
                self._fields = low, high, int(fields["most"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidBundle(f"familiarity.json is not as the format says ({error!r})") from error

    def is_unfamiliar(self, dense: list[float], ids: list[int]) -> bool:
        """Return whether any check fails for a dense vector and the token ids of the text."""
        if self._words is not None:
            idf, unknown, most = self._words
            rarity = sum(idf.get(token, unknown) for token in ids) / len(ids) if ids else unknown
            if rarity > most:
                return True
        if self._embedding is not None:
            centroids, least = self._embedding
            if float((centroids @ np.array(dense[self._tabular :], np.float32).astype(np.float64)).max()) < least:
                return True
        if self._fields is not None:
            low, high, allowed = self._fields
            return self._outside(dense, low, high) > allowed
        return False

    def _outside(self, dense: list[float], low: list[float], high: list[float]) -> int:
        count, start = 0, 0
        for size in self._field_sizes:
            slots = range(start, start + size)
            count += any(not low[s] - _SLACK <= dense[s] <= high[s] + _SLACK for s in slots)
            start += size
        return count

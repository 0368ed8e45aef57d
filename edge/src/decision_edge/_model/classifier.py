"""The compiled classifier, run in ONNX Runtime on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._errors import InvalidBundle
from .graph import check_graph
from .runtime import onnxruntime

# The n-grams of a text: their indices and values.
Ngrams: TypeAlias = "tuple[list[int], list[float]]"
Feeds: TypeAlias = "dict[str, npt.NDArray[np.float32] | npt.NDArray[np.int64]]"

# Weights of n-grams that a run of the graph may lay side by side: more of them leave the processor's cache.
_MAX_GATHERED = 1 << 18


def open_session(model: bytes, name: str) -> onnxruntime.InferenceSession:
    """Open an ONNX model from memory. Raises InvalidBundle, also for models that point to other files."""
    # External tensor data is always announced by an entry with the key "location".
    if b"location" in model:
        raise InvalidBundle(f"{name} refers to data outside of the bundle.")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # The runtime's errors share no base class.
        raise InvalidBundle(f"{name} is not a model that ONNX Runtime can open.") from error


class Classifier:
    """Scores one row: dense features and sparse n-grams → one probability for each option."""

    def __init__(
        self, model: bytes, dense_size: int, ngram_size: int, options: int, name: str = "classifier.onnx"
    ) -> None:
        self._name = name
        self.kind = check_graph(model, name)
        self._session = open_session(model, name)
        self._names = {node.name for node in self._session.get_inputs()}
        self._options = options
        expected = {"dense"} if dense_size else set()
        if ngram_size:
            expected |= {"ngram_indices", "ngram_values"}
        if self._names != expected:
            raise InvalidBundle(f"{name} takes {sorted(self._names)}, the plan gives {sorted(expected)}.")
        # Shapes that do not fit the plan show here, not at the first decision.
        try:
            self.score([0.0] * dense_size, [ngram_size - 1] if ngram_size else [], [0.0] if ngram_size else [])
        except InvalidBundle:
            raise
        except Exception as error:
            raise InvalidBundle(f"{name} does not fit features.json.") from error

    def score_rows(self, dense: npt.NDArray[np.float64], ngrams: Sequence[Ngrams]) -> list[list[float]]:
        """Return the probabilities of many rows: one run, or a few where their n-grams take much room.

        Without inputs the graph has one row, which is that of all.
        """
        rows = len(dense)
        if not self._names:
            return [self.score([], [], []) for _ in range(rows)]
        widest = max((len(indices) for indices, _ in ngrams), default=0) if "ngram_indices" in self._names else 0
        step = rows if widest == 0 else max(1, _MAX_GATHERED // (widest * self._options))
        probabilities: list[list[float]] = []
        for start in range(0, rows, step):
            part = slice(start, start + step)
            feeds = _pad_ngrams(ngrams[part]) if "ngram_indices" in self._names else {}
            feeds["dense"] = dense[part].astype(np.float32)
            probabilities += self._run(feeds, len(feeds["dense"]))
        return probabilities

    def score(self, dense: list[float], indices: list[int], values: list[float]) -> list[float]:
        """Return the probabilities in the order of the options."""
        feeds: Feeds = {"dense": np.array([dense], np.float32)}
        if "ngram_indices" in self._names:
            feeds["ngram_indices"] = np.array([indices or [0]], np.int64)
            feeds["ngram_values"] = np.array([values or [0.0]], np.float32)
        return self._run(feeds, 1)[0]

    def _run(self, feeds: Feeds, rows: int) -> list[list[float]]:
        feeds = {name: array for name, array in feeds.items() if name in self._names}
        scored = np.asarray(self._session.run(["probabilities"], feeds)[0], np.float64)
        if scored.size != rows * self._options or not np.isfinite(scored).all():
            raise InvalidBundle(f"{self._name} does not give {self._options} finite probabilities.")
        probabilities: list[list[float]] = scored.reshape(rows, self._options).tolist()
        return probabilities


def _pad_ngrams(rows: Sequence[Ngrams]) -> Feeds:
    """Return the n-grams of each row side by side, filled up with the value 0; at least one a row."""
    width = max((1, *(len(indices) for indices, _ in rows)))
    padded_indices = np.zeros((len(rows), width), np.int64)
    padded_values = np.zeros((len(rows), width), np.float32)
    for at, (indices, values) in enumerate(rows):
        padded_indices[at, : len(indices)] = indices
        padded_values[at, : len(values)] = values
    return {"ngram_indices": padded_indices, "ngram_values": padded_values}

"""The compiled classifier, run in ONNX Runtime on one thread."""

from __future__ import annotations

import numpy as np
import onnxruntime

from ._errors import InvalidBundle
from ._graph import check_graph

__all__ = ["Classifier", "open_session"]


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

    def score(self, dense: list[float], indices: list[int], values: list[float]) -> list[float]:
        """Return the probabilities in the order of the options."""
        feeds = {
            "dense": np.array([dense], np.float32),
            "ngram_indices": np.array([indices or [0]], np.int64),
            "ngram_values": np.array([values or [0.0]], np.float32),
        }
        feeds = {name: array for name, array in feeds.items() if name in self._names}
        row = np.asarray(self._session.run(["probabilities"], feeds)[0], np.float64).reshape(-1)
        if row.size != self._options or not np.isfinite(row).all():
            raise InvalidBundle(f"{self._name} does not give {self._options} finite probabilities.")
        return [float(probability) for probability in row]

"""The sentence encoder gives the workbench's embeddings under the runtime that is installed: shared cases."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from decision_edge import InvalidBundle
from decision_edge._model.shared import SharedFile
from decision_edge._model.text import TextFeatures

# Recorded on one machine; another processor adds in another order.
MAX_COMPONENT_DIFFERENCE = 1e-3
ROOT = Path(__file__).parents[3]
SHARED = json.loads((ROOT / "test" / "cases" / "embeddings.json").read_text("utf-8"))
MODEL = ROOT / "resources" / "models" / "all-MiniLM-L6-v2"


def open_file(name: str) -> SharedFile:
    return SharedFile("", (MODEL / name).read_bytes())


def test_shared_embeddings_alone_and_among_others() -> None:
    encoder = (MODEL / "encoder.onnx").read_bytes()
    assert hashlib.sha256(encoder).hexdigest() == SHARED["encoder_sha256"]
    spec = {"dimensions": 384, "max_tokens": 256, "scale": 1.0}
    plan = {"fields": [["text"]], "ngrams": None, "encoder": spec}
    text = TextFeatures(plan, open_file("tokenizer.json"), SharedFile("", encoder))
    assert text.encoder is not None
    ids = [text.read({"text": case["text"]}).ids for case in SHARED["cases"]]
    expected = np.array([case["embedding"] for case in SHARED["cases"]])
    alone, together = [text.encoder.encode(one) for one in ids], text.encoder.encode_many(ids)
    assert np.abs(np.array(alone) - expected).max() < MAX_COMPONENT_DIFFERENCE
    assert np.abs(np.array(together) - expected).max() < MAX_COMPONENT_DIFFERENCE


def tuned(rank: int, weights: bytes) -> TextFeatures:
    spec = {"dimensions": 384, "max_tokens": 256, "scale": 1.0, "adapters": {"rank": rank}}
    plan = {"fields": [["text"]], "ngrams": None, "encoder": spec}
    return TextFeatures(plan, open_file("tokenizer.json"), open_file("encoder.onnx"), weights)


def test_shared_embeddings_with_adapters() -> None:
    rank = SHARED["adapters"]["rank"]
    at = np.arange(9_216 * rank)
    weights = ((at * 40503 % 65536) / 65536 - 0.5) * 0.1
    text = tuned(rank, weights.astype("<f4").tobytes())
    assert text.encoder is not None
    embeddings = text.encoder.encode_many([text.read({"text": case["text"]}).ids for case in SHARED["cases"]])
    expected = np.array([case["tuned"] for case in SHARED["cases"]])
    assert np.abs(np.array(embeddings) - expected).max() < MAX_COMPONENT_DIFFERENCE


def test_adapters_of_another_size_or_without_an_end_are_refused() -> None:
    good = np.zeros(9_216, "<f4")
    endless = good.copy()
    endless[7] = np.inf
    for rank, weights in ((1, good[1:]), (2, good), (1, endless), (0, good), (65, np.zeros(65 * 9_216, "<f4"))):
        with pytest.raises(InvalidBundle):
            tuned(rank, weights.tobytes())

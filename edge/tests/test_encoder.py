"""The sentence encoder gives the workbench's embeddings under the runtime that is installed: shared cases."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from decision_edge._text import TextFeatures

ROOT = Path(__file__).parents[2]
SHARED = json.loads((ROOT / "test" / "cases" / "embeddings.json").read_text("utf-8"))
MODEL = ROOT / "resources" / "models" / "all-MiniLM-L6-v2"


def test_shared_embeddings_alone_and_among_others() -> None:
    encoder = (MODEL / "encoder.onnx").read_bytes()
    assert hashlib.sha256(encoder).hexdigest() == SHARED["encoder_sha256"]
    spec = {"dimensions": 384, "max_tokens": 256, "scale": 1.0}
    plan = {"fields": [["text"]], "ngrams": None, "encoder": spec}
    text = TextFeatures(plan, (MODEL / "tokenizer.json").read_bytes(), encoder)
    assert text.encoder is not None
    ids = [text.tokenize({"text": case["text"]}) for case in SHARED["cases"]]
    expected = np.array([case["embedding"] for case in SHARED["cases"]])
    alone, together = [text.encoder.encode(one) for one in ids], text.encoder.encode_many(ids)
    assert np.abs(np.array(alone) - expected).max() < 1e-6
    assert np.abs(np.array(together) - expected).max() < 1e-6

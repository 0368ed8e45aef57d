"""The multilingual text model: pieces and embeddings as in the workbench, and files that are refused."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decision_edge import InvalidBundle
from decision_edge._model.shared import SharedFile
from decision_edge._model.text import TextFeatures

# Recorded on one machine; another processor adds in another order.
MAX_COMPONENT_DIFFERENCE = 1e-3
ROOT = Path(__file__).parents[3]
SHARED = json.loads((ROOT / "test" / "cases" / "embeddings-multilingual.json").read_text("utf-8"))
MODEL = ROOT / "resources" / "models" / "use-multilingual-v3"
SPEC = {"dimensions": 512, "max_tokens": 256, "scale": 1.0, "frame": [1, 2]}
PLAN: Any = {"fields": [["text"]], "ngrams": None, "encoder": None}


def test_shared_pieces_and_embeddings_alone_and_among_others() -> None:
    encoder, tokenizer = (MODEL / "encoder.onnx").read_bytes(), (MODEL / "tokenizer.json").read_bytes()
    assert hashlib.sha256(encoder).hexdigest() == SHARED["encoder_sha256"]
    assert hashlib.sha256(tokenizer).hexdigest() == SHARED["tokenizer_sha256"]
    text = TextFeatures({**PLAN, "encoder": SPEC}, SharedFile("", tokenizer), SharedFile("", encoder))
    assert text.encoder is not None
    ids = [text.read({"text": case["text"]}).ids for case in SHARED["cases"]]
    assert ids == [case["ids"] for case in SHARED["cases"]]
    assert text.read({"text": "a\ud800b"}).ids == text.read({"text": "a\ufffdb"}).ids
    expected = np.array([case["embedding"] for case in SHARED["cases"]])
    alone, together = [text.encoder.encode(one) for one in ids], text.encoder.encode_many(ids)
    assert np.abs(np.array(alone) - expected).max() < MAX_COMPONENT_DIFFERENCE
    assert np.abs(np.array(together) - expected).max() < MAX_COMPONENT_DIFFERENCE


def small_file(**changes: Any) -> bytes:
    """Write a tokenizer of a few pieces, whose map of characters knows none."""
    empty = base64.b64encode(b"\4\0\0\0\0\0\0\0").decode()
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁a", -1], ["▁", -2], ["b", -3]]}
    file: dict[str, Any] = {
        "added_tokens": [{"id": 0}],
        "normalizer": {"normalizers": [{"type": "Precompiled", "precompiled_charsmap": empty}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁"},
        "model": model,
    }
    return json.dumps({**file, **changes, "model": {**model, **changes.get("model", {})}}).encode()


def open_text(data: bytes) -> TextFeatures:
    return TextFeatures(PLAN, SharedFile("", data), None)


def test_unknown_characters_in_a_row_are_one_piece() -> None:
    text = open_text(small_file())
    assert text.read({"text": "ab bü  çç"}).ids == [1, 3, 2, 3, 0, 2, 0]


UNIGRAM = json.loads((ROOT / "test" / "cases" / "unigram.json").read_text("utf-8"))


@pytest.mark.parametrize("file", UNIGRAM["files"], ids=lambda file: file["name"])
def test_shared_pieces_of_models_whose_files_are_written_otherwise(file: dict[str, Any]) -> None:
    parts = {key: file[key] for key in ("normalizer", "pre_tokenizer")}
    text = open_text(json.dumps({"added_tokens": UNIGRAM["added_tokens"], "model": UNIGRAM["model"], **parts}).encode())
    assert [text.read({"text": case["text"]}).ids for case in file["cases"]] == [case["ids"] for case in file["cases"]]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"normalizer": {"type": "Lowercase"}}, "the characters are not replaced as by SentencePiece"),
        (
            {"normalizer": {"normalizers": [{"type": "Replace", "pattern": {"Regex": "[a-z]"}, "content": ""}]}},
            "the characters are not replaced as by SentencePiece",
        ),
        (
            {"pre_tokenizer": {"pretokenizers": [{"type": "Punctuation"}, {"type": "Metaspace"}]}},
            "the words are not parted as by SentencePiece",
        ),
        ({"pre_tokenizer": {"type": "Whitespace"}}, "the words are not parted as by SentencePiece"),
        (
            {"normalizer": {"normalizers": [{"type": "Precompiled", "precompiled_charsmap": "/////wAAAAA="}]}},
            "the map of characters is cut off",
        ),
        ({"model": {"vocab": [["<unk>", 0], ["▁" * 65, -1]]}}, "a piece has more than 64 characters"),
        ({"model": {"vocab": [["a"]]}}, "not enough values"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_name(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidBundle, match=f"^text/tokenizer.json is not as the format says: .*{problem}"):
        open_text(small_file(**change))

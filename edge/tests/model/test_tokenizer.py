"""Word pieces: as in the workbench, and as by Hugging Face's tokenizers where both read the same Unicode."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import tokenizers

from decision_edge import InvalidBundle
from decision_edge._model.shared import SharedFile
from decision_edge._model.text import TextFeatures

ROOT = Path(__file__).parents[3]
FILE = ROOT / "resources" / "models" / "all-MiniLM-L6-v2" / "tokenizer.json"
PLAN: Any = {"fields": [["text"]], "ngrams": None, "encoder": None}


def open_text(data: bytes) -> TextFeatures:
    return TextFeatures(PLAN, SharedFile("", data), None)


def test_odd_texts_have_the_ids_of_the_workbench() -> None:
    text = open_text(FILE.read_bytes())
    for case in json.loads((ROOT / "test" / "cases" / "tokens.json").read_text("utf-8"))["cases"]:
        assert text.read({"text": case["text"]}).ids == case["ids"], case["text"]
    assert text.read({}).ids == []
    assert len(text.read({"text": "word " * 300}).ids) == 300


def test_texts_have_the_ids_of_the_library_that_the_file_is_for() -> None:
    library = tokenizers.Tokenizer.from_file(str(FILE))
    library.no_truncation()
    library.no_padding()
    text = open_text(FILE.read_bytes())
    messages = (ROOT / "test" / "fixtures" / "sms_spam" / "train.jsonl").read_text("utf-8").splitlines()
    chance = random.Random(1)
    # Without the capital sigma, which the library writes small in one way, and what later versions of Unicode added.
    ranges = ((0, 0x370), (0x3AC, 0x530), (0x600, 0x610), (0x4E00, 0x4E40), (0x2010, 0x2060), (0x1F600, 0x1F640))
    letters = [chr(point) for start, end in ranges for point in range(start, end)] + [" ", "[SEP]"] * 100
    mixed = ["".join(chance.choices(letters, k=chance.randint(1, 40))) for _ in range(5_000)]
    for each in (*messages, *mixed):
        assert text.read({"text": each}).ids == library.encode(each, add_special_tokens=False).ids, each


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"model": {"type": "BPE", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}}, "the model is no Word"),
        ({"normalizer": {"type": "Lowercase"}}, "the normalizer is not that of a lower-casing BERT"),
        ({"pre_tokenizer": {"type": "Whitespace"}}, "the words are not parted as by BERT"),
        ({"added_tokens": None}, "expected"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_name(change: dict[str, Any], problem: str) -> None:
    other = {**json.loads(FILE.read_text("utf-8")), **change}
    with pytest.raises(InvalidBundle, match=f"^text/tokenizer.json is not as the format says: .*{problem}"):
        open_text(json.dumps(other).encode())

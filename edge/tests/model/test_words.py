"""Words and their n-grams, as in the workbench: shared cases of twenty scripts; vocabularies that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decision_edge import InvalidBundle
from decision_edge._model.text import TextFeatures

CASES = Path(__file__).parents[3] / "test" / "cases"
WORDS = json.loads((CASES / "words.json").read_text("utf-8"))["cases"]
NGRAMS = json.loads((CASES / "word-ngrams.json").read_text("utf-8"))


def open_text(ngrams: Any) -> TextFeatures:
    return TextFeatures({"fields": [["text"]], "ngrams": ngrams, "encoder": None}, None, None)


def test_texts_of_every_script_have_the_words_of_the_workbench() -> None:
    text = open_text(NGRAMS["vocabularies"][0])
    for each, words in WORDS:
        assert " ".join(text.read({"text": each}).words) == words, ascii(each)


def test_ngrams_weigh_as_in_the_workbench() -> None:
    texts = [open_text(vocabulary) for vocabulary in NGRAMS["vocabularies"]]
    for case in NGRAMS["cases"]:
        text = texts[case["vocabulary"]]
        indices, values = text.weigh(text.read({"text": case["text"]}))
        found = dict(zip(indices, values, strict=True))
        assert found == pytest.approx(dict(zip(case["indices"], case["values"], strict=True)), abs=1e-6), case["text"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"df": [1]}, "1 numbers of texts are there for"),
        ({"df": [-1] * 3, "words": ["a", "b", "c"], "pairs": [], "letters": []}, "a number of texts is negative"),
        ({"pairs": ["one"]}, "a pair is not of two words"),
        ({"words": [""]}, "an n-gram is too short"),
        ({"unknown": 1}, "unknown is no boolean"),
        ({"idf": []}, "idf"),
    ],
)
def test_a_vocabulary_of_another_form_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidBundle, match=f"^features.json: text is not as the format says: .*{problem}"):
        open_text({**NGRAMS["vocabularies"][0], **change})


def test_pieces_without_their_tokenizer_are_refused() -> None:
    with pytest.raises(InvalidBundle, match="parted by a tokenizer"):
        open_text({"unigrams": [1], "bigrams": [], "idf": [1.0], "scale": 1})

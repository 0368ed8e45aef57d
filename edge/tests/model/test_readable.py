"""Text that is HTML is read as the workbench reads it: shared cases, and time that grows with the text."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from decision_edge._inputs import clean_input
from decision_edge._model.readable import to_readable_text
from decision_edge._model.text import join_text

CASES = Path(__file__).parents[3] / "test" / "cases" / "readable-text.json"


def test_shared_cases_are_read_alike() -> None:
    cases = json.loads(CASES.read_text("utf-8"))
    assert len(cases) >= 30
    for case in cases:
        assert to_readable_text(case["text"]) == case["readable"], case["name"]
        assert join_text([case["text"], 1], is_markup=True) == case["readable"], case["name"]
        assert join_text([case["text"]]) == case["text"], case["name"]


@pytest.mark.parametrize("unit", ['<a "', "<!--", "<script>", "<p ", "a </", "&#1", "<style> </", "<b><!--", " \n"])
def test_time_grows_with_the_text(unit: str) -> None:
    def measure(size: int) -> float:
        start = time.process_time()
        to_readable_text("<p>" + unit * (size // len(unit)))
        return time.process_time() - start

    # In squared time four times the text takes sixteen times as long.
    assert measure(240_000) < 12 * max(0.01, measure(60_000))


def test_shared_conversations_are_read_alike() -> None:
    cases = json.loads((CASES.parent / "conversations.json").read_text("utf-8"))
    assert len(cases) >= 10
    for case in cases:
        turns = clean_input({"turns": case["turns"]})["turns"]
        assert join_text([turns], conversations=frozenset({0})) == case["text"], case["name"]
        assert join_text([turns], True, frozenset({0})) == case["readable"], case["name"]
        assert join_text([turns], True) == "", case["name"]

"""Features are computed as the workbench computes them: shared cases, and numbers written as JavaScript writes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from decision_edge._inputs import clean_input
from decision_edge._json import find_value, format_number
from decision_edge._model.features import TabularFeatures
from decision_edge._model.text import join_text

CASES = Path(__file__).parents[3] / "test" / "cases" / "features.json"


def test_shared_cases_give_the_same_slots_and_text() -> None:
    cases = json.loads(CASES.read_text("utf-8"))
    assert len(cases) >= 20
    for case in cases:
        values = clean_input(case["input"])
        dense = np.array(TabularFeatures(case["plan"]).encode(values), np.float32)
        expected = np.array(case["dense"], np.float32)
        np.testing.assert_allclose(dense, expected, rtol=1e-6, atol=1e-7, err_msg=case["name"])
        fields = (case["plan"]["text"] or {"fields": []})["fields"]
        assert join_text(find_value(values, path) for path in fields) == case["text"], case["name"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (-12.5, "-12.5"),
        (0.1, "0.1"),
        (100.0, "100"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1.25e-7, "1.25e-7"),
        (5e-324, "5e-324"),
        (123456789012345680.0, "123456789012345680"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers_are_written_as_javascript_writes_them(number: float, text: str) -> None:
    assert format_number(number) == text

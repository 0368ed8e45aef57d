"""What of an input a policy does not read is said as in the workbench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decision_edge._fields import Fields
from decision_edge._inputs import clean_input

SHARED = json.loads((Path(__file__).parents[2] / "test" / "cases" / "unread.json").read_text(encoding="utf-8"))
SIZES = [2, 2, 3, 8, 2]


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_shared_cases(case: dict[str, Any]) -> None:
    """[DEC-13]"""
    fields = Fields(SHARED["plan"], {"rules": SHARED["rules"]}, SHARED["schema"], None, SIZES, ())
    assert fields.find_unread(clean_input(case["input"])) == case["unread"]

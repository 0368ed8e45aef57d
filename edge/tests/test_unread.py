"""Parts of an input that a policy does not read are named as in the workbench."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from decision_edge._fields import Fields, describe_lost
from decision_edge._inputs import clean_input
from decision_edge._model.columns import Batch
from decision_edge._reading import Readings

SHARED = json.loads((Path(__file__).parents[2] / "test" / "cases" / "unread.json").read_text(encoding="utf-8"))
SIZES = [2, 2, 3, 8, 2]


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_shared_cases(case: dict[str, Any]) -> None:
    """[DEC-13]"""
    fields = Fields(SHARED["plan"], {"rules": SHARED["rules"]}, SHARED["schema"], None, SIZES, ())
    assert fields.find_unread(clean_input(case["input"])) == case["unread"]


@pytest.mark.parametrize("case", SHARED["lost_digits"], ids=lambda case: case["input"][:40])
def test_lost_digits(case: dict[str, Any]) -> None:
    """[DEC-16] Whole numbers that lose digits are named, one by one and in a batch."""
    row, lost = json.loads(case["input"]), []
    clean_input(row, lost=lost)
    assert describe_lost(lost) == case["unread"]
    fields = Fields(SHARED["plan"], {"rules": SHARED["whole_input"]}, {}, None, SIZES, ())
    batch = Batch.of_rows([{}, {"hotel": "a", **row}], fields)
    assert [each for each in batch.unread.get(1, []) if "2^53" in each or " more" in each] == case["unread"]


def test_misread_texts_are_named_alike_in_a_batch() -> None:
    name = 'guest\'s "size"'
    readings = Readings([{"path": [name], "reading": {"kind": "number", "decimal": "."}}])
    fields = Fields(SHARED["plan"], {"rules": SHARED["whole_input"]}, {}, None, SIZES, (), readings)
    _, misread = readings.read({name: "tall"})
    assert Batch.of_rows([{name: "tall"}], fields).unread[0][:1] == misread


def test_many_long_names() -> None:
    """[DEC-13] Hints stop at a budget, and what the input holds more is counted: one by one and in a batch."""
    wide = SHARED["wide"]
    names = [f"{wide['prefix']}{index:03}" for index in range(max(wide["fields"], wide["from"] + wide["names"]))]
    plan = {**SHARED["plan"], "fields": [{"kind": "boolean", "path": [name]} for name in names[: wide["fields"]]]}
    fields = Fields(plan, {"rules": []}, {}, None, [2] * wide["fields"], ())
    row = {f"{names[wide['from'] + index]}x": True for index in range(wide["names"])}
    began = process_time()
    assert fields.find_unread(clean_input(row)) == wide["unread"]
    assert process_time() - began < 0.5
    assert Batch.of_rows([{}, row], fields).unread == {1: wide["unread"]}


def test_repeated_names() -> None:
    """[DEC-13] The same names in input after input are compared once."""
    fields = Fields(SHARED["plan"], {"rules": []}, {}, None, SIZES, ())
    row = clean_input({f"hotel_{name}": 1 for name in ("name", "street", "zip", "country", "chain", "phone")})
    first = fields.find_unread(row)
    began = process_time()
    assert [fields.find_unread(row) for _ in range(1_000)] == [first] * 1_000
    assert process_time() - began < 0.5

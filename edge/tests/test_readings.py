"""Texts are read as the kind of their field, as an import of the workbench reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decision_edge._reading import Readings

SHARED: dict[str, Any] = json.loads((Path(__file__).parents[2] / "test/cases/readings.json").read_text("utf-8"))


def is_misread(value: Any) -> bool:
    return isinstance(value, dict)


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: json.dumps(case["reading"]))
def test_shared_cases(case: dict[str, Any]) -> None:
    readings = Readings([{"path": ["a", "x"], "reading": case["reading"]}])
    sentence = f"'a.x' must be {case['must_be']}"
    for text, value in zip(SHARED["texts"], case["values"], strict=True):
        read, misread = readings.read({"a": {"x": text}})
        expected = None if is_misread(value) else value
        assert (text, read, misread) == (text, {"a": {"x": expected}}, [sentence] if is_misread(value) else [])
    column, problem, wrong = readings.read_column(["a", "x"], [*SHARED["texts"], None, 7.0])
    assert column == [*(None if is_misread(value) else value for value in case["values"]), None, 7.0]
    assert wrong == [*map(is_misread, case["values"]), False, False]
    assert problem == f"must be {case['must_be']}"


def test_of_many_misread_texts_twenty_are_named() -> None:
    names = [f"n{i}" for i in range(23)]
    readings = Readings([{"path": [name], "reading": {"kind": "number", "decimal": ","}} for name in names])
    _, misread = readings.read(dict.fromkeys(names, "viel"))
    assert misread == [*(f"'{name}' must be a number with a decimal comma" for name in names[:20]), "and 3 more"]


def test_an_input_without_texts_stays_the_same() -> None:
    readings = Readings([{"path": ["x"], "reading": {"kind": "number", "decimal": ","}}])
    values: Any = {"x": 7.0, "y": "7,5"}
    assert readings.read(values)[0] is values
    assert Readings([]).read({"x": "7,5"}) == ({"x": "7,5"}, [])

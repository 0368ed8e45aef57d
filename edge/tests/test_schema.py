"""Inputs that the workbench would refuse are refused here, too: both read test/cases/input-schema.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from decision_edge import EdgePredictor, InvalidBundle, InvalidInput
from decision_edge._inputs import clean_input
from decision_edge._schema import InputSchema

TESTS = Path(__file__).parents[2] / "test"
SHARED = json.loads((TESTS / "cases" / "input-schema.json").read_text("utf-8"))
PUBLISHED = sorted((TESTS / "fixtures" / "schemas").glob("*.json"))
CASES = [
    # What is no longer accepted when it is saved is in bundles from before.
    *SHARED["cases"],
    *SHARED["stored"],
    *({"name": path.name, **json.loads(path.read_text("utf-8"))} for path in PUBLISHED),
]
LOAN = {
    "type": "object",
    "required": ["loan"],
    "properties": {"loan": {"type": "object", "properties": {"amount": {"type": "number", "minimum": 0}}}},
}


def with_schema(schema: Any) -> Any:
    return lambda entries: entries.update({"input_schema.json": schema})


def is_accepted(schema: InputSchema, values: dict[str, Any]) -> bool:
    try:
        schema.check(clean_input(values))
    except InvalidInput:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_shared_cases(case: dict[str, Any]) -> None:
    schema = InputSchema(case["schema"])
    assert [values for values in case["accepted"] if not is_accepted(schema, values)] == []
    assert [values for values in case["refused"] if is_accepted(schema, values)] == []


@pytest.mark.parametrize("case", SHARED["endless"], ids=lambda case: case["name"])
def test_references_that_never_end_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(InvalidBundle, match=r"refers to itself without end"):
        InputSchema(case["schema"])


def test_an_input_that_does_not_fit_is_refused_before_a_rule_decides(make_bundle: Any) -> None:
    context = {"k": "var", "name": "ctx", "at": [0, 3]}
    always = {"k": "has", "of": context, "field": "email", "at": [0, 9]}
    rule = {"name": "r", "condition": "…", "then": "approve", "reason_code": None, "priority": 1, "ast": always}

    def change(entries: dict[str, Any]) -> None:
        entries["rules.json"]["rules"] = [rule]
        entries["input_schema.json"] = LOAN

    predictor = EdgePredictor.from_bundle(make_bundle(change))
    assert predictor.predict({"email": "a@example.com", "loan": {}}).stage == "rules"
    with pytest.raises(InvalidInput, match="'loan' is a required property"):
        predictor.predict({"email": "a@example.com"})


def test_the_message_names_the_place_and_never_the_value(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle(with_schema(LOAN)))
    with pytest.raises(InvalidInput) as caught:
        predictor.predict({"loan": {"amount": "s3cret"}})
    assert str(caught.value) == (
        'The input does not fit the input schema: input.loan.amount does not satisfy type "number".'
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"properties": {"a": {"minLength": -1}}},
        {"pattern": "(?=a)"},
        {"format": "regex"},
        {"unevaluatedProperties": False, "patternProperties": {"a": True}},
        {"unevaluatedItems": False, "contains": True},
        {"$ref": "#"},
        {"$ref": "#/$defs/absent"},
        {"$ref": "https://example.com/schema"},
    ],
    ids=lambda schema: next(iter(schema)),
)
def test_a_schema_that_cannot_be_enforced_is_refused(make_bundle: Any, schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidBundle, match=r"input_schema\.json"):
        EdgePredictor.from_bundle(make_bundle(with_schema(schema)))


def test_without_google_re2_a_pattern_names_the_extra(make_bundle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(InvalidBundle, match=r"decision-edge\[rules\]"):
        EdgePredictor.from_bundle(make_bundle(with_schema({"properties": {"a": {"pattern": "x"}}})))

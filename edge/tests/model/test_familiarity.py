"""Inputs that are unlike the examples are noticed, as in the workbench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decision_edge import EdgePredictor, InvalidBundle
from decision_edge._model.familiarity import Familiarity

SHARED = json.loads((Path(__file__).parents[3] / "test" / "cases" / "familiarity.json").read_text())
RANGES = {"words": None, "embedding": None, "fields": {"low": [-5, 0], "high": [5, 0], "most": 0}}


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_shared_cases(case: dict[str, Any]) -> None:
    file = SHARED["familiarity"]
    for only in ("words", "embedding", "nearest", "fields"):
        one_check = {name: file[name] if name == only else None for name in ("words", "embedding", "fields")}
        if only == "nearest":
            one_check["nearest"] = file["nearest"]
        is_unfamiliar = Familiarity(one_check, SHARED["plan"], [2, 4]).is_unfamiliar(case["dense"], case["ids"])
        assert is_unfamiliar is (only in case["failed"]), only
    every_check = Familiarity(file, SHARED["plan"], [2, 4])
    assert every_check.is_unfamiliar(case["dense"], case["ids"]) is bool(case["failed"])


def test_an_unfamiliar_input_is_not_decided_by_the_classifier(make_bundle: Any) -> None:
    def decide(amount: float, fallback: str | None, policy: dict[str, Any]) -> Any:
        def change(entries: dict[str, Any]) -> None:
            entries["familiarity.json"] = RANGES
            entries["manifest.json"]["fallback_option"] = fallback
            entries["manifest.json"]["escalation_policy"].update(policy)

        return EdgePredictor.from_bundle(make_bundle(change)).predict({"loan": {"amount": amount}})

    usual = decide(4, "review", {})
    assert (usual.decision, usual.unfamiliar, usual.escalate) == ("approve", False, False)
    unfamiliar = decide(7, "review", {})
    assert (unfamiliar.decision, unfamiliar.stage, unfamiliar.unfamiliar) == ("review", "fallback", True)
    assert unfamiliar.classifier_probability is not None
    assert unfamiliar.classifier_probability > 0.99
    without = decide(7, None, {})
    assert (without.decision, without.stage, without.unfamiliar, without.escalate) == (
        "approve",
        "classifier",
        True,
        True,
    )
    ignored = decide(7, "review", {"unfamiliar": "ignore"})
    assert (ignored.decision, ignored.unfamiliar) == ("approve", False)


def test_a_file_that_does_not_fit_the_plan_is_refused(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        entries["familiarity.json"] = {**RANGES, "fields": {"low": [0], "high": [1], "most": 0}}

    with pytest.raises(InvalidBundle, match="familiarity"):
        EdgePredictor.from_bundle(make_bundle(change))


@pytest.mark.parametrize(
    "change",
    [
        {"basis": [[127, 0, 0], [0, 127, 0]]},
        {"basis": [[127, 0], [0, 128]]},
        {"basis": [[127, 0], [0, 0.5]]},
        {"scale": [1.0]},
        {"offset": [0.0, 0.0, 0.0]},
        {"examples": []},
        {"examples": [[127]]},
        {"extra": 1},
    ],
    ids=str,
)
def test_nearest_examples_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    file = SHARED["familiarity"]
    changed = {**file, "nearest": {**file["nearest"], **change}}
    with pytest.raises(InvalidBundle, match="familiarity"):
        Familiarity(changed, SHARED["plan"], [2, 4])

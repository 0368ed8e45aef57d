"""Reason codes are chosen as in the workbench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decision_edge import EdgePredictor, InvalidBundle
from decision_edge._decide import Settings
from tiny_bundle import classifier, parts

SHARED = json.loads((Path(__file__).parents[3] / "test" / "cases" / "reasons.json").read_text())
ALONE = {"name": "only headed codes", **SHARED["only_headed"]}


@pytest.mark.parametrize("case", [*SHARED["cases"], ALONE], ids=lambda case: case["name"])
def test_shared_cases(case: dict[str, Any]) -> None:
    options = ["approve", "decline", "other"]
    reasons = case.get("reasons", SHARED["reasons"])
    manifest = {**parts()["manifest.json"], "options": options}
    settings = Settings(manifest, "0" * 64, "0" * 64, reasons)
    sure = [float(option == case["option"]) for option in options]
    assert settings.decide_by_classifier(sure, False, case["softmax"]).reason_codes == case["codes"]


def with_heads(entries: dict[str, Any]) -> None:
    # The logit of BLOCKED is the amount minus 5; the last column stands for none.
    entries["reasons.json"]["heads"] = [{"code": "BLOCKED", "options": ["approve"]}]
    entries["reasons.onnx"] = classifier([[1, 0], [0, 0]], [], [-5, 0])


def test_a_head_chooses_by_the_input(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle(with_heads))
    assert predictor.predict({"loan": {"amount": 4}}).reason_codes == ["SMALL", "KNOWN"]
    assert predictor.predict({"loan": {"amount": 6}}).reason_codes == ["BLOCKED", "SMALL", "KNOWN"]


def test_heads_and_graph_must_agree(make_bundle: Any) -> None:
    def without_graph(entries: dict[str, Any]) -> None:
        with_heads(entries)
        del entries["reasons.onnx"]

    def another_size(entries: dict[str, Any]) -> None:
        with_heads(entries)
        entries["reasons.json"]["heads"].append({"code": "SMALL", "options": []})

    for change in (without_graph, another_size):
        with pytest.raises(InvalidBundle, match="reasons"):
            EdgePredictor.from_bundle(make_bundle(change))

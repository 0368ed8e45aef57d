"""Patterns weigh what they weigh in the workbench, and the rules of a decision share its steps."""

import json
import pathlib

import pytest
from rule_files import as_doubles, expand, rule
from rule_traces import trace_rules

from decision_edge import _rules
from decision_edge._rules.patterns import weigh_pattern

CASES = json.loads((pathlib.Path(__file__).parents[3] / "test" / "cases" / "patterns.json").read_text("utf-8"))


@pytest.mark.parametrize(("pattern", "weight"), CASES["weights"])
def test_weight(pattern, weight):
    assert weigh_pattern(pattern) == weight


@pytest.mark.parametrize("case", CASES["decisions"], ids=[case["name"] for case in CASES["decisions"]])
def test_the_rules_of_one_decision_share_their_steps(case):
    copied = [
        (condition, tree)
        for (condition, copies), tree in zip(case["rules"], case["trees"], strict=True)
        for _ in range(copies)
    ]
    listed = [rule(tree, condition, f"r{n}") for n, (condition, tree) in enumerate(copied)]
    rules = _rules.load_rules({"rules": listed})
    values = as_doubles(expand(case["input"]))
    traces = trace_rules(listed, values)
    outcomes = [(trace["error"] or trace["outcome"]).partition(":")[0] for trace in traces]
    assert outcomes == case["outcomes"]
    matched = rules.find_match(values)
    assert (matched.name if matched else None) == next(
        (trace["name"] for trace in traces if trace["outcome"] == "matched"), None
    )

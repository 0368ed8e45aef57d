"""The rules of the edge package give what the workbench gives: both read test/cases/rules.json."""

import copy
import json
import pathlib
import sys
import time

import pytest
from rule_files import as_doubles, expand, rule
from rule_traces import trace_rules

from decision_edge import _rules
from decision_edge._rules.evaluate import compile_tree
from decision_edge._rules.values import Failure, Run, equal

MAX_SECONDS = 20.0  # of the processor; generous: what is bounded is the number of steps
SHARED = pathlib.Path(__file__).parents[3] / "test" / "cases"
CASES = json.loads((SHARED / "rules.json").read_text("utf-8"))["cases"]
HOSTILE = json.loads((SHARED / "rules-hostile.json").read_text("utf-8"))
CONFORMANCE = json.loads((SHARED / "rules-conformance.json").read_text("utf-8"))["cases"]


def greater(field, limit):
    return {
        "k": "op",
        "op": ">",
        "at": [0, 9],
        "left": {"k": "get", "of": {"k": "var", "name": "ctx", "at": [0, 3]}, "field": field, "at": [0, 5]},
        "right": {"k": "lit", "v": limit, "at": [8, 9]},
    }


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case):
    listed = [rule(case["ast"], case["condition"], case["name"])]
    rules = _rules.load_rules({"rules": listed})
    trace = trace_rules(listed, as_doubles(case["input"]))
    matched = rules.find_match(as_doubles(case["input"]))
    assert (matched is not None) == (case["outcome"] == "matched")
    assert {key: trace[0][key] for key in ("name", "outcome", "error")} == {
        "name": case["name"],
        "outcome": case["outcome"],
        "error": case["error"],
    }
    if "values" in case:
        assert json.dumps(trace[0]["values"]) == json.dumps(case["values"])


def test_the_first_matching_rule_wins_and_later_ones_are_not_reached():
    listed = [rule(greater("a", 5), name=name) for name in ("one", "two")]
    assert _rules.load_rules({"rules": listed}).find_match({"a": 6.0}).name == "one"
    assert [entry["outcome"] for entry in trace_rules(listed, {"a": 6.0})] == ["matched", "not_reached"]


def test_whole_numbers_compare_as_doubles():
    rules = _rules.load_rules({"rules": [rule(greater("a", 2**53))]})
    assert rules.find_match(as_doubles({"a": 2**53 + 1})) is None
    assert rules.find_match(as_doubles({"a": 10**400})) is not None


@pytest.mark.parametrize(
    "broken",
    [
        {"k": "nothing", "at": [0, 1]},
        {"k": "var", "name": "other", "at": [0, 1]},
        {"k": "call", "fn": "__import__", "args": [], "at": [0, 1]},
        {"k": "lit", "v": 1},
        {"k": "lit", "v": float("nan"), "at": [0, 1]},
        None,
        "ctx.a",
    ],
)
def test_a_tree_that_is_not_sound_is_refused(broken):
    with pytest.raises(_rules.RulesError, match="rule 1"):
        _rules.load_rules({"rules": [rule(broken)]})


def test_a_tree_that_is_too_deep_is_refused():
    tree = greater("a", 1)
    for _ in range(30):
        tree = {"k": "not", "of": copy.deepcopy(tree), "at": [0, 1]}
    with pytest.raises(_rules.RulesError):
        _rules.load_rules({"rules": [rule(tree)]})


def test_without_google_re2_a_pattern_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    call = {
        "k": "call",
        "fn": "matches",
        "args": [
            {"k": "get", "of": {"k": "var", "name": "ctx", "at": [0, 3]}, "field": "a", "at": [0, 5]},
            {"k": "lit", "v": "x", "at": [14, 17]},
        ],
        "at": [0, 18],
    }
    with pytest.raises(_rules.RulesError, match=r"decision-edge\[rules\]"):
        _rules.load_rules({"rules": [rule(call, 'ctx.a.matches("x")')]})


@pytest.mark.needs_rules
def test_the_conformance_cases_of_cel_hold():
    for case in CONFORMANCE:
        step = compile_tree(case["ast"])
        if case["error"]:
            with pytest.raises(Failure):
                step(Run({}))
        else:
            run = Run({})
            assert equal(step(run), as_doubles(case["expected"]), run), case["name"]


@pytest.mark.parametrize("case", HOSTILE["evaluated"], ids=[case["name"] for case in HOSTILE["evaluated"]])
def test_a_hostile_rule_ends_within_its_steps_and_tells_nothing_of_the_input(case):
    condition = expand(case["condition"])
    listed = [rule(case["ast"], condition)]
    rules = _rules.load_rules({"rules": listed})
    started = time.process_time()
    values = as_doubles(expand(case["input"]))
    trace = trace_rules(listed, values)
    assert (rules.find_match(values) is not None) == (case["outcome"] == "matched")
    assert time.process_time() - started < MAX_SECONDS
    assert trace[0]["outcome"] == case["outcome"]
    assert trace[0]["error"] == case["error"]
    if case["error"] is not None:
        kind, _, expression = case["error"].partition(": ")
        assert kind == case["kind"]
        assert expression in condition
        assert "s3cret" not in case["error"]
        assert "4711" not in case["error"]


@pytest.mark.parametrize("case", HOSTILE["trees"], ids=[case["name"] for case in HOSTILE["trees"]])
def test_a_hostile_tree_is_refused_by_name_of_the_rule(case):
    with pytest.raises(_rules.RulesError, match="rule 1"):
        _rules.load_rules({"rules": [rule(expand(case["ast"]))]})

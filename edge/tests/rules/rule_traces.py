"""Evaluates rules and keeps the values that decided them, as the workbench's trace shows them.

The package shows no trace; with it, stories compare every part of a rule, and not just which rule matched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from decision_edge._json import JsonObject, JsonValue
from decision_edge._rules.evaluate import Step, compile_tree
from decision_edge._rules.values import (
    Duration,
    Failure,
    Run,
    Timestamp,
    Value,
    expect_boolean,
    format_duration,
    format_timestamp,
)
from decision_edge._tables import MAX_STEPS_TOGETHER

_MAX_SHOWN_MEMBERS = 50
_MAX_SHOWN_CHARACTERS = 200


class TracedValue(TypedDict):
    """A part of the condition that was reached, and its value."""

    expression: str
    value: JsonValue


class RuleTrace(TypedDict):
    """The outcome of one rule: `outcome` is matched, not_matched, error or not_reached."""

    name: str
    outcome: str
    error: str | None
    values: list[TracedValue]


def trace_rules(rules: list[JsonObject], ctx: JsonObject) -> list[RuleTrace]:
    """Return the outcome of each rule of a file for an input; those behind the match are ``not_reached``."""
    traces: list[RuleTrace] = []
    has_matched = False
    left = MAX_STEPS_TOGETHER
    for rule in rules:
        if has_matched:
            traces.append({"name": rule["name"], "outcome": "not_reached", "error": None, "values": []})
            continue
        run = Run(ctx, left)
        traces.append(_trace_rule(rule["name"], rule["condition"], rule["ast"], run))
        left = run.count_steps_left()
        has_matched = traces[-1]["outcome"] == "matched"
    return traces


def _trace_rule(name: str, condition: str, tree: JsonObject, run: Run) -> RuleTrace:
    """Evaluate a rule in `run`; `condition` is its source."""
    recorded = sorted(_list_recorded(tree), key=lambda node: (node["at"][0], -node["at"][1]))
    # Nodes are known by their identity: the same expression may stand in a rule twice.
    seen: dict[int, Value] = {}
    step = _compile_traced(tree, {id(node) for node in recorded}, seen)
    outcome, problem = "error", None
    try:
        outcome = "matched" if expect_boolean(step(run)) else "not_matched"
    except Failure as failure:
        problem = f"{failure.kind}: {_cut_source(condition, failure.__dict__.get('node', tree))}"
    values: dict[str, TracedValue] = {}
    for node in recorded:
        expression = _cut_source(condition, node)
        if id(node) in seen and expression not in values:
            values[expression] = {"expression": expression, "value": _to_shown(seen[id(node)])}
    return {"name": name, "outcome": outcome, "error": problem, "values": list(values.values())}


def _compile_traced(tree: JsonObject, recorded: set[int], seen: dict[int, Value]) -> Step:
    def hook(node: JsonObject, step: Step, depth: int) -> Step:
        keeps = depth == 0 and id(node) in recorded

        def traced(run: Run) -> Value:
            try:
                value = step(run)
            except Failure as failure:
                # The innermost part that failed is the first to see it.
                failure.__dict__.setdefault("node", node)
                raise
            if keeps:
                seen[id(node)] = value
            return value

        return traced

    return compile_tree(tree, hook)


def _cut_source(condition: str, node: JsonObject) -> str:
    start, end = node["at"]
    return condition[start:end]


def _list_children(value: JsonValue) -> Iterator[JsonObject]:
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict):
            yield part
        elif isinstance(part, list):
            yield from _list_children(part)


def _list_recorded(root: JsonObject) -> list[JsonObject]:
    """Return the nodes whose values are shown: those that read the input and are not part of a longer path."""
    recorded: list[JsonObject] = []

    def walk(node: JsonObject, in_path: bool) -> bool:
        kind = node["k"]
        reads = kind == "var"
        for child in [node["of"]] if kind == "each" else _list_children(node):
            if walk(child, kind in ("get", "index", "has") and child is node["of"]):
                reads = True
        ends_path = kind in ("get", "index") and not in_path
        if reads and (ends_path or kind in ("has", "op", "call", "each")):
            recorded.append(node)
        return reads

    walk(root, False)
    return recorded


def _to_shown(value: Value) -> JsonValue:
    """Return a value as the trace shows it: JSON, long strings cut, large lists and maps only counted."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_SHOWN_CHARACTERS else value[:_MAX_SHOWN_CHARACTERS] + "…"
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, Timestamp):
        return format_timestamp(value)
    if isinstance(value, Duration):
        return format_duration(value)
    if isinstance(value, list):
        return [_to_shown(member) for member in value] if _is_small(value) else f"list of {len(value)}"
    if isinstance(value, dict):
        if not _is_small(value):
            return f"map of {len(value)}"
        return {key: _to_shown(value[key]) for key in sorted(value)}
    return value


def _is_small(value: Value) -> bool:
    left = _MAX_SHOWN_MEMBERS

    def walk(inner: Value) -> bool:
        nonlocal left
        if not isinstance(inner, (list, dict)):
            return True
        left -= len(inner)
        return left >= 0 and all(map(walk, inner if isinstance(inner, list) else inner.values()))

    return walk(value)

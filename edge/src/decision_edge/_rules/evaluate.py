"""Turns a rule's tree into closures: compiled once, run for every input."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from .._tables import MAX_COMPREHENSION_ELEMENTS
from .functions import FUNCTIONS, compile_pattern
from .operators import BINARIES, select_field, select_member
from .tree import (
    And,
    Call,
    Comprehension,
    Conditional,
    Has,
    Index,
    ListLiteral,
    Literal,
    MapLiteral,
    Negation,
    Node,
    Not,
    Operation,
    Or,
    Select,
    Variable,
    measure_weight,
)
from .values import Duration, Failure, Run, Value, expect_boolean, to_duration

Step: TypeAlias = Callable[[Run], Value]
Hook: TypeAlias = Callable[[Node, Step, int], Step]
"""Sees each compiled node and the number of comprehensions around it; what it returns takes the node's place."""

Scope: TypeAlias = tuple[str, ...]


def _keep_step(node: Node, step: Step, depth: int) -> Step:
    return step


def compile_tree(root: Node, hook: Hook = _keep_step) -> Step:
    """Compile a checked tree into a function of one evaluation, which raises Failure where the rule fails.

    Raises RulesError where a pattern cannot be compiled. A step keeps no state: all of it is in the Run.
    """
    return _compile(root, (), hook)


def _compile(node: Node, scope: Scope, hook: Hook) -> Step:
    return hook(node, _compile_plain(node, scope, hook), len(scope))


def _compile_plain(node: Node, scope: Scope, hook: Hook) -> Step:
    below = functools.partial(_compile, scope=scope, hook=hook)
    match node:
        case Literal():
            value = node.value
            return lambda run: value
        case Variable():
            return _compile_variable(node.name, scope)
        case Select():
            return _compile_select(below(node.of), node.field)
        case Has():
            return _compile_has(below(node.of), node.field)
        case Index():
            of, by = below(node.of), below(node.by)
            return lambda run: select_member(of(run), by(run))
        case Not():
            of = below(node.of)
            return lambda run: not expect_boolean(of(run))
        case Negation():
            return _compile_negation(below(node.of))
        case And():
            return _compile_logic([below(arg) for arg in node.args], decisive=False)
        case Or():
            return _compile_logic([below(arg) for arg in node.args], decisive=True)
        case Conditional():
            test, then, otherwise = below(node.test), below(node.then), below(node.otherwise)
            return lambda run: then(run) if expect_boolean(test(run)) else otherwise(run)
        case Operation():
            left, right, work = below(node.left), below(node.right), BINARIES[node.op]
            return lambda run: work(left(run), right(run), run)
        case ListLiteral():
            items = [below(item) for item in node.items]
            return lambda run: [item(run) for item in items]
        case MapLiteral():
            return _compile_map([(below(key), below(value)) for key, value in node.entries])
        case Call():
            return _compile_call(node, below)
        case Comprehension():
            return _compile_comprehension(node, scope, hook)


def _compile_variable(name: str, scope: Scope) -> Step:
    if len(scope) == 2 and scope[1] == name:
        return lambda run: run.second
    if scope and scope[0] == name:
        return lambda run: run.first
    return lambda run: run.ctx


def _compile_select(of: Step, field: str) -> Step:
    return lambda run: select_field(of(run), field)


def _compile_has(of: Step, field: str) -> Step:
    def step(run: Run) -> bool:
        value = of(run)
        if not isinstance(value, dict):
            raise Failure("type_mismatch")
        return field in value

    return step


def _compile_negation(of: Step) -> Step:
    def step(run: Run) -> Value:
        value = of(run)
        if isinstance(value, float):
            return -value
        if isinstance(value, Duration):
            return to_duration(-value.ms)
        raise Failure("type_mismatch")

    return step


def _compile_call(node: Call, below: Callable[[Node], Step]) -> Step:
    if node.fn == "matches":
        pattern = node.args[1]
        assert isinstance(pattern, Literal)
        subject, match = below(node.args[0]), compile_pattern(str(pattern.value))
        return lambda run: match(run, subject(run))
    args, work = [below(arg) for arg in node.args], FUNCTIONS[node.fn]
    return lambda run: work(run, [arg(run) for arg in args])


def _compile_map(entries: Sequence[tuple[Step, Step]]) -> Step:
    def step(run: Run) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for key_step, value_step in entries:
            key = key_step(run)
            value = value_step(run)
            if not isinstance(key, str):
                raise Failure("type_mismatch")
            if key in values:
                raise Failure("duplicate_key")
            values[key] = value
        return values

    return step


def _compile_logic(args: Sequence[Step], decisive: bool) -> Step:
    """Compile ``&&`` (decided by false) or ``||`` (decided by true)."""
    return lambda run: _combine(run, args, decisive)


def _combine(run: Run, tests: Iterable[Step], decisive: bool) -> bool:
    """Return `decisive` as soon as a test gives it, which wins over failures of the others; limits always end it."""
    failure: Failure | None = None
    for test in tests:
        try:
            if expect_boolean(test(run)) == decisive:
                return decisive
        except Failure as error:
            if error.kind == "limit":
                raise
            failure = failure or error
    if failure:
        raise failure
    return not decisive


def _compile_comprehension(node: Comprehension, scope: Scope, hook: Hook) -> Step:
    inner = (*scope, node.name)
    test = None if node.test is None else _compile(node.test, inner, hook)
    result = None if node.result is None else _compile(node.result, inner, hook)
    members = _compile_members(node, scope, hook)
    if test is not None and node.macro in ("all", "exists"):
        each_test, decisive = test, node.macro == "exists"
        return lambda run: _combine(run, (each_test for _ in members(run)), decisive)

    def collect(run: Run) -> list[Value]:
        values: list[Value] = []
        for member in members(run):
            if test is not None and not expect_boolean(test(run)):
                continue
            values.append(member if result is None else result(run))
        return values

    if node.macro == "exists_one":
        return lambda run: len(collect(run)) == 1
    return collect


def _compile_members(node: Comprehension, scope: Scope, hook: Hook) -> Callable[[Run], Iterable[Value]]:
    """Compile what goes over the members: each is put into the loop variable's slot and charged for."""
    of = _compile(node.of, scope, hook)
    cost = sum(measure_weight(part) for part in (node.test, node.result) if part is not None)
    is_outer = not scope

    def members(run: Run) -> Iterable[Value]:
        value = of(run)
        if not isinstance(value, (list, dict)):
            raise Failure("type_mismatch")
        if len(value) > MAX_COMPREHENSION_ELEMENTS:
            raise Failure("limit")
        for member in value if isinstance(value, list) else sorted(value):
            if is_outer:
                run.first = member
            else:
                run.second = member
            run.charge(cost)
            yield member

    return members

"""Turns a rule's tree into closures: checked and compiled once, run for every input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TypeAlias

from .._json import JsonObject, JsonValue, expect_list, expect_number, expect_object, expect_string
from .._tables import (
    ARITIES,
    MACROS,
    MAX_COMPREHENSION_DEPTH,
    MAX_COMPREHENSION_ELEMENTS,
    MAX_TREE_DEPTH,
    MAX_TREE_NODES,
)
from .functions import FUNCTIONS, compile_pattern
from .operators import BINARIES, select_field, select_member
from .values import Duration, Failure, Run, Value, expect_boolean, to_duration

Step: TypeAlias = Callable[[Run], Value]
Hook: TypeAlias = Callable[[JsonObject, Step, int], Step]
"""Sees each compiled node and the number of comprehensions around it; what it returns takes the node's place."""

# The input, and the loop variables from the outermost comprehension inwards.
_VARIABLES: tuple[Step, ...] = (attrgetter("ctx"), attrgetter("first"), attrgetter("second"))


def _keep_step(node: JsonObject, step: Step, depth: int) -> Step:
    return step


def compile_tree(tree: JsonValue, hook: Hook = _keep_step) -> Step:
    """Compile a tree out of a file into a function of one evaluation, which raises Failure where the rule fails.

    Raises ValueError or KeyError where anything is not as the workbench's compiler makes it: an unknown kind or
    function, a loop variable out of its scope, or a limit passed; RulesError where a pattern cannot be compiled. A step
    keeps no state: all of it is in the Run.
    """
    return _Compiler(hook).compile(tree, 1)


class _Compiler:
    """Compiles one tree; counts its nodes and knows the variables in scope."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._nodes = 0
        self._scope = ["ctx"]

    def compile(self, value: JsonValue, depth: int) -> Step:
        self._nodes += 1
        if self._nodes > MAX_TREE_NODES or depth > MAX_TREE_DEPTH:
            raise ValueError("the tree has too many nodes")
        node = expect_object(value)
        start, end = expect_list(node["at"])
        if type(start) is not int or type(end) is not int:
            raise ValueError("the range of the source is not two whole numbers")
        step = self._compile_kind(node, lambda child: self.compile(child, depth + 1))
        return self._hook(node, step, len(self._scope) - 1)

    def _compile_kind(self, node: JsonObject, below: Callable[[JsonValue], Step]) -> Step:
        match node["k"]:
            case "lit":
                return _compile_literal(node["v"])
            case "var":
                # Of two variables with one name the inner one counts.
                at = len(self._scope) - 1 - self._scope[::-1].index(expect_string(node["name"]))
                return _VARIABLES[at]
            case "get":
                return _compile_select(below(node["of"]), expect_string(node["field"]))
            case "has":
                return _compile_has(below(node["of"]), expect_string(node["field"]))
            case "index":
                of, by = below(node["of"]), below(node["by"])
                return lambda run: select_member(of(run), by(run))
            case "not":
                of = below(node["of"])
                return lambda run: not expect_boolean(of(run))
            case "neg":
                return _compile_negation(below(node["of"]))
            case "and" | "or":
                return _compile_logic(list(map(below, expect_list(node["args"]))), decisive=node["k"] == "or")
            case "if":
                test, then, otherwise = below(node["test"]), below(node["then"]), below(node["else"])
                return lambda run: then(run) if expect_boolean(test(run)) else otherwise(run)
            case "op":
                work, left, right = BINARIES[expect_string(node["op"])], below(node["left"]), below(node["right"])
                return lambda run: work(left(run), right(run), run)
            case "list":
                items = list(map(below, expect_list(node["items"])))
                return lambda run: [item(run) for item in items]
            case "map":
                pairs = map(expect_list, expect_list(node["entries"]))
                return _compile_map([(below(key), below(value)) for key, value in pairs])
            case "call":
                return _compile_call(expect_string(node["fn"]), expect_list(node["args"]), below)
            case "each":
                return self._compile_comprehension(node, below)
            case kind:
                raise ValueError(f"the kind {kind!r} is not known")

    def _compile_comprehension(self, node: JsonObject, below: Callable[[JsonValue], Step]) -> Step:
        """Compile `of.macro(name, …)`: `test` keeps or counts members, `result` changes them."""
        macro, name = expect_string(node["macro"]), expect_string(node["name"])
        if macro not in MACROS or name == "ctx" or len(self._scope) > MAX_COMPREHENSION_DEPTH:
            raise ValueError("a comprehension is not as the compiler makes it")
        is_outer = len(self._scope) == 1
        of = below(node["of"])
        self._scope.append(name)
        before = self._nodes
        test = None if node["test"] is None else below(node["test"])
        result = None if node["result"] is None else below(node["result"])
        members = _compile_members(of, self._nodes - before, is_outer)
        self._scope.pop()
        if result is None if macro == "map" else test is None or result is not None:
            raise ValueError(f"the comprehension {macro} lacks a part or has one too many")
        if test is not None and macro in ("all", "exists"):
            each_test, decisive = test, macro == "exists"
            return lambda run: _combine(run, (each_test for _ in members(run)), decisive)

        def collect(run: Run) -> list[Value]:
            values: list[Value] = []
            for member in members(run):
                if test is not None and not expect_boolean(test(run)):
                    continue
                values.append(member if result is None else result(run))
            return values

        if macro == "exists_one":
            return lambda run: len(collect(run)) == 1
        return collect


def _compile_literal(given: JsonValue) -> Step:
    value = given if given is None or isinstance(given, (bool, str)) else expect_number(given)
    return lambda run: value


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


def _compile_call(name: str, given: Sequence[JsonValue], below: Callable[[JsonValue], Step]) -> Step:
    """Compile a call; the receiver of a method is the first argument."""
    fewest, most = ARITIES[name]
    if not fewest <= len(given) <= most:
        raise ValueError(f"{name} does not take {len(given)} arguments")
    args = list(map(below, given))
    if name == "matches":
        pattern = expect_object(given[1])
        if pattern["k"] != "lit":
            raise ValueError("the pattern of matches is not a string")
        subject, match = args[0], compile_pattern(expect_string(pattern["v"]))
        return lambda run: match(run, subject(run))
    work = FUNCTIONS[name]
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


def _compile_members(of: Step, cost: int, is_outer: bool) -> Callable[[Run], Iterable[Value]]:
    """Compile what goes over the members: each is put into the loop variable's slot and charged for."""

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

"""Turns a checked tree into closures: compiled once, run for every input."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from .functions import CALLS, compile_pattern
from .operators import BINARIES, at, select
from .tree import weight
from .values import Duration, Failure, Run, duration_of, is_number

_MAX_ELEMENTS = 1_000

Step = Callable[[Run], Any]
Hook = Callable[[dict[str, Any], Step, int], Step]


def _no_hook(node: dict[str, Any], step: Step, depth: int) -> Step:
    return step


class Compiler:
    """Turns a tree into closures; ``hook`` may put its own step around each node."""

    def __init__(self, hook: Hook = _no_hook) -> None:
        self.hook = hook

    def compile(self, node: dict[str, Any], scope: tuple[str, ...] = ()) -> Step:
        return self.hook(node, self._plain(node, scope), len(scope))

    def _plain(self, node: dict[str, Any], scope: tuple[str, ...]) -> Step:
        kind = node["k"]
        below = functools.partial(self.compile, scope=scope)
        if kind == "lit":
            value = node["v"]
            return lambda run: value
        if kind == "var":
            return _variable(node["name"], scope)
        if kind == "get":
            of, field = below(node["of"]), node["field"]
            return lambda run: select(of(run), field)
        if kind == "has":
            return _has(below(node["of"]), node["field"])
        if kind == "index":
            of, by = below(node["of"]), below(node["by"])
            return lambda run: at(of(run), by(run))
        if kind == "not":
            return _not(below(node["of"]))
        if kind == "neg":
            return _negative(below(node["of"]))
        if kind in ("and", "or"):
            return _logic([below(arg) for arg in node["args"]], kind == "or")
        if kind == "if":
            return _choice(below(node["test"]), below(node["then"]), below(node["else"]))
        if kind == "op":
            left, right, work = below(node["left"]), below(node["right"]), BINARIES[node["op"]]
            return lambda run: work(left(run), right(run), run)
        if kind == "list":
            items = [below(item) for item in node["items"]]
            return lambda run: [item(run) for item in items]
        if kind == "map":
            return _map([(below(key), below(value)) for key, value in node["entries"]])
        if kind == "call":
            if node["fn"] == "matches":
                text, match = below(node["args"][0]), compile_pattern(node["args"][1]["v"])
                return lambda run: match(run, text(run))
            args, call = [below(arg) for arg in node["args"]], CALLS[node["fn"]]
            return lambda run: call(run, *[arg(run) for arg in args])
        return self._each(node, scope)

    def _each(self, node: dict[str, Any], scope: tuple[str, ...]) -> Step:
        of = self.compile(node["of"], scope)
        inner = (*scope, node["name"])
        test = None if node["test"] is None else self.compile(node["test"], inner)
        result = None if node["result"] is None else self.compile(node["result"], inner)
        cost = sum(weight(part) for part in (node["test"], node["result"]) if part is not None)
        slot = "second" if scope else "first"
        macro = node["macro"]

        def members(run: Run) -> Iterable[Any]:
            value = of(run)
            if not isinstance(value, (list, dict)):
                raise Failure("type_mismatch")
            if len(value) > _MAX_ELEMENTS:
                raise Failure("limit")
            for member in value if isinstance(value, list) else sorted(value):
                setattr(run, slot, member)
                run.charge(cost)
                yield member

        def collect(run: Run) -> list[Any]:
            values = []
            for member in members(run):
                if test is not None:
                    keep = test(run)
                    if not isinstance(keep, bool):
                        raise Failure("type_mismatch")
                    if not keep:
                        continue
                values.append(member if result is None else result(run))
            return values

        if macro in ("map", "filter"):
            return collect
        if macro == "exists_one":
            return lambda run: len(collect(run)) == 1
        assert test is not None
        return _quantify(members, test, macro == "exists")


def _variable(name: str, scope: tuple[str, ...]) -> Step:
    if len(scope) == 2 and scope[1] == name:
        return lambda run: run.second
    if scope and scope[0] == name:
        return lambda run: run.first
    return lambda run: run.ctx


def _has(of: Step, field: str) -> Step:
    def step(run: Run) -> bool:
        value = of(run)
        if not isinstance(value, dict):
            raise Failure("type_mismatch")
        return field in value

    return step


def _not(of: Step) -> Step:
    def step(run: Run) -> bool:
        value = of(run)
        if not isinstance(value, bool):
            raise Failure("type_mismatch")
        return not value

    return step


def _negative(of: Step) -> Step:
    def step(run: Run) -> Any:
        value = of(run)
        if is_number(value):
            return -value
        if isinstance(value, Duration):
            return duration_of(-value.ms)
        raise Failure("type_mismatch")

    return step


def _choice(test: Step, yes: Step, no: Step) -> Step:
    def step(run: Run) -> Any:
        value = test(run)
        if not isinstance(value, bool):
            raise Failure("type_mismatch")
        return yes(run) if value else no(run)

    return step


def _map(entries: list[tuple[Step, Step]]) -> Step:
    def step(run: Run) -> dict[str, Any]:
        values: dict[str, Any] = {}
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


def _settle(run: Run, tests: Iterable[Step], settles: bool) -> bool:
    """True or false as soon as a test says `settles`, which wins over errors of the others; limits always end it."""
    failure: Failure | None = None
    for test in tests:
        try:
            value: Any = test(run)
            if not isinstance(value, bool):
                raise Failure("type_mismatch")
            if value == settles:
                return settles
        except Failure as error:
            if error.kind == "limit":
                raise
            failure = failure or error
    if failure:
        raise failure
    return not settles


def _logic(args: list[Step], settles: bool) -> Step:
    """``and`` (settled by false) and ``or`` (settled by true)."""
    return lambda run: _settle(run, args, settles)


def _quantify(members: Callable[[Run], Iterable[Any]], test: Step, settles: bool) -> Step:
    return lambda run: _settle(run, (test for _ in members(run)), settles)

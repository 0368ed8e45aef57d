"""The syntax tree of a rule as ``rules.json`` keeps it, and the check that a tree from a file is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .._json import JsonObject, JsonValue, expect_list, expect_number, expect_object, expect_string
from .._tables import ARITIES, MACROS, MAX_COMPREHENSION_DEPTH, MAX_TREE_DEPTH, MAX_TREE_NODES, OPERATORS


# Nodes are compared by identity (`eq=False`): the same expression may stand in a rule twice.
@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    at: tuple[int, int]
    """Range of the source in code points: start, end."""


@dataclass(frozen=True, slots=True, eq=False)
class Literal(_Node):
    """`1`, `"a"`, `true`, `null`."""

    value: bool | float | str | None


@dataclass(frozen=True, slots=True, eq=False)
class Variable(_Node):
    """`ctx`, or the loop variable of a comprehension."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select(_Node):
    """`of.field`."""

    of: Node
    field: str


@dataclass(frozen=True, slots=True, eq=False)
class Has(_Node):
    """`has(of.field)`."""

    of: Node
    field: str


@dataclass(frozen=True, slots=True, eq=False)
class Index(_Node):
    """`of[by]`."""

    of: Node
    by: Node


@dataclass(frozen=True, slots=True, eq=False)
class Not(_Node):
    """`!of`."""

    of: Node


@dataclass(frozen=True, slots=True, eq=False)
class Negation(_Node):
    """`-of`."""

    of: Node


@dataclass(frozen=True, slots=True, eq=False)
class And(_Node):
    """`a && b && …`."""

    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Or(_Node):
    """`a || b || …`."""

    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(_Node):
    """`test ? then : otherwise`."""

    test: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True, eq=False)
class Operation(_Node):
    """`left op right`, with one of the `OPERATORS`."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class ListLiteral(_Node):
    """`[item, …]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MapLiteral(_Node):
    """`{key: value, …}`."""

    entries: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(_Node):
    """`fn(arg, …)`; the receiver of a method is the first argument."""

    fn: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(_Node):
    """`of.macro(name, …)`, with one of the `MACROS`: `test` keeps or counts members, `result` changes them."""

    macro: str
    of: Node
    name: str
    test: Node | None
    result: Node | None


Node: TypeAlias = (
    "Literal | Variable | Select | Has | Index | Not | Negation | And | Or | Conditional | Operation"
    " | ListLiteral | MapLiteral | Call | Comprehension"
)


def list_children(node: Node) -> Sequence[Node]:
    """Return the nodes directly below a node, in source order."""
    match node:
        case Literal() | Variable():
            return ()
        case Select() | Has() | Not() | Negation():
            return (node.of,)
        case Index():
            return (node.of, node.by)
        case And() | Or() | Call():
            return node.args
        case Conditional():
            return (node.test, node.then, node.otherwise)
        case Operation():
            return (node.left, node.right)
        case ListLiteral():
            return node.items
        case MapLiteral():
            return [part for entry in node.entries for part in entry]
        case Comprehension():
            return [node.of, *(part for part in (node.test, node.result) if part is not None)]


def measure_weight(node: Node) -> int:
    """Return the number of nodes of a tree: also the steps that one round of a comprehension over it takes."""
    return 1 + sum(map(measure_weight, list_children(node)))


def read_tree(value: JsonValue) -> Node:
    """Read a tree that came from a file.

    Raises ValueError or KeyError where anything is not as the workbench's compiler makes it: an unknown kind or
    function, a loop variable out of its scope, or a limit passed.
    """
    return _TreeReader().read(value, 1)


class _TreeReader:
    """Reads one tree; counts its nodes and knows the variables in scope."""

    def __init__(self) -> None:
        self._nodes = 0
        self._scope = ["ctx"]

    def read(self, value: JsonValue, depth: int) -> Node:
        self._nodes += 1
        if self._nodes > MAX_TREE_NODES or depth > MAX_TREE_DEPTH:
            raise ValueError("the tree has too many nodes")
        node = expect_object(value)
        return self._read_fields(node, _read_range(node["at"]), lambda child: self.read(child, depth + 1))

    def _read_fields(self, node: JsonObject, at: tuple[int, int], below: Callable[[JsonValue], Node]) -> Node:
        match node["k"]:
            case "lit":
                value = node["v"]
                if value is None or isinstance(value, (bool, str)):
                    return Literal(at, value)
                return Literal(at, expect_number(value))
            case "var":
                name = expect_string(node["name"])
                if name not in self._scope:
                    raise ValueError(f"the variable {name!r} is not in scope")
                return Variable(at, name)
            case "get":
                return Select(at, below(node["of"]), expect_string(node["field"]))
            case "has":
                return Has(at, below(node["of"]), expect_string(node["field"]))
            case "index":
                return Index(at, below(node["of"]), below(node["by"]))
            case "not":
                return Not(at, below(node["of"]))
            case "neg":
                return Negation(at, below(node["of"]))
            case "and":
                return And(at, tuple(map(below, expect_list(node["args"]))))
            case "or":
                return Or(at, tuple(map(below, expect_list(node["args"]))))
            case "if":
                return Conditional(at, below(node["test"]), below(node["then"]), below(node["else"]))
            case "op":
                op = expect_string(node["op"])
                if op not in OPERATORS:
                    raise ValueError(f"the operator {op!r} is not known")
                return Operation(at, op, below(node["left"]), below(node["right"]))
            case "list":
                return ListLiteral(at, tuple(map(below, expect_list(node["items"]))))
            case "map":
                pairs = map(expect_list, expect_list(node["entries"]))
                return MapLiteral(at, tuple((below(key), below(value)) for key, value in pairs))
            case "call":
                return _check_call(Call(at, expect_string(node["fn"]), tuple(map(below, expect_list(node["args"])))))
            case "each":
                return self._read_comprehension(node, at, below)
            case kind:
                raise ValueError(f"the kind {kind!r} is not known")

    def _read_comprehension(
        self, node: JsonObject, at: tuple[int, int], below: Callable[[JsonValue], Node]
    ) -> Comprehension:
        macro, name = expect_string(node["macro"]), expect_string(node["name"])
        if macro not in MACROS or name == "ctx" or len(self._scope) > MAX_COMPREHENSION_DEPTH:
            raise ValueError("a comprehension is not as the compiler makes it")
        of = below(node["of"])
        self._scope.append(name)
        test = None if node["test"] is None else below(node["test"])
        result = None if node["result"] is None else below(node["result"])
        self._scope.pop()
        if result is None if macro == "map" else test is None or result is not None:
            raise ValueError(f"the comprehension {macro} lacks a part or has one too many")
        return Comprehension(at, macro, of, name, test, result)


def _check_call(call: Call) -> Call:
    fewest, most = ARITIES[call.fn]
    if not fewest <= len(call.args) <= most:
        raise ValueError(f"{call.fn} does not take {len(call.args)} arguments")
    if call.fn == "matches":
        pattern = call.args[1]
        if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
            raise ValueError("the pattern of matches is not a string")
    return call


def _read_range(value: JsonValue) -> tuple[int, int]:
    start, end = expect_list(value)
    if type(start) is not int or type(end) is not int:
        raise ValueError("the range of the source is not two whole numbers")
    return start, end

"""Looking into a classifier before it is run: only known operators, and trees that are really trees.

ONNX Runtime follows the node numbers of a tree as they stand in the file; numbers that lead in circles would keep
it busy for ever, and numbers beyond the columns would read foreign memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._errors import InvalidBundle

_OPERATORS = {"Add", "Gather", "MatMul", "Mul", "ReduceSum", "Softmax", "Sum", "Unsqueeze"}
_TREES = ("ai.onnx.ml", "TreeEnsembleRegressor")
_NODE_LISTS = ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids")
_LEAF_LISTS = ("target_treeids", "target_nodeids", "target_ids")
_FLOAT_LISTS = ("nodes_values", "nodes_hitrates", "target_weights")
_SETTINGS = {"n_targets", "aggregate_function", "post_transform"}
_ATTRIBUTES = {*_NODE_LISTS, *_LEAF_LISTS, *_FLOAT_LISTS, *_SETTINGS, "nodes_modes"}

# A field of a protobuf message: its number and its value, a number or bytes.
_Field: TypeAlias = "tuple[int, int | bytes]"


# More fields than a large classifier has in one message; millions of tiny ones would take the memory of the machine.
_MAX_FIELDS = 300_000
_MAX_LISTED_NUMBERS = 500_000


def check_graph(model: bytes, name: str) -> str:
    """Return the kind of classifier that a graph is.

    Raises InvalidBundle for operators that a classifier does not have and for trees with wrong numbers.
    """
    try:
        return _check_model(model)
    except _Problem as problem:
        raise InvalidBundle(f"{name} {problem}.") from None
    except (ValueError, IndexError, struct.error) as error:
        raise InvalidBundle(f"{name} is not an ONNX file.") from error


class _Problem(Exception):
    """A fault in the graph."""


def _check_model(model: bytes) -> str:
    fields = list(_iterate_fields(model))
    if any(number == 25 for number, _ in fields):
        _refuse("defines functions of its own")
    graphs = [list(_iterate_fields(value)) for value in _list_messages(fields, 7)]
    if len(graphs) != 1:
        _refuse(f"has {len(graphs)} graphs")
    nodes = [list(_iterate_fields(value)) for value in _list_messages(graphs[0], 1)]
    for node in nodes:
        operator = (_find_string(node, 7), _find_string(node, 4))
        if operator != _TREES and (operator[0] != "" or operator[1] not in _OPERATORS):
            _refuse(f"uses the operator {operator[1][:50]!r}, which is not allowed")
        attributes = [list(_iterate_fields(value)) for value in _list_messages(node, 5)]
        if any(number in (6, 11) for attribute in attributes for number, _ in attribute):
            _refuse("has a graph within a graph")
        if operator == _TREES:
            _check_trees(node, attributes, _count_columns(graphs[0], nodes))
    weights = {_find_string(list(_iterate_fields(value)), 8) for value in _list_messages(graphs[0], 5)}
    is_linear = not weights.isdisjoint({"dense_weights", "ngram_weights"})
    if not any(_find_string(node, 4) == _TREES[1] for node in nodes):
        return "logistic"
    return "blend" if is_linear else "trees"


def _count_columns(graph: list[_Field], nodes: list[list[_Field]]) -> int:
    """Return the number of columns that trees may test: those of the matrix that makes their input."""
    tensors = [list(_iterate_fields(value)) for value in _list_messages(graph, 5)]
    shapes = [_read_integers(tensor, 1) for tensor in tensors if _find_string(tensor, 8) == "tree_columns"]
    makers = [node for node in nodes if "tree_inputs" in _list_strings(node, 2) and _find_string(node, 4) == "MatMul"]
    sources = [_list_strings(node, 1) for node in makers]
    if len(shapes) != 1 or len(shapes[0]) != 2 or sources != [["dense", "tree_columns"]]:
        _refuse("has trees over unknown columns")
    return int(shapes[0][1])


def _check_trees(node: list[_Field], attributes: list[list[_Field]], columns: int) -> None:
    named = {_find_string(attribute, 1): attribute for attribute in attributes}
    if len(named) != len(attributes) or named.keys() != _ATTRIBUTES or _list_strings(node, 1) != ["tree_inputs"]:
        _refuse("has trees with other attributes than allowed")
    trees, ids, features, lefts, rights = (_read_integers(named[name], 8) for name in _NODE_LISTS)
    modes = np.array(_list_strings(named["nodes_modes"], 9))
    floats = [_read_floats(named[name]) for name in _FLOAT_LISTS]
    size = modes.size
    sizes = {numbers.size for numbers in (trees, ids, features, lefts, rights)} | {values.size for values in floats[:2]}
    if size == 0 or sizes != {size}:
        _refuse("has trees whose lists differ in length")
    if not all(np.isfinite(values).all() for values in floats):
        _refuse("has trees with a number that is not finite")
    branch, leaf = modes == "BRANCH_LEQ", modes == "LEAF"
    if not (branch | leaf).all():
        _refuse("has tree nodes of an unknown kind")
    roots = np.flatnonzero(ids == 0)
    number = np.cumsum(ids == 0) - 1
    if roots.size == 0 or roots[0] != 0 or (trees != number).any() or (ids != np.arange(size) - roots[number]).any():
        _refuse("has tree nodes out of order")
    ends = np.append(roots[1:], size)[number] - roots[number]
    # Children stand further on, each below one parent: no way leads back.
    if (branch & ((lefts != ids + 1) | (rights <= ids + 1) | (rights >= ends))).any():
        _refuse("has a tree node whose children are not further on in its tree")
    children = np.concatenate([np.flatnonzero(branch) + 1, (roots[number] + rights)[branch]])
    if np.unique(children).size != children.size or children.size != size - roots.size:
        _refuse("has a tree node without or with two parents")
    if (branch & ((features < 0) | (features >= columns))).any():
        _refuse("has a tree node that tests a column which is not there")
    leaf_trees, leaf_ids, scores = (_read_integers(named[name], 8) for name in _LEAF_LISTS)
    at = np.flatnonzero(leaf)
    lengths = {leaf_trees.size, leaf_ids.size, scores.size, floats[2].size}
    if lengths != {at.size} or (leaf_trees != trees[at]).any() or (leaf_ids != ids[at]).any():
        _refuse("has tree leaves out of order")
    targets = _read_integers(named["n_targets"], 3)
    if targets.size != 1 or (scores < 0).any() or (scores >= targets[0]).any():
        _refuse("has a tree leaf for a score which is not there")
    if _find_string(named["aggregate_function"], 4) != "SUM" or _find_string(named["post_transform"], 4) != "NONE":
        _refuse("has trees that are not summed up as they are")


def _refuse(problem: str) -> None:
    raise _Problem(problem)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("number too long")


def _iterate_fields(data: bytes) -> Iterator[_Field]:
    at = count = 0
    while at < len(data):
        count += 1
        if count > _MAX_FIELDS:
            raise ValueError("too many parts")
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _read_varint(data, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _read_varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if at + size > len(data):
            raise ValueError("cut off")
        yield key >> 3, data[at : at + size]
        at += size


def _list_messages(fields: list[_Field], number: int) -> list[bytes]:
    return [value for found, value in fields if found == number and isinstance(value, bytes)]


def _list_strings(fields: list[_Field], number: int) -> list[str]:
    return [value.decode("utf-8") for value in _list_messages(fields, number)]


def _find_string(fields: list[_Field], number: int) -> str:
    return next(reversed(_list_strings(fields, number)), "")


def _read_integers(fields: list[_Field], number: int) -> npt.NDArray[np.int64]:
    """Return a repeated whole number, packed or not; one beyond 2^53 counts as -1."""
    numbers: list[int] = []
    for found, value in fields:
        if found != number:
            continue
        if isinstance(value, int):
            numbers.append(value)
            continue
        at = 0
        while at < len(value):
            entry, at = _read_varint(value, at)
            numbers.append(entry)
            if len(numbers) > _MAX_LISTED_NUMBERS:
                raise ValueError("too many numbers")
    return np.array([entry if entry < 2**53 else -1 for entry in numbers], np.int64)


def _read_floats(fields: list[_Field]) -> npt.NDArray[np.float32]:
    return np.frombuffer(b"".join(_list_messages(fields, 7)), "<f4")

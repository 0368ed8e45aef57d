"""A bundle with trees decides; one whose classifier could loop or read elsewhere is refused before it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from decision_edge import EdgePredictor, InvalidBundle

# Two trees over one column, one for approve and one for reject: amount <= 0.5, and amount <= -1 with a test below it.
TREES: dict[str, Any] = {
    "n_targets": 2,
    "aggregate_function": "SUM",
    "post_transform": "NONE",
    "nodes_treeids": [0, 0, 0, 1, 1, 1, 1, 1],
    "nodes_nodeids": [0, 1, 2, 0, 1, 2, 3, 4],
    "nodes_featureids": [0] * 8,
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_values": [0.5, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 0, 1, 0, 3, 0, 0],
    "nodes_falsenodeids": [2, 0, 0, 2, 0, 4, 0, 0],
    "nodes_hitrates": [9.0, 4.0, 5.0, 9.0, 2.0, 7.0, 3.0, 4.0],
    "target_treeids": [0, 0, 1, 1, 1],
    "target_nodeids": [1, 2, 1, 3, 4],
    "target_ids": [0, 0, 1, 1, 1],
    "target_weights": [-3.0, 3.0, 2.0, 0.25, -2.0],
}
OPTIONS = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def tree_classifier(**changes: Any) -> bytes:
    """The tree graph of the bundle format, with attributes changed; None leaves one out."""
    attributes = {name: value for name, value in {**TREES, **changes}.items() if value is not None}
    ensemble = helper.make_node(
        "TreeEnsembleRegressor", ["tree_inputs"], ["tree_sums"], domain="ai.onnx.ml", **attributes
    )
    nodes = [
        helper.make_node("MatMul", ["dense", "tree_columns"], ["tree_inputs"]),
        ensemble,
        helper.make_node("MatMul", ["tree_sums", "tree_options"], ["tree_scores"]),
        helper.make_node("Add", ["tree_scores", "bias"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    return model_of(nodes)


def model_of(nodes: list[onnx.NodeProto]) -> bytes:
    graph = helper.make_graph(
        nodes,
        "trees",
        [helper.make_tensor_value_info("dense", TensorProto.FLOAT, ["N", 2])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 3])],
        [
            numpy_helper.from_array(np.array([[1.0], [0.0]], np.float32), "tree_columns"),
            numpy_helper.from_array(np.array(OPTIONS, np.float32), "tree_options"),
            numpy_helper.from_array(np.zeros(3, np.float32), "bias"),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    serialized: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return serialized


def predictor(make_bundle: Any, classifier: bytes) -> EdgePredictor:
    def change(entries: dict[str, Any]) -> None:
        entries["classifier.onnx"] = classifier
        entries["golden.jsonl"] = b""

    return EdgePredictor.from_bundle(make_bundle(change, classifier={"kind": "trees"}))


@pytest.mark.parametrize(("amount", "scores"), [(4.0, (3, 0, -2)), (0.75, (3, 0, 0.25)), (-2.0, (-3, 0, 2))])
def test_trees_decide(make_bundle: Any, amount: float, scores: tuple[float, ...]) -> None:
    result = predictor(make_bundle, tree_classifier()).predict({"loan": {"amount": amount}})
    expected = np.exp(scores) / np.exp(scores).sum()
    assert list(result.class_probabilities.values()) == pytest.approx(list(expected), abs=1e-6)


def changed(name: str, at: int, value: Any) -> dict[str, Any]:
    values = list(TREES[name])
    values[at] = value
    return {name: values}


@pytest.mark.parametrize(
    ("problem", "changes"),
    [
        ("not further on", changed("nodes_falsenodeids", 5, 0)),
        ("not further on", changed("nodes_falsenodeids", 0, 3)),
        ("not further on", changed("nodes_falsenodeids", 0, 2**40)),
        ("not further on", changed("nodes_falsenodeids", 0, -1)),
        ("not further on", changed("nodes_truenodeids", 5, 0)),
        ("two parents", changed("nodes_falsenodeids", 3, 4)),
        ("column which is not there", changed("nodes_featureids", 0, 1)),
        ("column which is not there", changed("nodes_featureids", 0, -5)),
        ("nodes out of order", changed("nodes_treeids", 0, 1)),
        ("nodes out of order", changed("nodes_nodeids", 0, 1)),
        ("differ in length", {"nodes_nodeids": [0, 1]}),
        ("leaves out of order", changed("target_nodeids", 0, 2)),
        ("leaves out of order", {"target_weights": [1.0]}),
        ("score which is not there", changed("target_ids", 0, 2)),
        ("not finite", changed("target_weights", 0, float("nan"))),
        ("not finite", changed("nodes_values", 0, float("inf"))),
        ("unknown kind", changed("nodes_modes", 0, "BRANCH_EQ")),
        ("not summed up", {"aggregate_function": "MAX"}),
        ("not summed up", {"post_transform": "LOGISTIC"}),
        ("other attributes", {"base_values": [1.0, 1.0]}),
        ("other attributes", {"nodes_hitrates": None}),
    ],
)
def test_trees_that_are_no_trees_are_refused(make_bundle: Any, problem: str, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidBundle, match=problem):
        predictor(make_bundle, tree_classifier(**changes))


def test_other_operators_are_refused(make_bundle: Any) -> None:
    nodes = [helper.make_node("Tile", ["dense", "bias"], ["probabilities"])]
    with pytest.raises(InvalidBundle, match="'Tile', which is not allowed"):
        predictor(make_bundle, model_of(nodes))


def test_trees_over_other_columns_are_refused(make_bundle: Any) -> None:
    model = onnx.load_from_string(tree_classifier())
    model.graph.node[0].input[1] = "bias"
    with pytest.raises(InvalidBundle, match="unknown columns"):
        predictor(make_bundle, model.SerializeToString())


def test_a_file_that_is_cut_off_is_refused(make_bundle: Any) -> None:
    whole = tree_classifier()
    for length in range(0, len(whole), 7):
        with pytest.raises(InvalidBundle):
            predictor(make_bundle, whole[:length])

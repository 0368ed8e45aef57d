"""A tiny bundle, made by hand: two number fields' worth of weights, one rule, three options."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPTIONS = ["approve", "review", "reject"]


def classifier(dense: list[list[float]], ngram: list[list[float]], bias: list[float]) -> bytes:
    """The logistic graph of the bundle format; an empty weight list leaves its inputs out."""
    inputs, nodes, initializers = [], [], [numpy_helper.from_array(np.array(bias, np.float32), "bias")]
    terms = []
    if dense:
        initializers.append(numpy_helper.from_array(np.array(dense, np.float32), "dense_weights"))
        inputs.append(helper.make_tensor_value_info("dense", TensorProto.FLOAT, ["N", len(dense)]))
        nodes.append(helper.make_node("MatMul", ["dense", "dense_weights"], ["dense_score"]))
        terms.append("dense_score")
    if ngram:
        initializers.append(numpy_helper.from_array(np.array(ngram, np.float32), "ngram_weights"))
        initializers.append(numpy_helper.from_array(np.array([-1], np.int64), "last"))
        initializers.append(numpy_helper.from_array(np.array([1], np.int64), "first"))
        inputs.append(helper.make_tensor_value_info("ngram_indices", TensorProto.INT64, ["N", "M"]))
        inputs.append(helper.make_tensor_value_info("ngram_values", TensorProto.FLOAT, ["N", "M"]))
        nodes.append(helper.make_node("Gather", ["ngram_weights", "ngram_indices"], ["rows"], axis=0))
        nodes.append(helper.make_node("Unsqueeze", ["ngram_values", "last"], ["column"]))
        nodes.append(helper.make_node("Mul", ["rows", "column"], ["weighted"]))
        nodes.append(helper.make_node("ReduceSum", ["weighted", "first"], ["ngram_score"], keepdims=0))
        terms.append("ngram_score")
    nodes.append(helper.make_node("Sum", [*terms, "bias"], ["scores"]))
    nodes.append(helper.make_node("Softmax", ["scores"], ["probabilities"], axis=-1))
    output = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", len(bias)])
    graph = helper.make_graph(nodes, "logistic", inputs, [output], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    serialized: bytes = model.SerializeToString()
    return serialized


def probabilities(amount: float) -> list[float]:
    """The scores of the tiny classifier: amount, 0, -amount."""
    exponents = np.exp(np.array([amount, 0.0, -amount]) - abs(amount))
    return [float(p) for p in exponents / exponents.sum()]


def parts() -> dict[str, Any]:
    """The entries of the tiny bundle, JSON ones as values; tests change them before packing."""
    field = {"path": ["loan", "amount"], "kind": "number", "median": 0.0, "mean": 0.0, "std": 1.0}
    golden = []
    for amount in (4.0, -4.0):
        scores = probabilities(amount)
        output = {
            "decision": "approve" if amount > 0 else "reject",
            "confidence": max(scores),
            "stage": "classifier",
            "reason_codes": ["SMALL", "KNOWN"] if amount > 0 else [],
            "rules_triggered": [],
            "fallback_used": False,
            "escalate": False,
            "unfamiliar": False,
            "class_probabilities": dict(zip(OPTIONS, scores, strict=True)),
        }
        golden.append({"input": {"loan": {"amount": amount}}, "output": output})
    return {
        "manifest.json": {
            "format_version": 2,
            "tool_version": "0.1.0",
            "decision_type": "loan",
            "version": 1,
            "policy_id": "p1",
            "policy_version": "v3",
            "options": OPTIONS,
            "reason_codes": ["SMALL", "KNOWN", "BLOCKED"],
            "confidence_thresholds": {"auto_decide": 0.85, "escalation": 0.6},
            "escalation_policy": {"enabled": False, "between": "flag", "connection": None},
            "fallback_option": None,
            "created_at": "2026-01-01T00:00:00Z",
            "classifier": {"kind": "logistic"},
            "text": None,
            "revision": "0" * 64,
            "runtime": None,
        },
        "rules.json": {"rules": []},
        "features.json": {"format": 1, "fields": [field], "tabular_size": 2, "left_out": [], "text": None},
        "classifier.onnx": classifier([[1, 0, -1], [0, 0, 0]], [], [0, 0, 0]),
        "reasons.json": {"by_option": {"approve": ["SMALL", "KNOWN"]}, "heads": []},
        "golden.jsonl": "\n".join(json.dumps(line) for line in golden).encode(),
        "model-card.md": b"# Loan",
        "LICENSES": b"none",
    }


def to_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def seal(entries: dict[str, Any]) -> dict[str, bytes]:
    """Turn entries into bytes and list size and SHA-256 of each in the manifest."""
    packed = {name: to_bytes(value) for name, value in entries.items() if name != "manifest.json"}
    files = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)} for name, data in packed.items()
    }
    manifest = to_bytes({**entries["manifest.json"], "files": files})
    return {"manifest.json": manifest, **digest_of(manifest), **packed}


def digest_of(manifest: bytes) -> dict[str, bytes]:
    """The entry that covers the manifest."""
    return {"manifest.sha256": f"{hashlib.sha256(manifest).hexdigest()}  manifest.json\n".encode()}


def write_zip(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path

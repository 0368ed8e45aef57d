"""The service as an OpenAPI 3.1 document, with the fields of the inputs that its bundles read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .._fields import EdgeField
from .._tables import ERRORS, MAX_BATCH_SIZE, VERSION
from ..predictor import EdgePredictor
from .requests import MAX_BODY_BYTES

Schema: TypeAlias = "dict[str, object]"

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_NAMED_POLICY: Schema = {"decision_type": _TEXT, "policy_version": _TEXT, "digest": _TEXT}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_TYPES: dict[str, Schema] = {
    "number": {"type": "number"},
    "boolean": _FLAG,
    "category": _TEXT,
    "date": _TEXT,
    "text": _TEXT,
    "conversation": {"type": ["array", "string"], "items": {"type": "object"}},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "strings": _TEXTS,
    "objects": {"type": "array", "items": {"type": "object"}},
    "any": {},
}
_MAX_SHOWN_VALUES = 20
_ANY: Schema = {"type": "object"}


def describe_service(predictors: Mapping[str, EdgePredictor]) -> Schema:
    """Return the document for the current decision types."""
    inputs = {f"Input{number}": name for number, name in enumerate(predictors, 1)}
    schemas = {**_ANSWERS, "DecideRequest": _describe_request(inputs)}
    for schema, name in inputs.items():
        fields = {field.path: field for field in predictors[name].fields}
        schemas[schema] = {**_nest(fields), "description": f"Input of the decision type {name}"}
    single = _refer("DecideRequest")
    several = {"type": "array", "items": single, "minItems": 1, "maxItems": MAX_BATCH_SIZE}
    batch: Schema = {"type": "object", "properties": {"decisions": several}, "required": ["decisions"]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Decisions from exported bundles", "version": VERSION},
        "paths": {
            "/decide": {"post": _operate("decide", "Decide one input", _refer("Decision"), single)},
            "/decide/batch": {
                "post": _operate("decide.batch", f"Decide up to {MAX_BATCH_SIZE} inputs", _refer("BatchAnswer"), batch)
            },
            "/v1/systemone": {"post": _operate("systemone", "Answer as a decision model of TypeSafe", _ANY, _ANY)},
            "/v1/decisions": {"post": _operate("decisions", "Answer as a decision model of OpenAI", _ANY, _ANY)},
            "/v1/models": {"get": _operate("models", "The decision types as models of both", _ANY)},
            "/health": {"get": _operate("health", "Whether the process answers, and by what", _refer("Health"))},
            "/ready": {"get": _operate("ready", "What decides, and whether the files hold the same", _refer("Ready"))},
            "/metrics": {"get": _operate("metrics", "Counts for Prometheus", None)},
            "/openapi.json": {"get": _operate("openapi", "This document", {"type": "object"})},
        },
        "components": {"schemas": schemas},
    }


def _describe_request(inputs: Mapping[str, str]) -> Schema:
    references = [_refer(schema) for schema in inputs]
    return _require(
        {
            "decision_type": {**_TEXT, "enum": list(inputs.values())},
            "input": references[0] if len(references) == 1 else {"anyOf": references},
        }
    )


def _nest(fields: Mapping[str, EdgeField]) -> Schema:
    """Return the schema of an input with fields by their paths; a dot in a path leads into an object."""
    below: dict[str, dict[str, EdgeField]] = {}
    for path, field in fields.items():
        name, _, rest = path.partition(".")
        below.setdefault(name, {})[rest] = field
    properties = {name: _describe(rests[""]) if "" in rests else _nest(rests) for name, rests in below.items()}
    required = [name for name, rests in below.items() if "" in rests and rests[""].required]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _describe(field: EdgeField) -> Schema:
    schema = dict(_TYPES[field.kind])
    if field.reading is not None and field.kind in ("number", "boolean"):
        schema["type"] = [schema["type"], "string", "null"]
    if field.values:
        schema["examples"] = field.values[:_MAX_SHOWN_VALUES]
    sentences = ["ISO 8601"] if field.kind == "date" else []
    if field.range is not None:
        sentences.append(f"In the examples from {field.range[0]} to {field.range[1]}")
    if field.reading is not None:
        sentences.append(f"A text is read as {field.reading}")
    if field.missing is not None:
        sentences.append(f"Missing in {field.missing:.1%} of the examples")
    return {**schema, "description": ". ".join(sentences)} if sentences else schema


def _operate(name: str, summary: str, answer: Schema | None, body: Schema | None = None) -> Schema:
    content = {"text/plain": {"schema": _TEXT}} if answer is None else {"application/json": {"schema": answer}}
    responses: Schema = {"200": {"description": summary, "content": content}}
    operation: Schema = {"operationId": name, "summary": summary, "responses": responses}
    if body is not None:
        operation["requestBody"] = {
            "required": True,
            "description": f"At most {MAX_BODY_BYTES:,} bytes",
            "content": {"application/json": {"schema": body}},
        }
        responses["default"] = {
            "description": "A refusal; the code says why",
            "content": {"application/json": {"schema": _refer("Error")}},
        }
    return operation


def _refer(schema: str) -> Schema:
    return {"$ref": f"#/components/schemas/{schema}"}


def _require(properties: Schema) -> Schema:
    """Return an object that has all these properties and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_ANSWERS: dict[str, Schema] = {
    "Decision": _require(
        {
            "decision": _TEXT,
            "confidence": {**_SHARE, "description": "The calibrated probability of the decision"},
            "classifier_choice": {
                "type": ["string", "null"],
                "description": "What the classifier chose, where the fallback decided otherwise",
            },
            "classifier_probability": {**_SHARE, "type": ["number", "null"]},
            "reason_codes": _TEXTS,
            "stage": {**_TEXT, "enum": ["rules", "classifier", "fallback"]},
            "class_probabilities": {"type": "object", "additionalProperties": _SHARE},
            "rules_triggered": _TEXTS,
            "rule_errors": {"type": "array", "items": _require({"name": _TEXT, "error": _TEXT})},
            "escalate": {**_FLAG, "description": "A person should look"},
            "fallback_used": _FLAG,
            "unfamiliar": {**_FLAG, "description": "The input is unlike the examples"},
            "explanation": _TEXT,
            "policy_version": _TEXT,
            "digest": {**_TEXT, "description": "The release that decided, as the workbench names it"},
            "bundle_digest": {**_TEXT, "description": "SHA-256 of the manifest of the bundle that decided"},
            "unread": {**_TEXTS, "description": "Parts of the input that the policy does not read"},
            "latency_ms": {"type": "number", "minimum": 0},
            "request_id": _TEXT,
        }
    ),
    "BatchAnswer": _require(
        {
            "results": {
                "type": "array",
                "items": {"anyOf": [_refer("Decision"), {"type": "null"}]},
                "description": "In the order of the items; null where one was refused",
            },
            "errors": {"type": "array", "items": _refer("BatchError")},
            "succeeded": _COUNT,
            "failed": _COUNT,
        }
    ),
    "BatchError": _require(
        {
            "index": _COUNT,
            "decision_type": _TEXT,
            "code": _TEXT,
            "message": _TEXT,
            "status_code": {"type": "integer"},
            "retryable": _FLAG,
            "request_id": _TEXT,
        }
    ),
    "Error": {
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": {**_TEXT, "enum": list(ERRORS)},
                    "message": _TEXT,
                    "details": {
                        "type": "array",
                        "items": _require({"type": _TEXT, "loc": {"type": "array", "items": {}}, "msg": _TEXT}),
                    },
                },
                "required": ["code", "message"],
                "additionalProperties": False,
            }
        },
        "required": ["error"],
        "additionalProperties": False,
    },
    "Health": _require({"status": _TEXT, "bundles": {"type": "array", "items": _require(_NAMED_POLICY)}}),
    "Ready": _require(
        {
            "status": {**_TEXT, "enum": ["ready", "degraded"]},
            "bundles": {
                "type": "array",
                "items": _require(
                    {
                        **_NAMED_POLICY,
                        "file": _TEXT,
                        "bundle_digest": _TEXT,
                        "problem": {"anyOf": [_TEXT, {"type": "null"}]},
                    }
                ),
            },
        }
    ),
}

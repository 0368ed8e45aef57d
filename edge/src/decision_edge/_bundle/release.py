"""The name of what decides: the digest that the workbench gives its release, computed from a bundle's manifest."""

from __future__ import annotations

import hashlib
import json
import re

from .._json import JsonObject, JsonValue, expect_object, format_number
from .manifest import list_files
from .zip import ENCODER, TOKENIZER

# Entries that say nothing about decisions, or that the manifest names apart.
_UNDECIDING = frozenset({"golden.jsonl", "model-card.md", "LICENSES", TOKENIZER, ENCODER})
_TEXT = ("encoder_sha256", "tokenizer_sha256")
_SETTINGS = (
    "options",
    "reason_codes",
    "confidence_thresholds",
    "fallback_option",
    "classifier",
)
_ESCALATION: JsonObject = {
    "enabled": False,
    "between": "flag",
    "connection": None,
    "timeout_ms": 10_000,
    "unfamiliar": "escalate",
}
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def digest_release(manifest: JsonObject) -> str:
    """Return the digest of all that decides in the bundle of a checked manifest, whatever type and policy are called.

    It is the SHA-256 of the settings and of the digests of the deciding entries as one JSON text with sorted keys.
    """
    text = manifest["text"]
    deciding = {name: facts["sha256"] for name, facts in list_files(manifest).items() if name not in _UNDECIDING}
    facts: JsonObject = {
        **{name: manifest[name] for name in _SETTINGS},
        "escalation_policy": {**_ESCALATION, **expect_object(manifest["escalation_policy"])},
        "text": None if text is None else {name: expect_object(text)[name] for name in _TEXT},
        "set_aside": manifest.get("set_aside", []),
        **({"never_alone": manifest["never_alone"]} if "never_alone" in manifest else {}),
        "readings": manifest.get("readings", []),
        "files": deciding,
    }
    return hashlib.sha256(_write_canonical(facts).encode()).hexdigest()


def _write_canonical(value: JsonValue) -> str:
    """Write JSON as ECMAScript does, without blanks, with keys in the order of their UTF-16 code units (RFC 8785)."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_write_string(key)}:{_write_canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write_canonical, value)) + "]"
    if isinstance(value, str):
        return _write_string(value)
    return json.dumps(value) if value is None or isinstance(value, bool) else format_number(value)


def _write_string(value: str) -> str:
    return _HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))

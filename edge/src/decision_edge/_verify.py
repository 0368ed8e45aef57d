"""Golden vectors: what the workbench decided for some inputs, compared with what this package decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._errors import InvalidBundle
from .predictor import EdgePredictor

__all__ = ["differences"]

# The classifier runs in float32 here and in double in the workbench; the encoder's int8 kernels differ by processor.
TOLERANCE, TOLERANCE_WITH_ENCODER = 1e-4, 1e-3
_EXACT = ("decision", "stage", "reason_codes", "rules_triggered", "fallback_used", "escalate")


def differences(predictor: EdgePredictor) -> Iterator[list[str]]:
    """Yield for each golden vector the sentences that tell where it differs; an empty list where it is equal."""
    tolerance = TOLERANCE_WITH_ENCODER if predictor.uses_encoder else TOLERANCE
    for number, golden in enumerate(predictor.golden(), 1):
        try:
            yield list(_compare(predictor, golden["input"], golden["output"], tolerance))
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidBundle(f"golden.jsonl line {number} is not as the format says ({error!r})") from error


def _compare(predictor: EdgePredictor, given: Any, expected: dict[str, Any], tolerance: float) -> Iterator[str]:
    actual = predictor.predict(given).to_dict()
    if expected.get("unfamiliar", False) != actual["unfamiliar"]:
        yield f"unfamiliar: expected {not actual['unfamiliar']}, got {actual['unfamiliar']}"
    for field in _EXACT:
        if expected[field] != actual[field]:
            yield f"{field}: expected {expected[field]!r}, got {actual[field]!r}"
    if abs(expected["confidence"] - actual["confidence"]) > tolerance:
        yield f"confidence: expected {expected['confidence']}, got {actual['confidence']}"
    wanted, got = expected["class_probabilities"], actual["class_probabilities"]
    if wanted.keys() != got.keys():
        yield f"class_probabilities: expected options {sorted(wanted)}, got {sorted(got)}"
        return
    for option, probability in wanted.items():
        if abs(probability - got[option]) > tolerance:
            yield f"class_probabilities of {option!r}: expected {probability}, got {got[option]}"

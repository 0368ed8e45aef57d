"""Golden vectors: what the workbench decided for some inputs, compared with what this package decides."""

from __future__ import annotations

from collections.abc import Iterator

from ._errors import InvalidInput
from ._json import JsonObject, expect_number, expect_object, reading
from .predictor import EdgePredictor

__all__ = ["iterate_differences"]

# The classifier runs in float32 here and in double in the workbench; the encoder's int8 kernels differ by processor.
_TOLERANCE, _TOLERANCE_WITH_ENCODER = 1e-4, 1e-3
_EXACT = ("decision", "stage", "reason_codes", "rules_triggered", "fallback_used", "escalate")


def iterate_differences(predictor: EdgePredictor) -> Iterator[list[str]]:
    """Yield for each golden vector one sentence for each difference; an empty list where it is equal.

    Raises InvalidBundle for a vector that is not as the format says.
    """
    tolerance = _TOLERANCE_WITH_ENCODER if predictor.uses_encoder else _TOLERANCE
    for number, golden in enumerate(predictor.golden(), 1):
        with reading(f"golden.jsonl line {number}"):
            values, expected = expect_object(golden["input"]), expect_object(golden["output"])
            try:
                sentences = list(_compare(predictor, values, expected, tolerance))
            except InvalidInput as error:
                sentences = [f"refused: {error}"]
        yield sentences


def _compare(predictor: EdgePredictor, values: JsonObject, expected: JsonObject, tolerance: float) -> Iterator[str]:
    actual = predictor.predict(values)
    fields = actual.to_dict()
    if expected.get("unfamiliar", False) != actual.unfamiliar:
        yield f"unfamiliar: expected {not actual.unfamiliar}, got {actual.unfamiliar}"
    for field in _EXACT:
        if expected[field] != fields[field]:
            yield f"{field}: expected {expected[field]!r}, got {fields[field]!r}"
    confidence = expect_number(expected["confidence"])
    if abs(confidence - actual.confidence) > tolerance:
        yield f"confidence: expected {confidence}, got {actual.confidence}"
    probabilities = expect_object(expected["class_probabilities"])
    if probabilities.keys() != actual.class_probabilities.keys():
        yield f"class_probabilities: expected options {sorted(probabilities)}, got {sorted(actual.class_probabilities)}"
        return
    for option, value in probabilities.items():
        probability, got = expect_number(value), actual.class_probabilities[option]
        if abs(probability - got) > tolerance:
            yield f"class_probabilities of {option!r}: expected {probability}, got {got}"

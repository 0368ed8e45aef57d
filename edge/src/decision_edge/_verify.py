"""Golden vectors: what the workbench decided for some inputs, compared with what this package decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from ._bundle import Bundle
from ._bundle.zip import ENCODER
from ._decide import EdgeDecision
from ._errors import InvalidBundle, InvalidInput
from ._json import (
    JsonObject,
    JsonValue,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    expect_string,
    read_record,
    reading,
)

Decide = Callable[[JsonObject], EdgeDecision]

# The classifier runs in float32 here and in double in the workbench.
_TOLERANCE = 1e-5
_STRINGS, _LISTS, _FLAGS = (
    ("decision", "stage"),
    ("reason_codes", "rules_triggered"),
    ("fallback_used", "escalate", "unfamiliar"),
)
_OUTPUT = frozenset({*_STRINGS, *_LISTS, *_FLAGS, "confidence", "class_probabilities"})
_STAGES = ("rules", "classifier", "fallback", "escalation")
# Each costs a run of the encoder.
_ENCODED_VECTORS = 8


def check_itself(decide: Decide, bundle: Bundle) -> None:
    """Decide the golden vectors: only the first where each costs a run of the encoder; all of them are read.

    Raises InvalidBundle for a vector that is decided otherwise or whose numbers differ: the bundle was changed, or this
    machine does not do what the workbench did.
    """
    limit = _ENCODED_VECTORS if ENCODER in bundle else None
    for number, differences in enumerate(islice(iterate_differences(decide, bundle), limit), 1):
        if differences:
            raise InvalidBundle(f"Golden vector {number} is not decided as in the workbench: {differences[0]}.")
    for line, golden in enumerate(bundle.iterate_golden(), 1):
        _read_vector(golden, line)


def iterate_differences(decide: Decide, bundle: Bundle) -> Iterator[list[str]]:
    """Yield for each golden vector a sentence for each part that is decided otherwise or whose number is off.

    Raises InvalidBundle for a vector that is not as the format says.
    """
    for number, golden in enumerate(bundle.iterate_golden(), 1):
        values, expected = _read_vector(golden, number)
        try:
            yield _compare(decide(values), expected)
        except InvalidInput as error:
            yield [f"refused: {error}"]


def _read_vector(golden: JsonObject, number: int) -> tuple[JsonObject, JsonObject]:
    """Return input and expected output of a golden vector, after a look at every part of it."""
    with reading(f"golden.jsonl line {number}"):
        expect_keys(golden, {"input", "output"})
        values, expected = expect_object(golden["input"]), expect_keys(golden["output"], _OUTPUT)
        for name in _STRINGS:
            expect_string(expected[name])
        if expected["stage"] not in _STAGES:
            raise ValueError(f"the stage {expected['stage']!r:.50} is not known")
        for name in _LISTS:
            for member in expect_list(expected[name]):
                expect_string(member)
        for name in _FLAGS:
            if not isinstance(expected[name], bool):
                raise ValueError(f"{name} is no boolean")
        expect_number(expected["confidence"])
        for probability in read_record(expected["class_probabilities"]).values():
            expect_number(probability)
    return values, expected


def _compare(actual: EdgeDecision, expected: JsonObject) -> list[str]:
    fields = actual.to_dict()
    found = [
        f"{field}: expected {expected[field]!r}, got {fields[field]!r}"
        for field in (*_STRINGS, *_LISTS, *_FLAGS)
        if expected[field] != fields[field]
    ]
    # A golden line has the confidence of the classifier in its own choice.
    chosen = actual.confidence if actual.classifier_probability is None else actual.classifier_probability
    found += _compare_number("confidence", expected["confidence"], chosen)
    probabilities = expect_object(expected["class_probabilities"])
    if probabilities.keys() != actual.class_probabilities.keys():
        options, got = sorted(probabilities), sorted(actual.class_probabilities)
        return [*found, f"class_probabilities: expected options {options}, got {got}"]
    for option, value in probabilities.items():
        found += _compare_number(f"class_probabilities of {option!r}", value, actual.class_probabilities[option])
    return found


def _compare_number(name: str, expected: JsonValue, actual: float) -> list[str]:
    number = expect_number(expected)
    return [] if abs(number - actual) <= _TOLERANCE else [f"{name}: expected {number}, got {actual}"]

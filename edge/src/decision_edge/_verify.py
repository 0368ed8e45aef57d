"""Golden vectors: what the workbench decided for some inputs, compared with what this package decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from ._bundle import Bundle
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
from ._model.runtime import onnxruntime

__all__ = ["Comparison", "check_itself", "iterate_comparisons"]

Decide = Callable[[JsonObject], EdgeDecision]

# The classifier runs in float32 here and in double in the workbench.
_TOLERANCE = 1e-5
_STRINGS, _LISTS, _FLAGS = ("decision", "stage"), ("reason_codes", "rules_triggered"), ("fallback_used", "escalate")
_OUTPUT = frozenset({*_STRINGS, *_LISTS, *_FLAGS, "confidence", "class_probabilities"})
_STAGES = ("rules", "classifier", "fallback", "escalation")
# Each costs a run of the encoder; where int8 arithmetic differs, about every second one shows it.
_ENCODED_VECTORS = 8


@dataclass(frozen=True)
class Comparison:
    """One golden vector: a sentence for each part that is decided otherwise, and for each number that is off."""

    decided: list[str]
    numbers: list[str]


def check_itself(decide: Decide, bundle: Bundle) -> list[str]:
    """Decide the golden vectors and return notes for the user.

    Raises InvalidBundle for a vector that is decided otherwise or whose numbers differ: the bundle was changed, or this
    machine does not do what the workbench did. The numbers of the int8 encoder, which earlier bundles have, may differ:
    that is a note. Only the first vectors are decided where each costs a run of the encoder; all of them are read.
    """
    notes: list[str] = []
    if bundle.manifest["format_version"] == 1:
        notes.append("The bundle has format 1, in which nothing covers the manifest by a digest. Export it again.")
    limit = None if bundle.encoder_entry is None else _ENCODED_VECTORS
    different = number = 0
    for number, compared in enumerate(islice(iterate_comparisons(decide, bundle), limit), 1):
        refused = compared.decided or (compared.numbers if bundle.is_exact else [])
        if refused:
            raise InvalidBundle(f"Golden vector {number} is not decided as in the workbench: {refused[0]}.")
        different += bool(compared.numbers)
    for line, golden in enumerate(bundle.iterate_golden(), 1):
        _read_vector(golden, line)
    if different:
        here, there = f"onnxruntime {onnxruntime.__version__}", bundle.manifest.get("runtime") or "another runtime"
        notes.append(
            f"The int8 sentence encoder computes other numbers with {here} on this machine than the workbench did with"
            f" {there}: {different} golden vectors of {number} differ. Decisions near a threshold may come out"
            " otherwise. Train the decision type again, which takes an encoder that gives the same numbers everywhere."
        )
    return notes


def iterate_comparisons(decide: Decide, bundle: Bundle) -> Iterator[Comparison]:
    """Compare each golden vector. Raises InvalidBundle for one that is not as the format says."""
    for number, golden in enumerate(bundle.iterate_golden(), 1):
        values, expected = _read_vector(golden, number)
        try:
            yield _compare(decide(values), expected)
        except InvalidInput as error:
            yield Comparison([f"refused: {error}"], [])


def _read_vector(golden: JsonObject, number: int) -> tuple[JsonObject, JsonObject]:
    """Return input and expected output of a golden vector, after a look at every part of it."""
    with reading(f"golden.jsonl line {number}"):
        expect_keys(golden, {"input", "output"})
        values, expected = expect_object(golden["input"]), expect_keys(golden["output"], _OUTPUT, {"unfamiliar"})
        for name in _STRINGS:
            expect_string(expected[name])
        if expected["stage"] not in _STAGES:
            raise ValueError(f"the stage {expected['stage']!r:.50} is not known")
        for name in _LISTS:
            for member in expect_list(expected[name]):
                expect_string(member)
        for name in (*_FLAGS, "unfamiliar"):
            if not isinstance(expected.get(name, False), bool):
                raise ValueError(f"{name} is no boolean")
        expect_number(expected["confidence"])
        for probability in read_record(expected["class_probabilities"]).values():
            expect_number(probability)
    return values, expected


def _compare(actual: EdgeDecision, expected: JsonObject) -> Comparison:
    fields = actual.to_dict()
    decided = [
        f"{field}: expected {expected.get(field, False)!r}, got {fields[field]!r}"
        for field in (*_STRINGS, *_LISTS, *_FLAGS, "unfamiliar")
        if expected.get(field, False) != fields[field]
    ]
    numbers = _compare_number("confidence", expected["confidence"], actual.confidence)
    probabilities = expect_object(expected["class_probabilities"])
    if probabilities.keys() != actual.class_probabilities.keys():
        options, got = sorted(probabilities), sorted(actual.class_probabilities)
        decided.append(f"class_probabilities: expected options {options}, got {got}")
        return Comparison(decided, numbers)
    for option, value in probabilities.items():
        numbers += _compare_number(f"class_probabilities of {option!r}", value, actual.class_probabilities[option])
    return Comparison(decided, numbers)


def _compare_number(name: str, expected: JsonValue, actual: float) -> list[str]:
    number = expect_number(expected)
    return [] if abs(number - actual) <= _TOLERANCE else [f"{name}: expected {number}, got {actual}"]

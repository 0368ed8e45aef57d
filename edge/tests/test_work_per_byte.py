"""Work per byte: twice the input is at most twice the processor time, for a bundle and inputs at their limits."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from decision_edge import EdgePredictor
from tiny_bundle import classifier

FIELDS = [f"{'long_name_' * 8}{number:03}" for number in range(200)]
# Twice the input takes so much more, and so many seconds of whatever else the process does.
MAX_GROWTH = 2.5
NOISE_S = 0.03
# Ten misspelt names took 27 s.
MAX_S = 0.4

Make = Callable[[int, int], dict[str, Any]]
INPUTS: dict[str, Make] = {
    "misspelt names": lambda size, run: {f"{FIELDS[n % 200]}{run}x{n // 200}": "x" for n in range(size)},
    "other names": lambda size, run: {f"other {run} {n}": 1 for n in range(size)},
    "names of 400 letters": lambda size, run: {f"{'ab' * 200}{run} {n}": 1 for n in range(size)},
    "a long text": lambda size, _: {FIELDS[0]: "word " * size * 50},
    "a long list": lambda size, _: {"list": list(range(size * 20))},
    "objects within one another": lambda size, _: {"list": [{"a": {"b": {"c": n}}} for n in range(size)]},
}


def make_wide(entries: dict[str, Any]) -> None:
    """Give the bundle 200 fields and 200 options."""
    options = [f"option {number}" for number in range(200)]
    fields = [{"path": [name], "kind": "number", "median": 0.0, "mean": 0.0, "std": 1.0} for name in FIELDS]
    entries["manifest.json"].update(options=options, reason_codes=[])
    entries["features.json"].update(fields=fields, tabular_size=400)
    entries["classifier.onnx"] = classifier([[0.0] * 200] * 400, [], [0.0] * 200)
    entries["reasons.json"]["by_option"] = {}


def measure(decide: Callable[[dict[str, Any]], object], inputs: list[dict[str, Any]]) -> float:
    """Return the least processor time that a decision of one of some inputs takes."""
    taken = []
    for values in inputs:
        began = process_time()
        decide(values)
        taken.append(process_time() - began)
    return min(taken)


@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS)
def test_twice_the_input_is_at_most_twice_the_work(make_bundle: Any, make: Make) -> None:
    """One by one and in a batch [LRG-6]."""
    predictor = EdgePredictor.from_bundle(make_bundle(make_wide))
    for decide in (predictor.predict, lambda values: predictor.predict_many([values])):
        decide({})
        half = measure(decide, [make(900, run) for run in range(3)])
        whole = measure(decide, [make(1_800, run + 3) for run in range(3)])
        assert whole < MAX_GROWTH * half + NOISE_S
        assert whole < MAX_S


def test_a_batch_of_misspelt_names_is_no_more_work_than_one_input(make_bundle: Any) -> None:
    """Fifty inputs share what hints may cost [LRG-6]."""
    predictor = EdgePredictor.from_bundle(make_bundle(make_wide))
    predictor.predict_many([{}])
    batch = [{f"{name}{run}x": "x" for name in FIELDS[:40]} for run in range(50)]
    began = process_time()
    decisions = predictor.predict_many(batch)
    assert process_time() - began < MAX_S
    assert "did you mean" in decisions[0].unread[0]
    assert len(decisions[-1].unread) == len(decisions[0].unread)

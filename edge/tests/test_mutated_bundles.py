"""A bundle comes from anywhere: this package and the workbench agree on which ones are sound."""

from __future__ import annotations

import re
from typing import Any

import pytest

from decision_edge import EdgePredictor, InvalidBundle
from mutated_bundles import CASES, mutate


@pytest.mark.parametrize("mutation", CASES["mutations"], ids=lambda mutation: mutation["name"])
def test_a_bundle_that_was_changed_on_its_way(mutation: dict[str, Any]) -> None:
    data = mutate(mutation)
    if mutation["verdict"] == "accepted":
        EdgePredictor.from_bundle(data)
    else:
        with pytest.raises(InvalidBundle):
            EdgePredictor.from_bundle(data)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("an entry called '../evil'", "'../evil' does not belong in a bundle"),
        ("an entry twice", "'rules.json' is there twice"),
        ("ZIP: a symbolic link", "'rules.json' is not a plain file"),
        ("ZIP: encrypted", "'rules.json' is encrypted"),
        ("ZIP: bzip2", "'rules.json' is compressed in an unknown way"),
        ("ZIP: 4 GB announced", "'rules.json' unpacks to more than"),
        ("manifest.json taken out after sealing", "'manifest.json' is missing"),
        ("classifier.onnx taken out after sealing", "'classifier.onnx' is missing"),
        ("an encoder that no plan asks for", "'text/encoder.onnx' is missing or not expected"),
        ("rules changed after sealing", "'rules.json' has another SHA-256 than manifest.json says"),
        ("thresholds changed without a new digest", "'manifest.json' has another SHA-256 than manifest.sha256 says"),
        ("manifest: format_version 3", "format 3 is not known to this version"),
        ("manifest: min_reader 0.99.0", "only version 0.99.0 and later of decision-edge read rightly"),
        ("format 1 without digest", "format 1, which versions before 0.2.0 wrote"),
        ("fallback_option 'nobody'", "manifest.json is not as the format says: fallback_option 'nobody' is none"),
        ("number: median '1'", "features.json: a field is not as the format says: a number is expected"),
        ("classifier of another plan", "classifier.onnx takes ['dense', 'ngram_indices', 'ngram_values'], the plan"),
        ("classifier.onnx: junk", "classifier.onnx is not an ONNX file"),
        ("swapped options", "Golden vector 1 is not decided as in the workbench: decision"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(name: str, sentence: str) -> None:
    (mutation,) = (mutation for mutation in CASES["mutations"] if mutation["name"] == name)
    with pytest.raises(InvalidBundle, match=re.escape(sentence)):
        EdgePredictor.from_bundle(mutate(mutation))

"""A bundle comes from anywhere: this package and the workbench agree on which ones are sound."""

from __future__ import annotations

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

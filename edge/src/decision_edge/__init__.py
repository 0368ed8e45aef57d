"""Decide offline from a bundle that Decision Workbench exported."""

from ._decide import EdgeDecision
from ._errors import DecisionEdgeError, InvalidBundle, InvalidInput, TextModelNeeded
from ._fields import EdgeField
from ._tables import VERSION as __version__
from .predictor import EdgePredictor

__all__ = [
    "DecisionEdgeError",
    "EdgeDecision",
    "EdgeField",
    "EdgePredictor",
    "InvalidBundle",
    "InvalidInput",
    "TextModelNeeded",
    "__version__",
]

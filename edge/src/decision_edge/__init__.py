"""Decide offline from a bundle that Decision Workbench exported."""

from ._decide import EdgeDecision
from ._errors import DecisionEdgeError, InvalidBundle, InvalidInput, TextModelNeeded
from .predictor import EdgePredictor

__all__ = [
    "DecisionEdgeError",
    "EdgeDecision",
    "EdgePredictor",
    "InvalidBundle",
    "InvalidInput",
    "TextModelNeeded",
    "__version__",
]

__version__ = "0.1.0"

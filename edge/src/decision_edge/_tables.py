"""Bounds and tables of the workbench that this package keeps, too. Made by `npm run docs`: do not edit."""

from __future__ import annotations

MAX_BUNDLE_ENTRIES = 32
MAX_UNPACKED_BYTES = 268_435_456
MAX_OPTIONS = 200
MAX_RULES = 200
MAX_TREE_DEPTH = 24
MAX_TREE_NODES = 500
MAX_COMPREHENSION_DEPTH = 2
MAX_COMPREHENSION_ELEMENTS = 1_000
MAX_STEPS = 100_000
MAX_STRING_LENGTH = 262_144
MAX_LIST_LENGTH = 10_000

OPERATORS = ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in")
MACROS = ("all", "exists", "exists_one", "map", "filter")
ARITIES = {
    "size": (1, 1),
    "contains": (2, 2),
    "startsWith": (2, 2),
    "endsWith": (2, 2),
    "matches": (2, 2),
    "lowerAscii": (1, 1),
    "upperAscii": (1, 1),
    "trim": (1, 1),
    "int": (1, 1),
    "double": (1, 1),
    "string": (1, 1),
    "bool": (1, 1),
    "abs": (1, 1),
    "ceil": (1, 1),
    "floor": (1, 1),
    "round": (1, 1),
    "min": (1, 32),
    "max": (1, 32),
    "timestamp": (1, 1),
    "duration": (1, 1),
    "getFullYear": (1, 2),
    "getMonth": (1, 2),
    "getDate": (1, 2),
    "getDayOfWeek": (1, 2),
    "getHours": (1, 2),
}
"""Fewest and most arguments of each function, the receiver counted."""

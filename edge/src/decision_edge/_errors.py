"""The errors of this package.

DecisionEdgeError
├── InvalidBundle       the file is not a bundle that this version can trust or read
│   └── TextModelNeeded the bundle is slim and its text model is missing, or is another one
└── InvalidInput        the input of `predict` is none, or does not fit the input schema

Every error has a `code` out of the table that the workbench's own interface uses.
"""

from __future__ import annotations

__all__ = ["DecisionEdgeError", "InvalidBundle", "InvalidInput", "TextModelNeeded"]


class DecisionEdgeError(Exception):
    """Base of all errors that this package raises on purpose."""

    code = "internal_error"


class InvalidBundle(DecisionEdgeError):
    """The bundle is damaged, foreign, unsafe or of an unknown format; the message names the file and the place."""

    code = "validation_error"
    source: str | None = None
    """Name of the file, where it is known."""

    def __str__(self) -> str:
        return super().__str__() if self.source is None else f"{self.source}: {super().__str__()}"


class TextModelNeeded(InvalidBundle):
    """A slim bundle needs the folder of its text model (`text_model=`)."""

    code = "unavailable"


class InvalidInput(DecisionEdgeError):
    """The input is not a JSON object of finite numbers and valid text; the message names the place."""

    code = "validation_error"

"""Patterns that run in linear time, as in the workbench. They need the extra ``rules`` (google-re2)."""

from __future__ import annotations

from collections.abc import Callable


class PatternError(ValueError):
    """The pattern is not RE2, or google-re2 is not installed; the message says which."""


def compile_re2(pattern: str) -> Callable[[str], bool]:
    """Return the test whether a pattern is found in a string without half surrogate pairs. Raises PatternError."""
    try:
        import re2
    except ImportError as error:
        raise PatternError("needs google-re2: install the extra with pip install 'decision-edge[rules]'") from error
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise PatternError("holds a pattern that is not RE2") from error
    return lambda string: compiled.search(string) is not None

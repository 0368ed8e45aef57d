"""The cost of an RE2 pattern, as the workbench counts it from the text of the pattern alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAX_WEIGHT = 1_000_000
_REPETITION = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")


@dataclass(slots=True)
class _Group:
    """The weight of what stands in a group so far, and of its last part, to which a repetition applies."""

    total: int
    last: int = 0

    def add(self, weight: int) -> None:
        self.last = min(weight, _MAX_WEIGHT)
        self.total = min(self.total + weight, _MAX_WEIGHT)

    def repeat(self, weight: int) -> None:
        repeated = min(weight, _MAX_WEIGHT)
        self.total = min(self.total - self.last + repeated, _MAX_WEIGHT)
        self.last = repeated


def weigh_pattern(source: str) -> int:
    """Return the work of an RE2 pattern for each character of a text, in instructions.

    One for each character, class, alternative and repetition, two for each group and for the pattern, with what is
    repeated counted as often as it may come.
    """
    outer: list[_Group] = []
    group = _Group(2)
    at = 0
    while at < len(source):
        character = source[at]
        written = _REPETITION.match(source, at, at + 16) if character == "{" else None
        if character == "(":
            at, opens = _skip_group_start(source, at)
            if opens:
                outer.append(group)
                group = _Group(0)
        elif character == ")":
            weight = group.total + 2
            group = outer.pop() if outer else _Group(2)
            group.add(weight)
            at += 1
        elif character in "*+?":
            group.repeat(group.last + 1)
            at += 1
        elif written:
            group.repeat(_weigh_repetition(group.last, written))
            at = written.end()
        else:
            group.add(1)
            at = _skip_atom(source, at)
    total = group.total
    for unclosed in outer:
        total = min(total + unclosed.total, _MAX_WEIGHT)
    return total


def _weigh_repetition(weight: int, written: re.Match[str]) -> int:
    fewest, has_most, most = int(written[1]), written[2], written[3]
    if has_most is None:
        return weight * fewest
    if not most:
        return weight * max(fewest, 1) + 1
    return weight * int(most) + max(int(most) - fewest, 0)


def _skip_group_start(source: str, at: int) -> tuple[int, bool]:
    """Skip `(`, `(?:`, `(?P<name>`, `(?i:` or `(?i)`, of which the last opens no group."""
    if source[at + 1 : at + 2] != "?":
        return at + 1, True
    end = at + 2
    while end < len(source) and source[end] not in ":)>":
        end += 1
    return end + 1, source[end : end + 1] != ")"


def _skip_atom(source: str, at: int) -> int:
    """Skip a character, an escape or a class."""
    if source[at] == "\\":
        return _skip_escape(source, at)
    if source[at] != "[":
        return at + 1
    end = at + (2 if source[at + 1 : at + 2] == "^" else 1)
    # A closing bracket that stands first is a member.
    if source[end : end + 1] == "]":
        end += 1
    while end < len(source) and source[end] != "]":
        if source.startswith("[:", end):
            close = source.find("]", end)
            end = len(source) if close < 0 else close + 1
        else:
            end = _skip_escape(source, end) if source[end] == "\\" else end + 1
    return end + 1


def _skip_escape(source: str, at: int) -> int:
    r"""Skip an escape; the braces of `\p{…}` and `\x{…}` are not a repetition."""
    if source[at + 1 : at + 2] not in ("p", "P", "x") or source[at + 2 : at + 3] != "{":
        return at + 2
    close = source.find("}", at)
    return len(source) if close < 0 else close + 1

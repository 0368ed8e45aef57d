"""The name that a misspelt one most likely stands for, as the workbench finds it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["find_nearest"]

_MAX_COMPARED = 200
_MAX_READ = 100


def find_nearest(word: str, candidates: Sequence[str]) -> str | None:
    """Return the candidate of the least distance, of which at most a third may differ, whatever the case of letters."""
    lowered, best, least = word[:_MAX_READ].lower(), None, len(word) + 1
    allowed = {name: max(1, max(len(lowered), len(name)) // 3) for name in candidates}
    fitting = [name for name in candidates if abs(len(name) - len(lowered)) <= allowed[name]]
    for name in fitting[:_MAX_COMPARED]:
        distance = _count_edits(lowered, name.lower())
        if distance <= allowed[name] and distance < least:
            best, least = name, distance
    return best


def _count_edits(a: str, b: str) -> int:
    """Return the distance by optimal string alignment: edits and transpositions of neighbours."""
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]

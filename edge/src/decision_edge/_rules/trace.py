"""Evaluates one rule and keeps the values that settled it."""

from __future__ import annotations

from typing import Any

from .evaluate import Compiler, Step
from .tree import children
from .values import Duration, Failure, Run, Timestamp, duration_text, is_number, timestamp_text

_SHOWN_MEMBERS = 50
_SHOWN_CHARACTERS = 200


def _recordable(root: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def walk(node: dict[str, Any], part_of_path: bool) -> bool:
        kind = node["k"]
        reads = kind == "var"
        for child in [node["of"]] if kind == "each" else children(node):
            if walk(child, kind in ("get", "index", "has") and child is node["of"]):
                reads = True
        path = kind in ("get", "index") and not part_of_path
        if reads and (path or kind in ("has", "op", "call", "each")):
            found.append(node)
        return bool(reads)

    walk(root, False)
    return found


def _is_small(value: Any) -> bool:
    left = _SHOWN_MEMBERS

    def walk(inner: Any) -> bool:
        nonlocal left
        if not isinstance(inner, (list, dict)):
            return True
        left -= len(inner)
        return left >= 0 and all(map(walk, inner if isinstance(inner, list) else inner.values()))

    return walk(value)


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _SHOWN_CHARACTERS else value[:_SHOWN_CHARACTERS] + "…"
    if is_number(value):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, Timestamp):
        return timestamp_text(value)
    if isinstance(value, Duration):
        return duration_text(value)
    if isinstance(value, list):
        return [_shown(member) for member in value] if _is_small(value) else f"list of {len(value)}"
    if isinstance(value, dict):
        return {key: _shown(value[key]) for key in sorted(value)} if _is_small(value) else f"map of {len(value)}"
    return value


class TracedRule:
    def __init__(self, rule: dict[str, Any], tree: dict[str, Any]) -> None:
        self.rule = rule
        self.tree = tree
        self.recorded = sorted(_recordable(tree), key=lambda node: (node["at"][0], -node["at"][1]))
        self._wanted = {id(node) for node in self.recorded}
        self._seen: dict[int, Any] = {}
        self._step = Compiler(self._hook).compile(tree)

    def _text(self, node: dict[str, Any]) -> str:
        return str(self.rule["condition"][node["at"][0] : node["at"][1]])

    def _hook(self, node: dict[str, Any], step: Step, depth: int) -> Step:
        keep = depth == 0 and id(node) in self._wanted

        def traced(run: Run) -> Any:
            try:
                value = step(run)
            except Failure as failure:
                if failure.expression is None:
                    failure.expression = self._text(node)
                raise
            if keep:
                self._seen[id(node)] = value
            return value

        return traced

    def evaluate(self, data: Any) -> tuple[bool, dict[str, Any]]:
        self._seen = {}
        matched = False
        error: str | None = None
        try:
            value = self._step(Run(data))
            if not isinstance(value, bool):
                raise _with_text(Failure("type_mismatch"), self._text(self.tree))
            matched = value
        except Failure as failure:
            error = f"{failure.kind}: {failure.expression}"
        values: list[dict[str, Any]] = []
        for node in self.recorded:
            text = self._text(node)
            if id(node) in self._seen and not any(entry["expression"] == text for entry in values):
                values.append({"expression": text, "value": _shown(self._seen[id(node)])})
        outcome = "error" if error else "matched" if matched else "not_matched"
        return matched, {"name": self.rule["name"], "outcome": outcome, "error": error, "values": values}


def _with_text(failure: Failure, text: str) -> Failure:
    failure.expression = text
    return failure

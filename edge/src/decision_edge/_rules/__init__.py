"""Hard rules: checks and evaluates the syntax trees of ``rules.json``.

The same tree gives the same value, the same kind of error and the same trace as in the workbench; the modules have
the names that the workbench gives them. Only own keys of the input are seen.
"""

from __future__ import annotations

from typing import Any

from .functions import RulesError
from .trace import TracedRule
from .tree import Reader, read_text
from .values import doubles

__all__ = ["RuleSet", "RulesError", "load_rules"]

_MAX_RULES = 200


class RuleSet:
    """Rules in the order in which they are evaluated."""

    def __init__(self, rules: list[TracedRule]) -> None:
        self._rules = rules

    def evaluate(self, input: Any) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """The first rule that holds for the input, or None, and how each rule fared.

        A rule that errs does not match; its trace entry says why. Rules behind the match are ``not_reached``.
        """
        data = doubles(input)
        matched: dict[str, Any] | None = None
        trace: list[dict[str, Any]] = []
        for rule in self._rules:
            if matched is not None:
                trace.append({"name": rule.rule["name"], "outcome": "not_reached", "error": None, "values": []})
                continue
            holds, entry = rule.evaluate(data)
            trace.append(entry)
            if holds:
                matched = rule.rule
        return matched, trace


def load_rules(rules_file: dict[str, Any]) -> RuleSet:
    """Loads the content of ``rules.json``.

    Raises RulesError where a tree is not sound, or where a rule uses ``matches`` and google-re2 is not installed.
    """
    rules = rules_file.get("rules") if isinstance(rules_file, dict) else None
    if not isinstance(rules, list) or len(rules) > _MAX_RULES:
        raise RulesError("rules.json is not a list of compiled rules")
    loaded: list[TracedRule] = []
    for number, rule in enumerate(rules, 1):
        try:
            tree = Reader().read(rule["ast"])
            plain = {
                "name": read_text(rule["name"]),
                "condition": read_text(rule["condition"]),
                "then": read_text(rule["then"]),
                "reason_code": None if rule.get("reason_code") is None else read_text(rule["reason_code"]),
                "priority": rule.get("priority", 100),
            }
        except (KeyError, TypeError, ValueError) as error:
            raise RulesError(f"rules.json: the tree of rule {number} is not sound") from error
        try:
            loaded.append(TracedRule(plain, tree))
        except RulesError as error:
            raise RulesError(f"rules.json, rule {number}: {error}") from error
    return RuleSet(loaded)

"""Hard rules: checks and evaluates the syntax trees of ``rules.json``.

The same tree gives the same value and the same kind of error as in the workbench; the modules have the names that the
workbench gives them. Only own keys of the input are seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._json import JsonObject, JsonValue, expect_integer, expect_keys, expect_string
from .._tables import MAX_CONDITION_LENGTH, MAX_NAME_LENGTH, MAX_RULES, MAX_STEPS_TOGETHER
from .evaluate import Step, compile_tree
from .functions import RulesError
from .values import Failure, Run

__all__ = ["Rule", "RuleSet", "RulesError", "load_rules"]


@dataclass(frozen=True)
class Rule:
    """A compiled rule: it decides for `then` where its condition holds."""

    name: str
    then: str
    reason_code: str | None
    step: Step


class RuleSet:
    """Rules in the order in which they are evaluated. Keeps no state between evaluations."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)

    def find_match(self, ctx: JsonObject, failed: list[dict[str, str]] | None = None) -> Rule | None:
        """Return the first rule that holds for an input whose numbers are floats, or None.

        A rule that fails on the input does not match; the next one is tried. Adds to `failed` its name and how.
        """
        left = MAX_STEPS_TOGETHER
        for rule in self.rules:
            run = Run(ctx, left)
            try:
                held = rule.step(run)
                if held is True:
                    return rule
                error = None if held is False else "type_mismatch"
            except Failure as failure:
                error = failure.kind
            if error is not None and failed is not None:
                failed.append({"name": rule.name, "error": error})
            left = run.count_steps_left()
        return None


def load_rules(rules_file: JsonValue) -> RuleSet:
    """Load the content of ``rules.json``.

    Raises RulesError where a tree is not sound, or where a rule uses ``matches`` and google-re2 is not installed.
    """
    rules = rules_file.get("rules") if isinstance(rules_file, dict) and len(rules_file) == 1 else None
    if not isinstance(rules, list) or len(rules) > MAX_RULES:
        raise RulesError("rules.json is not a list of compiled rules.")
    return RuleSet([_load_rule(rule, number) for number, rule in enumerate(rules, 1)])


def _load_rule(value: JsonValue, number: int) -> Rule:
    try:
        rule = expect_keys(value, {"name", "condition", "then", "ast"}, {"reason_code", "priority"})
        code = rule.get("reason_code")
        name, condition, then = (expect_string(rule[key]) for key in ("name", "condition", "then"))
        reason_code = None if code is None else expect_string(code)
        in_range = 1 <= len(name) <= MAX_NAME_LENGTH and 1 <= len(condition) <= MAX_CONDITION_LENGTH
        if not (in_range and then) or expect_integer(rule.get("priority", 100)) < 1:
            raise ValueError("a name, a condition or a priority is out of its range")
        return Rule(name, then, reason_code, compile_tree(rule["ast"]))
    except RulesError as error:
        raise RulesError(f"rules.json, rule {number}: {error}") from error
    except (KeyError, ValueError) as error:
        raise RulesError(f"rules.json: the tree of rule {number} is not sound.") from error

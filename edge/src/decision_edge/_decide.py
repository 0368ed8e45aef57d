"""From rule or probabilities to the decision: thresholds, fallback, flags."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ._errors import InvalidBundle
from ._rules import Rule

__all__ = ["EdgeDecision", "Settings"]


_MOST_CODES = 3
_HEAD_THRESHOLD = 0.5


@dataclass(frozen=True)
class EdgeDecision:
    """One decision. `stage` is "rules", "classifier" or "fallback"; `escalate` asks for a person's look.

    `unfamiliar` says that the input is unlike the examples: the classifier's choice was not relied on.
    """

    decision: str
    confidence: float
    reason_codes: list[str]
    stage: str
    class_probabilities: dict[str, float]
    rules_triggered: list[str]
    escalate: bool
    fallback_used: bool
    unfamiliar: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a new JSON-ready dict."""
        return asdict(self)


class Settings:
    """What the manifest and reasons.json say about deciding. Raises InvalidBundle where they contradict themselves."""

    def __init__(self, manifest: dict[str, Any], reasons: dict[str, Any]) -> None:
        try:
            self.options = [str(option) for option in manifest["options"]]
            self._auto_decide = float(manifest["confidence_thresholds"]["auto_decide"])
            self._escalation = float(manifest["confidence_thresholds"]["escalation"])
            self._between = str(manifest["escalation_policy"]["between"])
            # Bundles from before familiarity have neither the setting nor the file.
            self.notices_unfamiliar = manifest["escalation_policy"].get("unfamiliar", "escalate") != "ignore"
            self._fallback = manifest["fallback_option"]
            by_option = reasons["by_option"].items()
            self._reasons = {str(option): [str(code) for code in codes] for option, codes in by_option}
            heads = reasons.get("heads", [])
            self.heads = [(str(head["code"]), {str(option) for option in head["options"]}) for head in heads]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidBundle(f"manifest.json or reasons.json is not as the format says ({error!r})") from error
        if len(self.options) < 2 or len(set(self.options)) != len(self.options):
            raise InvalidBundle("manifest.json: options must be two or more different names")
        if self._between not in ("accept", "flag", "fallback", "escalate"):
            raise InvalidBundle(f"manifest.json: escalation_policy.between is {self._between!r}")
        if self._fallback is not None and self._fallback not in self.options:
            raise InvalidBundle(f"manifest.json: fallback_option {self._fallback!r} is none of the options")

    def by_rule(self, rule: Rule) -> EdgeDecision:
        """Return the decision of a matching rule: certain, with the rule's reason code."""
        return EdgeDecision(
            decision=rule.then,
            confidence=1.0,
            reason_codes=[] if rule.reason_code is None else [rule.reason_code],
            stage="rules",
            class_probabilities={option: float(option == rule.then) for option in self.options},
            rules_triggered=[rule.name],
            escalate=False,
            fallback_used=False,
            unfamiliar=False,
        )

    def _reason_codes(self, option: str, softmax: list[float]) -> list[str]:
        """Return at most three codes; `softmax` is the output of reasons.onnx, empty without heads."""
        usual = self._reasons.get(option, [])
        likely: list[tuple[float, str]] = []
        for (code, options), own in zip(self.heads, softmax, strict=False):
            both = own + softmax[-1]
            if option in options and both > 0 and own / both >= _HEAD_THRESHOLD:
                likely.append((own / both, code))
        learned = [code for _, code in sorted(likely, key=lambda one: -one[0])]
        with_head = {code for code, _ in self.heads}
        codes = [*learned, *(code for code in usual if code not in with_head)][:_MOST_CODES]
        return codes or usual[:1]

    def by_classifier(self, probabilities: list[float], unfamiliar: bool, heads: list[float]) -> EdgeDecision:
        """Return the decision for the classifier's probabilities; there is no live escalation offline."""
        confidence = max(probabilities)
        decision = self.options[probabilities.index(confidence)]
        if unfamiliar:
            escalate, fallback = True, self._fallback
        elif confidence >= self._auto_decide:
            escalate, fallback = False, None
        elif confidence >= self._escalation:
            escalate = self._between != "accept"
            fallback = self._fallback if self._between in ("fallback", "escalate") else None
        else:
            escalate, fallback = True, self._fallback
        return EdgeDecision(
            decision=decision if fallback is None else fallback,
            confidence=confidence,
            reason_codes=self._reason_codes(decision, heads) if fallback is None else [],
            stage="classifier" if fallback is None else "fallback",
            class_probabilities=dict(zip(self.options, probabilities, strict=True)),
            rules_triggered=[],
            escalate=escalate,
            fallback_used=fallback is not None,
            unfamiliar=unfamiliar,
        )

"""From rule or probabilities to the decision: thresholds, fallback, flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ._json import (
    JsonObject,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    expect_string,
    expect_strings,
    read_record,
    reading,
)
from ._rules import Rule

_MAX_CODES = 3
_HEAD_THRESHOLD = 0.5


@dataclass(frozen=True)
class EdgeDecision:
    """One decision; `escalate` asks for a person's look.

    `confidence` is the calibrated probability of the decision: 1 of a rule, 0 where no classifier was asked. Where the
    fallback decided otherwise than the classifier chose, that stands beside it: `classifier_choice`, with its
    probability.
    `unfamiliar` says that the input is unlike the examples: the classifier's choice was not relied on.
    `digest` names what decided, as the decisions of the workbench and its releases do. `bundle_digest` is the SHA-256
    of the bundle's manifest: it tells which bundle decided. `unread` has a sentence
    for each part of the input that the policy did not read: no field of it, or of another kind. `rule_errors` has the
    name of each rule that failed on the input, and so did not match, with how.
    """

    decision: str
    confidence: float
    classifier_choice: str | None
    classifier_probability: float | None
    reason_codes: list[str]
    stage: Literal["rules", "classifier", "fallback"]
    class_probabilities: dict[str, float]
    rules_triggered: list[str]
    escalate: bool
    fallback_used: bool
    unfamiliar: bool
    policy_version: str
    digest: str
    bundle_digest: str
    unread: list[str] = field(default_factory=list, compare=False)
    rule_errors: list[dict[str, str]] = field(default_factory=list)

    __hash__ = None  # type: ignore[assignment]  # Of its lists and dict; else the error would name one of these.

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a new JSON-ready dict."""
        return asdict(self)


def choose_option(probabilities: Mapping[str, float], set_aside: Collection[str]) -> tuple[str, bool]:
    """Return the likeliest option but those set aside, and whether these are likelier together."""
    best = max((option for option in probabilities if option not in set_aside), key=probabilities.__getitem__)
    return best, sum(probabilities[option] for option in probabilities if option in set_aside) > probabilities[best]


class Settings:
    """Read from manifest and reasons.json how to decide. Raises InvalidBundle."""

    def __init__(self, manifest: JsonObject, release: str, bundle_digest: str, reasons: JsonObject) -> None:
        """Read a checked manifest, whose SHA-256 is `bundle_digest`; `release` is the digest of all that decides."""
        self._release = release
        self._bundle_digest = bundle_digest
        with reading("manifest.json"):
            self._policy_version = expect_string(manifest["policy_version"])
            self.options = expect_strings(manifest["options"])
            self._set_aside = frozenset(expect_strings(manifest.get("set_aside", [])))
            self._never_alone = frozenset(expect_strings(manifest.get("never_alone", [])))
            thresholds = expect_object(manifest["confidence_thresholds"])
            auto_decide = expect_number(thresholds["auto_decide"])
            own = read_record(thresholds.get("by_option", {}))
            self._auto_decide = {option: max(auto_decide, expect_number(own.get(option, 0))) for option in self.options}
            self._escalation = expect_number(thresholds["escalation"])
            policy = expect_object(manifest["escalation_policy"])
            self._between = expect_string(policy.get("between", "flag"))
            # Bundles from before familiarity have neither the setting nor the file.
            self._unfamiliar = expect_string(policy.get("unfamiliar", "escalate"))
            fallback = manifest["fallback_option"]
            self._fallback = None if fallback is None else expect_string(fallback)
        with reading("reasons.json"):
            expect_keys(reasons, {"by_option", "heads"})
            self._reasons = {
                option: expect_strings(codes) for option, codes in read_record(reasons["by_option"]).items()
            }
            self.heads = [_read_head(expect_object(head)) for head in expect_list(reasons["heads"])]
        self.notices_unfamiliar = self._unfamiliar != "ignore"

    def decide_by_rule(self, rule: Rule) -> EdgeDecision:
        """Return the decision of a matching rule: certain, with the rule's reason code."""
        return EdgeDecision(
            decision=rule.then,
            confidence=1.0,
            classifier_choice=None,
            classifier_probability=None,
            reason_codes=[] if rule.reason_code is None else [rule.reason_code],
            stage="rules",
            class_probabilities={option: float(option == rule.then) for option in self.options},
            rules_triggered=[rule.name],
            escalate=False,
            fallback_used=False,
            unfamiliar=False,
            policy_version=self._policy_version,
            digest=self._release,
            bundle_digest=self._bundle_digest,
        )

    def decide_by_classifier(
        self, probabilities: Sequence[float], unfamiliar: bool, head_softmax: Sequence[float]
    ) -> EdgeDecision:
        """Return the decision for the classifier's probabilities; no connected model is asked offline.

        `head_softmax` is the output of reasons.onnx, empty without heads.
        """
        class_probabilities = dict(zip(self.options, probabilities, strict=True))
        choice, is_set_aside = choose_option(class_probabilities, self._set_aside)
        confidence = class_probabilities[choice]
        if unfamiliar or is_set_aside or choice in self._never_alone:
            escalate, fallback = True, self._fallback
        elif confidence >= self._auto_decide[choice]:
            escalate, fallback = False, None
        elif confidence >= self._escalation:
            escalate = self._between != "accept"
            fallback = self._fallback if self._between in ("fallback", "escalate") else None
        else:
            escalate, fallback = True, self._fallback
        decision = choice if fallback is None else fallback
        return EdgeDecision(
            decision=decision,
            confidence=class_probabilities[decision],
            classifier_choice=None if decision == choice else choice,
            classifier_probability=None if decision == choice else confidence,
            reason_codes=self._choose_codes(choice, head_softmax) if fallback is None else [],
            stage="classifier" if fallback is None else "fallback",
            class_probabilities=class_probabilities,
            rules_triggered=[],
            escalate=escalate,
            fallback_used=fallback is not None,
            unfamiliar=unfamiliar,
            policy_version=self._policy_version,
            digest=self._release,
            bundle_digest=self._bundle_digest,
        )

    def decide_without_classifier(self) -> EdgeDecision:
        """Return the fallback, certain of nothing: no rule matched, and rules alone decide."""
        if self._fallback is None:
            raise ValueError("A bundle of rules alone has a fallback option.")
        return EdgeDecision(
            decision=self._fallback,
            confidence=0.0,
            classifier_choice=None,
            classifier_probability=None,
            reason_codes=[],
            stage="fallback",
            class_probabilities=dict.fromkeys(self.options, 1 / len(self.options)),
            rules_triggered=[],
            escalate=True,
            fallback_used=True,
            unfamiliar=False,
            policy_version=self._policy_version,
            digest=self._release,
            bundle_digest=self._bundle_digest,
        )

    def _choose_codes(self, option: str, head_softmax: Sequence[float]) -> list[str]:
        """Return at most three codes: those that heads find likely, most probable first, then the option's others."""
        usual = self._reasons.get(option, [])
        if not self.heads:
            return usual[:_MAX_CODES]
        likely: list[tuple[float, str]] = []
        for (code, options), weight in zip(self.heads, head_softmax, strict=False):
            total = weight + head_softmax[-1]
            if option in options and total > 0 and weight / total >= _HEAD_THRESHOLD:
                likely.append((weight / total, code))
        learned = [code for _, code in sorted(likely, key=lambda pair: -pair[0])]
        with_head = {code for code, _ in self.heads}
        codes = [*learned, *(code for code in usual if code not in with_head)][:_MAX_CODES]
        return codes or usual[:1]


def _read_head(head: JsonObject) -> tuple[str, frozenset[str]]:
    expect_keys(head, {"code", "options"})
    options = frozenset(expect_strings(head["options"]))
    return expect_string(head["code"]), options

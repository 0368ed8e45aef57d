"""The sentence that tells why a decision was made, as the workbench writes it."""

from __future__ import annotations

from typing import Any

from .._decide import EdgeDecision, choose_option
from .._json import format_number


def explain(made: EdgeDecision, info: dict[str, Any]) -> str:
    """Return why; `info` is the predictor's. Of an unfamiliar input it does not tell what is unlike the examples."""
    if made.stage == "rules":
        return f"Rule «{made.rules_triggered[0]}» matched."
    if made.fallback_used and made.confidence == 0 and made.classifier_choice is None:
        return f"No rule matched, so the fallback «{made.decision}» was used."
    thresholds = info["confidence_thresholds"]
    option, is_set_aside = choose_option(made.class_probabilities, info["set_aside"] or ())
    auto = max(thresholds["auto_decide"], thresholds.get("by_option", {}).get(option, 0))
    escalation = thresholds["escalation"]
    is_never_alone = option in (info["never_alone"] or ())
    learned = "which it learned from few examples and never decides alone"
    chosen = made.confidence if made.classifier_probability is None else made.classifier_probability
    confidence = _format_confidence(chosen, auto, escalation)
    is_low = chosen < escalation
    missed = f"escalation threshold {_write(escalation)}" if is_low else f"automatic threshold {_write(auto)}"
    if made.fallback_used:
        why = (
            "something else is likelier, an answer that was set aside in training"
            if is_set_aside
            else f"the input is unlike the examples. The classifier thought «{option}», {chosen:.2f}"
            if made.unfamiliar
            else f"the classifier thought «{option}», {chosen:.2f}, {learned}"
            if is_never_alone
            else f"the classifier thought «{option}», {confidence}, below the {missed}"
        )
        return f"Sent to the fallback «{made.decision}» (confidence {made.confidence:.2f}): {why}."
    if is_set_aside:
        aside = "Something else is likelier, an answer that was set aside in training"
        known = f"«{option}» ({chosen:.2f}) is the likeliest of the others"
        return f"{aside}; {known}. No fallback is set, so it is flagged for review."
    if made.unfamiliar:
        doubt = f"The input is unlike the examples, so the choice «{option}» of the classifier is not relied on"
        return f"{doubt}; no fallback is set, so it is flagged for review."
    if is_never_alone:
        choice = f"The classifier chose «{option}» ({chosen:.2f}), {learned}"
        return f"{choice}; no fallback is set, so it is flagged for review."
    choice = f"The classifier chose «{option}» with confidence {confidence}"
    if chosen >= auto:
        return f"{choice}, at or above the automatic threshold {_write(auto)}."
    if is_low or info["escalation_policy"].get("between", "flag") not in ("accept", "flag"):
        return f"{choice}, below the {missed}; no fallback is set, so it is flagged for review."
    end = "it is flagged for review" if made.escalate else "such decisions are accepted"
    both = f"the escalation threshold {_write(escalation)} and the automatic threshold {_write(auto)}"
    return f"{choice}, between {both}; {end}."


def _format_confidence(confidence: float, *thresholds: float) -> str:
    """Write as few decimals, from 2, as keep the number on its side of both thresholds."""
    for digits in range(2, 8):
        text = f"{confidence:.{digits}f}"
        if all((float(text) >= threshold) == (confidence >= threshold) for threshold in thresholds):
            return text
    return _write(confidence)


def _write(number: float) -> str:
    return format_number(float(number))

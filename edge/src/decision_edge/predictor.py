"""The predictor: a bundle in, decisions out, no network."""

from __future__ import annotations

import os
from typing import Any

from ._bundle import ENCODER, TOKENIZER, Bundle, read_bundle
from ._classifier import Classifier
from ._decide import EdgeDecision, Settings
from ._errors import InvalidBundle
from ._familiarity import Familiarity
from ._features import TabularFeatures
from ._json import clean_input
from ._rules import RulesError, load_rules
from ._text import TextFeatures

__all__ = ["EdgePredictor"]


class EdgePredictor:
    """Decides offline from an exported bundle.

    >>> predictor = EdgePredictor.from_bundle("loan.zip")
    >>> result = predictor.predict({"loan": {"amount": 4}})
    >>> result.decision, result.stage, round(result.confidence, 2)
    ('approve', 'classifier', 0.98)
    >>> result.reason_codes
    ['SMALL', 'KNOWN']

    A predictor keeps no state between calls and may be used from several threads.
    """

    def __init__(self, bundle: Bundle) -> None:
        """Compile a checked bundle; use `from_bundle`."""
        manifest, plan = bundle.manifest, bundle.json("features.json")
        self._bundle = bundle
        self._settings = Settings(manifest, bundle.json("reasons.json"))
        try:
            self._rules = load_rules(bundle.json("rules.json"))
        except RulesError as error:
            raise InvalidBundle(str(error)) from error
        for rule in self._rules.rules:
            if rule.then not in self._settings.options:
                raise InvalidBundle(
                    f"rules.json: rule {rule.name!r} decides {rule.then!r}, which is none of the options"
                )
        if plan.get("format") != 1:
            raise InvalidBundle(f"features.json: format {plan.get('format')!r} is not known to this version")
        self._tabular = TabularFeatures(plan)
        text = plan.get("text")
        self._text: TextFeatures | None = None
        dense_size, ngram_size = self._tabular.size, 0
        if text is not None:
            encoder = bundle.bytes(ENCODER) if ENCODER in bundle else None
            self._text = TextFeatures(text, bundle.bytes(TOKENIZER), encoder)
            dense_size += self._text.encoder.size if self._text.encoder else 0
            ngram_size = self._text.ngrams.size if self._text.ngrams else 0
        self._familiarity: Familiarity | None = None
        if "familiarity.json" in bundle and self._settings.notices_unfamiliar:
            self._familiarity = Familiarity(bundle.json("familiarity.json"), plan, self._tabular.field_sizes)
        options = len(self._settings.options)
        self._classifier = Classifier(bundle.bytes("classifier.onnx"), dense_size, ngram_size, options)
        self._heads: Classifier | None = None
        if bool(self._settings.heads) != ("reasons.onnx" in bundle):
            raise InvalidBundle("reasons.json and reasons.onnx disagree about the heads")
        if self._settings.heads:
            outputs = len(self._settings.heads) + 1
            self._heads = Classifier(bundle.bytes("reasons.onnx"), dense_size, ngram_size, outputs, "reasons.onnx")

    @classmethod
    def from_bundle(
        cls, path: str | os.PathLike[str], *, text_model: str | os.PathLike[str] | None = None
    ) -> EdgePredictor:
        """Open a bundle; a slim one needs the folder with `encoder.int8.onnx` and `tokenizer.json` as `text_model`.

        Raises InvalidBundle (damaged, foreign, unsafe or unknown) or TextModelNeeded.
        """
        return cls(read_bundle(path, text_model))

    @property
    def info(self) -> dict[str, Any]:
        """What the bundle is: decision type, version, options, thresholds; a new dict."""
        manifest = self._bundle.manifest
        names = ("decision_type", "version", "policy_id", "policy_version", "options", "reason_codes")
        more = ("confidence_thresholds", "escalation_policy", "fallback_option", "created_at", "tool_version")
        return {name: manifest.get(name) for name in (*names, *more)}

    @property
    def uses_encoder(self) -> bool:
        """Whether a sentence embedding is part of the features."""
        return self._text is not None and self._text.encoder is not None

    def golden(self) -> list[dict[str, Any]]:
        """Return the bundle's golden vectors, `{input, output}` each."""
        return self._bundle.golden()

    def predict(self, input: dict[str, Any]) -> EdgeDecision:
        """Decide one input, which stays unchanged. Raises InvalidInput if it is not a plain JSON object."""
        values = clean_input(input)
        rule = self._rules.find_match(values)
        if rule is not None:
            return self._settings.by_rule(rule)
        dense = self._tabular.encode(values)
        ids: list[int] = []
        indices: list[int] = []
        weights: list[float] = []
        if self._text is not None:
            ids = self._text.tokens(values)
            if self._text.encoder is not None:
                dense += self._text.encoder.encode(ids)
            if self._text.ngrams is not None:
                indices, weights = self._text.ngrams.encode(ids)
        heads = [] if self._heads is None else self._heads.score(dense, indices, weights)
        strange = self._familiarity is not None and self._familiarity.is_unfamiliar(dense, ids)
        return self._settings.by_classifier(self._classifier.score(dense, indices, weights), strange, heads)

"""The predictor: a bundle in, decisions out, no network."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ._bundle import TOKENIZER, Bundle, BundleSource, name_source, read_bundle
from ._classifier import Classifier
from ._decide import EdgeDecision, Settings
from ._errors import InvalidBundle, InvalidInput
from ._familiarity import Familiarity
from ._features import TabularFeatures
from ._json import JsonObject, clean_input, expect_object, reading
from ._rules import RulesError, RuleSet, load_rules
from ._schema import InputSchema
from ._text import TextFeatures
from ._verify import Comparison, check_itself, iterate_comparisons
from ._zip import ADAPTERS, INT8_ENCODER

__all__ = ["EdgePredictor"]

_INFO = (
    "decision_type",
    "version",
    "policy_id",
    "policy_version",
    "options",
    "reason_codes",
    "confidence_thresholds",
    "escalation_policy",
    "fallback_option",
    "created_at",
    "tool_version",
    "format_version",
    "revision",
    "runtime",
)


class EdgePredictor:
    """Decides offline from an exported bundle.

    >>> predictor = EdgePredictor.from_bundle("loan.zip")
    >>> result = predictor.predict({"loan": {"amount": 4}})
    >>> result.decision, result.stage, round(result.confidence, 2)
    ('approve', 'classifier', 0.98)
    >>> result.reason_codes
    ['SMALL', 'KNOWN']

    A predictor keeps no state between calls and may be used from several threads. It can be pickled and copied.
    """

    def __init__(self, bundle: Bundle, notes: Sequence[str] = ()) -> None:
        """Compile a checked bundle; use `from_bundle`, which also lets it decide its golden vectors."""
        plan = bundle.json("features.json")
        self._bundle = bundle
        self._notes = tuple(notes)
        self._settings = Settings(bundle.manifest, bundle.digest, bundle.json("reasons.json"))
        self._rules = _load_rules(bundle, self._settings.options)
        self._schema = InputSchema(bundle.json("input_schema.json")) if "input_schema.json" in bundle else None
        self._tabular = TabularFeatures(plan)
        self._text = _load_text(bundle, plan)
        self._familiarity: Familiarity | None = None
        if "familiarity.json" in bundle:
            familiarity = Familiarity(bundle.json("familiarity.json"), plan, self._tabular.field_sizes)
            self._familiarity = familiarity if self._settings.notices_unfamiliar else None
        dense_size, ngram_size = self._tabular.size, 0
        if self._text is not None:
            dense_size += self._text.encoder.size if self._text.encoder else 0
            ngram_size = self._text.ngrams.size if self._text.ngrams else 0
        options, heads = len(self._settings.options), len(self._settings.heads)
        self._classifier: Classifier | None = None
        if bundle.manifest["classifier"] is not None:
            self._classifier = Classifier(bundle.bytes("classifier.onnx"), dense_size, ngram_size, options)
            kind = expect_object(bundle.manifest["classifier"])["kind"]
            if self._classifier.kind != kind:
                raise InvalidBundle(f"classifier.onnx is of kind {self._classifier.kind}, manifest.json says {kind}.")
        if bool(heads) != ("reasons.onnx" in bundle):
            raise InvalidBundle("reasons.json and reasons.onnx disagree about the heads.")
        self._heads: Classifier | None = None
        if heads:
            graph = bundle.bytes("reasons.onnx")
            self._heads = Classifier(graph, dense_size, ngram_size, heads + 1, "reasons.onnx")
            if self._heads.kind != "logistic":
                raise InvalidBundle("reasons.onnx is not of kind logistic.")

    @classmethod
    def from_bundle(cls, source: BundleSource, *, text_model: str | os.PathLike[str] | None = None) -> EdgePredictor:
        """Open a bundle: a path, its bytes or a binary file object, which stays open.

        A slim one needs the folder with `encoder.onnx` and `tokenizer.json` as `text_model`. Raises InvalidBundle
        (damaged, foreign, unsafe, unknown, or its golden vectors are decided otherwise here) or TextModelNeeded; the
        message begins with the name of the file.
        """
        try:
            bundle = read_bundle(source, text_model)
            predictor = cls(bundle)
            predictor._notes = tuple(check_itself(predictor, bundle))
            return predictor
        except InvalidBundle as error:
            error.source = name_source(source)
            raise

    def __reduce__(self) -> tuple[type[EdgePredictor], tuple[Bundle, tuple[str, ...]]]:
        """Pickle the checked bundle; whoever unpickles it compiles it anew."""
        return type(self), (self._bundle, self._notes)

    @property
    def info(self) -> dict[str, Any]:
        """What the bundle is: decision type, version, options, thresholds, digest, notes; a new dict."""
        settings = {name: self._bundle.manifest.get(name) for name in _INFO}
        return {**settings, "bundle_digest": self._bundle.digest, "notes": list(self._notes)}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user of the bundle should know: an older format, an encoder that computes other numbers here."""
        return self._notes

    @property
    def uses_encoder(self) -> bool:
        """Whether a sentence embedding is part of the features."""
        return self._text is not None and self._text.encoder is not None

    @property
    def is_exact(self) -> bool:
        """Whether every machine gives the workbench's numbers: not with the int8 encoder of earlier bundles."""
        return self._bundle.encoder_entry != INT8_ENCODER

    def golden(self) -> list[dict[str, Any]]:
        """Return the bundle's golden vectors, `{input, output}` each."""
        return list(self._bundle.iterate_golden())

    def verify(self) -> list[Comparison]:
        """Decide every golden vector and compare it with what the workbench decided."""
        return list(iterate_comparisons(self, self._bundle))

    def predict(self, input: dict[str, Any]) -> EdgeDecision:
        """Decide one input, which stays unchanged.

        Raises InvalidInput if it is not a plain JSON object, or does not fit the bundle's input schema.
        """
        values = self._accept(input)
        decided = self._decide_by_rules(values)
        if decided is not None:
            return decided
        ids = self._tokenize(values)
        embedding = self._text.encoder.encode(ids) if self._text and self._text.encoder else []
        return self._classify(values, ids, embedding)

    def predict_many(self, inputs: Iterable[dict[str, Any]]) -> list[EdgeDecision]:
        """Decide many inputs: the same decisions as one by one, with texts encoded in batches, which is faster.

        Raises InvalidInput for the first input that `predict` would refuse; its message begins with the input's index.
        """
        decisions: list[EdgeDecision | None] = []
        waiting: list[tuple[int, JsonObject, list[int]]] = []
        for index, input in enumerate(inputs):
            try:
                values = self._accept(input)
            except InvalidInput as error:
                raise InvalidInput(f"Input {index}: {error}") from error
            decisions.append(self._decide_by_rules(values))
            if decisions[-1] is None:
                waiting.append((index, values, self._tokenize(values)))
        embeddings: list[list[float]] = [[]] * len(waiting)
        if self._text is not None and self._text.encoder is not None:
            embeddings = self._text.encoder.encode_many([ids for _, _, ids in waiting])
        for (index, values, ids), embedding in zip(waiting, embeddings, strict=True):
            decisions[index] = self._classify(values, ids, embedding)
        return [decision for decision in decisions if decision is not None]

    def _accept(self, input: dict[str, Any]) -> JsonObject:
        values = clean_input(input)
        if self._schema is not None:
            self._schema.check(values)
        return values

    def _decide_by_rules(self, values: JsonObject) -> EdgeDecision | None:
        rule = self._rules.find_match(values)
        return None if rule is None else self._settings.decide_by_rule(rule)

    def _tokenize(self, values: JsonObject) -> list[int]:
        return [] if self._text is None else self._text.tokenize(values)

    def _classify(self, values: JsonObject, ids: list[int], embedding: list[float]) -> EdgeDecision:
        if self._classifier is None:
            return self._settings.decide_without_classifier()
        dense = self._tabular.encode(values) + embedding
        indices: list[int] = []
        weights: list[float] = []
        if self._text is not None and self._text.ngrams is not None:
            indices, weights = self._text.ngrams.encode(ids)
        heads = [] if self._heads is None else self._heads.score(dense, indices, weights)
        is_unfamiliar = self._familiarity is not None and self._familiarity.is_unfamiliar(dense, ids)
        probabilities = self._classifier.score(dense, indices, weights)
        return self._settings.decide_by_classifier(probabilities, is_unfamiliar, heads)


def _load_rules(bundle: Bundle, options: list[str]) -> RuleSet:
    try:
        rules = load_rules(bundle.json("rules.json"))
    except RulesError as error:
        raise InvalidBundle(str(error)) from error
    for rule in rules.rules:
        if rule.then not in options:
            raise InvalidBundle(f"rules.json: rule {rule.name!r} decides {rule.then!r}, which is none of the options.")
    return rules


def _load_text(bundle: Bundle, plan: JsonObject) -> TextFeatures | None:
    if plan.get("text") is None:
        return None
    with reading("features.json: text"):
        text = expect_object(plan["text"])
    encoder = bundle.encoder_entry
    return TextFeatures(
        text,
        bundle.bytes(TOKENIZER),
        None if encoder is None else bundle.bytes(encoder),
        bundle.bytes(ADAPTERS) if ADAPTERS in bundle else None,
    )

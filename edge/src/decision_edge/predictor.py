"""The predictor: a bundle in, decisions out, no network."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._bundle import Bundle, BundleSource, name_source, read_bundle
from ._bundle.zip import ADAPTERS, ENCODER, TOKENIZER
from ._decide import EdgeDecision, Settings
from ._errors import InvalidBundle, InvalidInput
from ._fields import EdgeField, Fields, describe_lost
from ._inputs import Part, Row, Rows, clean_input, iterate_parts, to_plain
from ._json import JsonObject, expect_list, expect_object, reading
from ._model.classifier import Classifier
from ._model.columns import Batch
from ._model.familiarity import Familiarity
from ._model.features import TabularFeatures
from ._model.shared import give_memory_back
from ._model.text import ReadText, TextFeatures
from ._reading import Readings
from ._rules import RulesError, RuleSet, load_rules
from ._verify import check_itself, iterate_differences

if TYPE_CHECKING:
    from ._schema import InputSchema

__all__ = ["EdgePredictor"]

# Called with an input as a dict, and its decision.
OnDecision: TypeAlias = "Callable[[dict[str, object], EdgeDecision], None]"
_log = logging.getLogger("decision_edge")
_MAX_LOGGED = 5
_BATCH_ROWS = 1_000
_INFO = (
    "decision_type",
    "version",
    "policy_id",
    "policy_version",
    "options",
    "set_aside",
    "never_alone",
    "reason_codes",
    "confidence_thresholds",
    "escalation_policy",
    "fallback_option",
    "created_at",
    "tool_version",
    "format_version",
    "revision",
    "runtime",
    "readings",
    "pii_fields",
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

    def __init__(self, bundle: Bundle, on_decision: OnDecision | None = None) -> None:
        """Compile a checked bundle; use `from_bundle`, which also lets it decide its golden vectors."""
        plan = bundle.json("features.json")
        self._bundle = bundle
        self._on_decision = on_decision
        self._settings = Settings(bundle.manifest, bundle.release, bundle.digest, bundle.json("reasons.json"))
        self._rules = _load_rules(bundle, self._settings.options)
        schema = bundle.json("input_schema.json") if "input_schema.json" in bundle else {}
        self._schema = _load_schema(schema) if schema else None
        self._tabular = TabularFeatures(plan)
        self._text = _load_text(bundle, plan)
        self._familiarity: Familiarity | None = None
        ranges: Sequence[Sequence[float]] = ()
        if "familiarity.json" in bundle:
            familiarity = Familiarity(bundle.json("familiarity.json"), plan, self._tabular.field_sizes)
            self._familiarity = familiarity if self._settings.notices_unfamiliar else None
            ranges = familiarity.ranges
        self._readings = Readings(expect_list(bundle.manifest.get("readings", [])))
        self._fields = Fields(
            plan,
            bundle.json("rules.json"),
            schema,
            bundle.manifest.get("fields"),
            self._tabular.field_sizes,
            ranges,
            self._readings,
        )
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
        if self._text is not None:
            give_memory_back()

    @classmethod
    def from_bundle(
        cls,
        source: BundleSource,
        *,
        text_model: str | os.PathLike[str] | None = None,
        on_decision: OnDecision | None = None,
    ) -> EdgePredictor:
        """Open a bundle: a path, its bytes or a binary file object, which stays open.

        A slim one needs the folder with `encoder.onnx` and `tokenizer.json` as `text_model`. `on_decision` is called
        with every decision and the input as a dict, once that is decided; what it raises reaches the caller.
        It is pickled with the predictor. Raises InvalidBundle (damaged, foreign, unsafe, unknown, or its golden vectors
        are decided otherwise here) or TextModelNeeded; the message begins with the name of the file.
        """
        try:
            bundle = read_bundle(source, text_model)
            predictor = cls(bundle)
            check_itself(predictor._decide, bundle)
            predictor._on_decision = on_decision
            return predictor
        except InvalidBundle as error:
            error.source = name_source(source)
            raise

    def __reduce__(self) -> tuple[type[EdgePredictor], tuple[Bundle, OnDecision | None]]:
        """Pickle the checked bundle; unpickling compiles it again."""
        return type(self), (self._bundle, self._on_decision)

    @property
    def info(self) -> dict[str, Any]:
        """Describe the bundle: decision type, version, options, thresholds, fields, digests; a new dict."""
        settings = {name: self._bundle.manifest.get(name) for name in _INFO}
        fields = [asdict(field) for field in self.fields]
        digests = {"digest": self._bundle.release, "bundle_digest": self._bundle.digest}
        return {**settings, "fields": fields, **digests}

    @property
    def model_card(self) -> str:
        """The policy in plain words, as Markdown."""
        return self._bundle.bytes("model-card.md").decode("utf-8")

    @property
    def fields(self) -> tuple[EdgeField, ...]:
        """The fields that the policy reads, or that its input schema names."""
        return self._fields.listed

    @property
    def options(self) -> list[str]:
        """The possible decisions; a new list."""
        return list(self._settings.options)

    def golden(self) -> list[dict[str, Any]]:
        """Return the bundle's golden vectors, `{input, output}` each."""
        return list(self._bundle.iterate_golden())

    def verify(self) -> list[list[str]]:
        """Decide every golden vector; return for each a sentence for every difference from the workbench."""
        return list(iterate_differences(self._decide, self._bundle))

    def predict(self, input: Row, *, strict: bool = False) -> EdgeDecision:
        """Decide one input, which stays unchanged: a mapping, or a row of a DataFrame.

        What the policy does not read is reported in the decision's `unread`. Raises InvalidInput if the input holds
        what JSON cannot hold, does not fit the bundle's input schema or, with `strict`, holds what is not read.
        """
        decision = self._decide(input, strict)
        self._tell(input, decision)
        return decision

    def _decide(self, input: Row, strict: bool = False) -> EdgeDecision:
        values, unread = self._accept(input, strict)
        failed: list[dict[str, str]] = []
        decision = self._decide_by_rules(values, failed) or self._classify(values)
        return replace(decision, unread=unread, rule_errors=failed) if unread or failed else decision

    def _tell(self, input: Row, decision: EdgeDecision) -> None:
        """Name a decision to the log, without its input, and to the caller."""
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("Decided %s by %s with confidence %.4f.", decision.decision, decision.stage, decision.confidence)
        if self._on_decision is not None:
            self._on_decision(to_plain(input, self._fields.places), decision)

    def predict_many(self, inputs: Rows, *, strict: bool = False) -> list[EdgeDecision]:
        """Decide many inputs: the same decisions as one by one, computed in batches, which is faster.

        Of a table (pandas, pyarrow, Polars, DuckDB), dotted columns are nested (`stay.adults`) and empty cells left
        out, so the file that the policy learned from can be given as it is read. The logger `decision_edge` warns once
        of what is not read. Raises InvalidInput for the first input that `predict` would refuse; its message begins
        with the input's index.
        """
        decisions: list[EdgeDecision] = []
        counts: Counter[str] = Counter()
        unread_rows = 0
        for part in iterate_parts(inputs, _BATCH_ROWS, self._fields.places):
            batch, rows = self._accept_part(part, strict)
            decisions += self._decide_part(part, batch, rows)
            unread_rows += len(batch.unread)
            counts.update(chain.from_iterable(batch.unread.values()))
        if counts:
            listed = "; ".join(f"{sentence} ({count} times)" for sentence, count in counts.most_common(_MAX_LOGGED))
            message = "%d of %d inputs hold what the policy does not read: %s."
            _log.warning(message, unread_rows, len(decisions), listed)
        return decisions

    def predict_each(self, inputs: Rows, *, strict: bool = False) -> list[EdgeDecision | InvalidInput]:
        """Decide many inputs as `predict_many` does; where one is refused, its InvalidInput stands in its place.

        Up to 1,000 inputs around a refused one are decided one by one, which is slower. Of what is not read only the
        decisions tell.
        """
        decided: list[EdgeDecision | InvalidInput] = []
        for part in iterate_parts(inputs, _BATCH_ROWS, self._fields.places):
            try:
                batch, rows = self._accept_part(part, strict)
                decided += self._decide_part(part, batch, rows)
            except InvalidInput:
                decided += [self._try(row, strict) for row in part.rows]
        return decided

    def _try(self, input: Row, strict: bool) -> EdgeDecision | InvalidInput:
        try:
            return self.predict(input, strict=strict)
        except InvalidInput as error:
            return error

    def _decide_part(self, part: Part, batch: Batch, rows: list[JsonObject]) -> list[EdgeDecision]:
        failed: list[list[dict[str, str]]] = [[] for _ in rows]
        decisions = self._decide_batch(batch, rows, failed)
        for row, errors in enumerate(failed):
            if errors:
                decisions[row] = replace(decisions[row], rule_errors=errors)
        for row, unread in batch.unread.items():
            decisions[row] = replace(decisions[row], unread=unread)
        if self._on_decision is not None or _log.isEnabledFor(logging.DEBUG):
            for input, decision in zip(part.rows, decisions, strict=True):
                self._tell(input, decision)
        return decisions

    def _accept_part(self, part: Part, strict: bool) -> tuple[Batch, list[JsonObject]]:
        """Return some inputs as columns and, where rules or a schema read them, as checked rows."""
        # A batch only finds that an input is to be refused; which one, and where in it, is said one by one.
        with suppress(InvalidInput):
            rows: list[JsonObject] = []
            if self._rules.rules or self._schema is not None or not part.is_plain:
                checked = [self._check(row) for row in part.rows]
                rows = [values for values, _ in checked]
                batch = Batch.of_rows(rows, self._fields)
                batch.note_first({row: misread for row, (_, misread) in enumerate(checked) if misread})
            else:
                batch = Batch.of_part(part, self._fields)
            if not (strict and batch.unread):
                return batch, rows
        for index, row in enumerate(part.rows, part.start):
            try:
                self._accept(row, strict)
            except InvalidInput as error:
                raise InvalidInput(f"Input {index}: {error}") from error
        raise AssertionError("A batch was refused whose inputs are not.")

    def _decide_batch(
        self, batch: Batch, rows: list[JsonObject], failed: list[list[dict[str, str]]]
    ) -> list[EdgeDecision]:
        by_rule = list(map(self._decide_by_rules, rows, failed)) or [None] * batch.size
        waiting = [row for row, decision in enumerate(by_rule) if decision is None]
        if self._classifier is None:
            return [decision or self._settings.decide_without_classifier() for decision in by_rule]
        if not waiting:
            return [decision for decision in by_rule if decision is not None]
        dense = self._tabular.encode_columns(batch.find_column, batch.size)[waiting]
        texts: list[ReadText] = []
        ngrams: list[tuple[list[int], list[float]]] = [([], []) for _ in waiting]
        if self._text is not None:
            texts = self._text.read_rows(batch.find_column, waiting)
            ngrams = [self._text.weigh(text) for text in texts]
            if self._text.encoder is not None:
                dense = np.hstack([dense, self._text.encoder.encode_many([text.ids for text in texts])])
        scored = self._classifier.score_rows(dense, ngrams)
        heads = [[]] * len(waiting) if self._heads is None else self._heads.score_rows(dense, ngrams)
        unfamiliar = [False] * len(waiting)
        if self._familiarity is not None:
            unfamiliar = self._familiarity.find_unfamiliar(dense, [text.units for text in texts])
        decided = map(self._settings.decide_by_classifier, scored, unfamiliar, heads)
        return [next(decided) if decision is None else decision for decision in by_rule]

    def _accept(self, input: Row, strict: bool) -> tuple[JsonObject, list[str]]:
        """Return a checked input, and its parts that the policy does not read."""
        values, misread = self._check(input)
        unread = [*misread, *self._fields.find_unread(values)]
        if unread and strict:
            raise InvalidInput(f"{unread[0]}. Correct it or leave it out; the predictor's `fields` are what it reads.")
        return values, unread

    def _check(self, input: Row) -> tuple[JsonObject, list[str]]:
        """Return an input as it is read, once the schema takes it, and a sentence for each value read as another."""
        lost: list[str] = []
        values, misread = self._readings.read(clean_input(input, self._fields.places, lost))
        if self._schema is not None:
            self._schema.check(values)
        return values, [*describe_lost(lost), *misread]

    def _decide_by_rules(self, values: JsonObject, failed: list[dict[str, str]]) -> EdgeDecision | None:
        rule = self._rules.find_match(values, failed)
        return None if rule is None else self._settings.decide_by_rule(rule)

    def _classify(self, values: JsonObject) -> EdgeDecision:
        if self._classifier is None:
            return self._settings.decide_without_classifier()
        dense = self._tabular.encode(values)
        units: Sequence[int | str] = []
        indices: list[int] = []
        weights: list[float] = []
        if self._text is not None:
            text = self._text.read(values)
            units = text.units
            indices, weights = self._text.weigh(text)
            if self._text.encoder is not None:
                dense += self._text.encoder.encode(text.ids)
        heads = [] if self._heads is None else self._heads.score(dense, indices, weights)
        unfamiliar = self._familiarity is not None and self._familiarity.is_unfamiliar(dense, units)
        probabilities = self._classifier.score(dense, indices, weights)
        return self._settings.decide_by_classifier(probabilities, unfamiliar, heads)


def _load_rules(bundle: Bundle, options: list[str]) -> RuleSet:
    try:
        rules = load_rules(bundle.json("rules.json"))
    except RulesError as error:
        raise InvalidBundle(str(error)) from error
    for rule in rules.rules:
        if rule.then not in options:
            raise InvalidBundle(f"rules.json: rule {rule.name!r} decides {rule.then!r}, which is none of the options.")
    return rules


def _load_schema(schema: JsonObject) -> InputSchema:
    from ._schema import InputSchema  # Loads jsonschema, which other bundles do not need.

    return InputSchema(schema)


def _load_text(bundle: Bundle, plan: JsonObject) -> TextFeatures | None:
    if plan.get("text") is None:
        return None
    with reading("features.json: text"):
        text = expect_object(plan["text"])
    return TextFeatures(
        text,
        bundle.text_file(TOKENIZER) if TOKENIZER in bundle else None,
        bundle.text_file(ENCODER) if ENCODER in bundle else None,
        bundle.bytes(ADAPTERS) if ADAPTERS in bundle else None,
    )

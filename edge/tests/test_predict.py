"""A program decides with a bundle."""

from __future__ import annotations

import copy
import doctest
import gc
import hashlib
import json
import logging
import math
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnxruntime
import pytest

from decision_edge import EdgeDecision, EdgePredictor, InvalidBundle, InvalidInput
from tiny_bundle import classifier, probabilities

ENCODER_FILES = ("encoder.onnx", "tokenizer.json")


def decide(path: Any, amount: float) -> Any:
    return EdgePredictor.from_bundle(path).predict({"loan": {"amount": amount}})


def test_a_sure_decision(make_bundle: Any) -> None:
    """The six fields of a decision and what goes with them [EDG-2]."""
    result = decide(make_bundle(), 4)
    assert result.decision == "approve"
    assert result.stage == "classifier"
    assert result.reason_codes == ["SMALL", "KNOWN"]
    assert result.rules_triggered == []
    assert (result.escalate, result.fallback_used) == (False, False)
    assert list(result.class_probabilities) == ["approve", "review", "reject"]
    assert list(result.class_probabilities.values()) == pytest.approx(probabilities(4), abs=1e-6)
    assert result.confidence == result.class_probabilities["approve"]
    assert result.to_dict()["decision"] == "approve"


def test_the_documented_example_is_true(make_bundle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_bundle()
    path.rename(path.with_name("loan.zip"))
    monkeypatch.chdir(path.parent)
    finder = doctest.DocTestFinder()
    (example,) = (
        found for found in finder.find(EdgePredictor, globs={"EdgePredictor": EdgePredictor}) if found.examples
    )
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_result_cannot_be_changed_and_shares_nothing(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle())
    first = predictor.predict({"loan": {"amount": 4}})
    with pytest.raises(AttributeError):
        first.decision = "reject"  # type: ignore[misc]
    first.reason_codes.append("MINE")
    first.to_dict()["class_probabilities"].clear()
    second = predictor.predict({"loan": {"amount": 4}})
    assert second.reason_codes == ["SMALL", "KNOWN"]
    assert len(first.class_probabilities) == 3


@pytest.mark.parametrize(("own", "escalate"), [(0.86, False), (0.87, True), (0.1, False)])
def test_a_threshold_of_an_option(make_bundle: Any, own: float, escalate: bool) -> None:
    """It counts where it is the higher one, and for no other option [CST-7]."""
    thresholds = {"auto_decide": 0.85, "escalation": 0.6, "by_option": {"approve": own}}
    predictor = EdgePredictor.from_bundle(make_bundle(confidence_thresholds=thresholds))
    result = predictor.predict({"loan": {"amount": 2}})
    assert 0.86 < result.confidence < 0.87
    assert (result.decision, result.escalate) == ("approve", escalate)
    assert not predictor.predict({"loan": {"amount": -2}}).escalate


@pytest.mark.parametrize(
    ("between", "fallback", "decision", "stage", "escalate"),
    [
        ("accept", "review", "approve", "classifier", False),
        ("flag", "review", "approve", "classifier", True),
        ("fallback", "review", "review", "fallback", True),
        ("escalate", "review", "review", "fallback", True),
        ("fallback", None, "approve", "classifier", True),
        ("escalate", None, "approve", "classifier", True),
    ],
)
def test_between_the_thresholds(
    make_bundle: Any, between: str, fallback: str | None, decision: str, stage: str, escalate: bool
) -> None:
    """No stage but classifier and fallback, even where a connected model would be asked [EDG-3]."""
    result = decide(make_bundle(escalation_policy={"between": between}, fallback_option=fallback), 1)
    assert result.confidence == result.class_probabilities[decision]
    chosen = result.confidence if decision == "approve" else result.classifier_probability
    assert chosen is not None
    assert 0.6 < chosen < 0.85
    assert result.classifier_choice == (None if decision == "approve" else "approve")
    assert (result.decision, result.stage, result.escalate) == (decision, stage, escalate)
    assert result.fallback_used == (stage == "fallback")
    assert result.reason_codes == ([] if stage == "fallback" else ["SMALL", "KNOWN"])
    assert result.class_probabilities["approve"] == chosen


@pytest.mark.parametrize(
    ("fallback", "decision", "stage"), [("reject", "reject", "fallback"), (None, "approve", "classifier")]
)
def test_below_the_escalation_threshold(make_bundle: Any, fallback: str | None, decision: str, stage: str) -> None:
    result = decide(make_bundle(fallback_option=fallback, escalation_policy={"between": "accept"}), 0.2)
    assert (result.decision, result.stage, result.escalate) == (decision, stage, True)


@pytest.mark.parametrize(
    ("amount", "fallback", "decision", "escalate"),
    [
        (3, None, "reject", True),
        (3, "review", "review", True),
        (3, "approve", "approve", True),
        (-3, "review", "reject", False),
        # approve and review together are likelier than reject, though neither is alone.
        (-0.4, None, "reject", True),
    ],
)
def test_options_that_were_set_aside_are_not_answered(
    make_bundle: Any, amount: float, fallback: str | None, decision: str, escalate: bool
) -> None:
    """Where they are likelier together, the fallback answers or the likeliest other, at any confidence [TRN-22]."""
    thresholds = {"auto_decide": 0.0001, "escalation": 0.0001}
    settings = {"set_aside": ["approve", "review"], "fallback_option": fallback, "confidence_thresholds": thresholds}
    bundle = make_bundle(lambda entries: entries.update({"golden.jsonl": b""}), **settings)
    result = decide(bundle, amount)
    assert (result.decision, result.escalate, result.fallback_used) == (decision, escalate, escalate and bool(fallback))
    assert result.confidence == result.class_probabilities[result.decision]


@pytest.mark.parametrize(("fallback", "decision"), [(None, "approve"), ("review", "review")])
def test_an_option_that_was_learned_from_few_examples_is_never_decided_alone(
    make_bundle: Any, fallback: str | None, decision: str
) -> None:
    """It is suggested, or the fallback answers, at any confidence; others are decided as before [TRN-20]."""
    thresholds = {"auto_decide": 0.0001, "escalation": 0.0001}
    settings = {"never_alone": ["approve"], "fallback_option": fallback, "confidence_thresholds": thresholds}
    bundle = make_bundle(lambda entries: entries.update({"golden.jsonl": b""}), **settings)
    result = decide(bundle, 3)
    assert (result.decision, result.escalate, result.fallback_used) == (decision, True, fallback is not None)
    assert result.confidence == result.class_probabilities[decision]
    assert decide(bundle, -3).escalate is False


def test_ties_go_to_the_first_option(make_bundle: Any) -> None:
    assert decide(make_bundle(), 0).decision == "approve"


def test_missing_values_take_the_median(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle())
    expected = predictor.predict({"loan": {"amount": 0}})
    for odd in ({}, {"loan": None}, {"loan": []}, {"loan": {"amount": "4"}}, {"loan": {"amount": True}}):
        assert predictor.predict(odd) == expected


def test_whole_and_broken_numbers_are_the_same(make_bundle: Any) -> None:
    assert decide(make_bundle(), 2) == decide(make_bundle(), 2.0)


def test_the_input_is_not_changed(make_bundle: Any) -> None:
    values = {"loan": {"amount": 3, "tags": ["a", 1, None, True]}, "more": [{"x": 1}]}
    before = copy.deepcopy(values)
    EdgePredictor.from_bundle(make_bundle()).predict(values)
    assert values == before
    assert type(values["loan"]["amount"]) is int  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (None, "must be a JSON object"),
        ([{"loan": 1}], "must be a JSON object .* not list"),
        ("text", "not str"),
        ({"a": {"b": [1, math.nan]}}, r"input\.a\.b\[1\] is not a finite number"),
        ({"a": math.inf}, "not a finite number"),
        ({"a": 10**400}, "not a finite number"),
        ({"a": "x\x00y"}, "NUL"),
        ({"a\x00": 1}, "NUL"),
        ({"a": "\ud800"}, "surrogate"),
        ({1: "x"}, "not a string"),
        ({"a": {1, 2}}, "type set"),
        ({"a": b"x"}, "type bytes"),
        (dict.fromkeys(map(str, range(2_001)), 1), r"input has more than 2,000 keys"),
        ({"a": [dict.fromkeys(map(str, range(2_001)), 1)]}, r"input\.a\[0\] has more than 2,000 keys"),
    ],
)
def test_what_is_no_json_object_is_refused(make_bundle: Any, values: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        EdgePredictor.from_bundle(make_bundle()).predict(values)


def test_nesting_without_end_is_refused(make_bundle: Any) -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(InvalidInput, match="deeper than 32"):
        EdgePredictor.from_bundle(make_bundle()).predict(endless)


CONTEXT: dict[str, Any] = {"k": "var", "name": "ctx", "at": [0, 3]}


def rule(name: str, then: str, reason_code: str | None, ast: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "condition": "…", "then": then, "reason_code": reason_code, "priority": 100, "ast": ast}


def big_loan() -> list[dict[str, Any]]:
    """Two rules: ctx.loan.amount > 1000 rejects, has(ctx.vip) approves."""
    loan = {"k": "get", "of": CONTEXT, "field": "loan", "at": [0, 8]}
    amount = {"k": "get", "of": loan, "field": "amount", "at": [0, 15]}
    limit = {"k": "lit", "v": 1000, "at": [18, 22]}
    more = {"k": "op", "op": ">", "left": amount, "right": limit, "at": [0, 22]}
    vip = {"k": "has", "of": CONTEXT, "field": "vip", "at": [0, 12]}
    return [rule("too much", "reject", "BLOCKED", more), rule("vip", "approve", None, vip)]


def test_expression_rules_need_no_extra(make_bundle: Any) -> None:
    """In a process of its own that finds neither the extras' libraries nor what only schemas need [EDG-7]."""
    path = make_bundle(lambda entries: entries["rules.json"].update(rules=big_loan()))
    program = (
        "import sys; sys.path = sys.argv[2:]; "
        "sys.modules.update(re2=None, mcp=None, jsonschema=None); "
        "from decision_edge import EdgePredictor; "
        "predictor = EdgePredictor.from_bundle(sys.argv[1]); "
        "print(predictor.predict({'loan': {'amount': 1001}}).stage, predictor.predict({'loan': {'amount': 1}}).stage)"
    )
    command = [sys.executable, "-c", program, path, *sys.path]
    decided = subprocess.run(command, check=True, capture_output=True, text=True)
    assert decided.stdout.split() == ["rules", "classifier"]


def test_rules_decide_first_and_for_certain(make_bundle: Any) -> None:
    path = make_bundle(lambda entries: entries["rules.json"].update(rules=big_loan()), fallback_option="review")
    predictor = EdgePredictor.from_bundle(path)
    result = predictor.predict({"loan": {"amount": 1001}, "vip": True})
    assert result.to_dict() == {
        "decision": "reject",
        "confidence": 1.0,
        "classifier_choice": None,
        "classifier_probability": None,
        "reason_codes": ["BLOCKED"],
        "stage": "rules",
        "class_probabilities": {"approve": 0.0, "review": 0.0, "reject": 1.0},
        "rules_triggered": ["too much"],
        "escalate": False,
        "fallback_used": False,
        "unfamiliar": False,
        "policy_version": "v3",
        "digest": predictor.info["digest"],
        "bundle_digest": predictor.info["bundle_digest"],
        "unread": [],
        "rule_errors": [],
    }
    with pytest.raises(TypeError, match="unhashable type: 'EdgeDecision'"):
        hash(result)
    # The first rule fails where there is no loan: it does not match and the next one is tried.
    result = predictor.predict({"vip": None})
    assert (result.decision, result.rules_triggered, result.reason_codes) == ("approve", ["vip"], [])
    assert result.rule_errors == [{"name": "too much", "error": "missing_field"}]
    odd = {"loan": {"amount": "much"}}
    for made in (predictor.predict(odd), *predictor.predict_many([odd, odd])):
        assert made.rule_errors[0] == {"name": "too much", "error": "type_mismatch"}
    for inputs in ([{"__proto__": 1}], pytest.importorskip("pandas").DataFrame({"__proto__": [1]})):
        with pytest.raises(InvalidInput, match=r'"__proto__", which is not allowed'):
            predictor.predict_many(inputs)
    assert predictor.predict({"loan": {"amount": 1000}}).stage == "classifier"


def test_a_rule_for_an_unknown_option_is_refused(make_bundle: Any) -> None:
    rules = [{**big_loan()[0], "then": "nobody"}]
    with pytest.raises(InvalidBundle, match="'too much' decides 'nobody'"):
        EdgePredictor.from_bundle(make_bundle(lambda entries: entries["rules.json"].update(rules=rules)))


def test_the_fields_that_are_read_and_what_is_not(make_bundle: Any, caplog: pytest.LogCaptureFixture) -> None:
    def change(entries: dict[str, Any]) -> None:
        entries["rules.json"].update(rules=big_loan())
        entries["features.json"]["left_out"] = [{"path": "loan.id", "reason": "It is an identifier."}]
        day = {"path": ["day"], "kind": "date", "mean": 0.0, "std": 1.0}
        entries["features.json"]["fields"].append(day)
        entries["features.json"]["tabular_size"] = 10
        entries["classifier.onnx"] = classifier([[1, 0, -1], *([[0, 0, 0]] * 9)], [], [0, 0, 0])
        ends = [0.0] * 9
        entries["familiarity.json"] = {
            "words": None,
            "embedding": None,
            "fields": {"low": [-5, *ends], "high": [5, *ends], "most": 2},
        }
        properties = {"loan": {"properties": {"amount": {"type": ["number", "string"]}}, "required": ["amount"]}}
        entries["input_schema.json"] = {"properties": {**properties, "note": {}}}

    predictor = EdgePredictor.from_bundle(make_bundle(change))
    amount, *others = predictor.fields
    assert (amount.path, amount.kind, amount.required, amount.range) == ("loan.amount", "number", True, (-5.0, 5.0))
    assert [(field.path, field.kind) for field in others] == [("day", "date"), ("note", "any"), ("vip", "any")]
    assert [field["path"] for field in predictor.info["fields"]] == ["loan.amount", "day", "note", "vip"]

    right = {"loan": {"amount": 4, "id": 7}, "day": "2026-01-31", "note": [1], "vip": None}
    assert predictor.predict(right, strict=True).unread == []
    wrong = {"loan": {"amount": "12"}, "day": "soon", "hotl": 1, "loan.amount": 4}
    sentences = [
        "'loan.amount' must be a number",
        "'day' must be an ISO 8601 date",
        "'hotl' is no field of the policy",
        "'loan.amount' is no field of the policy; nest it, or give the table itself",
    ]
    assert predictor.predict(wrong).unread == sentences
    with caplog.at_level(logging.WARNING, "decision_edge"):
        assert [decision.unread for decision in predictor.predict_many([wrong, right, wrong])] == [
            sentences,
            [],
            sentences,
        ]
    (message,) = caplog.messages
    assert message.startswith(
        "2 of 3 inputs hold what the policy does not read: 'loan.amount' must be a number (2 times);"
    )
    with pytest.raises(InvalidInput, match=r"Input 1: 'loan\.amount' must be a number\. Correct it or leave it out"):
        predictor.predict_many([right, wrong], strict=True)


def test_no_field_is_unknown_to_a_rule_that_reads_the_whole_input(make_bundle: Any) -> None:
    any_key = {"k": "op", "op": "in", "left": {"k": "lit", "v": "x", "at": [0, 3]}, "right": CONTEXT, "at": [0, 10]}
    path = make_bundle(lambda entries: entries["rules.json"].update(rules=[rule("any", "reject", None, any_key)]))
    assert EdgePredictor.from_bundle(path).predict({"hotl": 1}, strict=True).unread == []


def test_many_rows_are_scored_in_one_run(make_bundle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle())
    inputs = [{"loan": {"amount": amount / 10}} for amount in range(-50, 50)]
    alone = [predictor.predict(values) for values in inputs]
    runs: list[object] = []
    run = onnxruntime.InferenceSession.run
    monkeypatch.setattr(onnxruntime.InferenceSession, "run", lambda *given: runs.append(given) or run(*given))
    for one, other in zip(alone, predictor.predict_many(inputs), strict=True):
        assert (one.decision, one.stage) == (other.decision, other.stage)
        assert one.class_probabilities == pytest.approx(other.class_probabilities, abs=1e-6)
    assert len(runs) == 1


def test_each_of_many_is_decided_or_refused_in_its_place(make_bundle: Any) -> None:
    """Of more inputs than are computed together, with a hook that hears of each decision once."""
    heard: list[Any] = []
    source = make_bundle()
    predictor = EdgePredictor.from_bundle(source, on_decision=lambda input, _: heard.append(input))
    inputs: list[Any] = [{"loan": {"amount": at % 9 - 4}} for at in range(2_500)]
    inputs[1_200] = {"loan": {"amount": 10**400}}
    made = predictor.predict_each(inputs)
    assert [at for at, each in enumerate(made) if isinstance(each, InvalidInput)] == [1_200]
    assert str(made.pop(1_200)) == "input.loan.amount is not a finite number."
    del inputs[1_200]
    assert heard == inputs
    decided = EdgePredictor.from_bundle(source).predict_many(inputs)
    assert [each.decision for each in made if not isinstance(each, InvalidInput)] == [each.decision for each in decided]


def every_kind(entries: dict[str, Any]) -> None:
    """A field of each kind, two below the same object, n-grams of two texts, checks of familiarity and a head."""
    stat = {"mean": 1.0, "std": 2.0}
    fields = [
        {"path": ["loan", "amount"], "kind": "number", "median": 1.0, **stat},
        {"path": ["loan", "vip"], "kind": "boolean"},
        {"path": ["purpose"], "kind": "category", "values": ["car", "1", "true"]},
        {"path": ["day"], "kind": "date", "mean": 20000.0, "std": 1000.0},
        {"path": ["rates"], "kind": "numbers", "stats": [stat] * 5},
        {"path": ["tags"], "kind": "strings", "stats": [stat], "values": ["new"]},
        {"path": ["items"], "kind": "objects", "stats": [stat], "members": [{"path": ["price"], "stats": [stat] * 4}]},
        {"path": ["purpose", "inner"], "kind": "number", "median": 0.0, **stat},
    ]
    size = 2 + 2 + 5 + 8 + 6 + 3 + 6 + 2
    entries["features.json"].update(fields=fields, tabular_size=size)
    by_words(entries, size)
    random = np.random.default_rng(5)
    dense, weights = random.normal(size=(size, 3)).tolist(), random.normal(size=(3, 3)).tolist()
    entries["classifier.onnx"] = classifier(dense, weights, [0, 0, 0])
    entries["reasons.json"] = {"by_option": {}, "heads": [{"code": "SMALL", "options": ["approve", "reject"]}]}
    entries["reasons.onnx"] = classifier([row[:2] for row in dense], [row[:2] for row in weights], [0, 0])
    ranges = {"low": [-1.0] * size, "high": [1.5] * size, "most": 3}
    entries["familiarity.json"] = {"words": {"unknown": 2.0, "most": 1.9}, "embedding": None, "fields": ranges}


def make_inputs(count: int) -> list[dict[str, Any]]:
    """Inputs with every kind of value at every field, missing ones, and fields that are none."""
    random = Random(3)
    values: list[Any] = [None, True, False, 0, 1, -2.5, "car", "pay late", "2026-01-31", [], ["new"], [1, "x", 2.5]]
    values += [[{"price": 3}, {"price": "no"}, 7], {"inner": 4}, {"inner": "x"}, float("nan"), "né", {}, 2**60]
    names = ("purpose", "day", "rates", "tags", "items", "note", "more", "hotl", "loan")

    def make() -> dict[str, Any]:
        made = {name: random.choice(values) for name in names if random.random() < 0.7}
        if random.random() < 0.7:
            made["loan"] = {
                name: random.choice(values) for name in ("amount", "vip", "amuont") if random.random() < 0.7
            }
        return made

    return [make() for _ in range(count)]


@pytest.mark.parametrize("with_rules", [False, True], ids=["columns", "rows"])
def test_batches_of_every_kind_of_field_are_decided_as_one_by_one(make_bundle: Any, with_rules: bool) -> None:
    """In columns, and by rows where rules read them."""

    def change(entries: dict[str, Any]) -> None:
        every_kind(entries)
        if with_rules:
            entries["rules.json"].update(rules=big_loan())

    predictor = EdgePredictor.from_bundle(make_bundle(change))
    inputs = make_inputs(2_500)
    alone = [predictor.predict(values) for values in inputs]
    together = predictor.predict_many(iter(inputs))
    assert len({decision.decision for decision in alone}) == 3
    assert {decision.unfamiliar for decision in alone} == {True, False}
    assert {bool(decision.reason_codes) for decision in alone} == {True, False}
    assert len(together) == len(alone)
    for one, other in zip(alone, together, strict=True):
        assert other.class_probabilities == pytest.approx(one.class_probabilities, abs=1e-6)
        assert sorted(other.unread) == sorted(one.unread)
        assert replace(other, confidence=0, class_probabilities={}) == replace(
            one, confidence=0, class_probabilities={}
        )


def test_the_first_input_of_a_batch_that_is_refused_is_named(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle(every_kind))
    inputs: list[Any] = make_inputs(3_000)
    for wrong, sentence in (
        ({"x": {"y": ["\x00"]}}, r"input\.x\.y\[0\] contains a NUL"),
        ({"purpose": "\ud800"}, r"input\.purpose contains half of a surrogate"),
        ({"loan": {"amount": 10**400}}, r"input\.loan\.amount is not a finite number"),
        ({"loan": {1: 2}}, r"input\.loan has a key that is not a string: 1"),
        ({"hotl": {1, 2}}, r"input\.hotl is of type set"),
        (dict.fromkeys(map(str, range(2_001)), 1), r"input has more than 2,000 keys"),
        ({"loan": dict.fromkeys(map(str, range(2_001)), 1)}, r"input\.loan has more than 2,000 keys"),
        ("text", "must be a JSON object .* not str"),
    ):
        with pytest.raises(InvalidInput, match=f"^Input 1234: .*{sentence}"):
            predictor.predict_many([*inputs[:1_234], wrong, {"x": math.inf}])
    with pytest.raises(InvalidInput, match=r"^Input 1: 'hotl' is no field of the policy\. Correct it"):
        predictor.predict_many([{"note": "pay"}, {"hotl": 1}, {"hotl": "\x00"}], strict=True)


def word_tokenizer() -> bytes:
    vocabulary = {"[UNK]": 0, "pay": 1, "late": 2, "never": 3}
    return json.dumps(
        {
            "version": "1.0",
            "truncation": {"max_length": 2, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
            "padding": None,
            "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": True,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": None,
            "decoder": None,
            "model": {
                "type": "WordPiece",
                "vocab": vocabulary,
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
            },
        }
    ).encode()


def by_words(entries: dict[str, Any], dense_size: int = 2) -> None:
    """Score three n-grams of the fields `note` and `more`."""
    tokenizer = word_tokenizer()
    ngrams = {"unigrams": [1, 3], "bigrams": [2, 3], "idf": [1.0, 2.0, 3.0], "scale": 2.0}
    entries["features.json"].update(text={"fields": [["note"], ["more"]], "ngrams": ngrams, "encoder": None})
    digest = hashlib.sha256(tokenizer).hexdigest()
    entries["manifest.json"].update(text={"encoder_sha256": None, "tokenizer_sha256": digest, "slim": False})
    entries["text/tokenizer.json"] = tokenizer
    weights = [[1, 0, -1], [-1, 0, 1], [0, 3, 0]]
    entries["classifier.onnx"] = classifier([[0, 0, 0]] * dense_size, weights, [0, 0, 0])


def test_words_decide_through_ngrams(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle(by_words))
    assert list(predictor.predict({}).class_probabilities.values()) == pytest.approx([1 / 3] * 3)
    # One known word: L2-normalised to 1, times scale 2.
    assert predictor.predict({"note": "PAY"}).class_probabilities == pytest.approx(
        dict(zip(["approve", "review", "reject"], probabilities(2.0), strict=True)), abs=1e-6
    )
    # The bigram "late never" spans the two fields, far behind the tokenizer file's own cut at 2 tokens.
    far = {"note": "some other words late", "more": "never", "unused": "pay"}
    values = [2.0 / math.sqrt(13), 3.0 / math.sqrt(13)]
    scores = [-2 * values[0], 6 * values[1], 2 * values[0]]
    total = sum(math.exp(score) for score in scores)
    got = list(predictor.predict(far).class_probabilities.values())
    assert got == pytest.approx([math.exp(score) / total for score in scores], abs=1e-6)


def test_a_slim_bundle_with_the_sentence_encoder(make_bundle: Any) -> None:
    folder = Path(__file__).parents[2] / "resources" / "models" / "all-MiniLM-L6-v2"
    predictor = EdgePredictor.from_bundle(make_bundle(lambda entries: encode_notes(entries, folder)), text_model=folder)
    friendly, empty = predictor.predict({"note": "Thank you, all is well"}), predictor.predict({})
    assert friendly.class_probabilities != empty.class_probabilities
    assert predictor.predict({"note": ""}) == empty
    # 254 word pieces are read, what comes behind them is cut off.
    start = "word " * 254
    assert predictor.predict({"note": start + "and then more"}) == predictor.predict({"note": start})
    assert predictor.predict({"note": start[:-5] + "more"}) != predictor.predict({"note": start})


def test_predictors_of_one_text_model_share_it_while_one_is_left(
    make_bundle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(__file__).parents[2] / "resources" / "models" / "all-MiniLM-L6-v2"
    path = make_bundle(lambda entries: encode_notes(entries, folder))
    opened: list[int] = []
    open_model = onnxruntime.InferenceSession.__init__

    def note(self: Any, model: bytes, *given: Any, **named: Any) -> None:
        opened.append(len(model))
        open_model(self, model, *given, **named)

    monkeypatch.setattr(onnxruntime.InferenceSession, "__init__", note)

    def count_encoders() -> int:
        return sum(size > 1_000_000 for size in opened)

    first, second = (EdgePredictor.from_bundle(path, text_model=folder) for _ in range(2))
    third = pickle.loads(pickle.dumps(first))
    assert count_encoders() == 1
    expected = first.predict({"note": "Thank you"})
    del first
    assert second.predict({"note": "Thank you"}) == third.predict({"note": "Thank you"}) == expected
    del second, third
    gc.collect()
    EdgePredictor.from_bundle(path, text_model=folder)
    assert count_encoders() == 2


def test_every_decision_can_be_heard(make_bundle: Any, caplog: pytest.LogCaptureFixture) -> None:
    """By a function with the input as a dict, and in the log without it."""
    heard: list[tuple[Any, EdgeDecision]] = []
    predictor = EdgePredictor.from_bundle(
        make_bundle(golden=True), on_decision=lambda values, decision: heard.append((values, decision))
    )
    assert heard == []
    inputs = [{"loan": {"amount": amount}} for amount in (4, -4)]
    with caplog.at_level(logging.DEBUG, "decision_edge"):
        decided = [predictor.predict(inputs[0]), *predictor.predict_many(inputs)]
    assert heard == list(zip([inputs[0], *inputs], decided, strict=True))
    assert heard[1][0] is inputs[0]
    assert caplog.messages[0] == "Decided approve by classifier with confidence 0.9817."
    assert len(caplog.messages) == 3

    def refuse(values: Any, decision: EdgeDecision) -> None:
        raise OSError("The queue is closed.")

    with pytest.raises(OSError, match="queue"):
        EdgePredictor.from_bundle(make_bundle(), on_decision=refuse).predict({})


def test_many_texts_at_once_are_decided_as_one_by_one(make_bundle: Any) -> None:
    folder = Path(__file__).parents[2] / "resources" / "models" / "all-MiniLM-L6-v2"

    def change(entries: dict[str, Any]) -> None:
        encode_notes(entries, folder)
        entries["rules.json"].update(rules=big_loan())

    predictor = EdgePredictor.from_bundle(make_bundle(change), text_model=folder)
    inputs: list[dict[str, Any]] = [{"note": "word " * length + str(length)} for length in (0, 3, 300, 7, 1, 40)]
    inputs.insert(2, {"loan": {"amount": 1001}})
    alone, together = [predictor.predict(values) for values in inputs], predictor.predict_many(iter(inputs))
    assert [decision.stage for decision in together] == [decision.stage for decision in alone]
    for one, other in zip(alone, together, strict=True):
        assert one.decision == other.decision
        assert one.class_probabilities == pytest.approx(other.class_probabilities, abs=1e-5)
    assert predictor.predict_many([]) == []
    with pytest.raises(InvalidInput, match="Input 1: "):
        predictor.predict_many([{"note": "fine"}, {"note": float("inf")}])


def test_a_copy_in_another_process_decides_alike(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        entries["rules.json"].update(rules=big_loan())
        field = {"path": ["day"], "kind": "date", "mean": 0.0, "std": 1.0}
        entries["features.json"]["fields"].append(field)
        entries["features.json"]["tabular_size"] = 10
        entries["classifier.onnx"] = classifier([[1, 0, -1], *([[0, 0, 0]] * 9)], [], [0, 0, 0])

    predictor = EdgePredictor.from_bundle(make_bundle(change))
    copied = copy.deepcopy(predictor)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        for values in ({"loan": {"amount": 1001}}, {"loan": {"amount": 4}, "day": "2026-01-31"}):
            expected = predictor.predict(values)
            assert copied.predict(values) == expected
            assert processes.submit(predictor.predict, values).result() == expected


def test_threads_that_take_turns_all_the_time_share_a_predictor_with_rules(make_bundle: Any) -> None:
    predictor = EdgePredictor.from_bundle(make_bundle(lambda entries: entries["rules.json"].update(rules=big_loan())))
    inputs = [{"loan": {"amount": 1001}}, {"loan": {"amount": 4}}, {"vip": True}, {"loan": {"amount": -4}}]
    expected = [predictor.predict(values) for values in inputs]

    def decide_all(_: int) -> bool:
        return all([predictor.predict(values) for values in inputs] == expected for _ in range(250))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(max_workers=8) as threads:
            assert all(threads.map(decide_all, range(32)))
    finally:
        sys.setswitchinterval(interval)


def test_other_numbers_of_the_encoder_are_refused(make_bundle: Any) -> None:
    folder = Path(__file__).parents[2] / "resources" / "models" / "all-MiniLM-L6-v2"
    path = make_bundle(lambda entries: encode_notes(entries, folder))
    answer = EdgePredictor.from_bundle(path, text_model=folder).predict({"note": "Thank you, all is well"}).to_dict()
    output = {
        name: value
        for name, value in answer.items()
        if name not in ("policy_version", "digest", "bundle_digest", "unread", "rule_errors")
        and "classifier" not in name
    }

    def record(**changes: Any) -> Path:
        def change(entries: dict[str, Any]) -> None:
            encode_notes(entries, folder)
            line = {"input": {"note": "Thank you, all is well"}, "output": {**output, **changes}}
            entries["golden.jsonl"] = json.dumps(line).encode()

        written: Path = make_bundle(change)
        return written

    EdgePredictor.from_bundle(record(), text_model=folder)
    for change, place in (
        ({"confidence": output["confidence"] + 0.002}, "confidence"),
        ({"escalate": not output["escalate"]}, "escalate"),
    ):
        with pytest.raises(InvalidBundle, match=f"Golden vector 1 is not decided as in the workbench: {place}"):
            EdgePredictor.from_bundle(record(**change), text_model=folder)


def encode_notes(entries: dict[str, Any], folder: Path) -> None:
    """Score the first component of the embedding of `note`, times 2 · 50."""
    digest = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ENCODER_FILES}
    spec = {"dimensions": 384, "max_tokens": 256, "scale": 2.0}
    entries["features.json"].update(text={"fields": [["note"]], "ngrams": None, "encoder": spec})
    names = dict(zip(("encoder_sha256", "tokenizer_sha256"), digest.values(), strict=True))
    entries["manifest.json"].update(text={**names, "slim": True})
    rows = [[0, 0, 0], [0, 0, 0], [50, 0, -50], *([[0, 0, 0]] * 383)]
    entries["classifier.onnx"] = classifier(rows, [], [0, 0, 0])

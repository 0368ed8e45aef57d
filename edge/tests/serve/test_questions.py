"""Clients of decision models ask `decision-edge serve` in the two formats, as they ask the workbench."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from test_serve import write_bundle

from decision_edge import EdgePredictor, InvalidBundle
from service import Service
from tiny_bundle import parts


def mark(entries: dict[str, Any]) -> None:
    """Say the order of the options."""
    options = entries["manifest.json"]["options"]
    order = {"kind": "score", "digest": None, "asked": None, "options": options[::-1], "opposite": None}
    entries["manifest.json"]["questions"] = [order]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("bundles")
    return [write_bundle(folder / "loan.zip", "loan", mark)]


@pytest.fixture(scope="module")
def service(bundles: list[Path]) -> Iterator[Service]:
    with Service(*bundles) as running:
        yield running


OPTIONS: list[str] = parts()["manifest.json"]["options"]
CHOICE = {"type": "choice", "criteria": dict.fromkeys(OPTIONS)}


def ask(service: Service, questions: Any, state: Any, **more: Any) -> Any:
    return service.ask("POST", "/v1/systemone", {"model": "latest", "state": state, "questions": questions, **more})


def test_every_kind_is_answered_by_the_probabilities_of_the_package(service: Service, bundles: list[Path]) -> None:
    """A choice and a score, in both formats [MDL-8]."""
    predictor, random = EdgePredictor.from_bundle(bundles[0]), Random(1)
    levels = OPTIONS[::-1]
    for _ in range(40):
        state = {"loan": {"amount": random.uniform(-100, 1_000)}}
        made = predictor.predict(state)
        p = made.class_probabilities
        questions = {
            "a": CHOICE,
            "c": {"type": "score", "criteria": levels},
        }
        answer = ask(service, questions, state, model="loan")
        assert answer.status == 200, answer
        assert answer.body["model"] == f"loan@{made.digest[:12]}"
        choice, score = answer.body["answers"].values()
        assert choice["probabilities"] == p
        assert choice["choice"] == max(p, key=lambda option: p[option])
        assert choice["confidence"] == pytest.approx((max(p.values()) - 1 / len(p)) / (1 - 1 / len(p)))
        assert (choice["x_decision"], choice["x_stage"]) == (made.decision, made.stage)
        assert score["score"] == pytest.approx(sum(level * p[option] for level, option in enumerate(levels)))
        assert score["legend"] == {str(level): option for level, option in enumerate(levels)}
        body = {
            "model": answer.body["model"],
            "input": [{"role": "user", "content": [{"type": "input_json", "data": state}]}],
            "questions": [
                {"type": "choice", "choices": [{"value": option} for option in OPTIONS]},
                {"type": "score", "levels": [{"label": option} for option in levels]},
            ],
        }
        other = service.ask("POST", "/v1/decisions", body, x_workbench_extras="off")
        assert other.status == 200, other
        assert sorted(other.body) == ["answers", "model", "usage"]
        assert [each["type"] for each in other.body["answers"]] == ["choice", "score"]
        assert other.body["answers"][0]["confidence"] == choice["confidence"]
        assert other.body["answers"][1]["score"] == score["score"]


def test_what_nothing_answers_is_refused_in_the_shape_of_its_format(service: Service) -> None:
    """With the types that there are and what differs, never a 5xx [MDL-8]."""
    other = {"type": "choice", "criteria": {"x": None, "y": None}}
    refused = ask(service, {"a": other}, {"amount": 1})
    assert (refused.status, refused.body["detail"][0]["loc"]) == (422, ["body", "questions", "a", "criteria"])
    assert "no bundle has exactly these options. Served: “loan”" in refused.body["detail"][0]["msg"]
    named = ask(service, {"a": other}, {"amount": 1}, model="loan")
    assert "“loan” cannot answer this: it does not have" in named.body["detail"][0]["msg"]
    unknown = ask(service, {"a": CHOICE}, {"amount": 1}, model="nothing")
    assert (unknown.status, unknown.body["detail"]["error_type"]) == (400, "api_usage_error")
    pinned = ask(service, {"a": CHOICE}, {"amount": 1}, model="loan@0000000000")
    assert pinned.status == 400
    asked = [{"type": "choice", "choices": [{"value": True}, {"value": "x"}]}]
    answer = service.ask("POST", "/v1/decisions", {"model": "loan", "input": "{}", "questions": asked})
    assert answer.status == 400
    assert (answer.body["error"]["code"], answer.body["error"]["param"]) == (
        "question_not_known",
        "questions[0].choices",
    )
    random = Random(2)
    odd: list[Any] = [None, [], {}, "x", 1, [1], {"a": 1}, [{"type": "choice"}], {"a": {"type": "choice"}}, {"a": []}]
    for _ in range(200):
        body = {name: random.choice(odd) for name in ("model", "state", "input", "questions")}
        for path in ("/v1/systemone", "/v1/decisions"):
            assert service.ask("POST", path, body).status in (400, 422)


def test_a_text_is_the_only_field_or_an_object(service: Service) -> None:
    """A text that is an object is read as one [MDL-8]."""
    assert ask(service, {"a": CHOICE}, '{"loan": {"amount": 5}}').status == 200
    refused = ask(service, {"a": CHOICE}, "some text")
    assert (refused.status, refused.body["detail"][0]["loc"]) == (422, ["body", "state"])


def test_the_fields_of_dspy_are_unwrapped(service: Service) -> None:
    """One field under a name of the caller's own is what is asked about [MDL-8]."""
    loan = {"loan": {"amount": 500}}
    plain = ask(service, {"a": CHOICE}, loan).body["answers"]["a"]["probabilities"]
    other = ask(service, {"a": CHOICE}, {}).body["answers"]["a"]["probabilities"]
    assert plain != other
    wrapped = {"instructions": "Decide.", "input_fields": "1. `loan`", "demos": [{}]}
    for inputs in (loan, {"application": loan}, {"application": '{"loan": {"amount": 500}}'}):
        for state in ({**wrapped, "inputs": inputs}, json.dumps({**wrapped, "inputs": inputs})):
            answer = ask(service, {"a": CHOICE}, state)
            assert answer.body["answers"]["a"]["probabilities"] == plain, inputs
    refused = ask(service, {"a": CHOICE}, {**wrapped, "inputs": {"letter": "I need a car."}})
    assert (refused.status, refused.body["detail"][0]["loc"]) == (422, ["body", "state"])


def test_models_are_listed_for_both_formats(service: Service) -> None:
    """As `data` and as `models` [MDL-8]."""
    answer = service.ask("GET", "/v1/models")
    assert [each["id"] for each in answer.body["data"]] == ["loan"]
    assert [each["name"] for each in answer.body["models"]] == ["loan"]


def say(kind: str, options: list[str]) -> dict[str, Any]:
    return {"kind": kind, "digest": "0" * 64, "asked": "Is it?", "options": options, "opposite": None}


@pytest.mark.parametrize(
    "questions",
    [
        [say("predicate", ["no such option"])],
        [say("predicate", OPTIONS)],
        [say("score", OPTIONS[:1])],
        [say("score", OPTIONS + OPTIONS)],
        [{**say("score", OPTIONS), "more": 1}],
        [],
    ],
)
def test_marks_that_do_not_fit_are_refused(tmp_path: Path, questions: Any) -> None:
    """They must name the bundle's options [MDL-8]."""

    def break_marks(entries: dict[str, Any]) -> None:
        entries["manifest.json"]["questions"] = questions

    with pytest.raises(InvalidBundle, match=r"manifest\.json"):
        EdgePredictor.from_bundle(write_bundle(tmp_path / "loan.zip", "loan", break_marks))

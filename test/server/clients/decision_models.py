"""Asks deployed types by one client of decision models, and prints what it got.

`loan` is a choice, of which `approve` is yes; `urgency` is in order; `spam` reads one text.
"""

import json
import sys
from typing import Any, Callable

url, key, client = sys.argv[1:]
loan = {"applicant": {"score": 790}, "amount": 2000, "purpose": "car", "employed": True}
options = {"approve": None, "decline": None}
levels = ["low", "middle", "high"]
good = "Is it a good risk?"
prize = "You won a prize"

choices = [{"value": option} for option in options]
asked: dict[str, dict[str, Any]] = {
    "choice": {"type": "choice", "instructions": "A good risk?", "choices": choices},
    "yes": {"type": "predicate", "instructions": good},
    "score": {"type": "score", "instructions": "How urgent?", "levels": [{"label": level} for level in levels]},
    "text": {"type": "choice", "instructions": "Which?", "choices": [{"value": "ham"}, {"value": "spam"}]},
}
questions: dict[str, dict[str, Any]] = {
    "choice": {"type": "choice", "instructions": "A good risk?", "criteria": options},
    "yes": {"type": "noul", "instructions": good},
    "score": {"type": "score", "instructions": "How urgent?", "criteria": levels},
    "text": {"type": "choice", "instructions": "Which?", "criteria": {"ham": None, "spam": None}},
}
unknown = {"x": None, "y": None}


def with_openai() -> dict[str, Any]:
    """Ask by the client of OpenAI, of whose messages the last one of the user is read."""
    from openai import BadRequestError, OpenAI

    sdk = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
    content = [{"type": "input_json", "data": loan}]
    made = sdk.decisions.create(
        model="loan", input=[{"role": "user", "content": content}], questions=[asked["choice"], asked["yes"]]
    )
    score = sdk.decisions.create(model="latest", input='{"days": 5}', questions=[asked["score"]])
    text = sdk.decisions.create(model="latest", input=prize, questions=[asked["text"]])
    refused = None
    try:
        wrong = [{"type": "choice", "choices": [{"value": "x"}, {"value": "y"}]}]
        sdk.decisions.create(model="loan", input=json.dumps(loan), questions=wrong)
    except BadRequestError as error:
        refused = [error.code, error.param]
    return {
        "choice": made.answers[0].choice,
        "yes": made.answers[1].probability,
        "score": score.answers[0].score,
        "text": text.answers[0].choice,
        "models": [model.id for model in sdk.models.list().data],
        "refused": refused,
    }


def with_typesafe() -> dict[str, Any]:
    """Ask by the client of TypeSafe, whose larger bodies are compressed."""
    from typesafe_sdk import TypeSafeClient
    from typesafe_sdk._core.errors import TypeSafeUnprocessableEntityError

    sdk = TypeSafeClient(base_url=url, api_key=key)
    long = {**questions["choice"], "criteria": {**options, "approve": "x" * 2000}}
    made = sdk.system_one(loan, {"choice": long, "yes": questions["yes"]}, model="loan").answers
    refused = None
    try:
        sdk.system_one(loan, {"one": {"type": "choice", "criteria": unknown}}, model="loan")
    except TypeSafeUnprocessableEntityError as error:
        refused = "“loan” cannot answer this" in str(error)
    return {
        "choice": made["choice"].choice,
        "yes": made["yes"].noul,
        "score": sdk.system_one({"days": 5}, {"score": questions["score"]}).answers["score"].score,
        "text": sdk.system_one(prize, {"text": questions["text"]}).answers["text"].choice,
        "refused": refused,
    }


def with_langchain_openai() -> dict[str, Any]:
    """Ask by the runnable of LangChain for OpenAI, which sends an object as its text."""
    from langchain_openai import OpenAIDecisions
    from langchain_openai.decisions import Choice, Predicate, Score

    def ask(model: str, state: Any, question: Any) -> Any:
        runnable = OpenAIDecisions(model=model, base_url=f"{url}/v1", api_key=key)
        return runnable.invoke({"input": state, "questions": {"one": question}})

    document = json.dumps(loan)
    kinds = Choice(instructions="Which?", choices={"ham": None, "spam": None})
    return {
        "choice": ask("loan", document, Choice(instructions="A good risk?", choices=options)).choices["one"].choice,
        "yes": ask("loan", document, Predicate(instructions=good)).predicates["one"].probability,
        "score": ask("latest", '{"days": 5}', Score(instructions="How urgent?", levels=levels)).scores["one"].score,
        "text": ask("latest", prize, kinds).choices["one"].choice,
    }


def with_langchain_typesafe() -> dict[str, Any]:
    """Ask by the runnable of LangChain for TypeSafe."""
    from langchain_typesafe import Choice, Noul, Score, TypeSafeClassifier

    def ask(model: str, state: Any, question: Any) -> Any:
        runnable = TypeSafeClassifier(model=model, base_url=url, api_key=key)
        return runnable.invoke({"state": state, "questions": {"one": question}})

    kinds = Choice(instructions="Which?", criteria={"ham": None, "spam": None})
    return {
        "choice": ask("loan", loan, Choice(instructions="A good risk?", criteria=options)).choices["one"].choice,
        "yes": ask("loan", loan, Noul(instructions=good)).nouls["one"].noul,
        "score": ask("jev-latest", {"days": 5}, Score(instructions="How urgent?", criteria=levels)).scores["one"].score,
        "text": ask("jev-latest", prize, kinds).choices["one"].choice,
    }


def with_litellm() -> dict[str, Any]:
    """Ask by LiteLLM, which translates either format into that of its provider."""
    import litellm

    found: dict[str, Any] = {}
    for provider, base in (("typesafe", url), ("openai", f"{url}/v1")):
        where = {"api_base": base, "api_key": key}
        for kind, model, state in (("choice", "loan", loan), ("yes", "loan", loan), ("score", "urgency", {"days": 5})):
            one = litellm.systemone(model=f"{provider}/{model}", state=state, questions={"one": questions[kind]}, **where)
            two = litellm.decisions(
                model=f"{provider}/{model}", input=json.dumps(state), questions=[asked[kind]], **where
            )
            field = {"choice": ("choice", "choice"), "yes": ("noul", "probability"), "score": ("score", "score")}[kind]
            found[f"{provider} {kind}"] = [getattr(one.answers["one"], field[0]), getattr(two.answers[0], field[1])]
    return found


def with_dspy() -> dict[str, Any]:
    """Ask by DSPy, whose signature has the fields of the type, or one field for all of it."""
    from typing import Annotated, Literal

    import dspy
    from dspy.experimental import Score, TypeSafe

    class Whole(dspy.Signature):
        """Decide a loan."""

        applicant: dict = dspy.InputField()
        amount: int = dspy.InputField()
        purpose: str = dspy.InputField()
        employed: bool = dspy.InputField()
        outcome: Literal["approve", "decline"] = dspy.OutputField(desc="A good risk?")
        yes: dspy.experimental.Noul = dspy.OutputField(desc=good)

    class Nested(dspy.Signature):
        """Decide a loan."""

        application: dict = dspy.InputField()
        outcome: Literal["approve", "decline"] = dspy.OutputField(desc="A good risk?")

    class Urgency(dspy.Signature):
        """Judge a case."""

        days: int = dspy.InputField()
        level: Score["low", "middle", "high"] = dspy.OutputField(desc="How urgent?")

    class Message(dspy.Signature):
        """Judge a message."""

        message: str = dspy.InputField()
        kind: Literal["ham", "spam"] = dspy.OutputField(desc="Which?")

    def ask(signature: Any, model: str, demos: Any = (), **inputs: Any) -> Any:
        predict = dspy.Predict(signature)
        predict.demos = list(demos)
        return predict(lm=TypeSafe(model, base_url=url, api_key=key, cache=False), **inputs)

    whole = ask(Whole, "loan", **loan)
    return {
        "choice": whole.outcome,
        "yes": whole.yes.probability,
        "score": ask(Urgency, "urgency", days=5).level.value,
        "text": ask(Message, "spam", message=prize).kind,
        "nested": ask(Nested, "loan", application=loan).outcome,
        "with examples": ask(Whole, "loan", [dspy.Example(**loan, outcome="approve")], **loan).outcome,
    }


def with_thinkless() -> dict[str, Any]:
    """Ask by the provider of ThinkLess, which its benchmark names `systemone:<root>`."""
    from thinkless.providers import SystemOne
    from thinkless.questions import Choice, Score, YesNo

    def ask(model: str, state: Any, question: Any) -> Any:
        provider = SystemOne.self_hosted(url, model=model, api_key=key)
        return provider.answer(state, {"one": question}).answers["one"]

    return {
        "choice": ask("latest", loan, Choice("A good risk?", options=options)).value,
        "yes": ask("loan", loan, YesNo(good)).probabilities["yes"],
        "score": ask("latest", {"days": 5}, Score("How urgent?", levels=levels)).value,
        "text": ask("latest", prize, Choice("Which?", options=["ham", "spam"])).value,
    }


clients: dict[str, Callable[[], dict[str, Any]]] = {
    name.removeprefix("with_").replace("_", "-"): found
    for name, found in dict(globals()).items()
    if name.startswith("with_")
}
print(json.dumps(clients[client]()))

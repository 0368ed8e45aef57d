"""Asks the deployed type `loan` by the clients of both formats of decision models, and prints what they got."""

import json
import sys

url, key = sys.argv[1:]
state = {"applicant": {"score": 790}, "amount": 2000, "purpose": "car", "employed": True}
found = {}


def with_openai() -> None:
    """Ask by the client of OpenAI: a choice and a predicate, and a question that nothing answers."""
    from openai import BadRequestError, OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
    choice = {"type": "choice", "choices": [{"value": "approve"}, {"value": "decline"}]}
    made = client.decisions.create(
        model="latest",
        input=[{"role": "user", "content": [{"type": "input_json", "data": state}]}],
        questions=[choice, {"type": "predicate", "name": "loan", "instructions": "Is it a good risk?"}],
    )
    found["openai"] = [made.answers[0].choice, made.answers[1].probability]
    found["openai models"] = [model.id for model in client.models.list().data]
    try:
        client.decisions.create(model="loan", input=json.dumps(state), questions=[{**choice, "choices": [{"value": "x"}, {"value": "y"}]}])
    except BadRequestError as error:
        found["openai refused"] = [error.code, error.param]


def with_typesafe() -> None:
    """Ask by the client of TypeSafe, whose larger bodies are compressed."""
    from typesafe_sdk import TypeSafeClient
    from typesafe_sdk._core.errors import TypeSafeUnprocessableEntityError

    client = TypeSafeClient(base_url=url, api_key=key)
    choice = {"type": "choice", "criteria": {"approve": "x" * 2000, "decline": None}}
    noul = {"type": "noul", "instructions": "Is it a good risk?"}
    made = client.system_one(state, {"one": choice, "loan": noul})
    found["typesafe"] = [made.answers["one"].choice, made.answers["loan"].noul]
    try:
        client.system_one(state, {"one": {"type": "choice", "criteria": {"x": None, "y": None}}}, model="loan")
    except TypeSafeUnprocessableEntityError as error:
        found["typesafe refused"] = str(error)


def with_langchain() -> None:
    """Ask by the runnables of LangChain, which send an object as its text."""
    from langchain_openai import OpenAIDecisions
    from langchain_openai.decisions import Choice
    from langchain_typesafe import Choice as Classification
    from langchain_typesafe import TypeSafeClassifier

    options = {"approve": None, "decline": None}
    asked = OpenAIDecisions(model="loan", base_url=f"{url}/v1", api_key=key).invoke(
        {"input": json.dumps(state), "questions": {"one": Choice(instructions="A good risk?", choices=options)}}
    )
    found["langchain openai"] = asked.choices["one"].choice
    made = TypeSafeClassifier(base_url=url, api_key=key).invoke(
        {"state": state, "questions": {"one": Classification(instructions="A good risk?", criteria=options)}}
    )
    found["langchain typesafe"] = made.choices["one"].choice



with_openai()
with_typesafe()
with_langchain()
print(json.dumps(found))

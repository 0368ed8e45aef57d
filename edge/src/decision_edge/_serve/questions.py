"""The formats of decision models: which bundle answers a question, from what input, in which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .._decide import EdgeDecision
from .._json import JsonObject, JsonValue, expect_list, expect_string, find_excess
from .._tables import ANY_MODEL_NAMES, MAX_INPUT_DEPTH, MAX_INPUT_KEYS, MAX_QUESTIONS_PER_CALL
from ..predictor import EdgePredictor
from .requests import Refusal, parse_body_text

Place: TypeAlias = "list[str | int]"
Kind: TypeAlias = Literal["choice", "predicate", "score"]

_MAX_LISTED = 10
_MAX_NAME = 100
_READS_TEXT = frozenset({"text", "conversation", "category", "any"})
_WRAPPER = frozenset({"inputs", "input_fields", "instructions", "demos"})
_DIGEST_DIGITS = 12


@dataclass(frozen=True)
class Question:
    """A question as either format asks it, with the place of its options in the body."""

    kind: Kind
    name: str | None
    options: list[JsonValue]
    place: Place


@dataclass(frozen=True)
class Asked:
    """A call of either format."""

    model: str
    state: str | JsonObject
    place: Place
    questions: list[Question]


@dataclass(frozen=True)
class Answer:
    """A question with the decision that answers it and the options whose probabilities count."""

    question: Question
    decision_type: str
    options: list[str]
    made: EdgeDecision
    request_id: str

    def measure(self) -> tuple[list[float], int, float]:
        """Return the probabilities, the place of the best (of equal ones that decided), and the confidence."""
        shares = [self.made.class_probabilities.get(option, 0.0) for option in self.options]
        decided = self.options.index(self.made.decision) if self.made.decision in self.options else 0
        best = max(range(len(shares)), key=lambda at: (shares[at], at == decided, -at))
        if self.question.kind == "score":
            away = sum(share * abs(level - best) for level, share in enumerate(shares))
            equal = sum(abs(level - best) for level in range(len(shares))) / len(shares)
            confidence = 1 - away / equal
        else:
            confidence = (shares[best] - 1 / len(shares)) / (1 - 1 / len(shares)) if len(shares) > 1 else 1.0
        return shares, best, min(1.0, max(0.0, confidence))

    def describe_outcome(self) -> JsonObject:
        """Return what the bundle decided, beside the answer in the format's own terms."""
        made = self.made
        return {
            "x_decision_type": self.decision_type,
            "x_decision": made.decision,
            "x_confidence": made.confidence,
            "x_classifier_choice": made.classifier_choice,
            "x_classifier_probability": made.classifier_probability,
            "x_stage": made.stage,
            "x_escalate": made.escalate,
            "x_unfamiliar": made.unfamiliar,
            "x_reason_codes": list(made.reason_codes),
            "x_policy_version": made.policy_version,
            "x_digest": made.digest,
            "x_request_id": self.request_id,
        }


def read_systemone(body: JsonValue) -> Asked:
    """Read a body of /v1/systemone. Raises Refusal."""
    body = _expect_object(body, ["body"])
    state = body.get("state")
    if not isinstance(state, (str, dict)):
        raise Refusal.of_problem(["body", "state"], "must be an object or a text", "invalid_type")
    asked = _expect_object(body.get("questions"), ["body", "questions"])
    _check_count(len(asked))
    questions = []
    for name, question in asked.items():
        place: Place = ["body", "questions", name]
        question = _expect_object(question, place)
        kind = _read_kind(question, {"noul": "predicate", "choice": "choice", "score": "score"}, place)
        criteria = question.get("criteria")
        if kind == "predicate":
            questions.append(Question(kind, name, [], [*place, "criteria"]))
            continue
        place = [*place, "criteria"]
        if kind == "choice" and isinstance(criteria, dict):
            questions.append(Question(kind, name, list(criteria), place))
        elif kind == "score" and isinstance(criteria, list):
            questions.append(Question(kind, name, criteria, place))
        else:
            needed = "an object of options" if kind == "choice" else "a list of levels"
            raise Refusal.of_problem(place, f"must be {needed}", "invalid_type")
    return Asked(_read_model(body), state, ["body", "state"], questions)


def read_decisions(body: JsonValue) -> Asked:
    """Read a body of /v1/decisions. Raises Refusal."""
    body = _expect_object(body, ["body"])
    asked = body.get("questions")
    if not isinstance(asked, list):
        raise Refusal.of_problem(["body", "questions"], "must be a list", "invalid_type")
    _check_count(len(asked))
    questions = []
    for index, question in enumerate(asked):
        place: Place = ["body", "questions", index]
        question = _expect_object(question, place)
        kind = _read_kind(question, {"predicate": "predicate", "choice": "choice", "score": "score"}, place)
        name = question.get("name")
        part, member = ("choices", "value") if kind == "choice" else ("levels", "label")
        options: list[JsonValue] = []
        if kind != "predicate":
            given = question.get(part)
            place = [*place, part]
            if not isinstance(given, list) or not all(isinstance(each, dict) and member in each for each in given):
                raise Refusal.of_problem(place, f"must be a list of objects with {member}", "invalid_type")
            options = [each[member] for each in given if isinstance(each, dict)]
        questions.append(Question(kind, name if isinstance(name, str) else None, options, place))
    return Asked(_read_model(body), _read_messages(body.get("input")), ["body", "input"], questions)


def find_bundle(predictors: Mapping[str, EdgePredictor], model: str, question: Question) -> tuple[str, list[str]]:
    """Return the decision type that answers a question, and the options that count. Raises Refusal.

    It is the one that `model` names, by its name or `name@digest`, or that has the question's name and fits, or alone
    has its options.
    """
    if model in predictors or model not in ANY_MODEL_NAMES:
        name, at, digest = model.rpartition("@") if model not in predictors else (model, "", "")
        found = predictors.get(name)
        if found is None or (at and not found.info["digest"].startswith(digest or "-")):
            served = ", ".join(predictors)
            raise Refusal("decision_type_not_found", f"The model does not exist. Served here: {served}.")
        options = _match(found, question)
        if options is None:
            raise _refuse(question, _explain_misfit(name, found, question))
        return name, options
    fitting = {name: match for name, each in predictors.items() if (match := _match(each, question)) is not None}
    if question.name in fitting:
        return str(question.name), fitting[question.name]
    if len(fitting) == 1 and question.kind != "predicate":
        return next(iter(fitting.items()))
    served = "; ".join(f"“{name}” ({_list(each.options)})" for name, each in list(predictors.items())[:_MAX_LISTED])
    reason = (
        "no bundle is known to answer this yes or no: name one in model"
        if question.kind == "predicate"
        else "several bundles have these options: name one in model"
        if fitting
        else "no bundle has exactly these options"
    )
    raise _refuse(question, f"{reason}. Served: {served}.")


def read_input(asked: Asked, name: str, predictor: EdgePredictor) -> JsonObject:
    """Return the input of a bundle: an object, a text that is one, or any text as the only field. Raises Refusal.

    DSPy wraps the inputs; one field under a name of the caller's own is what is asked about.
    """
    paths = [field.path.split(".") for field in predictor.fields]

    def read(state: str | JsonObject) -> JsonObject:
        if not isinstance(state, str):
            return read_wrapped(state)
        written = _read_object(state)
        if written is not None:
            inner = read_wrapped(written)
            if _holds_any(inner, paths):
                return inner
        if len(paths) == 1 and predictor.fields[0].kind in _READS_TEXT:
            value: JsonValue = state
            for key in reversed(paths[0]):
                value = {key: value}
            return _expect_object(value, asked.place)
        known = ", ".join(".".join(path) for path in paths[:_MAX_LISTED])
        message = f"“{name}” takes no text alone: send an object with {known}"
        raise Refusal.of_problem(asked.place, message, "input_not_known")

    def read_wrapped(value: JsonObject) -> JsonObject:
        inputs = value.get("inputs")
        if not isinstance(inputs, dict) or not value.keys() <= _WRAPPER or any(path[0] == "inputs" for path in paths):
            return value
        if not paths or len(inputs) != 1 or _holds_any(inputs, paths):
            return inputs
        [only] = inputs.values()
        if isinstance(only, str):
            return read(only)
        return only if isinstance(only, dict) and _holds_any(only, paths) else inputs

    return read(asked.state)


def answer_systemone(answers: Sequence[Answer], sends_extras: bool) -> JsonObject:
    """Return the body of /v1/systemone."""
    found: JsonObject = {}
    for answer in answers:
        shares, best, confidence = answer.measure()
        made: JsonObject
        if answer.question.kind == "predicate":
            made = {"type": "noul", "noul": shares[0]}
        elif answer.question.kind == "choice":
            probabilities: JsonObject = dict(zip(answer.options, shares, strict=True))
            made = {"type": "choice", "choice": answer.options[best]}
            made.update({"probabilities": probabilities, "confidence": confidence})
        else:
            legend: JsonObject = {str(level): option for level, option in enumerate(answer.options)}
            levels: JsonObject = {str(level): share for level, share in enumerate(shares)}
            made = {"type": "score", "score": _find_mean(shares), "legend": legend}
            made.update({"probabilities": levels, "confidence": confidence})
        found[answer.question.name or ""] = {**made, **(answer.describe_outcome() if sends_extras else {})}
    return {"model": _name_model(answers), "answers": found, "usage": {"input_tokens": 0, "output_tokens": 0}}


def answer_decisions(answers: Sequence[Answer], sends_extras: bool) -> JsonObject:
    """Return the body of /v1/decisions."""
    found: list[JsonValue] = []
    for answer in answers:
        shares, best, confidence = answer.measure()
        made: JsonObject = {"type": answer.question.kind, "name": answer.question.name}
        if answer.question.kind == "predicate":
            made["probability"] = shares[0]
        elif answer.question.kind == "choice":
            pairs = zip(answer.options, shares, strict=True)
            made.update({"choice": answer.options[best], "confidence": confidence})
            made["probabilities"] = [{"value": option, "probability": share} for option, share in pairs]
        else:
            levels = enumerate(zip(answer.options, shares, strict=True))
            made.update({"score": _find_mean(shares), "confidence": confidence})
            made["probabilities"] = [
                {"value": level, "label": option, "probability": share} for level, (option, share) in levels
            ]
        found.append(made)
    usage: JsonObject = {
        "input_tokens": 0,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 0,
    }
    body: JsonObject = {"model": _name_model(answers), "answers": found, "usage": usage}
    if sends_extras:
        body["x_workbench"] = [answer.describe_outcome() for answer in answers]
    return body


def _find_mean(shares: Sequence[float]) -> float:
    return sum(level * share for level, share in enumerate(shares))


def _name_model(answers: Sequence[Answer]) -> str:
    names = {f"{answer.decision_type}@{answer.made.digest[:_DIGEST_DIGITS]}" for answer in answers}
    return names.pop() if len(names) == 1 else "workbench"


def _match(predictor: EdgePredictor, question: Question) -> list[str] | None:
    """Return the options of a bundle whose probabilities answer a question, None where it does not fit."""
    marks = predictor.questions
    if question.kind == "predicate":
        return [expect_string(marks["yes"])] if "yes" in marks else None
    asked = [option for option in question.options if isinstance(option, str)]
    if len(asked) < len(question.options):
        return None
    if question.kind == "choice":
        return asked if len(asked) == len(predictor.options) and set(asked) == set(predictor.options) else None
    return asked if marks.get("order") == asked else None


def _explain_misfit(name: str, predictor: EdgePredictor, question: Question) -> str:
    how = "Say so under Deploy of the workbench, and export the bundle again."
    if question.kind == "predicate":
        return f"for “{name}” nobody has said which of its options {_list(predictor.options)} is yes. {how}"
    unknown = [option for option in question.options if option not in predictor.options or isinstance(option, bool)]
    missing = [option for option in predictor.options if option not in question.options]
    differences = [f"it does not have {_list(unknown)}"] if unknown else []
    differences += [f"the question leaves out {_list(missing)}"] if missing else []
    if differences:
        return f"“{name}” cannot answer this: {', and '.join(differences)}"
    if question.kind == "choice":
        return "an option stands there twice"
    order = predictor.questions.get("order")
    if order is None:
        return f"nobody has said that the options of “{name}” are in order. {how}"
    return f"the order of “{name}” is {_list(expect_list(order))}"


def _list(options: Sequence[object]) -> str:
    listed = ", ".join(f'"{str(option)[:_MAX_NAME]}"' for option in options[:_MAX_LISTED])
    return f"{listed} and {len(options) - _MAX_LISTED} more" if len(options) > _MAX_LISTED else listed


def _refuse(question: Question, message: str) -> Refusal:
    return Refusal.of_problem(question.place, message, "question_not_known")


def _expect_object(value: JsonValue, place: Place) -> JsonObject:
    if isinstance(value, dict):
        return value
    raise Refusal.of_problem(place, "must be an object", "invalid_type")


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_QUESTIONS_PER_CALL:
        message = f"must be 1 to {MAX_QUESTIONS_PER_CALL} questions"
        raise Refusal.of_problem(["body", "questions"], message, "too_big" if count else "too_small")


def _read_kind(question: JsonObject, kinds: Mapping[str, Kind], place: Place) -> Kind:
    kind = question.get("type")
    if isinstance(kind, str) and kind in kinds:
        return kinds[kind]
    raise Refusal.of_problem([*place, "type"], f"must be one of {', '.join(kinds)}", "invalid_value")


def _read_model(body: JsonObject) -> str:
    model = body.get("model", ANY_MODEL_NAMES[0])
    if isinstance(model, str) and model:
        return model
    raise Refusal.of_problem(["body", "model"], "must be a text", "invalid_type")


def _read_messages(given: JsonValue) -> str | JsonObject:
    """Return what the last message of the user says: its texts, or its one object. Raises Refusal."""
    if isinstance(given, str):
        return given
    place: Place = ["body", "input"]
    messages = given if isinstance(given, list) else []
    found = [(at, each) for at, each in enumerate(messages) if isinstance(each, dict) and each.get("role") == "user"]
    content = found[-1][1].get("content") if found else None
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not content:
        raise Refusal.of_problem(place, "must be a text, or have a message of the user")
    texts: list[str] = []
    for index, part in enumerate(content):
        if isinstance(part, dict) and part.get("type") == "input_text" and isinstance(part.get("text"), str):
            texts.append(str(part["text"]))
        elif isinstance(part, dict) and part.get("type") == "input_json" and len(content) == 1:
            return _expect_object(part.get("data"), [*place, found[-1][0], "content", index, "data"])
        else:
            message = "must be an input_text, or one input_json with an object; nothing else is read"
            raise Refusal.of_problem([*place, found[-1][0], "content", index], message)
    return "\n".join(texts)


def _read_object(text: str) -> JsonObject | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse_body_text(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if excess := find_excess(value, MAX_INPUT_DEPTH, MAX_INPUT_KEYS):
        raise Refusal("bad_request", f"The input {excess}.")
    return value


def _holds_any(value: JsonObject, paths: Sequence[Sequence[str]]) -> bool:
    return any(path[0] in value for path in paths)

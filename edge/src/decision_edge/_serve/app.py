"""The routes of the service."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TypeAlias, TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from .._decide import EdgeDecision
from .._errors import InvalidInput
from .._json import JsonObject
from ..predictor import EdgePredictor
from .bundles import Loaded, ServedBundle, open_bundles
from .document import describe_service
from .explanation import explain
from .log import DecisionLog, LogSettings, describe_decision
from .metrics import Metrics
from .questions import (
    Answer,
    Asked,
    answer_decisions,
    answer_systemone,
    find_bundle,
    read_decisions,
    read_input,
    read_systemone,
)
from .requests import Dialect, Refusal, read_batch, read_decide_request, read_json, read_request_id, read_type_name

_log = logging.getLogger("decision_edge.serve")
_LOOK_AT_FILES_S = 1
Handler: TypeAlias = "Callable[[Request, str], Awaitable[Response]]"
Given = TypeVar("Given")
Made = TypeVar("Made")


def create_app(paths: Sequence[str], text_model: str | None, log: LogSettings | None) -> Starlette:
    """Return the service over bundle files, as an ASGI application. Raises InvalidBundle or DecisionEdgeError (log)."""
    service = _Service(open_bundles(paths, text_model), log)
    deciding = [
        service.route("/decide", service.decide, "POST"),
        service.route("/decide/batch", service.decide_batch, "POST"),
    ]
    routes = [
        *deciding,
        service.route("/v1/systemone", service.answer_systemone, "POST", "systemone"),
        service.route("/v1/decisions", service.answer_decisions, "POST", "decisions"),
        service.route("/v1/models", service.list_models, dialect="decisions"),
        # Where the workbench has them: a client of it needs another host alone.
        Mount("/api/v1", routes=deciding),
        service.route("/health", service.tell_health),
        service.route("/ready", service.tell_ready),
        service.route("/metrics", service.tell_metrics),
        service.route("/openapi.json", service.tell_document),
    ]
    return Starlette(routes=routes, lifespan=service.run, exception_handlers={HTTPException: service.refuse_address})


class _Service:
    def __init__(self, bundles: dict[str, ServedBundle], log: LogSettings | None) -> None:
        self._bundles = bundles
        self._metrics = Metrics()
        self._log = None if log is None else DecisionLog(log, self._metrics.count_logged)

    def route(self, path: str, handler: Handler, method: str = "GET", dialect: Dialect | None = None) -> Route:
        """Return a route whose every answer is counted and has the id of its request."""

        async def endpoint(request: Request) -> Response:
            began = perf_counter()
            request_id = read_request_id(request)
            try:
                response = await handler(request, request_id)
            except Refusal as refusal:
                response = self._refuse(refusal, dialect)
            except Exception:
                _log.exception("The request %r failed.", request_id)
                response = self._refuse(Refusal("internal_error", "Unexpected server error"), dialect)
            response.headers["x-request-id"] = request_id
            self._metrics.count_request(path, response.status_code, perf_counter() - began)
            return response

        return Route(path, endpoint, methods=[method])

    async def refuse_address(self, request: Request, error: Exception) -> Response:
        """Answer at addresses and to methods that are not offered."""
        is_method = isinstance(error, HTTPException) and error.status_code == 405
        if is_method:
            refusal = Refusal("method_not_allowed", f"{request.method} is not offered here.")
        else:
            refusal = Refusal("not_found", "There is nothing at this address; GET /openapi.json lists what there is.")
        response = self._refuse(refusal)
        response.headers.update(getattr(error, "headers", None) or {})
        return response

    def _refuse(self, refusal: Refusal, dialect: Dialect | None = None) -> Response:
        self._metrics.count_refusal(refusal.code)
        return refusal.to_response(dialect)

    @asynccontextmanager
    async def run(self, _: Starlette) -> AsyncIterator[None]:
        """Look for new versions of the files while the service runs, and close the log at its end."""
        watching = asyncio.create_task(self._watch())
        yield
        watching.cancel()
        if self._log is not None:
            self._log.close()

    async def _watch(self) -> None:
        while True:
            for bundle in self._bundles.values():
                await asyncio.to_thread(bundle.reload)
                self._metrics.set_current(bundle.name, bundle.problem is None)
            await asyncio.sleep(_LOOK_AT_FILES_S)

    async def decide(self, request: Request, request_id: str) -> Response:
        """Decide one input."""
        name, input = read_decide_request(await read_json(request), ["body"])
        loaded, began = self._find(name), perf_counter()
        try:
            made = await _run(loaded.predictor, EdgePredictor.predict, input)
        except InvalidInput as error:
            raise _refuse_input(error) from error
        seconds = perf_counter() - began
        await self._keep([partial(describe_decision, input, made, loaded, request_id, seconds)])
        return JSONResponse(self._answer(loaded, made, seconds, request_id))

    async def decide_batch(self, request: Request, request_id: str) -> Response:
        """Decide the items of a batch, those of a decision type together; a faulty one fails alone."""
        items = read_batch(await read_json(request))
        results: list[JsonObject | None] = [None] * len(items)
        refused: dict[int, Refusal] = {}
        waiting: defaultdict[str, dict[int, JsonObject]] = defaultdict(dict)
        for index, item in enumerate(items):
            try:
                name, input = read_decide_request(item, ["body", index])
                self._find(name)
                waiting[name][index] = input
            except Refusal as refusal:
                refused[index] = refusal
        kept: list[Callable[[], JsonObject]] = []
        for name, inputs in waiting.items():
            loaded, began = self._find(name), perf_counter()
            decided = await _run(loaded.predictor, EdgePredictor.predict_each, list(inputs.values()))
            seconds = (perf_counter() - began) / len(inputs)
            for index, made in zip(inputs, decided, strict=True):
                if isinstance(made, InvalidInput):
                    refused[index] = _refuse_input(made, index)
                else:
                    item_id = f"{request_id[:120]}-{index}"
                    results[index] = self._answer(loaded, made, seconds, item_id)
                    kept.append(partial(describe_decision, inputs[index], made, loaded, item_id, seconds))
        await self._keep(kept)
        for each in refused.values():
            self._metrics.count_refusal(each.code)
        errors = [refused[at].to_item(at, read_type_name(items[at]), request_id) for at in sorted(refused)]
        counts = {"succeeded": len(items) - len(errors), "failed": len(errors)}
        return JSONResponse({"results": results, "errors": errors, **counts})

    async def answer_systemone(self, request: Request, request_id: str) -> Response:
        """Answer questions in the format of TypeSafe."""
        answers = await self._ask(read_systemone(await read_json(request, takes_zstd=True)), request_id)
        return JSONResponse(answer_systemone(answers, _sends_extras(request)))

    async def answer_decisions(self, request: Request, request_id: str) -> Response:
        """Answer questions in the format of OpenAI."""
        answers = await self._ask(read_decisions(await read_json(request, takes_zstd=True)), request_id)
        return JSONResponse(answer_decisions(answers, _sends_extras(request)))

    async def list_models(self, _: Request, __: str) -> Response:
        """List the served decision types as the models of both formats."""
        made = {name: datetime.fromisoformat(each.loaded.info["created_at"]) for name, each in self._bundles.items()}
        data = [
            {"id": name, "object": "model", "created": int(at.timestamp()), "owned_by": "decision-workbench"}
            for name, at in made.items()
        ]
        models = [{"name": name, "description": "", "release_date": f"{at:%Y-%m-%d}"} for name, at in made.items()]
        return JSONResponse({"object": "list", "data": data, "models": models})

    async def _ask(self, asked: Asked, request_id: str) -> list[Answer]:
        """Decide by each bundle that answers a question once, and answer all of them or none."""
        loaded = {name: bundle.loaded for name, bundle in self._bundles.items()}
        predictors = {name: each.predictor for name, each in loaded.items()}
        answering = [find_bundle(predictors, asked.model, question) for question in asked.questions]
        inputs = {name: read_input(asked, name, predictors[name]) for name, _ in answering}
        made: dict[str, EdgeDecision] = {}
        kept: list[Callable[[], JsonObject]] = []
        for name, input in inputs.items():
            began = perf_counter()
            try:
                made[name] = await _run(predictors[name], EdgePredictor.predict, input)
            except InvalidInput as error:
                raise Refusal.of_problem(asked.place, str(error).rstrip(".")) from error
            seconds = perf_counter() - began
            kept.append(partial(describe_decision, input, made[name], loaded[name], request_id, seconds))
        for name, decision in made.items():
            self._metrics.count_decision(name, decision)
        await self._keep(kept)
        found = zip(asked.questions, answering, strict=True)
        return [Answer(question, name, options, made[name], request_id) for question, (name, options) in found]

    async def tell_health(self, _: Request, __: str) -> Response:
        """Say that the process answers, and by what."""
        return JSONResponse({"status": "ok", "bundles": [_name_policy(each) for each in self._bundles.values()]})

    async def tell_ready(self, _: Request, __: str) -> Response:
        """Say what decides, and whether it is what the files hold."""
        bundles = [
            {
                **_name_policy(bundle),
                "file": bundle.file,
                "bundle_digest": bundle.loaded.info["bundle_digest"],
                "problem": bundle.problem,
            }
            for bundle in self._bundles.values()
        ]
        is_current = all(bundle.problem is None for bundle in self._bundles.values())
        return JSONResponse({"status": "ready" if is_current else "degraded", "bundles": bundles})

    async def tell_metrics(self, _: Request, __: str) -> Response:
        """Give the counts."""
        return Response(self._metrics.render(), media_type="text/plain; version=0.0.4")

    async def tell_document(self, _: Request, __: str) -> Response:
        """Describe the service."""
        return JSONResponse(describe_service({name: bundle.loaded.predictor for name, bundle in self._bundles.items()}))

    def _find(self, name: str) -> Loaded:
        if (bundle := self._bundles.get(name)) is None:
            served = ", ".join(self._bundles)
            raise Refusal("decision_type_not_found", f"The decision type does not exist. Served here: {served}.")
        return bundle.loaded

    async def _keep(self, lines: Sequence[Callable[[], JsonObject]]) -> None:
        """Log decisions, where there is a log, before they are answered."""
        if self._log is not None and lines:
            await self._log.add([describe() for describe in lines])

    def _answer(self, loaded: Loaded, made: EdgeDecision, seconds: float, request_id: str) -> JsonObject:
        self._metrics.count_decision(loaded.info["decision_type"], made)
        own = {"latency_ms": round(seconds * 1_000, 3), "request_id": request_id}
        return {**vars(made), "explanation": explain(made, loaded.info), **own}


def _sends_extras(request: Request) -> bool:
    return request.headers.get("x-workbench-extras") != "off"


def _name_policy(bundle: ServedBundle) -> JsonObject:
    info = bundle.loaded.info
    return {"decision_type": bundle.name, "policy_version": info["policy_version"], "digest": info["digest"]}


async def _run(predictor: EdgePredictor, decide: Callable[[EdgePredictor, Given], Made], given: Given) -> Made:
    """Decide in a thread where a text is read: that takes milliseconds, during which others can be answered."""
    return await run_in_threadpool(decide, predictor, given) if predictor.uses_encoder else decide(predictor, given)


def _refuse_input(error: InvalidInput, *place: int) -> Refusal:
    return Refusal.of_problem(["body", *place, "input"], str(error).rstrip("."))

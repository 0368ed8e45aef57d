"""Requests as the workbench reads them, and the one form of every refusal."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Literal, TypeAlias, TypedDict
from uuid import uuid4

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from .._json import JsonObject, JsonValue, find_excess, parse_json
from .._tables import ERRORS, MAX_BATCH_SIZE, MAX_INPUT_DEPTH, MAX_INPUT_KEYS

MAX_BODY_BYTES = 1024 * 1024
# As the workbench allows for a request.
_BODY_S = 10
# The rest of a body that is too large is read up to here, so that its sender comes to read the answer.
_MAX_DROPPED_BYTES = 32 * MAX_BODY_BYTES
TYPE_NAMES = ("decision_type", "type", "decision_type_name")
_MAX_PROBLEMS = 100
# Characters of a name out of the request that an answer repeats.
_MAX_SHOWN = 200
_USABLE_ID = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,127}")
# The trace of a request as W3C writes it: version, trace, caller, flags; later versions may say more.
_TRACEPARENT = re.compile(
    r"(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|\Z)"
)
Place: TypeAlias = "Sequence[str | int]"
Dialect: TypeAlias = Literal["systemone", "decisions"]


class Detail(TypedDict):
    """A problem at a place of the request."""

    type: str
    loc: list[str | int]
    msg: str


class Refusal(Exception):
    """A request, or an item of a batch, that is not answered with a decision."""

    def __init__(self, code: str, message: str, details: list[Detail] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details

    @classmethod
    def of_problem(cls, place: Place, message: str, type: str = "invalid_value") -> Refusal:
        """Return the refusal of a value at a place of the request."""
        return cls("validation_error", "Request validation failed.", [_make_detail(place, message, type)])

    def to_response(self, dialect: Dialect | None = None) -> JSONResponse:
        """Return the answer to the whole request, in the shape of a format of decision models where one is named."""
        status = ERRORS[self.code][0]
        error: dict[str, object] = {"code": self.code, "message": str(self)}
        if dialect == "systemone":
            if self.details is not None:
                return JSONResponse({"detail": self.details}, status)
            is_model = self.code == "decision_type_not_found"
            detail = {"error_type": "api_usage_error" if is_model else self.code, "message": str(self)}
            return JSONResponse({"detail": detail}, 400 if is_model else status)
        if dialect == "decisions":
            return JSONResponse({"error": self._describe()}, 400 if status == 422 else status)
        if self.details is not None:
            error["details"] = self.details
        return JSONResponse({"error": error}, status)

    def _describe(self) -> JsonObject:
        """Return the error as the format of OpenAI has it."""
        found = [(_write_place(detail["loc"][1:]), detail["msg"]) for detail in (self.details or [])[:3]]
        message = "; ".join(f"{place}: {text}" if place else text for place, text in found) or str(self)
        error: JsonObject = {"message": message, "type": "invalid_request_error", "param": None, "code": self.code}
        if self.code == "decision_type_not_found":
            error.update({"param": "model", "code": "model_not_found"})
        elif self.details:
            error.update({"param": found[0][0] or None, "code": self.details[0]["type"]})
        elif self.code == "internal_error":
            error["type"] = "server_error"
        return error

    def to_item(self, index: int, type_name: str, request_id: str) -> JsonObject:
        """Return the entry in a batch's `errors`; the message tells the problems, as an entry has no details."""
        status, retryable = ERRORS[self.code]
        found = [(".".join(map(str, detail["loc"][2:])), detail["msg"]) for detail in self.details or []]
        problems = "; ".join(f"{place}: {message}" if place else message for place, message in found)
        return {
            "index": index,
            "decision_type": type_name,
            "code": self.code,
            "message": f"{self} Problems: {problems}." if problems else str(self),
            "status_code": status,
            "retryable": retryable,
            "request_id": f"{request_id[:120]}-{index}",
        }


class UnfinishedBody(Refusal):
    """A request whose body did not come; what follows on its connection is not a request."""

    def to_response(self, dialect: Dialect | None = None) -> JSONResponse:
        """Return the answer, the last one on this connection."""
        response = super().to_response(dialect)
        response.headers["connection"] = "close"
        return response


def read_request_id(request: Request) -> str:
    """Return the caller's `X-Request-ID`, the id of the trace that the request belongs to, or a new one."""
    given = request.headers.get("x-request-id", "")
    if _USABLE_ID.fullmatch(given):
        return given
    trace = _TRACEPARENT.match(", ".join(request.headers.getlist("traceparent")))
    return trace[1] if trace else str(uuid4())


async def read_json(request: Request, takes_zstd: bool = False) -> JsonValue:
    """Return the body of a request without a query, None of an empty one. Raises Refusal."""
    if unknown := next(iter(request.query_params), None):
        raise Refusal.of_problem(["query", unknown], f"unknown parameter: {unknown}", "unrecognized_keys")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal("unsupported_media_type", "Bodies must be application/json.")
    encoding = request.headers.get("content-encoding", "identity")
    if encoding != "identity" and not (encoding == "zstd" and takes_zstd):
        raise Refusal("unsupported_media_type", "Compressed bodies are not accepted.")
    try:
        body, size = await _read_body(request)
    except ClientDisconnect as error:
        raise Refusal("bad_request", "The body has another length than announced.") from error
    if size > MAX_BODY_BYTES:
        raise Refusal(
            "payload_too_large", f"The body is larger than {MAX_BODY_BYTES:,} bytes; send it in several parts."
        )
    if encoding == "zstd":
        body = _decompress(body)
    return _parse_body(body) if body else None


def _decompress(body: bytes) -> bytes:
    """Return a body that zstd has compressed, within the size of a plain one. Raises Refusal."""
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ModuleNotFoundError as error:
        message = "Bodies compressed by zstd need Python 3.14 here, or `pip install backports.zstd`."
        raise Refusal("unsupported_media_type", message) from error
    try:
        plain: bytes = zstd.ZstdDecompressor().decompress(body, max_length=MAX_BODY_BYTES + 1)
    except zstd.ZstdError as error:
        raise Refusal("bad_request", "The body is not what zstd has compressed.") from error
    if len(plain) > MAX_BODY_BYTES:
        raise Refusal("payload_too_large", f"Decompressed the body is larger than {MAX_BODY_BYTES:,} bytes.")
    return plain


async def _read_body(request: Request) -> tuple[bytes, int]:
    """Return the body, or the part of it that a body may have, and its size. Raises UnfinishedBody."""
    body, size, is_late = bytearray(), 0, False
    reading = asyncio.current_task()

    def give_up() -> None:
        nonlocal is_late
        is_late = True
        if reading is not None:
            reading.cancel()

    # asyncio.wait_for would start a task for every request, a tenth of a millisecond.
    timer = asyncio.get_running_loop().call_later(_BODY_S, give_up)
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > _MAX_DROPPED_BYTES:
                break
            if size <= MAX_BODY_BYTES:
                body += chunk
    except asyncio.CancelledError as error:
        if not is_late:
            raise
        raise UnfinishedBody("bad_request", f"The body did not arrive within {_BODY_S} seconds.") from error
    finally:
        timer.cancel()
    return bytes(body), size


def _parse_body(body: bytes) -> JsonValue:
    """Parse a body as strictly as the workbench does. Raises Refusal."""
    try:
        value = parse_body_text(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refusal("bad_request", "The body is not valid UTF-8.") from error
    except ValueError as error:
        raise Refusal("bad_request", f"The body is not valid JSON: {error}.") from error
    if excess := find_excess(value, MAX_INPUT_DEPTH, MAX_INPUT_KEYS):
        raise Refusal("bad_request", f"The body {excess}.")
    return value


def parse_body_text(text: str) -> JsonValue:
    """Parse JSON whose objects have different keys. Raises ValueError or Refusal."""
    return parse_json(text, read_pairs=_read_pairs)


def _read_pairs(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    """Return an object of a body, whose keys are different. Raises Refusal."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        key = next(key for key, _ in pairs if counts[key] > 1)
        raise Refusal("bad_request", f"The body has the key {json.dumps(key, ensure_ascii=False)} twice in one object.")
    if "__proto__" in found:
        raise Refusal("bad_request", 'The key "__proto__" is not allowed.')
    return found


def read_decide_request(item: JsonValue, place: Place) -> tuple[str, JsonObject]:
    """Return decision type and input of a decide request at `place`. Raises Refusal with every problem."""
    if not isinstance(item, dict):
        raise Refusal.of_problem(place, "expected an object", "invalid_type")
    if problems := list(islice(_find_problems(item, place), _MAX_PROBLEMS)):
        raise Refusal("validation_error", "Request validation failed.", problems)
    name, input = read_type_name(item), item["input"]
    assert isinstance(input, dict)
    return name, input


def read_type_name(item: JsonValue) -> str:
    """Return the decision type that a decide request names, as an answer repeats it; empty where it names none."""
    given = [item.get(name) for name in TYPE_NAMES] if isinstance(item, dict) else []
    return next((_show(name) for name in given if isinstance(name, str)), "")


def read_batch(body: JsonValue) -> list[JsonValue]:
    """Return the items of a batch, which may be a list or stand in `decisions`. Raises Refusal."""
    items, place = body, ["body"]
    if isinstance(body, dict):
        if unknown := next((key for key in body if key != "decisions"), None):
            raise Refusal.of_problem(["body", _show(unknown)], f"unknown field: {_show(unknown)}", "unrecognized_keys")
        items, place = body.get("decisions"), ["body", "decisions"]
    if not isinstance(items, list):
        raise Refusal.of_problem(place, "expected a list of decision requests", "invalid_type")
    if not items:
        raise Refusal.of_problem(place, "at least one decision request is needed", "too_small")
    if len(items) > MAX_BATCH_SIZE:
        raise Refusal.of_problem(place, f"at most {MAX_BATCH_SIZE} decision requests are allowed", "too_big")
    return items


def _find_problems(item: JsonObject, place: Place) -> Iterator[Detail]:
    named = False
    for key, value in item.items():
        if key == "input":
            continue
        if key not in TYPE_NAMES:
            yield _make_detail([*place, _show(key)], f"unknown field: {_show(key)}", "unrecognized_keys")
        elif not isinstance(value, str) or not value:
            yield _make_detail([*place, key], "expected the name of a decision type", "invalid_type")
        elif named:
            yield _make_detail([*place, key], f"give one of {', '.join(TYPE_NAMES)}", "invalid_value")
        named = named or key in TYPE_NAMES
    if not named:
        yield _make_detail([*place, "decision_type"], "decision_type is required", "missing")
    if "input" not in item:
        yield _make_detail([*place, "input"], "input is required", "missing")
    elif not isinstance(item["input"], dict):
        yield _make_detail([*place, "input"], "expected an object", "invalid_type")


def _write_place(place: Place) -> str:
    """Write a place of the body as `questions[1].choices`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")


def _show(name: str) -> str:
    """Return a name out of the request as an answer can repeat it: cut, and half a surrogate pair as its number."""
    shown = name if len(name) <= _MAX_SHOWN else f"{name[:_MAX_SHOWN]}…"
    return shown.encode("utf-8", "backslashreplace").decode()


def _make_detail(place: Place, message: str, type: str) -> Detail:
    return {"type": type, "loc": list(place), "msg": message}

"""The local tool server over standard input and output (extra: mcp)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError

from ._decide import EdgeDecision
from ._errors import DecisionEdgeError, InvalidBundle
from ._tables import VERSION
from .predictor import EdgePredictor

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_LOADS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _say_plainly(
    call: Callable[Asked, Coroutine[object, object, Answer]],
) -> Callable[Asked, Coroutine[object, object, Answer]]:
    """Say what is wrong in plain sentences: without the library's preamble and its validator's report."""

    async def call_plainly(*args: Asked.args, **options: Asked.kwargs) -> Answer:
        try:
            return await call(*args, **options)
        except ToolError as error:
            if isinstance(error.__cause__, ToolError):
                raise error.__cause__ from None
            if not isinstance(error.__cause__, ValidationError):
                raise
            problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}." for e in error.__cause__.errors()]
            raise ToolError(" ".join(problems)) from None

    return call_plainly


class _PlainServer(MCPServer):
    call_tool = _say_plainly(MCPServer.call_tool)


def create_server(predictor: EdgePredictor | None = None) -> MCPServer:
    """Return the server with its tools and the model card; `predictor` is the bundle that is loaded at the start."""
    instructions = "Load an exported bundle, then make decisions with it, offline."
    if predictor is not None:
        instructions = f"Make decisions of the type {predictor.info['decision_type']!r}, offline."
    server = _PlainServer("decision-edge", version=VERSION, instructions=instructions)
    loaded = predictor

    def current() -> EdgePredictor:
        if loaded is None:
            raise ToolError("No bundle is loaded. Call load_edge_bundle with the path of an exported ZIP file first.")
        return loaded

    @server.tool(annotations=_LOADS)
    def load_edge_bundle(
        path: Annotated[str, Field(description="Path of the ZIP file")],
        text_model: Annotated[str | None, Field(description="Folder of the text model, for a slim bundle")] = None,
    ) -> dict[str, object]:
        """Load an exported bundle; it replaces the one loaded before. Slim bundles need the text model's folder."""
        nonlocal loaded
        try:
            loaded = EdgePredictor.from_bundle(path, text_model=text_model)
        except InvalidBundle as error:
            raise ToolError(f"The bundle cannot be used: {error}") from error
        return loaded.info

    @server.tool(annotations=_READ_ONLY)
    def get_bundle_info() -> dict[str, object]:
        """Return decision type, version, options, thresholds and the fields of an input of the loaded bundle."""
        return current().info

    @server.tool(annotations=_READ_ONLY)
    def make_decision(
        input: Annotated[dict[str, object], Field(description="The JSON object that is decided")],
        strict: Annotated[bool | None, Field(description="Refuse fields that the policy does not read")] = False,
    ) -> EdgeDecision:
        """Decide one input with the loaded bundle. Costs nothing, records nothing, needs no network.

        The fields of the input are those that get_bundle_info lists; a dot in a path leads into an object. What else it
        holds comes back in `unread`, or is refused with `strict`.
        """
        try:
            return current().predict(input, strict=bool(strict))
        except DecisionEdgeError as error:
            raise ToolError(str(error)) from error

    @server.resource("bundle://model-card", title="Model card", mime_type="text/markdown")
    def model_card() -> str:
        """Tells what the loaded policy decides, by which fields, rules and examples, how well, and where not."""
        try:
            return current().model_card
        except ToolError as error:
            raise ResourceError(str(error)) from error

    return server


def serve(bundle: str | None, text_model: str | None) -> None:
    """Serve until standard input ends. Raises InvalidBundle if `bundle` cannot be used."""
    predictor = None if bundle is None else EdgePredictor.from_bundle(bundle, text_model=text_model)
    create_server(predictor).run("stdio")

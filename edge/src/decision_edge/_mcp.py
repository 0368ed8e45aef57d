"""The local tool server over standard input and output (extra: mcp)."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from ._errors import DecisionEdgeError, InvalidBundle
from .predictor import EdgePredictor

__all__ = ["create_server", "serve"]

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_LOADS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def create_server(predictor: EdgePredictor | None = None) -> MCPServer:
    """Return the server with its three tools; `predictor` is the bundle that is loaded at the start."""
    server = MCPServer("decision-edge", instructions="Load an exported bundle, then make decisions with it, offline.")
    loaded = predictor

    def current() -> EdgePredictor:
        if loaded is None:
            raise ToolError("No bundle is loaded. Call load_edge_bundle with the path of an exported ZIP file first.")
        return loaded

    @server.tool(annotations=_LOADS)
    def load_edge_bundle(path: str, text_model: str | None = None) -> dict[str, Any]:
        """Load an exported bundle; it replaces the one loaded before. Slim bundles need the text model's folder."""
        nonlocal loaded
        try:
            loaded = EdgePredictor.from_bundle(path, text_model=text_model)
        except InvalidBundle as error:
            raise ToolError(f"The bundle cannot be used: {error}") from error
        return loaded.info

    @server.tool(annotations=_READ_ONLY)
    def get_bundle_info() -> dict[str, Any]:
        """Return decision type, version, options, reason codes and thresholds of the loaded bundle."""
        return current().info

    @server.tool(annotations=_READ_ONLY)
    def make_decision(input: dict[str, Any]) -> dict[str, Any]:
        """Decide one input with the loaded bundle. Costs nothing, records nothing, needs no network."""
        try:
            return current().predict(input).to_dict()
        except DecisionEdgeError as error:
            raise ToolError(str(error)) from error

    return server


def serve(bundle: str | None, text_model: str | None) -> None:
    """Serve until standard input ends. Raises InvalidBundle if `bundle` cannot be used."""
    predictor = None if bundle is None else EdgePredictor.from_bundle(bundle, text_model=text_model)
    create_server(predictor).run("stdio")

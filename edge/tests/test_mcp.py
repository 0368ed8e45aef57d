"""An assistant uses the local tool server over standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from decision_edge import __version__
from service import PATIENCE_S, SOURCE


class Session:
    """The server in a process of its own, spoken to as the protocol says: one JSON-RPC message a line."""

    def __init__(self, *arguments: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "decision_edge", "mcp", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
        self._last = 0
        client = {"name": "test", "version": "1"}
        opened = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.server: dict[str, Any] = self.call("initialize", opened)["serverInfo"]
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=PATIENCE_S)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask(method, params)["result"]
        return result

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._last
        return answer

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.call("tools/call", {"name": name, "arguments": arguments})


def test_load_look_decide(make_bundle: Any) -> None:
    """The three tools and no other [EDG-4]."""
    with Session() as session:
        tools = {tool["name"]: tool for tool in session.call("tools/list", {})["tools"]}
        assert set(tools) == {"make_decision", "load_edge_bundle", "get_bundle_info"}
        assert tools["make_decision"]["annotations"]["readOnlyHint"] is True
        for tool in tools.values():
            assert all(argument["description"] for argument in tool["inputSchema"]["properties"].values())
        answered = tools["make_decision"]["outputSchema"]["properties"]
        assert {"decision", "confidence", "stage", "escalate", "unread"} <= set(answered)
        early = session.tool("make_decision", input={})
        assert early["isError"] is True
        assert early["content"][0]["text"].startswith("No bundle is loaded. Call load_edge_bundle")
        assert session.tool("load_edge_bundle", path=str(make_bundle()))["structuredContent"]["decision_type"] == "loan"
        assert session.tool("get_bundle_info")["structuredContent"]["policy_version"] == "v3"
        result = session.tool("make_decision", input={"loan": {"amount": 4}})["structuredContent"]
        assert (result["decision"], result["stage"]) == ("approve", "classifier")
        assert session.server["version"] == __version__


def test_the_model_card_is_there_to_read(make_bundle: Any) -> None:
    """A resource; before a bundle is loaded it says what to do."""
    with Session() as session:
        (card,) = session.call("resources/list", {})["resources"]
        assert (card["uri"], card["mimeType"]) == ("bundle://model-card", "text/markdown")
        early = session.ask("resources/read", {"uri": card["uri"]})["error"]["message"]
        assert "No bundle is loaded. Call load_edge_bundle" in early
        session.tool("load_edge_bundle", path=str(make_bundle()))
        (content,) = session.call("resources/read", {"uri": card["uri"]})["contents"]
        assert content["text"] == "# Loan"


def test_the_fields_that_an_agent_may_fill(make_bundle: Any) -> None:
    """They are those of the manifest, and what is none of them is named."""
    amount = {
        "path": ["loan", "amount"],
        "kind": "number",
        "required": False,
        "missing": 0.25,
        "values": None,
        "range": [-4, 4],
    }
    with Session(make_bundle(fields=[amount])) as session:
        (listed,) = session.tool("get_bundle_info")["structuredContent"]["fields"]
        assert listed == {**amount, "path": "loan.amount", "reading": None}
        mistyped = {"loan": {"amuont": 4}}
        result = session.tool("make_decision", input=mistyped)["structuredContent"]
        assert result["unread"] == ["'loan.amuont' is no field of the policy; did you mean 'amount'?"]
        for arguments, told in [({}, "input: Field required."), ({"input": 4}, "input: Input should be a valid dict")]:
            (content,) = session.tool("make_decision", **arguments)["content"]
            assert content["text"].startswith(told)
            assert "http" not in content["text"]
        refused = session.tool("make_decision", input=mistyped, strict=True)
        assert refused["isError"] is True
        assert "'loan.amuont' is no field" in refused["content"][0]["text"]


def test_a_bundle_from_the_command_line_stays_when_another_is_refused(make_bundle: Any) -> None:
    with Session(make_bundle()) as session:
        refused = session.tool("load_edge_bundle", path="/nowhere.zip")
        assert refused["isError"] is True
        assert "cannot be read" in refused["content"][0]["text"]
        result = session.tool("make_decision", input={"loan": {"amount": -4}})
        assert result["structuredContent"]["decision"] == "reject"

"""A served bundle as its clients see it: the command in a process of its own, spoken to over a port."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

SOURCE = Path(__file__).parents[1] / "src"
# Ends what hangs, also on a machine busy with other things: no test states how long a thing takes.
PATIENCE_S = 600


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any


class Service:
    """`decision-edge serve` with these arguments, at a free port."""

    def __init__(self, *arguments: Any, prefix: tuple[str, ...] = (sys.executable, "-W", "error")) -> None:
        command = [*prefix, "-m", "decision_edge", "serve", *map(str, arguments), "--port", "0"]
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
        self.log: list[str] = []
        self.port = 0
        try:
            self.read_log(lambda _: self.port > 0)
            self.wait_until_listening(True)
        except BaseException:
            self.process.kill()
            self.process.communicate()
            raise

    def read_log(self, is_last: Callable[[str], bool]) -> None:
        """Read on until a line; fails with the log where the process ends before it."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.rstrip())
            if found := re.search(r"running on http://[\d.]+:(\d+)", line):
                self.port = int(found[1])
            if is_last(line):
                return
        raise AssertionError("\n".join(self.log))

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Ask for the end as a container's runtime does; return the exit status and read the log to its end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        _, rest = self.process.communicate(timeout=PATIENCE_S)
        self.log.extend(rest.splitlines())
        return self.process.returncode

    def wait_until_listening(self, expected: bool) -> None:
        """Connect until that works, or until it does not."""
        end = monotonic() + PATIENCE_S
        is_listening = not expected
        while is_listening != expected:
            assert monotonic() < end, self.log
            with socket.socket() as client:
                is_listening = client.connect_ex(("127.0.0.1", self.port)) == 0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Ask once; a `body` that is not bytes goes as JSON, an answer that is JSON comes parsed."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"content-type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        got = {name.lower(): value for name, value in response.getheaders()}
        is_json = got.get("content-type", "").startswith("application/json") and text
        return Answer(response.status, got, json.loads(text) if is_json else text)

    def decide(self, name: str, input: Any) -> Any:
        return self.ask("POST", "/decide", {"decision_type": name, "input": input}).body

    def read_processor_s(self) -> float:
        """Return the processor time that the process has taken; 0 where there is no /proc to say it."""
        path = Path(f"/proc/{self.process.pid}/stat")
        if not path.exists():
            return 0
        user, system = path.read_text(encoding="ascii").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def wait_until(self, is_so: Callable[[Any], bool]) -> Any:
        """Ask for readiness until its answer is such."""
        end = monotonic() + PATIENCE_S
        while not is_so(ready := self.ask("GET", "/ready").body):
            assert monotonic() < end, ready
        return ready

"""The HTTP service over bundles (extra: serve)."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing import parent_process
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from .._errors import DecisionEdgeError
from .app import create_app
from .bundles import open_bundles
from .connections import MAX_ACCEPTED_AT_ONCE, BoundedProtocol, OnceAMinute
from .log import CAN_SHARE, DecisionLog, LogSettings

__all__ = ["LogSettings", "serve"]

_WORKERS_SERVE = "DECISION_EDGE_WORKERS_SERVE"
_MAX_WAIT_AT_END_S = 20
# A worker that does not answer is killed and replaced. On a busy machine one takes longer than uvicorn's 5 s to
# load its code, and none would ever serve.
_WORKER_PATIENCE_S = 60
# Between the keep-alive of common proxies (60 s) and the patience of their clients.
_KEEP_ALIVE_S = 75
# The answers name what a policy does not read, so the package's own warnings would only repeat it.
_LOG: dict[str, object] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "filters": {"once a minute": {"()": OnceAMinute}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        "asyncio": {"filters": ["once a minute"]},
        "decision_edge": {"level": "ERROR"},
        "decision_edge.serve": {"level": "INFO"},
    },
    "root": {"level": "INFO", "handlers": ["stderr"]},
}


def serve(
    paths: Sequence[str], text_model: str | None, host: str, port: int, workers: int, log: LogSettings | None
) -> None:
    """Serve until SIGTERM or SIGINT, and finish pending requests.

    Raises InvalidBundle, or DecisionEdgeError for a log that cannot be written, at the start.
    """
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "workers": workers,
        "lifespan": "on",
        "http": BoundedProtocol,
        "backlog": MAX_ACCEPTED_AT_ONCE,
        "ws": "none",
        "log_config": _LOG,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": _KEEP_ALIVE_S,
        "timeout_graceful_shutdown": _MAX_WAIT_AT_END_S,
        "timeout_worker_healthcheck": _WORKER_PATIENCE_S,
    }
    if workers == 1:
        uvicorn.run(create_app(paths, text_model, log), **options)
        return
    # Refuse before there are processes: each of them opens bundles and log for itself.
    open_bundles(paths, text_model)
    if log is not None:
        if not CAN_SHARE:
            raise DecisionEdgeError("On this system one process alone can write a log: use --log with one worker.")
        DecisionLog(log, lambda _, __: None).close()
    with TemporaryDirectory(prefix="decision-edge-") as counts:
        # Read by prometheus_client: the processes count together in this folder.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts
        os.environ[_WORKERS_SERVE] = json.dumps([paths, text_model, log and asdict(log)])
        config = uvicorn.Config(f"{__name__}:create_app_of_worker", factory=True, **options)
        listening = config.bind_socket()
        # Of this socket asyncio does not know that it is TCP, and the second part of each answer, its body, would wait
        # 40 ms for the client to confirm the first.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Multiprocess(config, sockets=[listening]).run()


def create_app_of_worker() -> Starlette:
    """Return the application of one of several processes, which are restarted and only inherit the environment."""
    Thread(target=_end_with_parent, daemon=True).start()
    paths, text_model, log = json.loads(os.environ[_WORKERS_SERVE])
    return create_app(paths, text_model, log and LogSettings(**log))


def _end_with_parent() -> None:
    """End when the process that started this one has ended, however: a restart needs the port."""
    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

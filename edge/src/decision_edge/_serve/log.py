"""The log of decisions: a line of JSON for each in a file that several processes share."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from uuid import uuid4

from .._decide import EdgeDecision
from .._errors import DecisionEdgeError
from .._json import JsonObject
from .bundles import Loaded
from .explanation import explain

try:
    import fcntl
except ImportError:  # Windows, where one process has the file for itself.
    fcntl = None  # type: ignore[assignment]

CAN_SHARE = fcntl is not None
"""Whether several processes can write one file."""
_log = logging.getLogger("decision_edge.serve")
_TAIL_BYTES = 64 * 1024


@dataclass(frozen=True)
class LogSettings:
    """Where decisions are logged: how large a file gets, how many there are, and when they are synced to the disk."""

    path: str
    sync: str = "always"
    max_bytes: int = 100 * 1024 * 1024
    files: int = 10


def describe_decision(
    input: JsonObject, made: EdgeDecision, loaded: Loaded, request_id: str, seconds: float
) -> JsonObject:
    """Return a decision as the log has it, by the names of the workbench's log and without personal values."""
    return {
        "id": str(uuid4()),
        "request_id": request_id,
        "decision_type": loaded.info["decision_type"],
        "input": loaded.personal.mask(input),
        "decision": made.decision,
        "confidence": made.confidence,
        "classifier_choice": made.classifier_choice,
        "classifier_probability": made.classifier_probability,
        "stage": made.stage,
        "reason_codes": list(made.reason_codes),
        "class_probabilities": dict(made.class_probabilities),
        "rules_triggered": list(made.rules_triggered),
        "rule_errors": list(made.rule_errors),
        "escalated": made.escalate,
        "fallback_used": made.fallback_used,
        "unfamiliar": made.unfamiliar,
        "policy_version": made.policy_version,
        "decision_type_version": loaded.info["version"],
        "digest": made.digest,
        "explanation": explain(made, loaded.info),
        "latency_ms": round(seconds * 1_000, 3),
        "created_at": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }


class DecisionLog:
    """A file of decisions, each in a line; beyond its size FILE becomes FILE.1, that FILE.2, and the last one goes.

    Processes write one after the other. Half a line that a killed one has left is removed before the next is written.
    """

    def __init__(self, settings: LogSettings, count: Callable[[int, bool], None]) -> None:
        """Open the file, and tell `count` of lines that were written, and of those that could not be.

        Raises DecisionEdgeError where the file cannot be written.
        """
        self._settings = settings
        self._count = count
        self._descriptor: int | None = None
        self._end = -1
        self._is_failing = False
        self._writer = ThreadPoolExecutor(1, "decision log")
        self._turn = asyncio.Lock()
        self._waiting: list[JsonObject] = []
        self._added = self._written = 0
        self._next_sync: asyncio.TimerHandle | None = None
        try:
            self._unlock(self._open())
        except OSError as error:
            raise DecisionEdgeError(f"The log {settings.path} cannot be written: {error.strerror}.") from error

    async def add(self, decisions: Sequence[JsonObject]) -> None:
        """Write decisions before they are answered; those that are added meanwhile share the next write and its sync.

        It never raises: what cannot be written is counted.
        """
        if self._settings.sync != "always":
            self._write(decisions)
            self._sync_soon()
            return
        self._waiting += decisions
        self._added += len(decisions)
        number = self._added
        async with self._turn:
            if self._written >= number:
                return
            group, self._waiting, last = self._waiting, [], self._added
            await asyncio.get_running_loop().run_in_executor(self._writer, self._write, group)
            self._written = last

    def close(self) -> None:
        """Write to the disk what is to be there, and let the file go."""
        if self._next_sync is not None:
            self._next_sync.cancel()
        self._writer.shutdown()
        if self._descriptor is not None and self._settings.sync != "never":
            with suppress(OSError):
                os.fsync(self._descriptor)
        self._close()

    def _write(self, decisions: Sequence[JsonObject]) -> None:
        try:
            lines = [json.dumps(each, ensure_ascii=False, allow_nan=False, separators=(",", ":")) for each in decisions]
            self._append("".join(f"{line}\n" for line in lines).encode())
        except (OSError, ValueError) as error:
            self._count(len(decisions), False)
            if not self._is_failing:
                ends = "They are answered all the same; /metrics counts those without a line."
                _log.error("Decisions cannot be written to the log %s: %s. %s", self._settings.path, error, ends)
            self._is_failing = True
        else:
            self._count(len(decisions), True)
            if self._is_failing:
                _log.info("The log %s is written again.", self._settings.path)
            self._is_failing = False

    def _append(self, data: bytes) -> None:
        descriptor = self._open()
        try:
            size = os.fstat(descriptor).st_size
            if size > 0 and size + len(data) > self._settings.max_bytes:
                self._rotate(descriptor)
                descriptor = self._open()
                size = os.fstat(descriptor).st_size
            start = size if size == self._end else _find_line_end(descriptor, size)
            if start < size:
                os.ftruncate(descriptor, start)
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(descriptor, left) :]
            except OSError:
                os.ftruncate(descriptor, start)
                raise
            self._end = start + len(data)
            if self._settings.sync == "always":
                os.fsync(descriptor)
        finally:
            self._unlock(descriptor)

    def _open(self) -> int:
        """Return the file under its name, locked; others may have moved the one that was open."""
        while True:
            if self._descriptor is None:
                self._descriptor, self._end = self._open_or_make(), -1
            descriptor = self._descriptor
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                self._close()
                raise OSError(0, "it is no regular file")
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(found, os.stat(self._settings.path)):
                    return descriptor
            self._close()

    def _open_or_make(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        path = self._settings.path
        with suppress(FileNotFoundError):
            # A pipe without a reader would wait for one.
            return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
        made = os.open(path, flags | os.O_CREAT, 0o600)
        if fcntl is not None and self._settings.sync != "never":
            folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return made

    def _rotate(self, descriptor: int) -> None:
        if self._settings.sync == "second":
            os.fsync(descriptor)
        if fcntl is None:  # Windows moves no open file.
            self._close()
        path = self._settings.path
        for number in range(self._settings.files - 1, 0, -1):
            with suppress(FileNotFoundError):
                os.replace(path if number == 1 else f"{path}.{number - 1}", f"{path}.{number}")
        self._close()

    def _unlock(self, descriptor: int) -> None:
        if fcntl is not None and descriptor == self._descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _sync_soon(self) -> None:
        if self._settings.sync == "second" and self._next_sync is None:
            self._next_sync = asyncio.get_running_loop().call_later(1, self._begin_sync)

    def _begin_sync(self) -> None:
        self._next_sync = None
        if self._descriptor is not None:
            # Its own descriptor: the file may be moved and closed meanwhile.
            self._writer.submit(self._sync, os.dup(self._descriptor))

    def _sync(self, descriptor: int) -> None:
        try:
            os.fsync(descriptor)
        except OSError as error:
            _log.error("The log %s cannot be synced to the disk: %s.", self._settings.path, error)
        finally:
            os.close(descriptor)


def _find_line_end(descriptor: int, size: int) -> int:
    """Return where the last whole line of a file ends."""
    end = size
    while end > 0:
        begin = max(0, end - _TAIL_BYTES)
        os.lseek(descriptor, begin, os.SEEK_SET)
        found = os.read(descriptor, end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0

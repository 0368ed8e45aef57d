"""The connections of a process: how many there are, how long they may be silent, and a log line about too many."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # What both protocols of uvicorn have.
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

__all__ = ["MAX_ACCEPTED_AT_ONCE", "BoundedProtocol", "OnceAMinute"]

# As the workbench has them.
_MAX_CONNECTIONS = 256
_HEAD_S = 5
_SCARCE = "out of system resource"


def _find_max_connections() -> int:
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return _MAX_CONNECTIONS
    # A quarter of the open files for those that are served, one for those that are just being accepted.
    return max(8, min(_MAX_CONNECTIONS, getrlimit(RLIMIT_NOFILE)[0] // 4))


MAX_ACCEPTED_AT_ONCE = _find_max_connections()


class BoundedProtocol(Protocol):
    """Closes a connection whose request head takes too long; of too many, the one that has waited longest for one."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, which the one that has been idle longest gives up where there is none."""
        super().connection_made(transport)
        self._idle_since = monotonic()
        self._expect_head()
        if len(self.connections) > MAX_ACCEPTED_AT_ONCE:
            idle = [each for each in self.connections if isinstance(each, BoundedProtocol) and each._is_idle]
            oldest = min(idle, key=lambda each: each._idle_since)
            # A place is free at once; the transport reports its end only later.
            self.connections.discard(oldest)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Let the time of a head begin with its first byte and end with its last."""
        if self._is_idle and self._waiting is None:
            self._expect_head()
        super().data_received(data)
        if not self._is_idle:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Count as idle from now on."""
        self._idle_since = monotonic()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect_head(self) -> None:
        self._waiting = self.loop.call_later(_HEAD_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class OnceAMinute(logging.Filter):
    """Lets asyncio say once a minute what it would say hundreds of times a second: no connection can be accepted."""

    _next = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written."""
        if _SCARCE not in record.getMessage():
            return True
        now = monotonic()
        if now < self._next:
            return False
        self._next = now + 60
        return True

"""The connections of a process: how many there are, how long they may be silent, and a log line about too many."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # What both protocols of uvicorn have.
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

# As the workbench has them.
_MAX_CONNECTIONS = 256
_HEAD_S = 5
# In which a client has to read what does not fit into its buffers.
_READ_S = 10
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
    """Closes a connection whose request head takes too long, or that does not read its answer.

    Of too many, one of the address with most of them gives way: that which has gone longest without a finished answer,
    unless its only answer is being made.
    """

    _waiting: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, which another one gives up where there is none."""
        super().connection_made(transport)
        self._answered_at = monotonic()
        peer = transport.get_extra_info("peername")
        self._address = peer[0] if isinstance(peer, tuple) else ""
        self._expect_head()
        if len(self.connections) > MAX_ACCEPTED_AT_ONCE:
            places = [each for each in self.connections if isinstance(each, BoundedProtocol)]
            held = Counter(each._address for each in places)
            waiting = [each for each in places if each._gives_way] or [self]
            last = max(waiting, key=lambda each: (held[each._address], -each._answered_at))
            # A place is free at once; the transport reports its end only later.
            self.connections.discard(last)
            last.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Let the time of a head begin with its first byte and end with its last."""
        if self._is_idle and self._waiting is None:
            self._expect_head()
        super().data_received(data)
        if not self._is_idle:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Count as idle from now on."""
        self._answered_at = monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Let the time begin that a client has for reading its answer."""
        super().pause_writing()
        self._stalled = self._stalled or self.loop.call_later(_READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        """End that time."""
        super().resume_writing()
        self._stop_stalling()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        self._stop_stalling()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def _gives_way(self) -> bool:
        """While it waits for its client, or has sent further requests ahead; else its one answer is being made."""
        if self._is_idle or self._stalled is not None or self.cycle.more_body:
            return True
        # As the two protocols of uvicorn keep them.
        ahead = getattr(self, "pipeline", None)
        return bool(self.conn.trailing_data[0] if ahead is None else ahead)

    def _expect_head(self) -> None:
        self._waiting = self.loop.call_later(_HEAD_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _stop_stalling(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


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

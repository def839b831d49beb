"""Limits on connections: a client that begins a request must finish it in time, or connect again.

And a client must read what it asked for: until then it stays in our memory, and in that of the system.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 30.0
UNREAD_SECONDS = 30.0
SLOWEST_BYTES_A_SECOND = 1024


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that waits only so long for the headers of a request: the server itself would wait forever."""

    _watch: asyncio.TimerHandle | None = None
    _unread_watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Read more; what arrived may be a whole request or a part of one."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_watch()
        self._stop_unread_watch()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Stop sending for now, and check whether the client reads."""
        super().pause_writing()
        self._watch_unread()

    def resume_writing(self) -> None:
        """Go on sending."""
        self._stop_unread_watch()
        super().resume_writing()

    def _watch_unread(self) -> None:
        before = self.transport.get_write_buffer_size()
        self._unread_watch = self.loop.call_later(UNREAD_SECONDS, self._look_at_unread, before)

    def _look_at_unread(self, before: int) -> None:
        if before - self.transport.get_write_buffer_size() < UNREAD_SECONDS * SLOWEST_BYTES_A_SECOND:
            self.transport.abort()
        else:
            self._watch_unread()

    def _stop_unread_watch(self) -> None:
        if self._unread_watch is not None:
            self._unread_watch.cancel()
            self._unread_watch = None

    def _look(self) -> None:
        if self._is_between_requests():
            self._watch = self._watch or self.loop.call_later(HEADER_SECONDS, self._give_up)
        else:
            self._stop_watch()

    def _is_between_requests(self) -> bool:
        cycle: Any = self.cycle
        return cycle is None or bool(cycle.response_complete)

    def _give_up(self) -> None:
        self._watch = None
        if self._is_between_requests():
            self.transport.close()

    def _stop_watch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

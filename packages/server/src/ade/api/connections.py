"""Connections as they are held: whoever begins a request says it within a while, or has to connect again."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 30.0


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that waits only so long for the headers of a request: the server itself would wait for ever."""

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Read more; what arrived may be a whole request or a part of one."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_watch()
        super().connection_lost(exc)

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

"""The HTTP server of `ade serve`: a signal stops the claiming at once; the process ends when all is put away."""

from __future__ import annotations

import resource
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn

from ade.api.connections import PatientProtocol

# A slow download would keep a stopping server for ever.
SECONDS_FOR_OPEN_REQUESTS = 5
MOST_FILES = 65_536


def allow_many_connections() -> None:
    """Raise how many files this process may have open: the usual 1024 are fewer than the streams people listen to."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    with suppress(ValueError, OSError):  # some systems allow less than they say
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


class HttpServer(uvicorn.Server):
    """Tells of a signal before it begins to shut down."""

    def __init__(
        self, app: Any, *, host: str, port: int, on_signal: Callable[[], None], on_shutdown: Callable[[], None]
    ) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=SECONDS_FOR_OPEN_REQUESTS,
            http=PatientProtocol,
        )
        super().__init__(config)
        self._on_signal = on_signal
        self._on_shutdown = on_shutdown

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop claiming, then shut down."""
        self._on_signal()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams first: their listeners would hold the server until the time for open requests is up."""
        self._on_shutdown()
        await super().shutdown(sockets)

    def serve_until_stopped(self) -> None:
        """Serve; return when a signal asked to stop, so that what else runs in this process can stop in good order."""
        allow_many_connections()
        # The server raises the signal again when it has shut down; by default that would end the process on the spot.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        self.run()
        if not self.started:
            raise SystemExit(1)

"""The HTTP server of `ade serve`: a signal stops the claiming at once; the process ends when all is put away."""

from __future__ import annotations

import errno
import gc
import resource
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn

from ade.api.connections import PatientProtocol
from ade.api.guard import LARGEST_HEADERS_BYTES
from ade.errors import InvalidSettings

# A slow download would keep a stopping server for ever.
SECONDS_FOR_OPEN_REQUESTS = 5
MOST_FILES = 65_536
LAST_PORT = 65_535
BACKLOG = 2048
# localhost is often ::1 too where IPv6 is switched off: its other address will do.
ABSENT = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


def listen(host: str, port: int) -> list[socket.socket]:
    """Take the port on every address of a name; raise InvalidSettings when it cannot be had."""
    taken: list[socket.socket] = []
    try:
        absent: OSError | None = None
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, address in dict.fromkeys((family, address) for family, _, _, _, address in found):
            try:
                taken.append(_listen_at(family, address))
            except OSError as error:
                if error.errno not in ABSENT:
                    raise
                absent = error
        if absent and not taken:
            raise absent
    except OSError as error:
        for listener in taken:
            listener.close()
        raise InvalidSettings(_why_not(error, host, port)) from None
    return taken


def _listen_at(family: int, address: Any) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a restart need not wait for old connections
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(BACKLOG)  # only now is the port ours: two that start at once can both bind it
    except OSError:
        listener.close()
        raise
    return listener


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < LAST_PORT else port - 1
        return f"Port {port} is in use. Choose another: ade serve --port {other}"
    if error.errno == errno.EACCES:
        return f"Port {port} is reserved for the system. Choose one above 1023: ade serve --port 8000"
    return f"ADE_HOST: cannot listen on {host}: {error.strerror}. Name an address of this machine, such as 127.0.0.1."


def allow_many_connections() -> None:
    """Raise how many files this process may have open: the usual 1024 are fewer than the streams people listen to."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    with suppress(ValueError, OSError):  # some systems allow less than they say
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def end_in_good_order() -> None:
    """Let SIGTERM end this process as an error does, until the server listens for it: what was started is stopped."""
    signal.signal(signal.SIGTERM, _leave)


def _leave(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


class HttpServer(uvicorn.Server):
    """Reports a signal before it begins to shut down."""

    def __init__(
        self, app: Any, *, proxies: list[str], on_signal: Callable[[], None], on_shutdown: Callable[[], None]
    ) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=SECONDS_FOR_OPEN_REQUESTS,
            http=PatientProtocol,
            h11_max_incomplete_event_size=LARGEST_HEADERS_BYTES,  # reading them holds up every other request
            backlog=BACKLOG,
            # Without this, a client on loopback could claim any address.
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies,
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

    def serve_until_stopped(self, listeners: list[socket.socket]) -> None:
        """Serve on what `listen` took, until a signal asks to stop.

        It returns then, so that what else runs in this process can stop in good order.
        """
        allow_many_connections()
        gc.freeze()  # what is here now stays: to look through all of it again and again holds up every request
        # Before the server listens for signals, and after: it raises them again when it has shut down. By default that
        # would end the process on the spot.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.handle_exit)
        self.run(sockets=listeners)
        if not self.started:
            raise SystemExit(1)

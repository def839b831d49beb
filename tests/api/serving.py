"""The application on a real port, and a reader of its event streams."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

from ade.api.app import create_app
from ade.cli.http_server import HttpServer
from ade.system import System
from postgres import wait_until


@contextmanager
def serving(system: System) -> Iterator[int]:
    """Serve a system in a thread on a free port; yield the port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = HttpServer(
        create_app(system), proxies=system.settings.proxies, on_signal=lambda: None, on_shutdown=lambda: None
    )
    server.config.timeout_graceful_shutdown = 1
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started, what="the server to start")
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


MOST_HEARTBEATS = 10


class Listener:
    """An open event stream."""

    def __init__(self, port: int, path: str, **headers: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._connection.request("GET", path, headers=headers)
        self.response = self._connection.getresponse()

    def next(self) -> tuple[str | None, str, Any]:
        """Return the next event (id, type, data); a heartbeat is (None, "heartbeat", None)."""
        fields: dict[str, str] = {}
        while line := self.response.readline().decode():
            line = line.rstrip("\n")
            if line.startswith(":"):
                fields["heartbeat"] = line
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "heartbeat" in fields:
                return None, "heartbeat", None
            else:
                return fields.get("id"), fields["event"], json.loads(fields["data"])
        return None, "closed", None

    def next_but_heartbeats(self) -> tuple[str | None, str, Any]:
        """Return the next event that is no heartbeat; heartbeats alone for minutes mean that none comes."""
        for _ in range(MOST_HEARTBEATS):
            if (event := self.next())[1] != "heartbeat":
                return event
        raise AssertionError(f"nothing but {MOST_HEARTBEATS} heartbeats came")

    def close(self) -> None:
        """Leave."""
        self.response.close()
        self._connection.close()

"""A road to the store that can be made slow: bytes pass through it, later."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress


class SlowRoad:
    """Listens on a port of its own and hands on to another."""

    def __init__(self, target_port: int) -> None:
        self.delay_seconds = 0.0
        self._target = ("127.0.0.1", target_port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                visitor, _ = self._listener.accept()
                threading.Thread(target=self._join, args=(visitor,), daemon=True).start()

    def _join(self, visitor: socket.socket) -> None:
        try:
            target = socket.create_connection(self._target)
        except OSError:
            visitor.close()
            return
        threading.Thread(target=self._carry, args=(target, visitor), daemon=True).start()
        self._carry(visitor, target)

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if self.delay_seconds:
                    time.sleep(self.delay_seconds)
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

"""A proxy before a server, as an operator has one: it answers 502 while the server is away."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BAD_GATEWAY = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 20\r\nConnection: close\r\n\r\n"
    b"<h1>Bad Gateway</h1>"
)


class Proxy:
    """Passes connections on to a server; can be told to answer in its place."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: set[socket.socket] = set()
        self.is_away = False

    def serve(self) -> None:
        """Take connections until closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._handle, args=[connection], daemon=True).start()

    def go_away(self) -> None:
        """Answer 502 from now on, and end what is open."""
        self.is_away = True
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.go_away()

    def _handle(self, browser: socket.socket) -> None:
        with browser, suppress(OSError):
            if self.is_away:
                browser.recv(65536)
                browser.sendall(BAD_GATEWAY)
                return
            with socket.create_connection(("127.0.0.1", self._server_port)) as server:
                self._open |= {browser, server}
                back = threading.Thread(target=_copy, args=[server, browser], daemon=True)
                back.start()
                _copy(browser, server)
                back.join()
                self._open -= {browser, server}


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    """Yield a proxy before the server on a port."""
    proxy = Proxy(port)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()

"""A server that webhooks go to: keeps what it was sent, and answers as it was set to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What was received."""

    port: int = 0
    answers: list[int] = field(default_factory=list)  # the next statuses; then 204
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Return where to send to."""
        return f"http://127.0.0.1:{self.port}/hook?x=1"


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Yield a receiver on a port of this machine."""
    state = Receiver()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the sender was killed while sending
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.received.append(({**headers, ":path": self.path}, body))
            self.send_response(state.answers.pop(0) if state.answers else 204)
            self.send_header("Location", f"http://127.0.0.1:{state.port}/elsewhere")
            self.end_headers()

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    class Listening(ThreadingHTTPServer):
        request_queue_size = 128  # with the usual 5, one of many senders at once is turned away

    server = Listening(("127.0.0.1", 0), Answering)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""Copies bytes both ways between two sockets."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_PIECE_BYTES = 64 * 1024


@dataclass(slots=True, eq=False)
class _Way:
    """One direction. It reads only when what it read before is written: a slow reader slows its sender."""

    source: socket.socket
    sink: socket.socket
    pending: bytes = b""
    is_source_done: bool = False

    @property
    def is_over(self) -> bool:
        return self.is_source_done and not self.pending

    def read(self) -> int:
        """Read a piece and return its size."""
        self.pending = self.source.recv(_PIECE_BYTES)
        self.is_source_done = not self.pending
        self._pass_on_the_end()
        return len(self.pending)

    def write(self) -> None:
        """Write as much as the other side takes now."""
        self.pending = self.pending[self.sink.send(self.pending) :]
        self._pass_on_the_end()

    def _pass_on_the_end(self) -> None:
        if self.is_over:
            with suppress(OSError):  # it has ended as well
                self.sink.shutdown(socket.SHUT_WR)


def relay(
    inside: socket.socket,
    outside: socket.socket,
    *,
    first: bytes,
    moved: Callable[[int, int], None],
    idle_seconds: float,
) -> None:
    """Copy until both sides are done or nothing moves for a while; `moved` counts (sent, received) and may raise."""
    for end in (inside, outside):
        end.setblocking(False)
    moved(len(first), 0)
    out, back = _Way(inside, outside, pending=first), _Way(outside, inside)
    while not (out.is_over and back.is_over):
        ways = [way for way in (out, back) if not way.is_over]
        readable, writable, _ = select.select(
            [way.source for way in ways if not way.pending], [way.sink for way in ways if way.pending], [], idle_seconds
        )
        if not readable and not writable:
            return
        for way in ways:
            with suppress(BlockingIOError):
                if way.pending and way.sink in writable:
                    way.write()
                elif not way.pending and way.source in readable:
                    size = way.read()
                    moved(*((size, 0) if way is out else (0, size)))

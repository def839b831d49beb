"""Bounds what the bodies of requests take together until they are answered: memory, and disk for uploads.

Most bodies are read before it is known who sends them, and each of them may stay unfinished for long.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException

MIB = 1024 * 1024
_SHARE = "ade.share"
_FULL = "The server is receiving too much at once. Try again in a few seconds."


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is received at once: from one sender, and from all together.

    Beyond what is shared, a sender still gets `besides`, in bytes and in requests: a few that hold all of it stop
    nobody else.
    """

    of_one: int
    shared: int
    besides: int
    most: int
    requests_of_one: int
    requests: int
    requests_besides: int
    most_requests: int


# In memory, by the network that sends them. Besides: one body of JSON.
IN_MEMORY = Bounds(
    of_one=64 * MIB, shared=256 * MIB, besides=1 * MIB, most=512 * MIB,
    requests_of_one=2_000, requests=20_000, requests_besides=20, most_requests=25_000,
)  # fmt: skip
# Uploads are temporary files, by the person who sends them. Each part of one takes a file, and memory as long as it
# is small (uploads.py).
ON_DISK = Bounds(
    of_one=2048 * MIB, shared=8192 * MIB, besides=512 * MIB, most=16_384 * MIB,
    requests_of_one=200, requests=500, requests_besides=20, most_requests=1_000,
)  # fmt: skip


class Received:
    """The bytes that are held for requests. For the thread of the event loop alone."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._held: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()

    @contextmanager
    def request(self, sender: str) -> Iterator["Share"]:
        """Give the share of one request, and take back what it holds when it is answered."""
        share = Share(self, sender)
        try:
            yield share
        finally:
            self._give_back(share)

    @contextmanager
    def upload(self, scope: Any, sender: str) -> Iterator["Share"]:
        """Give the share of one upload, under a name of its own until it is known whose it is."""
        with self.request(sender) as share:
            scope[_SHARE] = share
            yield share

    def take(self, share: "Share", size: int) -> None:
        """Hold more bytes for a request; raise when there is no room for them."""
        bounds, is_new = self._bounds, not share.held
        of_one, total = self._held[share.sender] + size, self._held.total() + size
        has_room = of_one <= bounds.of_one and total <= (bounds.most if of_one <= bounds.besides else bounds.shared)
        if not has_room or (is_new and not self._has_place(share.sender)):
            raise HTTPException(503, _FULL)
        self._held[share.sender] = of_one
        self._requests[share.sender] += is_new
        share.held += size

    def _has_place(self, sender: str) -> bool:
        bounds, of_one = self._bounds, self._requests[sender] + 1
        most = bounds.most_requests if of_one <= bounds.requests_besides else bounds.requests
        return of_one <= bounds.requests_of_one and self._requests.total() < most

    def _give_back(self, share: "Share") -> None:
        if not share.held:
            return
        self._held[share.sender] -= share.held
        self._requests[share.sender] -= 1
        if not self._requests[share.sender]:
            del self._requests[share.sender], self._held[share.sender]


def share_in(scope: Any) -> "Share | None":
    """Return what an upload holds."""
    share: Share | None = scope.get(_SHARE)
    return share


class Share:
    """What one request holds."""

    def __init__(self, received: Received, sender: str) -> None:
        self._received = received
        self.sender = sender
        self.held = 0

    def belongs_to(self, person: str) -> None:
        """Count what follows as a person's: they are known before any of it is read."""
        if not self.held:
            self.sender = person

    def take(self, size: int) -> None:
        """Hold more bytes; raise when there is no room for them."""
        if size:
            self._received.take(self, size)

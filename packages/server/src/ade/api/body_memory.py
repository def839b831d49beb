"""Bounds the memory of request bodies: most of them are read before it is known who sends them."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

from ade.operations.password_checks import network_of

MIB = 1024 * 1024
MOST_OF_NETWORK = 64 * MIB
MOST_SHARED = 256 * MIB
# Beyond what is shared, one body of JSON of each network is still received: a few that hold all of it stop nobody.
MOST_BESIDES = 1 * MIB
MOST = 512 * MIB
_FULL = "The server is receiving too much at once. Try again in a few seconds."


class BodyMemory:
    """The bytes of bodies that are in memory. For the thread of the event loop alone."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()
        self._total = 0

    @contextmanager
    def request(self, address: str) -> Iterator["Share"]:
        """Give the share of one request, and take back what it holds when it is answered."""
        share = Share(self, network_of(address))
        try:
            yield share
        finally:
            self._give_back(share)

    def _take(self, share: "Share", size: int) -> None:
        of_network, total = self._held[share.network] + size, self._total + size
        is_beyond_shared = total > MOST_SHARED and of_network > MOST_BESIDES
        if of_network > MOST_OF_NETWORK or is_beyond_shared or total > MOST:
            raise HTTPException(503, _FULL)
        self._held[share.network], self._total = of_network, total
        share.held += size

    def _give_back(self, share: "Share") -> None:
        self._held[share.network] -= share.held
        self._total -= share.held
        if not self._held[share.network]:
            del self._held[share.network]


class Share:
    """What one request holds."""

    def __init__(self, memory: BodyMemory, network: str) -> None:
        self._memory = memory
        self.network = network
        self.held = 0

    def take(self, size: int) -> None:
        """Hold more bytes; raise when there is no room for them."""
        self._memory._take(self, size)  # noqa: SLF001 - the two are one

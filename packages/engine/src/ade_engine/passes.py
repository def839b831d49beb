"""How long each pass took. For events and metrics only: the artifact must not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
PASSES = ("structure", "mapping", "transform", "validate", "write")


class PassTimes:
    """Adds up the time spent in each pass; a pass inside another counts for itself alone."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(PASSES, 0.0)

    @contextmanager
    def spent_on(self, name: str) -> Iterator[None]:
        """Count the time of the block."""
        started = perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += perf_counter() - started

    def waiting(self, name: str, items: Iterable[T]) -> Iterator[T]:
        """Hand on the items and count the time it takes to get each, not what is done with it."""
        iterator = iter(items)
        while True:
            with self.spent_on(name):
                try:
                    item = next(iterator)
                except StopIteration:
                    return
            yield item

    def rounded(self) -> dict[str, float]:
        """Return the seconds of each pass."""
        return {name: round(seconds, 6) for name, seconds in self._seconds.items()}

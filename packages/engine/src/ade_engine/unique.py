"""Finds values that occur twice in a column of any length, with twelve bytes of memory per row."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice, pairwise
from operator import eq

from ade_engine.cells import Value
from ade_engine.mapping.profile import is_empty

_PART = 1_000_000


class UniqueCheck:
    """Takes a column in chunks and lists the repeated values at its end, by row."""

    def __init__(self, *, is_watched: bool = False) -> None:
        self._seen: set[int] | None = set() if is_watched else None
        self._digests = array("Q")
        self._rows = array("I")

    def add(self, values: Sequence[Value], rows: Sequence[int]) -> list[int]:
        """Take a chunk of values with their row numbers; return the rows that repeat one, if that is watched.

        Empty cells may repeat. Watching takes some sixty bytes more per row.
        """
        if any(map(is_empty, values)):
            filled = [(value, row) for value, row in zip(values, rows, strict=True) if not is_empty(value)]
            values, rows = [value for value, _ in filled], [row for _, row in filled]
        digests = list(map(_digest, values))
        self._digests.extend(digests)
        self._rows.extend(rows)
        return self._watched(digests, rows)

    def _watched(self, digests: list[int], rows: Sequence[int]) -> list[int]:
        if self._seen is None:
            return []
        repeats = []
        for digest, row in zip(digests, rows, strict=True):
            if digest in self._seen:
                repeats.append(row)
            self._seen.add(digest)
        return repeats

    def repeats(self) -> Iterator[tuple[int, int]]:
        """Yield (row, first row that holds the same value) for every value that came before."""
        repeated = _repeated(self._digests)
        first: dict[int, int] = {}
        if not repeated:
            return
        for digest, row in zip(self._digests, self._rows, strict=True):
            if digest in repeated:
                if digest in first:
                    yield row, first[digest]
                else:
                    first[digest] = row


def _digest(value: Value) -> int:
    text = value if isinstance(value, str) else f"\0{type(value).__name__}\0{value!r}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _repeated(digests: array[int]) -> set[int]:
    """Return the digests that occur more than once, sorting a part of them at a time: a set of all would be large."""
    parts = 1 + len(digests) // _PART
    repeated: set[int] = set()
    for part in range(parts):
        ordered = sorted(digests if parts == 1 else (digest for digest in digests if digest % parts == part))
        if any(map(eq, ordered, islice(ordered, 1, None))):
            repeated.update(here for here, following in pairwise(ordered) if here == following)
    return repeated

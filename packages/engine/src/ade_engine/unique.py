"""Finds values that occur twice in a column of any length, with twelve bytes of memory per row."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from ade_engine.cells import Value
from ade_engine.mapping.profile import is_empty


class UniqueCheck:
    """Takes a column in chunks and lists the repeated values at its end, by row."""

    def __init__(self) -> None:
        self._digests = array("Q")
        self._rows = array("L")

    def add(self, values: Sequence[Value], rows: Sequence[int]) -> None:
        """Take a chunk of values with their row numbers. Empty cells may repeat."""
        filled = [(value, row) for value, row in zip(values, rows, strict=True) if not is_empty(value)]
        self._digests.extend([_digest(value) for value, _ in filled])
        self._rows.extend([row for _, row in filled])

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
    """Return the digests that occur more than once, looking at a sixteenth at a time: a set of all would be large."""
    repeated: set[int] = set()
    parts = 1 if len(digests) < 100_000 else 16
    for part in range(parts):
        seen: set[int] = set()
        for digest in digests:
            if digest % parts == part:
                if digest in seen:
                    repeated.add(digest)
                seen.add(digest)
    return repeated

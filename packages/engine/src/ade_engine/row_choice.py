"""Chooses which rows are written: by values that fields keep or drop, by hooks, by key."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.chunk import ROW, Chunk
from ade_engine.configuration.model import ColumnRules, Configuration, Context, Function
from ade_engine.convert import EXACT_TYPES
from ade_engine.errors import ResourceLimitExceeded
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import is_empty
from ade_engine.row_view import UnreadableField
from ade_engine.rules import asked_of_rows, raised
from ade_engine.words import are_among, as_key

MOST_KEYS = 5_000_000
MOST_HELD = 200_000
_REST_BITS = 64 - 15


class SeenKeys:
    """The keys of rows that were written, as digests of eight bytes in sorted arrays: a set takes ten times as much."""

    def __init__(self) -> None:
        self._parts: dict[int, array[int]] = {}  # by the first bits of the digest
        self._count = 0

    def add(self, key: int) -> bool:
        """Return whether a key is new, and remember it."""
        part = self._parts.get(key >> _REST_BITS)
        if part is None:
            part = self._parts[key >> _REST_BITS] = array("Q")
        place = bisect_left(part, key)
        if place < len(part) and part[place] == key:
            return False
        if self._count == MOST_KEYS:
            message = f"Rows are compared by key up to {MOST_KEYS:,} rows, and there are more. Remove [rows] key."
            raise ResourceLimitExceeded(message, resource="memory")
        self._count += 1
        part.insert(place, key)
        return True


def key_digest(values: Sequence[Value]) -> int | None:
    """Return the digest of a key, or None when all its values are empty."""
    if all(map(is_empty, values)):
        return None
    text = "\0".join(f"{type(value).__name__}\1{value!r}" for value in values)
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def are_named(chunk: Chunk, positions: Sequence[int], rules: ColumnRules, words: frozenset[str]) -> list[list[bool]]:
    """Return for each column of a field which of its cells people said something about, by the words they named.

    Where several columns feed it, what they give together counts as each of them. Without any, the clean value does.
    """
    name = rules.field.name
    columns = [chunk.source[position] for position in positions] or [chunk.values[name]]
    named = [are_among(column, words, rules.field) for column in columns]
    if name in chunk.joined:
        together = are_among(chunk.joined[name], words, rules.field)
        named = [[one or whole for one, whole in zip(column, together, strict=True)] for column in named]
    return named


class RowChoice:
    """The choice of rows of one table. `dropped` counts rows by rule."""

    def __init__(
        self,
        configuration: Configuration,
        table: SourceTable,
        context: Context,
        *,
        present: Sequence[str],
        unwanted: Sequence[tuple[Sequence[int], ColumnRules]] = (),
    ) -> None:
        """`unwanted` are fields of which people left out rows with some values, with their columns."""
        self._fields = [field for field in configuration.fields if field.name in present]
        self._chosen = [choice for field in self._fields for choice in _choices(field)]
        self._unwanted = unwanted
        given = {"table": table, "context": context}
        self._keep = bound(configuration.hooks.get("keep", ()), given)
        self._key = [name for name in configuration.settings.row_key if name in present]
        self._duplicates = configuration.settings.duplicates
        self.dropped: Counter[str] = Counter()

    @property
    def is_needed(self) -> bool:
        """Return whether any row could be left out."""
        return bool(self._unwanted or self._chosen or self._keep or self._drops_repeats)

    @property
    def choosing_fields(self) -> set[str]:
        """Return the fields whose values keep rows or leave them out, and those that these are made from."""
        bases = {field.name: field.base for field in self._fields}
        found: set[str] = set()
        for rule, _ in self._chosen:
            name: str | None = rule.partition(".")[2]
            while name is not None and name not in found:
                found.add(name)
                name = bases.get(name)
        return found

    @property
    def needs_rows(self) -> bool:
        """Return whether a hook wants to see the rows."""
        return bool(self._keep)

    @property
    def _drops_repeats(self) -> bool:
        return bool(self._key) and self._duplicates == "first"

    @property
    def reported_key(self) -> list[str]:
        """Return the fields of the key whose repeats are reported."""
        return self._key if self._duplicates == "report" else []

    @property
    def held_key(self) -> list[str]:
        """Return the fields of the key of which the last row is written."""
        return self._key if self._duplicates == "last" else []

    def apply(self, chunk: Chunk, seen: SeenKeys) -> None:
        """Leave out rows of a chunk."""
        for positions, rules in self._unwanted:
            are_out = map(any, zip(*are_named(chunk, positions, rules, rules.unwanted), strict=True))
            self._leave(chunk, "correction", [not is_out for is_out in are_out])
        for rule, is_kept in self._chosen:
            name = rule.partition(".")[2]
            pairs = zip(map(is_kept, chunk.values[name]), chunk.unknown[name], strict=True)
            self._leave(chunk, rule, [kept or is_unknown for kept, is_unknown in pairs])
        for function, call in self._keep:
            self._leave(chunk, function.rule, list(_answers(chunk, function, call)))
        if self._drops_repeats:
            keys = map(key_digest, zip(*(chunk.values[name] for name in self._key), strict=True))
            self._leave(chunk, "duplicates", [key is None or seen.add(key) for key in keys])

    def _leave(self, chunk: Chunk, rule: str, kept: Sequence[Any]) -> None:
        places = [place for place, is_kept in enumerate(kept) if is_kept]
        if len(places) < len(kept):
            self.dropped[rule] += len(kept) - len(places)
            chunk.take(places)


def unknown_values(field: Field, values: Sequence[Value], failed: Collection[int], base: Sequence[bool]) -> list[bool]:
    """Return which values of a field do not say whether to keep their row: they could not be converted or computed.

    `failed` are the places with a finding, `base` says the same of the field that it is made from. A text that could
    not be converted is meant by those who list it in `drop`.
    """
    exact = EXACT_TYPES[field.type] if field.type else None
    listed = {as_key(value, ignores_case=field.ignore_case) for value in field.drop or ()}
    found = []
    for place, (value, is_base_unknown) in enumerate(zip(values, base, strict=True)):
        is_unknown = place in failed or is_base_unknown or isinstance(value, CellError)
        if not is_unknown and exact is not None and type(value) not in exact:
            is_unknown = not is_empty(value) and as_key(value, ignores_case=field.ignore_case) not in listed
        found.append(is_unknown)
    return found


def _choices(field: Field) -> Iterator[tuple[str, Callable[[Value], bool]]]:
    """Yield the names of the rules by which a field selects rows, and whether each keeps the row of a value."""
    if field.keep is not None:
        yield f"keep.{field.name}", _among(field.keep, field, is_kept=True)
    if field.drop is not None:
        yield f"drop.{field.name}", _among(field.drop, field, is_kept=False)


def _among(listed: Sequence[Value], field: Field, *, is_kept: bool) -> Callable[[Value], bool]:
    """Return a test of values: those listed, as they are written, are kept, or all others are."""
    keys = {as_key(value, ignores_case=field.ignore_case) for value in listed}

    @lru_cache(maxsize=4096, typed=True)
    def test(value: Value) -> bool:
        return (as_key(value, ignores_case=field.ignore_case) in keys) == is_kept

    return test


def bound(functions: Sequence[Function], given: dict[str, Any]) -> list[tuple[Function, Callable[..., Any]]]:
    """Return functions with how they are called, once they have what is the same for all rows."""
    return [(function, function.bind(**given)) for function in functions]


def _answers(chunk: Chunk, function: Function, call: Callable[..., Any]) -> Iterator[bool]:
    """Yield whether to keep each row; one that the rule fails for is kept, and gets an issue."""
    wanted = asked_of_rows(function)
    for place in range(len(chunk.rows)):
        try:
            yield bool(call(**{name: chunk.views[name][place] for name in wanted}))
        except UnreadableField:
            yield True  # that cell has an issue of its own
        except Exception as error:  # noqa: BLE001 - as above
            chunk.found.append((place, ROW, raised(function, error)))
            yield True


class HeldRows:
    """Rows that wait for the end of their table, because a later one of the same key replaces them."""

    def __init__(self) -> None:
        self._rows: list[tuple[int | None, Any]] = []
        self._last: dict[int, int] = {}

    def add(self, key: int | None, row: Any) -> None:
        """Take a row; raise when more wait than memory should hold."""
        if len(self._rows) == MOST_HELD:
            message = f"Only {MOST_HELD:,} rows can wait for a later one of the same key. Keep the first instead."
            raise ResourceLimitExceeded(message, resource="memory")
        if key is not None:
            self._last[key] = len(self._rows)
        self._rows.append((key, row))

    def last_ones(self) -> Iterator[Any]:
        """Yield the rows that no later one replaces, in their order."""
        for place, (key, row) in enumerate(self._rows):
            if key is None or self._last[key] == place:
                yield row

    @property
    def dropped(self) -> int:
        """Return how many rows are replaced."""
        return sum(key is not None and self._last[key] != place for place, (key, _) in enumerate(self._rows))


def repeated_key(row: str) -> Finding:
    """Return the finding for a row whose key came before."""
    return Finding("duplicates", "error", f"the key of this row is also in {row}")

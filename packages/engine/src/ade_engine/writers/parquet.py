"""Writes parquet, one file per table; needs pyarrow (`pip install ade-engine[parquet]`).

A parquet column has one type, and it must be known before the first row is written. So the rows of a table wait in a
temporary file until its end; a column of mixed types becomes text, spelled as in csv. Whole numbers among others that
have decimals are no mixture, as long as each is the same with decimals.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from ade_engine.cells import Value
from ade_engine.errors import ConfigurationError
from ade_engine.writers.delimited import plain_text
from ade_engine.writers.files import TableFiles
from ade_engine.writers.look import NO_TEMPLATE, PLAIN, Look

_BATCH_ROWS = 10_000
_LARGEST_INTEGER = 2**63
_LARGEST_EXACT = 2**53


class ParquetWriter:
    """Open parquet files: a single table goes to the path given, several to files that carry the tables' names."""

    filled: Mapping[str, dict[str, Any]] = NO_TEMPLATE

    def __init__(self, path: Path) -> None:
        try:
            arrow = import_module("pyarrow")
            parquet = import_module("pyarrow.parquet")
        except ImportError as error:
            raise ConfigurationError(
                "Parquet output needs pyarrow. Install it with: pip install 'ade-engine[parquet]'"
            ) from error
        self._arrow: Any = arrow
        self._parquet: Any = parquet
        self._files = TableFiles(path)
        self._table: _WaitingTable | None = None

    @property
    def paths(self) -> list[Path]:
        """The files written so far, in order."""
        return self._files.paths

    def begin_table(
        self,
        name: str,
        columns: Sequence[str],
        *,
        look: Look = PLAIN,  # noqa: ARG002
        is_issues: bool = False,
    ) -> str:
        """Start a table; return its name unchanged."""
        path = self._files.add_issues() if is_issues else self._files.add(name)
        self._table = _WaitingTable(columns, path)
        return name

    def write_rows(self, rows: Sequence[Sequence[Value]], *, highlighted: Collection[tuple[int, int]] = ()) -> None:  # noqa: ARG002
        """Take rows; there is no highlight in parquet."""
        if self._table is None:
            raise ValueError("begin_table comes before write_rows")
        self._table.add(rows)

    def end_table(self) -> None:
        """Write the file."""
        if self._table is None:
            return
        self._write(self._table)
        self._table.close()
        self._table = None

    def close(self) -> None:
        """Finish; without tables, leave a file without columns."""
        self.end_table()
        if not self._files.has_tables():
            self.begin_table("", [])
            self.end_table()

    def discard(self) -> None:
        """Give up: remove the files. What can't be written, on a full disk, is not missed."""
        with suppress(OSError):
            if self._table is not None:
                self._table.close()
        for path in self.paths:
            path.unlink(missing_ok=True)

    def _write(self, table: _WaitingTable) -> None:
        kinds = [self._kind(types) for types in table.types]
        names = _unique(table.columns)
        schema = self._arrow.schema(list(zip(names, kinds, strict=True)))
        with self._parquet.ParquetWriter(table.path, schema) as writer:
            for rows in table.batches():
                columns = [
                    self._arrow.array(_converted(values, is_text=kind == self._arrow.string()), type=kind)
                    for values, kind in zip(zip(*rows, strict=True), kinds, strict=True)
                ]
                writer.write_table(self._arrow.table(columns, schema=schema))

    def _kind(self, types: set[type]) -> Any:
        arrow = self._arrow
        kinds = {
            frozenset({int}): arrow.int64(),
            frozenset({_Long}): arrow.int64(),
            frozenset({_Long, int}): arrow.int64(),
            frozenset({float}): arrow.float64(),
            frozenset({float, int}): arrow.float64(),
            frozenset({bool}): arrow.bool_(),
            frozenset({date}): arrow.date32(),
            frozenset({datetime}): arrow.timestamp("us"),
            frozenset({time}): arrow.time64("us"),
            frozenset({timedelta}): arrow.duration("us"),
        }
        return kinds.get(frozenset(types - {type(None)}), arrow.string())


class _Long:
    """The type of whole numbers that would be rounded next to numbers with decimals."""


class _WaitingTable:
    """Rows on disk, and the types seen in each column."""

    def __init__(self, columns: Sequence[str], path: Path) -> None:
        self.columns = columns
        self.path = path
        self.types: list[set[type]] = [set() for _ in columns]
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._waiting: list[Sequence[Value]] = []

    def add(self, rows: Sequence[Sequence[Value]]) -> None:
        for types, values in zip(self.types, zip(*rows, strict=True), strict=False):
            types.update(map(_type, values))
        self._waiting.extend(rows)
        if len(self._waiting) >= _BATCH_ROWS:
            self._flush()

    def batches(self) -> Iterator[list[Sequence[Value]]]:
        self._flush()
        self._file.seek(0)
        while True:
            try:
                yield pickle.load(self._file)  # noqa: S301 - our own file, without a name
            except EOFError:
                return

    def close(self) -> None:
        self._file.close()

    def _flush(self) -> None:
        if self._waiting:
            pickle.dump(self._waiting, self._file)
            self._waiting = []


def _type(value: Value) -> type:
    # What a column of its kind cannot hold makes the column one of text.
    if isinstance(value, int) and not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
        return str
    if type(value) is int and not -_LARGEST_EXACT <= value <= _LARGEST_EXACT:
        return _Long
    if isinstance(value, datetime | time) and value.tzinfo is not None:
        return str
    return type(value)


def _converted(values: Sequence[Value], *, is_text: bool) -> Sequence[object]:
    if not is_text:
        return values
    return [None if value is None else str(plain_text(value)) for value in values]


def _unique(columns: Sequence[str]) -> list[str]:
    taken: set[str] = set()
    names = []
    for column in columns:
        name, count = column, 1
        while name in taken:
            count += 1
            name = f"{column} ({count})"
        taken.add(name)
        names.append(name)
    return names

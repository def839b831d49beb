"""The one interface of all readers: a workbook lists its sheets, a sheet streams its rows once, from the top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ade_engine.cells import Range, Value
from ade_engine.issues import Finding
from ade_engine.records import record


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a cell looks, as far as it helps to tell a header from data."""

    bold: bool = False
    italic: bool = False
    filled: bool = False
    border_top: bool = False
    border_bottom: bool = False
    centered: bool = False
    indent: int = 0
    number_format: str = "General"


PLAIN = Style()


@dataclass(slots=True)
class Row:
    """One row that has at least one cell. `values[0]` is column A; trailing empty cells are cut off.

    `styles` holds indexes into the sheet's `styles`, aligned with `values`, or None where the format has none.
    """

    number: int
    values: list[Value]
    styles: list[int] | None = None
    is_hidden: bool = False


@record(kw_only=True)
class SheetInfo:
    """A sheet as the workbook lists it. `name` is None for formats without sheets (csv)."""

    index: int
    name: str | None
    visibility: str = "visible"  # visible, hidden, very_hidden
    is_active: bool = False


class Sheet(Protocol):
    """An open sheet. Merged ranges and styles are known before the first row."""

    @property
    def info(self) -> SheetInfo:
        """How the workbook lists the sheet."""
        ...

    @property
    def merged(self) -> Sequence[Range]:
        """Merged ranges, in the order of the file."""
        ...

    @property
    def hidden_columns(self) -> frozenset[int]:
        """Columns that the sheet hides."""
        ...

    @property
    def styles(self) -> Sequence[Style]:
        """The looks that rows refer to by index; empty where the format has none."""
        ...

    @property
    def formulas_without_value(self) -> int:
        """How many cells, of the rows read so far, hold a formula whose result was never stored: they read as None."""
        ...

    @property
    def findings(self) -> Sequence[Finding]:
        """What the reader is not sure of, or could not read; complete when all rows were read."""
        ...

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something, by ascending number, in bounded memory; each call reads from the top."""
        ...


class Workbook(Protocol):
    """An open document."""

    @property
    def format(self) -> str:
        """One of xlsx, xlsm, xlsb, xls, ods, csv, tsv."""
        ...

    @property
    def sheets(self) -> Sequence[SheetInfo]:
        """The sheets that can hold cells, in their order; chart sheets are left out."""
        ...

    def open_sheet(self, info: SheetInfo) -> Sheet:
        """Open one of the sheets listed."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def encodings_of(workbook: Workbook) -> dict[str, str | None]:
    """Return the encoding of a delimited text and the one that is almost as likely; nothing for other formats."""
    encoding = getattr(workbook, "encoding", None)
    return {"encoding": encoding, "other_encoding": getattr(workbook, "other_encoding", None)} if encoding else {}

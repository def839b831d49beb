"""Writes the tables of a run: one interface, one writer per output format."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ade_engine.cells import Value
from ade_engine.outputs import FORMATS
from ade_engine.writers.look import PLAIN, Look

if TYPE_CHECKING:
    from ade_engine.templates.template import Template


class Writer(Protocol):
    """Takes tables one after the other, rows in order, and holds only a small batch of them."""

    @property
    def paths(self) -> list[Path]:
        """The files written so far, in order. Formats without sheets write one file per table."""
        ...

    @property
    def filled(self) -> Mapping[str, dict[str, Any]]:
        """What the artifact says of tables that were written into a template, by name."""
        ...

    def begin_table(
        self,
        name: str,
        columns: Sequence[str],
        *,
        look: Look = PLAIN,
        is_issues: bool = False,
    ) -> str:
        """Start a table with these headers; return the name it got, which is unique and legal in the format."""
        ...

    def write_rows(self, rows: Sequence[Sequence[Value]], *, highlighted: Collection[tuple[int, int]] = ()) -> None:
        """Write rows; `highlighted` cells are (index into `rows`, index of the column)."""
        ...

    def end_table(self) -> None:
        """Finish the table."""
        ...

    def close(self) -> None:
        """Finish the document. A document without tables is valid, too."""
        ...

    def discard(self) -> None:
        """Give up: close and remove everything written so far."""
        ...


def open_writer(
    path: str | Path, output_format: str, *, escape_formulas: bool = False, template: Template | None = None
) -> Writer:
    """Open a writer for a format of FORMATS; an existing file is replaced. Only csv has formulas to escape.

    `template` is a workbook to fill, for xlsx.
    """
    path = Path(path)
    match output_format:
        case "xlsx" if template is not None:
            from ade_engine.templates.writer import TemplateWriter

            return TemplateWriter(path, template)
        case "xlsx":
            from ade_engine.writers.xlsx import XlsxWriter

            return XlsxWriter(path)
        case "csv":
            from ade_engine.writers.delimited import DelimitedWriter

            return DelimitedWriter(path, escape_formulas=escape_formulas)
        case "parquet":
            from ade_engine.writers.parquet import ParquetWriter

            return ParquetWriter(path)
        case _:
            raise ValueError(f"{output_format!r} is not one of {', '.join(FORMATS)}")

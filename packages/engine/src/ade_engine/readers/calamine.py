"""Reads xls, xlsb and ods through python-calamine.

The library loads a whole sheet, and a file made for it could exhaust the memory or end the process. So the raw records
are looked through first, and what spans too much is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import python_calamine

from ade_engine.cells import Range, Value
from ade_engine.errors import InputError
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.readers.extents import SheetExtent
from ade_engine.readers.limits import DEFAULT_LIMITS, MIB, ReadLimits
from ade_engine.readers.ods_scan import check_ods
from ade_engine.readers.xls_scan import encrypted, prepare_xls
from ade_engine.readers.xlsb_scan import scan_xlsb

Result = TypeVar("Result")

_VISIBILITY = {"Hidden": "hidden", "VeryHidden": "very_hidden"}
_LARGEST_INTEGER = 2**53


class CalamineWorkbook:
    """An open xls, xlsb or ods document."""

    def __init__(self, path: Path, workbook_format: str, *, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self.format = workbook_format
        self._limits = limits
        self._extents: list[SheetExtent] = []
        self._workbook = self._open(path)
        self.sheets = _listed(self._workbook.sheets_metadata)
        if not self.sheets:
            raise InputError("The workbook has no sheet with cells. Check that it is the right file.", cause="empty")

    def open_sheet(self, info: SheetInfo) -> CalamineSheet:
        """Open one of the sheets listed."""
        sheet = _guarded(lambda: self._workbook.get_sheet_by_index(info.index))
        extent = self._extents[info.index] if info.index < len(self._extents) else SheetExtent()
        return CalamineSheet(sheet, info, extent)

    def close(self) -> None:
        """Let go of the file."""
        self._workbook.close()

    def _open(self, path: Path) -> Any:
        if self.format == "xls":
            data = self._read_xls(path)
            return _guarded(lambda: python_calamine.CalamineWorkbook.from_filelike(BytesIO(data)))
        archive = Archive(path, limits=self._limits)
        try:
            if self.format == "ods":
                check_ods(archive, limits=self._limits)
            else:
                self._extents = scan_xlsb(archive, limits=self._limits)
        finally:
            archive.close()
        return _guarded(lambda: python_calamine.CalamineWorkbook.from_path(str(path)))

    def _read_xls(self, path: Path) -> bytes:
        if path.stat().st_size > self._limits.buffered_sheet_bytes:
            raise InputError(
                f"The workbook is larger than {self._limits.buffered_sheet_bytes // MIB} MB, too much for xls. "
                "Save it as xlsx.",
                cause="too_large",
            )
        data, self._extents = prepare_xls(path.read_bytes(), limits=self._limits)
        return data


class CalamineSheet:
    """A sheet in memory. The library tells no styles."""

    styles: tuple[Style, ...] = ()
    formulas_without_value = 0

    def __init__(self, sheet: Any, info: SheetInfo, extent: SheetExtent) -> None:
        self.info = info
        self.hidden_columns = frozenset(extent.hidden_columns)
        self.merged = [
            Range(first[0] + 1, first[1] + 1, last[0] + 1, last[1] + 1)
            for first, last in sheet.merged_cell_ranges or ()
        ]
        self._sheet = sheet
        self._extent = extent

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something."""
        # The library leaves out columns before the first filled one, but not rows.
        _, first_column = self._sheet.start or (0, 0)
        for number, cells in enumerate(self._sheet.iter_rows(), start=1):
            values: list[Value] = [None] * first_column
            values += [_value(cell) for cell in cells]
            if self._extent.errors:
                self._add_errors(number, values)
            while values and values[-1] is None:
                values.pop()
            if values:
                yield Row(number, values, None, number in self._extent.hidden_rows)

    def _add_errors(self, number: int, values: list[Value]) -> None:
        # The library tells an error no different from an empty cell.
        for index, value in enumerate(values):
            if value is None:
                values[index] = self._extent.errors.get((number - 1, index))


def _listed(metadata: Sequence[Any]) -> list[SheetInfo]:
    """Return the sheets with cells; the first visible one counts as active, because the library does not tell."""
    sheets: list[SheetInfo] = []
    has_active = False
    for index, sheet in enumerate(metadata):
        visibility = _VISIBILITY.get(_word(sheet.visible), "visible")
        if _word(sheet.typ) == "WorkSheet":
            is_active = visibility == "visible" and not has_active
            has_active = has_active or is_active
            sheets.append(SheetInfo(index=index, name=sheet.name, visibility=visibility, is_active=is_active))
    return sheets


def _value(cell: Any) -> Value:
    if cell == "":
        return None
    if type(cell) is float and cell.is_integer() and -_LARGEST_INTEGER <= cell <= _LARGEST_INTEGER:
        return int(cell)
    value: Value = cell
    return value


def _word(member: object) -> str:
    return str(member).rpartition(".")[2]


def _guarded(read: Callable[[], Result]) -> Result:
    """Run a call into the library; turn what it raises into an InputError."""
    try:
        with _without_last_words():
            return read()
    except python_calamine.PasswordError as error:
        raise encrypted() from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise _unreadable() from error
    except BaseException as error:
        # A panic of the library arrives as a BaseException of a class that cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable() from error


@contextmanager
def _without_last_words() -> Iterator[None]:
    """Keep from standard error what the library writes there when it panics; anything else written comes through."""
    try:
        own = os.dup(2)
    except OSError:  # nobody listens there
        yield
        return
    with TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(own, 2)
            os.close(own)
        said.seek(0)
        if words := said.read():
            os.write(2, words)


def _unreadable() -> InputError:
    return InputError(
        "The workbook is damaged or uses something unknown. Open it in a spreadsheet program and save it as xlsx.",
        cause="malformed",
    )

"""One sheet of an xlsx workbook: the parts before and after the rows, and the rows as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from operator import lt

from ade_engine.cells import Range, parse_range
from ade_engine.errors import InputError
from ade_engine.issues import Finding
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.readers.findings import NOT_A_DATE
from ade_engine.readers.limits import LAST_COLUMN, MIB
from ade_engine.readers.row_order import in_order
from ade_engine.readers.xlsx_rows import RowReader
from ade_engine.readers.xlsx_strings import plain_markup, root_prefix
from ade_engine.readers.xlsx_styles import Styles
from ade_engine.readers.xlsx_values import Values, is_hidden, read_attributes

# Sheets up to this size are read whole, so that rows in disorder can still be put in order.
_SORTED_BYTES = 4 * MIB
_HEAD_BYTES = 16 * MIB

_COLUMN = re.compile(r"<col(\s[^<>]*)>")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*["']([A-Za-z0-9:$]+)["']""")


class XlsxSheet:
    """An open sheet. The part after the rows is read when it is needed."""

    def __init__(self, archive: Archive, part: str, info: SheetInfo, *, values: Values, styles: Styles) -> None:
        self.info = info
        self.styles: tuple[Style, ...] = styles.styles
        self.formulas_without_value = 0
        self.findings: tuple[Finding, ...] = ()
        self._archive = archive
        self._part = part
        self._values = values

    @cached_property
    def hidden_columns(self) -> frozenset[int]:
        """Columns that the sheet hides."""
        hidden: set[int] = set()
        head, _, _ = self._open()
        for attributes in _COLUMN.findall(head):
            if is_hidden(attributes):
                named = read_attributes(attributes)
                hidden.update(range(_bounded(named.get("min")), _bounded(named.get("max")) + 1))
        return frozenset(hidden)

    @cached_property
    def merged(self) -> list[Range]:
        """Merged ranges, in the order of the file."""
        _, chunks, prefix = self._open()
        end = b"</" + prefix + b"sheetData"
        return _merged_ranges(_behind(chunks, end), at_most=self._archive.limits.merged_ranges)

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something, by ascending number."""
        self.formulas_without_value = 0
        batches = self._batches()
        if self._archive.size(self._part) <= _SORTED_BYTES:
            yield from in_order([row for batch in batches for row in batch])
            return
        last = 0
        for batch in batches:
            numbers = [last, *[row.number for row in batch]]
            if not all(map(lt, numbers, numbers[1:])):
                raise InputError(
                    "The rows of the sheet are not in order. Open it in a spreadsheet program and save it again.",
                    cause="malformed",
                )
            last = numbers[-1]
            yield from batch

    def _batches(self) -> Iterator[list[Row]]:
        _, chunks, prefix = self._open()
        reader = RowReader(self._values, limits=self._archive.limits)
        for pieces in _pieces(chunks, prefix, at_most=self._archive.limits.row_bytes):
            rows = reader.read(pieces)
            self.formulas_without_value = reader.formulas_without_value
            self._note_dates()
            yield rows

    def _note_dates(self) -> None:
        # Sheets share the converters, so it is taken from them after each batch.
        if self._values.has_impossible_dates:
            self._values.has_impossible_dates = False
            self.findings = (NOT_A_DATE,)

    def _open(self) -> tuple[str, Iterator[bytes], bytes]:
        """Return the markup before the rows, the bytes from the first row on, and the namespace prefix."""
        chunks = self._archive.stream(self._part)
        head = b""
        for chunk in chunks:
            head += chunk
            prefix = root_prefix(head[:MIB], b"worksheet")
            if prefix is not None:
                start = head.find(b"<" + prefix + b"sheetData")
                if start >= 0:
                    return plain_markup(head[:start], prefix), _chained(head[start:], chunks), prefix
            if len(head) > _HEAD_BYTES:
                raise InputError(
                    "The sheet holds too much before its first row. Save it again as xlsx.", cause="too_large"
                )
        return "", iter(()), b""


def _chained(first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


def _bounded(text: str | None) -> int:
    return min(int(text), LAST_COLUMN) if text and text.isdecimal() and len(text) < 10 else 1


def _pieces(chunks: Iterator[bytes], prefix: bytes, *, at_most: int) -> Iterator[list[str]]:
    """Yield lists of row markup, each piece up to but without the end tag of its row."""
    row_end = b"</" + prefix + b"row>"
    sheet_end = b"</" + prefix + b"sheetData"
    rest = b""
    for chunk in chunks:
        # The end tag may lie across two chunks.
        searched = max(len(rest) - len(sheet_end), 0)
        rest += chunk
        end = rest.find(sheet_end, searched)
        if end >= 0:
            yield plain_markup(rest[:end], prefix).split("</row>")[:-1]
            return
        cut = rest.rfind(row_end, searched)
        if cut >= 0:
            yield plain_markup(rest[:cut], prefix).split("</row>")
            rest = rest[cut + len(row_end) :]
        elif len(rest) > at_most:
            raise InputError(
                f"A row of the sheet takes more than {at_most // MIB} MB. Split the file.", cause="too_large"
            )
    if rest and not re.match(rb"<[^>]*/>", rest):
        raise InputError("The sheet is incomplete. Get the file again from its source.", cause="truncated")


def _behind(chunks: Iterator[bytes], end: bytes) -> Iterator[bytes]:
    """Yield what follows the end tag, cut where no tag is open."""
    rest = b""
    is_behind = False
    for chunk in chunks:
        rest += chunk
        if not is_behind:
            found = rest.find(end)
            is_behind = found >= 0
            rest = rest[found:] if is_behind else rest[-len(end) :]
        if is_behind:
            cut = rest.rfind(b"<")
            yield rest[:cut]
            rest = rest[cut:]
    if is_behind:
        yield rest


def _merged_ranges(tail: Iterator[bytes], *, at_most: int) -> list[Range]:
    merged: list[Range] = []
    for chunk in tail:
        for reference in _MERGED.findall(chunk):
            try:
                merged.append(parse_range(reference.decode().replace("$", "")))
            except ValueError:
                continue
        if len(merged) > at_most:
            raise InputError(f"The sheet has more than {at_most} merged ranges. Unmerge them.", cause="too_large")
    return merged

"""Single cells that people corrected: each is of one document, and is reported when it could not be put in its place.

A correction names the cell of the document, which then holds the new value as if it had been written there, or the row
and the field where a value comes from no cell: that value is put there after the field's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from ade_engine.axes import Axes
from ade_engine.cells import Value, parse_cell
from ade_engine.convert import CannotConvert, converter
from ade_engine.field_run import FieldRun
from ade_engine.issues import Issue
from ade_engine.readers.base import Row
from ade_engine.shown import shown_cell
from ade_engine.transform import Transformed, differs
from ade_engine.words import as_key

RULE = "correction"
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_NOT_READ = "it is in no row and column of a table that is read"
_OTHER = "the document has another value there by now"
_SEVERAL = "its row became several"
_NO_SHEET = "it names no sheet, and the document has several"
Entry = Mapping[str, Any]


def of_other_sheets(entries: Sequence[Entry], sheets: Collection[str | None]) -> Iterator[Issue]:
    """Yield an issue for each corrected cell of a sheet that the document does not have."""
    for one in entries:
        if one["kind"] == "cell" and one.get("sheet") not in (None, *sheets):
            yield _issue(one, None, f'the document has no sheet "{one["sheet"]}"')


class CellCorrections:
    """The corrected cells of one sheet, and which of them were put in their place."""

    def __init__(self, entries: Sequence[Entry], sheet: str | None, *, is_only_sheet: bool) -> None:
        self._sheet = sheet
        self._cells: dict[int, dict[int, Entry]] = {}  # by row and column
        self._fields: dict[str, dict[int, Entry]] = {}  # by field and row
        self._reasons: dict[str, str] = {}  # why one is not in its place, by id
        self._entries = {one["id"]: one for one in entries if one["kind"] == "cell" and self._is_here(one)}
        for one in self._entries.values():
            if one.get("sheet") is None and not is_only_sheet:
                self._reasons[one["id"]] = _NO_SHEET
                continue
            self._reasons[one["id"]] = _NOT_READ
            if (name := one.get("cell")) is None:
                self._fields.setdefault(one["field"], {})[one["row"]] = one
            else:
                row, column = parse_cell(name)
                self._cells.setdefault(row, {})[column] = one

    def _is_here(self, entry: Entry) -> bool:
        return entry.get("sheet") in (None, self._sheet)

    def of_table(self, columns: range, axes: Axes) -> dict[int, dict[int, Entry]]:
        """Return the corrected cells of a table by its own rows and columns, which a turned one has the other way."""
        positions = {row: position for position, row in enumerate(axes.rows, start=1)}
        found: dict[int, dict[int, Entry]] = {}
        for row, cells in self._cells.items():
            for column, entry in cells.items():
                own = (column, positions.get(row, 0)) if axes.are_turned else (row, column)
                if own[1] in columns:
                    found.setdefault(own[0], {})[own[1]] = entry
        return found

    def note(self, entry: Entry, reason: str | None = None) -> None:
        """Note that a correction is in its place, or why it is not."""
        if reason is None:
            self._reasons.pop(entry["id"], None)
        else:
            self._reasons[entry["id"]] = reason

    def put_into_field(
        self, name: str, rows: Sequence[Row], values: Sequence[Value], *, is_one_each: bool
    ) -> tuple[list[Value], list[int]]:
        """Return the values of a field with those that people gave it, and the places of these."""
        entries, places, done = self._fields[name], [], list(values)
        for place, row in enumerate(rows):
            if (entry := entries.get(row.number)) is None:
                continue
            if not is_one_each:
                self._reasons[entry["id"]] = _SEVERAL
            elif not _is_found(entry, values[place]):
                self._reasons[entry["id"]] = _OTHER
            else:
                done[place] = _of_kind(values[place], entry["new"])
                places.append(place)
                self._reasons.pop(entry["id"], None)
        return done, places

    def is_about(self, field: str) -> bool:
        """Return whether values of a field were given without a cell."""
        return field in self._fields

    def issues(self) -> Iterator[Issue]:
        """Yield an issue for each correction that is not in its place."""
        for entry_id, reason in self._reasons.items():
            yield _issue(self._entries[entry_id], self._sheet, reason)


class TableCells:
    """The corrected cells of one table while its rows stream by; `count` is how many were put in their place."""

    def __init__(
        self, cells: CellCorrections, fields: Sequence[FieldRun], columns: range, axes: Axes, *, is_unpivoted: bool
    ) -> None:
        self._cells = cells
        self._places = cells.of_table(columns, axes)
        self._has_rows = not axes.are_turned  # those of the document, which values without a cell are named by
        self._is_unpivoted = is_unpivoted
        self._typed = {position for field in fields if field.rules.field.type for position in field.sources}
        self._changes: list[_Change] = []
        self.count = 0

    def compared(self, chunks: Iterable[Sequence[Row]]) -> Iterator[Sequence[Row]]:
        """Yield rows as they are, and forget corrections of cells that hold something else than what was corrected."""
        for rows in chunks:
            for row in rows:
                for column, entry in list(self._places.get(row.number, {}).items()):
                    if not _is_found(entry, _value(row, column)):
                        self._cells.note(entry, _OTHER)
                        del self._places[row.number][column]
            yield rows

    def put_into(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows of the next chunk with their corrected cells."""
        self._changes = []
        done = list(rows)
        for place, row in enumerate(rows):
            if entries := self._places.get(row.number):
                done[place] = replace(row, values=self._corrected(place, row, entries))
        self.count += len(self._changes)
        return done if self._changes else rows

    def _corrected(self, place: int, row: Row, entries: Mapping[int, Entry]) -> list[Value]:
        """Return the cells of a row with those that were corrected, and note these as changed."""
        values = list(row.values)
        for column, entry in entries.items():
            values += [None] * (column - len(values))
            old, new = values[column - 1], entry["new"]
            values[column - 1] = new if column in self._typed else _of_kind(old, new)  # texts of a type are converted
            self._changes.append((place, column))
            self._cells.note(entry)
        return values

    def put_into_field(
        self, field: FieldRun, rows: Sequence[Row], before: Sequence[Value], result: Transformed
    ) -> Transformed:
        """Put the values into a field that people gave it without a cell, and count all that were corrected."""
        changes = [] if self._is_unpivoted else self._changes  # whose places are others by now
        places = [place for place, column in changes if column in field.sources]
        unnoticed = [place for place in places if not differs(before[place], result.values[place])]
        if self._has_rows and self._cells.is_about(field.name):
            values, own = self._cells.put_into_field(
                field.name, rows, result.values, is_one_each=not self._is_unpivoted
            )
            unnoticed += [place for place in own if not differs(before[place], result.values[place])]
            result.values = _converted(values, own, field)
            result.findings = [finding for finding in result.findings if finding[0] not in own]
            result.marks = {place: mark for place, mark in result.marks.items() if place not in own}
            places += own
            self.count += len(own)
        if places:
            field.transform.changes[RULE] += len(places)
            field.transform.changed_count += len(unnoticed)
        return result


def _converted(values: list[Value], places: Sequence[int], field: FieldRun) -> list[Value]:
    """Convert the values at some places to the type of their field; what cannot be is left for validation."""
    if (convert := converter(field.rules.field)) is not None:
        for place in places:
            with suppress(CannotConvert):
                values[place] = convert(values[place])
    return values


_Change = tuple[int, int]  # place in the chunk, and column


def _issue(entry: Entry, sheet: str | None, reason: str) -> Issue:
    message = f"the correction of {where(entry)} was not made: {reason}"
    return Issue(sheet, None, entry.get("field"), RULE, "warning", message)


def where(entry: Entry, label: str | None = None) -> str:
    """Return what a correction of a cell is about: the cell, or the row and its field."""
    return str(entry["cell"]) if entry.get("cell") else f"{label or entry['field']} in row {entry['row']}"


def _value(row: Row, column: int) -> Value:
    return row.values[column - 1] if column <= len(row.values) else None


def _is_found(entry: Entry, value: Value) -> bool:
    """Return whether a cell holds what it held when it was corrected, as far as that was noted."""
    if "found" not in entry:
        return True
    shown = shown_cell(value)
    found = entry["found"]
    return as_key(found) in (as_key(value), as_key(shown["value"] if shown else None))


def _of_kind(old: Value, new: Value) -> Value:
    """Return a new value as what the old one is: 12 in place of a number is a number, and a day in place of a day."""
    if not isinstance(new, str) or old is None or isinstance(old, str | bool):
        return new
    if isinstance(old, int | float):
        return (float(new) if "." in new else int(new)) if _NUMBER.fullmatch(new) else new
    try:
        if isinstance(old, datetime):
            return datetime.fromisoformat(new)
        if isinstance(old, date):
            return date.fromisoformat(new)
        return time.fromisoformat(new) if isinstance(old, time) else new
    except ValueError:
        return new

"""Reads a template: a workbook whose sheets have the headers of fields, and what it must not hold."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import count, takewhile
from pathlib import Path

from ade_engine.errors import ConfigurationError, InputError
from ade_engine.mapping.headers import comparable
from ade_engine.readers.archive import Archive
from ade_engine.readers.limits import LAST_ROW, MIB, ReadLimits
from ade_engine.readers.relations import Relation, read_relations
from ade_engine.readers.xlsx import XlsxWorkbook
from ade_engine.readers.xml_parts import elements
from ade_engine.records import record
from ade_engine.templates.markup import Node, nodes
from ade_engine.templates.references import area_of

LARGEST_BYTES = MIB  # what a file of a configuration may have on a server
LIMITS = ReadLimits(
    file_bytes=LARGEST_BYTES,
    entries=1000,
    unpacked_bytes=32 * MIB,
    part_bytes=16 * MIB,
    small_part_bytes=16 * MIB,
    ratio_free_bytes=8 * MIB,
)
_HEADER_ROWS = 100  # a header is among the first
_CONTENT_TYPES = "[Content_Types].xml"
# What a workbook must not bring along, by the last word of the types of its relations, or by the names of its parts.
_ACTIVE = {
    "vbaProject": "macros",
    "xlMacrosheet": "macros",
    "xlIntlMacrosheet": "macros",
    "externalLink": "links to other workbooks",
    "connections": "connections to data elsewhere",
    "queryTable": "connections to data elsewhere",
    "oleObject": "embedded objects",
    "package": "embedded objects",
    "control": "controls",
    "attachedToolbars": "macros",
}


@record
class FillArea:
    """Where the rows of a sheet go: below `header_row`, in place of the rows from `first` to `last`."""

    header_row: int
    first: int
    last: int
    headers: Mapping[int, str]  # by column, from left to right; 1 is column A
    formulas: Collection[int] = ()  # the columns that have a formula in the first row
    rows_below: Sequence[int] = ()  # right below, written as records are: they stay there

    def places(self, titles: Sequence[str], names: Mapping[str, str]) -> dict[int, int]:
        """Return which of the columns to be written goes to which column of the sheet.

        `names` has the title of each field by its comparable name; a header may be either.
        """
        by_title: dict[str, int] = {}
        for number, title in enumerate(titles):
            by_title.setdefault(comparable(title), number)
        places: dict[int, int] = {}
        for column, header in self.headers.items():
            key = comparable(header)
            place = by_title.get(key, by_title.get(comparable(names.get(key, ""))))
            if place is not None and place not in places.values():
                places[column] = place
        return places


@record
class TemplateSheet:
    """A sheet of a template. One without an area has no header that names a field."""

    name: str
    part: str
    area: FillArea | None
    related: Sequence[Relation]


@record
class Template:
    """A template that was checked: its parts by name, and its sheets."""

    file: str
    parts: Mapping[str, bytes]
    workbook: str
    styles: str
    sheets: Sequence[TemplateSheet]
    names: Mapping[str, str]  # the title of each field by its comparable name

    def sheet_of(self, name: str, taken: Sequence[str]) -> TemplateSheet | None:
        """Return the sheet that an output fills: the one of its name, or the only one that can be filled."""
        areas = [sheet for sheet in self.sheets if sheet.area is not None]
        named = [sheet for sheet in areas if sheet.name.casefold() == name.casefold()]
        found = named or (areas if len(areas) == 1 else [])
        return found[0] if found and found[0].name not in taken else None


def read_template(path: Path, file: str, titles: Mapping[str, str]) -> Template:
    """Read and check a template; `titles` has the header of each field by its name."""
    if not path.is_file():
        raise ConfigurationError(f"there is no file {file}")
    if path.stat().st_size > LARGEST_BYTES:
        raise ConfigurationError(f"{file} has more than {LARGEST_BYTES // 1024} KB. Remove pictures and sample rows")
    names = {comparable(text): title for name, title in titles.items() for text in (name, title)}
    try:
        with closing(Archive(path, limits=LIMITS)) as archive:
            return _read(path, archive, file, names)
    except InputError as error:
        raise ConfigurationError(f"{file} cannot be used as a template: {str(error).rstrip('.')}") from error


def _read(path: Path, archive: Archive, file: str, names: Mapping[str, str]) -> Template:
    parts = {name: archive.bytes_of(name) for name in archive.original_names}
    by_key = {name.lower(): name for name in parts}
    _refuse_active(file, archive, parts)
    with closing(XlsxWorkbook(path, limits=LIMITS)) as workbook:
        part, styles = workbook.part, workbook.styles_part
        if styles is None:
            raise _unusual(file, "has no styles")
        _refuse_unusual(file, parts[by_key[part.lower()]])
        sheets = [
            _sheet(file, archive, parts, by_key[workbook.part_of(info).lower()], info.name or "", headers, names)
            for info in workbook.sheets
            for headers in [_first_rows(workbook.open_sheet(info).rows())]
        ]
    return Template(file, parts, by_key[part.lower()], by_key[styles.lower()], sheets, names)


def _first_rows(rows: Iterator[object]) -> dict[int, Sequence[object]]:
    found: dict[int, Sequence[object]] = {}
    for row in rows:
        if row.number > _HEADER_ROWS:  # type: ignore[attr-defined]
            break
        found[row.number] = row.values  # type: ignore[attr-defined]
    return found


def _sheet(
    file: str,
    archive: Archive,
    parts: Mapping[str, bytes],
    part: str,
    name: str,
    rows: Mapping[int, Sequence[object]],
    names: Mapping[str, str],
) -> TemplateSheet:
    related = list(read_relations(archive, part))
    tables = [_table_area(archive, relation.target, rows) for relation in related if relation.kind == "table"]
    area = _best([table for table in tables if table is not None], names) or _best(_plain_areas(rows), names)
    if area is not None:
        found = nodes(parts[part])
        _refuse_what_moves_badly(file, name, found, area)
        below = _rows_below(found, area, names)
        area = FillArea(area.header_row, area.first, area.last, area.headers, _formulas(found, area), below)
    return TemplateSheet(name, part, area, related)


def _best(areas: Sequence[FillArea], names: Mapping[str, str]) -> FillArea | None:
    """Return the area with the most headers that name fields, the uppermost of several."""
    counts = [len({names.get(comparable(header)) for header in area.headers.values()} - {None}) for area in areas]
    return areas[counts.index(max(counts))] if any(counts) else None


def _table_area(archive: Archive, part: str, rows: Mapping[int, Sequence[object]]) -> FillArea | None:
    """Return the area of an Excel table, which says itself where it ends; None for one without a header."""
    attributes = next((found for path, found in elements([archive.read(part)]) if path == ("table",)), {})
    area = area_of(attributes.get("ref", ""))
    if area is None or attributes.get("headerRowCount") == "0":
        return None
    left, top, right, bottom = area
    cells = rows.get(top, ())
    headers = {column: _text(cells, column) for column in range(left, right + 1)}
    totals = int(attributes.get("totalsRowCount", "0") or 0)
    return FillArea(top, top + 1, max(bottom - totals, top + 1), headers)


def _plain_areas(rows: Mapping[int, Sequence[object]]) -> list[FillArea]:
    """Return each stretch of filled cells in the first rows: any of them may be a header."""
    found = []
    for number, cells in rows.items():
        headers: dict[int, str] = {}
        for column in range(1, len(cells) + 2):
            if text := _text(cells, column):
                headers[column] = text
            elif headers:
                found.append(FillArea(number, number + 1, number + 1, headers))
                headers = {}
    return found


def _text(cells: Sequence[object], column: int) -> str:
    value = cells[column - 1] if column <= len(cells) else None
    return "" if value is None else str(value).strip()


def _refuse_active(file: str, archive: Archive, parts: Mapping[str, bytes]) -> None:
    """Refuse what does something or leads elsewhere: an output is handed on to people who trust it."""
    found = {"macros"} if b"macroEnabled" in parts.get(_CONTENT_TYPES, b"") else set()
    found |= {"macros" for name in parts if posixpath.basename(name).lower() == "vbaproject.bin"}
    for name in parts:
        if not name.lower().endswith(".rels"):
            continue
        for path, attributes in elements([archive.read(name)]):
            kind = attributes.get("Type", "").rpartition("/")[2]
            if kind in _ACTIVE:
                found.add(_ACTIVE[kind])
            elif path[-1] == "Relationship" and attributes.get("TargetMode") == "External" and kind != "hyperlink":
                found.add("links to other files")
    if found:
        raise ConfigurationError(f"{file} has {' and '.join(sorted(found))}, which a template must not have")


def _refuse_unusual(file: str, workbook: bytes) -> None:
    """Refuse how few programs write workbooks: what is put in would be wrong there."""
    found = nodes(workbook)
    root = found[0]
    if root.path[0] != "workbook" or "purl.oclc.org" in root.attributes.get("xmlns", ""):
        raise _unusual(file, "is written in an unusual way")
    for node in found:
        if node.name == "workbookPr" and node.attributes.get("date1904", "0").lower() in ("1", "true", "on"):
            raise ConfigurationError(f"{file} counts days from 1904. Turn that off in the options of the workbook")


def _unusual(file: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"{file} {what}. Open it in a spreadsheet program and save it as xlsx")


def _formulas(found: Sequence[Node], area: FillArea) -> set[int]:
    """Return the columns of an area that have a formula in its first row."""
    columns: set[int] = set()
    place = None
    for node in found:
        if node.path == ("worksheet", "sheetData", "row", "c"):
            place = area_of(node.attributes["r"])
        elif node.path == ("worksheet", "sheetData", "row", "c", "f") and place and place[1] == area.first:
            columns.add(place[0])
    return columns


def _rows_below(found: Sequence[Node], area: FillArea, names: Mapping[str, str]) -> list[int]:
    """Return the rows right below an area that have values in most columns of fields: no totals, which are formulas."""
    fields = {column for column, header in area.headers.items() if comparable(header) in names}
    filled: dict[int, set[int]] = {}
    place = None
    for node in found:
        if node.path == ("worksheet", "sheetData", "row", "c"):
            place = area_of(node.attributes["r"])
        elif node.path[:4] == ("worksheet", "sheetData", "row", "c") and place and place[0] in fields:
            row = filled.setdefault(place[1], set())
            if node.name == "f":
                row.discard(place[0])
                place = None
            elif node.name in ("v", "is"):
                row.add(place[0])
    rows = takewhile(lambda row: 2 * len(filled.get(row, ())) > len(fields) > 1, count(area.last + 1))
    return list(rows)


def _refuse_what_moves_badly(file: str, sheet: str, found: Sequence[Node], area: FillArea) -> None:
    for node in found:
        if node.path[0] != "worksheet":
            raise _unusual(file, "is written in an unusual way")
        if node.name in ("row", "c") and "r" not in node.attributes:
            raise _unusual(file, "has cells without an address")
        if node.name != "mergeCell" or (merged := area_of(node.attributes.get("ref", ""))) is None:
            continue
        if merged[1] <= area.last and merged[3] >= area.first and merged[3] <= LAST_ROW:
            where = node.attributes["ref"]
            raise ConfigurationError(f"{file} has merged cells {where} in sheet {sheet} where rows go. Unmerge them")

"""Writes small workbooks cell by cell, with everything a clean writer would never do."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_STYLES = {"plain": 0, "bold": 1, "date": 2}
_STYLE_SHEET = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    # The first two fills are fixed; programs refuse a workbook without them.
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


@dataclass(frozen=True)
class Styled:
    """A value in a style: bold or date."""

    value: Any
    style: str


@dataclass(frozen=True)
class Formula:
    """A formula with the value it had when the file was saved, or None when it was never computed."""

    text: str
    value: Any


@dataclass(frozen=True)
class Error:
    """An error left by a formula."""

    code: str


@dataclass(frozen=True)
class SheetPlan:
    """A sheet: rows from the top (None is a blank row), cells from column A (None is an empty cell)."""

    rows: Sequence[Sequence[Any] | None]
    merged: Sequence[str] = ()
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[int] = ()
    state: str = "visible"


def bold(*values: Any) -> list[Any]:
    """Return a row of bold cells."""
    return [None if value is None else Styled(value, "bold") for value in values]


def write_workbook(path: Path, sheets: Mapping[str, SheetPlan], *, is_1904: bool = False) -> None:
    """Write the sheets; the same plan gives the same bytes."""
    parts = {
        "[Content_Types].xml": _content_types(len(sheets)),
        "_rels/.rels": _relationships([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": _workbook(sheets, is_1904=is_1904),
        "xl/_rels/workbook.xml.rels": _relationships(
            [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)]
            + [("styles", "styles.xml")]
        ),
        "xl/styles.xml": _STYLE_SHEET,
    }
    for number, plan in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{number}.xml"] = _sheet(plan, is_1904=is_1904)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(
                zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), f'<?xml version="1.0" encoding="UTF-8"?>{text}'
            )


def _content_types(count: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>'
        for n in range(1, count + 1)
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>{sheets}</Types>'
    )


def _relationships(targets: Sequence[tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{entries}</Relationships>'


def _workbook(sheets: Mapping[str, SheetPlan], *, is_1904: bool) -> str:
    entries = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" state="{plan.state}" r:id="rId{n}"/>'
        for n, (name, plan) in enumerate(sheets.items(), start=1)
    )
    settings = '<workbookPr date1904="1"/>' if is_1904 else "<workbookPr/>"
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{settings}<sheets>{entries}</sheets></workbook>'


def _sheet(plan: SheetPlan, *, is_1904: bool) -> str:
    rows = "".join(
        _row(number, row, is_hidden=number in plan.hidden_rows, is_1904=is_1904)
        for number, row in enumerate(plan.rows, start=1)
        if row is not None
    )
    merged = "".join(f'<mergeCell ref="{area}"/>' for area in plan.merged)
    merges = f'<mergeCells count="{len(plan.merged)}">{merged}</mergeCells>' if merged else ""
    hidden = "".join(f'<col min="{n}" max="{n}" width="9" hidden="1"/>' for n in plan.hidden_columns)
    columns = f"<cols>{hidden}</cols>" if hidden else ""
    return f'<worksheet xmlns="{_MAIN}">{columns}<sheetData>{rows}</sheetData>{merges}</worksheet>'


def _row(number: int, cells: Sequence[Any], *, is_hidden: bool, is_1904: bool) -> str:
    inner = "".join(
        _cell(f"{chr(65 + place)}{number}", value, is_1904=is_1904)
        for place, value in enumerate(cells)
        if value is not None
    )
    return f'<row r="{number}"{" hidden=" + quoteattr("1") if is_hidden else ""}>{inner}</row>'


def _cell(name: str, value: Any, *, is_1904: bool, style: str = "plain") -> str:
    if isinstance(value, Styled):
        return _cell(name, value.value, is_1904=is_1904, style=value.style)
    if isinstance(value, date):
        epoch = date(1904, 1, 1) if is_1904 else date(1899, 12, 30)
        return _cell(name, (value - epoch).days, is_1904=is_1904, style="date")
    start = f'<c r="{name}" s="{_STYLES[style]}"'
    if isinstance(value, Formula) and value.value is None:
        return f"{start}><f>{escape(value.text)}</f></c>"
    if isinstance(value, Formula):
        kind = ' t="str"' if isinstance(value.value, str) else ""
        return f"{start}{kind}><f>{escape(value.text)}</f><v>{escape(str(value.value))}</v></c>"
    if isinstance(value, Error):
        return f'{start} t="e"><v>{value.code}</v></c>'
    if isinstance(value, bool):
        return f'{start} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"{start}><v>{value!r}</v></c>"
    return f'{start} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'

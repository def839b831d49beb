"""Workbooks that ask for much and are small: what strangers may upload."""

import zipfile
from collections.abc import Callable, Iterable
from io import BytesIO

from ade_engine.cells import column_letters

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORKBOOK = f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'


def workbook(rows: Iterable[str], *, text: str = "", after: str = "") -> bytes:
    """Return a workbook of one sheet with these rows; `text` is its one shared string."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("_rels/.rels", _relations(officeDocument="xl/workbook.xml"))
        book.writestr("xl/workbook.xml", _WORKBOOK)
        targets = {"worksheet": "worksheets/sheet1.xml", "sharedStrings": "sharedStrings.xml"}
        book.writestr("xl/_rels/workbook.xml.rels", _relations(**targets))
        book.writestr("xl/sharedStrings.xml", f"<sst {_MAIN}><si><t>{text}</t></si></sst>")
        sheet = f"<worksheet {_MAIN}><sheetData>{''.join(rows)}</sheetData>{after}</worksheet>"
        book.writestr("xl/worksheets/sheet1.xml", sheet)
    return content.getvalue()


def _relations(**targets: str) -> str:
    one = '<Relationship Id="r{}" Type="{}/{}" Target="{}"/>'
    listed = (one.format(number, _OFFICE, kind, target) for number, (kind, target) in enumerate(targets.items(), 1))
    return f'<Relationships xmlns="{_PACKAGE}">{"".join(listed)}</Relationships>'


def repeated_text(*, rows: int, columns: int) -> bytes:
    """Return a small workbook whose every cell names the same long text."""
    lines = (_row(row, columns, lambda name: f'<c r="{name}" t="s"><v>0</v></c>') for row in range(1, rows + 1))
    return workbook(lines, text="x" * 32_767)


def wide(*, rows: int, columns: int = 16_384) -> bytes:
    """Return a workbook whose rows have as many columns as there can be."""
    return workbook(_row(row, columns, lambda name: f'<c r="{name}"><v>1</v></c>') for row in range(1, rows + 1))


def merged(*, count: int) -> bytes:
    """Return a workbook with many merged ranges."""
    spans = "".join(f'<mergeCell ref="A{2 * number + 1}:B{2 * number + 2}"/>' for number in range(count))
    return workbook(['<row r="1"><c r="A1"><v>1</v></c></row>'], after=f"<mergeCells>{spans}</mergeCells>")


def _row(row: int, columns: int, cell: Callable[[str], str]) -> str:
    cells = "".join(cell(f"{column_letters(column)}{row}") for column in range(1, columns + 1))
    return f'<row r="{row}">{cells}</row>'

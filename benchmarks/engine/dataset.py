"""The workbook every task works on: 12 columns, texts shared as spreadsheet programs write them, in constant memory.

Six columns need work: padded ids, names in capitals, mixed-case addresses, dates and amounts written as text, states in
two spellings. One row in a thousand has something wrong with it.

    bin/bench engine/dataset FILE ROWS
"""

from __future__ import annotations

import random
import sys
import zipfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

HEADERS = (
    "Member #", "Given name", "E-Mail", "Joined", "Amount due", "State",
    "Visits", "Score", "Active", "Remark", "Rate", "City",
)  # fmt: skip
NAMES = ("ANNA", "BOB", "CARL", "DORA", "EMIL", "FRIDA")
_FIRST_DAY = date(2020, 1, 1)
_EPOCH = date(1899, 12, 30)
_DATE_STYLE = 1

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'


def rows(row_count: int) -> Iterator[list[Any]]:
    """Yield the rows of the table, the same each time."""
    chance = random.Random(1)  # noqa: S311 - test data
    for n in range(row_count):
        joined = _FIRST_DAY + timedelta(days=n % 900)
        yield [
            f" mb{n:07d}" if n % 1000 else "mb1",
            NAMES[n % len(NAMES)],
            f"User{n}@Example.com",
            f"{joined:%d.%m.%Y}",
            f"{chance.randrange(1, 9000)}.{chance.randrange(100):02d}",
            "Open" if n % 3 else "CLOSED",
            n,
            chance.random() * 1000,
            n % 2 == 0,
            f"Some & text {n % 50}" if n % 7 else None,
            joined,
            "München",
        ]


def make_workbook(path: Path, row_count: int) -> None:
    """Write the table as an xlsx workbook."""
    texts: dict[str, int] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, _XML + text)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            part.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            part.write(_row(1, list(HEADERS), texts).encode())
            for number, row in enumerate(rows(row_count), start=2):
                part.write(_row(number, row, texts).encode())
            part.write(b"</sheetData></worksheet>")
        with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as part:
            part.write(f'{_XML}<sst xmlns="{_MAIN}" uniqueCount="{len(texts)}">'.encode())
            for text in texts:
                part.write(f'<si><t xml:space="preserve">{text.replace("&", "&amp;")}</t></si>'.encode())
            part.write(b"</sst>")


def _row(number: int, values: list[Any], texts: dict[str, int]) -> str:
    cells = [
        _cell(f"{chr(65 + index)}{number}", value, texts) for index, value in enumerate(values) if value is not None
    ]
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(name: str, value: Any, texts: dict[str, int]) -> str:
    if isinstance(value, str):
        return f'<c r="{name}" t="s"><v>{texts.setdefault(value, len(texts))}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c r="{name}" s="{_DATE_STYLE}"><v>{(value - _EPOCH).days}</v></c>'
    return f'<c r="{name}"><v>{value!r}</v></c>'


_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="'
    f'application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    f'relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_TYPE}.sharedStrings+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Members" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="r2" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    f'<Relationship Id="r3" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts>'
    '<fills count="1"><fill><patternFill/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/>'
    '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>',
}

if __name__ == "__main__":
    make_workbook(Path(sys.argv[1]), int(sys.argv[2]))

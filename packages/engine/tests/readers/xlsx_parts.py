"""Builds small xlsx files part by part, so that a test can spell out the one oddity it is about."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from ade_engine.cells import Value
from ade_engine.readers import open_workbook
from ade_engine.readers.base import Row, Sheet, Workbook
from ade_engine.readers.limits import ReadLimits

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"

Build = Callable[..., Path]


def sheet(rows: str, *, before: str = "", behind: str = "") -> str:
    return f'<worksheet xmlns="{MAIN}">{before}<sheetData>{rows}</sheetData>{behind}</worksheet>'


def strings(items: str) -> str:
    return f'<sst xmlns="{MAIN}">{items}</sst>'


def styles(*formats: str, fonts: str = "<font/>", fills: str = "<fill/>", cells: str = "") -> str:
    """Return a styles part in which format number n (from 1) has the n-th number format."""
    codes = "".join(f'<numFmt numFmtId="{200 + i}" formatCode="{code}"/>' for i, code in enumerate(formats))
    numbered = "".join(f'<xf numFmtId="{200 + i}"/>' for i in range(len(formats)))
    return (
        f'<styleSheet xmlns="{MAIN}"><numFmts>{codes}</numFmts><fonts>{fonts}</fonts><fills>{fills}</fills>'
        f'<borders><border/><border><top style="thin"/></border></borders>'
        f'<cellXfs><xf numFmtId="0"/>{numbered}{cells}</cellXfs></styleSheet>'
    )


def relations(*entries: tuple[str, str, str]) -> str:
    body = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"/>' for key, kind, target in entries
    )
    return f'<Relationships xmlns="{PACKAGE}">{body}</Relationships>'


def default_parts() -> dict[str, str | bytes]:
    return {
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets>'
            "</workbook>"
        ),
        "xl/_rels/workbook.xml.rels": relations(
            ("r1", "worksheet", "worksheets/sheet1.xml"),
            ("r2", "sharedStrings", "sharedStrings.xml"),
            ("r3", "styles", "styles.xml"),
        ),
        "xl/worksheets/sheet1.xml": sheet(""),
    }


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that writes a workbook from default parts and the ones given; None leaves a part out."""

    def build(rows: str = "", parts: Mapping[str, str | bytes | None] | None = None, **names: str) -> Path:
        every: dict[str, str | bytes | None] = dict(default_parts())
        if rows:
            every["xl/worksheets/sheet1.xml"] = sheet(rows)
        every.update({f"xl/{name}.xml": text for name, text in names.items()})
        every.update(parts or {})
        path = tmp_path / "book.xlsx"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in every.items():
                if data is not None:
                    archive.writestr(name, data)
        return path

    return build


@pytest.fixture
def opened() -> Iterator[Callable[..., Workbook]]:
    """Return open_workbook, with everything it opened closed at the end of the test."""
    with ExitStack() as stack:

        def opened(path: Path, **options: ReadLimits) -> Workbook:
            workbook = open_workbook(path, **options)
            stack.callback(workbook.close)
            return workbook

        yield opened


@pytest.fixture
def open_first(opened: Callable[..., Workbook]) -> Callable[..., Sheet]:
    """Return a function that opens the first sheet of a file."""

    def open_first(path: Path, **options: ReadLimits) -> Sheet:
        workbook = opened(path, **options)
        return workbook.open_sheet(workbook.sheets[0])

    return open_first


def read(path: Path) -> list[Row]:
    workbook = open_workbook(path)
    try:
        return [row for info in workbook.sheets for row in workbook.open_sheet(info).rows()]
    finally:
        workbook.close()


def values(path: Path) -> list[list[Value]]:
    return [row.values for row in read(path)]

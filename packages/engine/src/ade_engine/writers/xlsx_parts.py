"""The fixed parts of an xlsx container."""

from __future__ import annotations

from collections.abc import Sequence

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

# In the order of the constants in xlsx_cells: general, header, date, datetime, time, elapsed, text with a quote prefix,
# percentage (format 10 is 0.00%).
_CELL_FORMATS = (
    '<xf numFmtId="0" fontId="0" fillId="{fill}" borderId="0" xfId="0"{apply}/>',
    '<xf numFmtId="0" fontId="1" fillId="{fill}" borderId="0" xfId="0" applyFont="1"{apply}/>',
    '<xf numFmtId="164" fontId="0" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1"{apply}/>',
    '<xf numFmtId="165" fontId="0" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1"{apply}/>',
    '<xf numFmtId="166" fontId="0" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1"{apply}/>',
    '<xf numFmtId="167" fontId="0" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1"{apply}/>',
    '<xf numFmtId="0" fontId="0" fillId="{fill}" borderId="0" xfId="0" quotePrefix="1"{apply}/>',
    '<xf numFmtId="10" fontId="0" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1"{apply}/>',
)


_OWN_FORMAT = '<xf numFmtId="{number}" fontId="0" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1"{apply}/>'
_FIRST_OWN_NUMBER = 168


def sheet_head(widths: Sequence[int], *, is_frozen: bool = True) -> str:
    """Return a sheet up to its first row, which stays visible when it is frozen."""
    pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' if is_frozen else ""
    columns = "".join(
        f'<col min="{index}" max="{index}" width="{width}" customWidth="1"/>' for index, width in enumerate(widths, 1)
    )
    return (
        f'{_DECLARATION}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        f"{pane}</sheetView></sheetViews>"
        f'<sheetFormatPr defaultRowHeight="15"/>{columns and f"<cols>{columns}</cols>"}<sheetData>'
    )


def sheet_tail(filtered: str | None, *, has_table: bool = False) -> str:
    """Return a sheet from its last row on."""
    filters = f'<autoFilter ref="{filtered}"/>' if filtered else ""
    tables = f'<tableParts xmlns:r="{_OFFICE}" count="1"><tablePart r:id="rId1"/></tableParts>' if has_table else ""
    return f"</sheetData>{filters}{tables}</worksheet>"


def table_parts(number: int, name: str, ref: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the parts that make the cells of a sheet an Excel table, by part name."""
    listed = "".join(
        f'<tableColumn id="{index}" name={_quoted(_as_attribute(title))}/>' for index, title in enumerate(columns, 1)
    )
    plain = "".join(sign if sign.isalnum() else "_" for sign in name)
    table = (
        f'{_DECLARATION}<table xmlns="{_MAIN}" id="{number}" name="Table{number}_{plain}" '
        f'displayName="Table{number}_{plain}" ref="{ref}" totalsRowShown="0"><autoFilter ref="{ref}"/>'
        f'<tableColumns count="{len(columns)}">{listed}</tableColumns>'
        '<tableStyleInfo name="TableStyleLight1" showRowStripes="1"/></table>'
    )
    return {
        f"xl/worksheets/_rels/sheet{number}.xml.rels": _relations([("table", f"../tables/table{number}.xml")]),
        f"xl/tables/table{number}.xml": table,
    }


def _as_attribute(title: str) -> str:
    """Return a header as the name of a table's column: a line break in it is an escape there."""
    return title.replace("\r", "_x000d_").replace("\n", "_x000a_").replace("\t", "_x0009_")


def container_parts(names: Sequence[str], formats: Sequence[str] = (), *, tables: Sequence[int] = ()) -> dict[str, str]:
    """Return the parts that list the sheets and say what each part is, by part name.

    `formats` are number formats, `tables` the numbers of the sheets that are Excel tables.
    """
    return {
        "[Content_Types].xml": _content_types(len(names), tables),
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": _workbook(names),
        "xl/_rels/workbook.xml.rels": _relations(
            [("worksheet", f"worksheets/sheet{index}.xml") for index in range(1, len(names) + 1)]
            + [("styles", "styles.xml")]
        ),
        "xl/styles.xml": _styles(formats),
    }


def _content_types(sheet_count: int, tables: Sequence[int]) -> str:
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{index}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for index in range(1, sheet_count + 1)
    ) + "".join(
        f'<Override PartName="/xl/tables/table{index}.xml" ContentType="{_TYPE}.table+xml"/>' for index in tables
    )
    return (
        f'{_DECLARATION}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>{sheets}'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>'
    )


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    relations = "".join(
        f'<Relationship Id="rId{index}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for index, (kind, target) in enumerate(targets, 1)
    )
    return f'{_DECLARATION}<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'


def _workbook(names: Sequence[str]) -> str:
    sheets = "".join(
        f'<sheet name={_quoted(name)} sheetId="{index}" r:id="rId{index}"/>' for index, name in enumerate(names, 1)
    )
    return (
        f'{_DECLARATION}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
        f"<sheets>{sheets}</sheets></workbook>"
    )


def _quoted(text: str) -> str:
    # The one in xml.sax.saxutils imports half of urllib: a fifth of the time a run needs to start.
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return f'"{escaped}"'


def _styles(formats: Sequence[str]) -> str:
    own = "".join(
        _OWN_FORMAT.format(number=number, fill=0, apply="")
        + _OWN_FORMAT.format(number=number, fill=2, apply=' applyFill="1"')
        for number in range(_FIRST_OWN_NUMBER, _FIRST_OWN_NUMBER + len(formats))
    )
    codes = "".join(
        f'<numFmt numFmtId="{number}" formatCode={_quoted(code)}/>'
        for number, code in enumerate(formats, start=_FIRST_OWN_NUMBER)
    )
    plain = "".join(form.format(fill=0, apply="") for form in _CELL_FORMATS)
    highlighted = "".join(form.format(fill=2, apply=' applyFill="1"') for form in _CELL_FORMATS)
    return (
        f'{_DECLARATION}<styleSheet xmlns="{_MAIN}"><numFmts count="{4 + len(formats)}">'
        '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
        '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>'
        '<numFmt numFmtId="166" formatCode="hh:mm:ss"/><numFmt numFmtId="167" formatCode="[h]:mm:ss"/>'
        f"{codes}</numFmts>"
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>'
        '<fills count="3"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill>'
        '<fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/><bgColor indexed="64"/></patternFill></fill>'
        '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        f'<cellXfs count="{2 * (len(_CELL_FORMATS) + len(formats))}">{plain}{highlighted}{own}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    )

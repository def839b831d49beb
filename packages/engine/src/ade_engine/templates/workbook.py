"""The parts of a template besides its sheets that name rows of them: names, Excel tables, charts, drawings, notes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice

from ade_engine.templates.markup import (
    Edit,
    changed_tag,
    escaped,
    new_tag,
    new_text,
    nodes,
    removed,
    text_of,
    with_edits,
)
from ade_engine.templates.references import Shift, Shifts, moved, moved_area
from ade_engine.templates.template import Template, TemplateSheet

_WORKSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CONTENT_TYPES = "[Content_Types].xml"
_CALCULATION = "calcChain"
_NOTE_ROW = re.compile(rb"(<x:Row>)([0-9]{1,7})(</x:Row>)")
_BEFORE_CALCULATION = ("definedNames", "externalReferences", "functionGroups", "sheets")


def other_parts(template: Template, shifts: Shifts, new_sheets: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield all parts but sheets and styles, as they are after the shifts; `new_sheets` are names of further sheets."""
    sheets = {sheet.part for sheet in template.sheets}
    homes = {relation.target.lower(): sheet for sheet in template.sheets for relation in sheet.related}
    relations = posixpath.join(
        posixpath.dirname(template.workbook), "_rels", f"{posixpath.basename(template.workbook)}.rels"
    )
    numbers = _free_numbers(template, len(new_sheets))
    for name, part in template.parts.items():
        if name in sheets or name == template.styles or _is_calculation(name):
            continue
        if name == template.workbook:
            yield name, _workbook(part, shifts, dict(zip(new_sheets, numbers, strict=True)))
        elif name.lower() == relations.lower():
            yield name, _relations(part, template, numbers)
        elif name == _CONTENT_TYPES:
            yield name, _content_types(part, template, numbers)
        else:
            home = homes.get(name.lower())
            yield name, _part(name, part, shifts, home)


def new_part(template: Template, index: int) -> str:
    """Return the name of the part of the new sheet with this index; a result used as a template has such parts."""
    taken = {name.lower() for name in template.parts}
    folder = posixpath.dirname(template.workbook)
    names = (posixpath.join(folder, f"worksheets/output{number}.xml") for number in count(1))
    return next(islice((name for name in names if name.lower() not in taken), index, None))


def _is_calculation(name: str) -> bool:
    return posixpath.basename(name).lower() == f"{_CALCULATION.lower()}.xml"


def _free_numbers(template: Template, count: int) -> Sequence[int]:
    """Return numbers for new sheets that no other has."""
    sheets = [node for node in nodes(template.parts[template.workbook]) if node.path == ("workbook", "sheets", "sheet")]
    taken = [int(node.attributes.get("sheetId", "0")) for node in sheets]
    return range(max(taken, default=0) + 1, max(taken, default=0) + 1 + count)


def _workbook(part: bytes, shifts: Shifts, new_sheets: Mapping[str, int]) -> bytes:
    found = nodes(part)
    by_name = {node.name: node for node in found if len(node.path) == 2}
    edits: list[Edit] = [
        new_text(node, moved(text_of(part, node), shifts, "", grows=True))
        for node in found
        if node.path == ("workbook", "definedNames", "definedName")
    ]
    first = next(node for node in found if node.path == ("workbook", "sheets", "sheet"))
    key = next(name for name in first.attributes if name.rpartition(":")[2] == "id" and ":" in name)
    sheets = "".join(
        f'<sheet name="{escaped(name)}" sheetId="{number}" {key}="adeSheet{number}"/>'
        for name, number in new_sheets.items()
    )
    end = by_name["sheets"].inner_end
    edits.append((end, end, sheets.encode()))
    if (calculation := by_name.get("calcPr")) is not None:
        edits.append(new_tag(part, calculation, "calcId", fullCalcOnLoad="1"))
    else:
        place = next(by_name[name] for name in _BEFORE_CALCULATION if name in by_name).end
        edits.append((place, place, b'<calcPr fullCalcOnLoad="1"/>'))
    return with_edits(part, edits)


def _relations(part: bytes, template: Template, numbers: Sequence[int]) -> bytes:
    found = nodes(part)
    edits = [removed(node) for node in found if node.attributes.get("Type", "").endswith(f"/{_CALCULATION}")]
    new = "".join(
        f'<Relationship Id="adeSheet{number}" Type="{_OFFICE}/worksheet" Target="/{new_part(template, index)}"/>'
        for index, number in enumerate(numbers)
    )
    return with_edits(part, [*edits, (found[0].inner_end, found[0].inner_end, new.encode())])


def _content_types(part: bytes, template: Template, numbers: Sequence[int]) -> bytes:
    found = nodes(part)
    edits = [removed(node) for node in found if _is_calculation(node.attributes.get("PartName", ""))]
    new = "".join(
        f'<Override PartName="/{new_part(template, index)}" ContentType="{_WORKSHEET}"/>'
        for index in range(len(numbers))
    )
    return with_edits(part, [*edits, (found[0].inner_end, found[0].inner_end, new.encode())])


def _part(name: str, part: bytes, shifts: Shifts, home: TemplateSheet | None) -> bytes:
    """Return any other part; `home` is the sheet it belongs to."""
    shift = shifts.get(home.name.casefold()) if home is not None else None
    if name.lower().endswith(".vml") and shift is not None:
        return _NOTE_ROW.sub(lambda found: found[1] + str(_from_0(int(found[2]), shift)).encode() + found[3], part)
    if not name.lower().endswith(".xml"):
        return part
    found = nodes(part)
    kind = found[0].name
    if kind == "chartSpace":
        texts = [node for node in found if node.name == "f"]
        return with_edits(part, [new_text(node, moved(text_of(part, node), shifts, "", grows=True)) for node in texts])
    if kind == "pivotCacheDefinition":
        return with_edits(part, _pivot_edits(part, shifts))
    if shift is None or home is None:
        return part
    if kind == "wsDr":
        rows = [node for node in found if node.name == "row" and text_of(part, node).isdigit()]
        return with_edits(part, [new_text(node, str(_from_0(int(text_of(part, node)), shift))) for node in rows])
    return with_edits(part, _area_edits(part, home.name, shifts, shift, grows=kind == "table"))


def _from_0(row: int, shift: Shift) -> int:
    return shift.row(row + 1) - 1


def _area_edits(part: bytes, name: str, shifts: Shifts, shift: Shift, *, grows: bool) -> Iterator[Edit]:
    for node in nodes(part):
        if "ref" in node.attributes:
            yield new_tag(part, node, ref=moved_area(node.attributes["ref"], shift, grows=grows))
        if node.name == "totalsRowFormula":
            yield new_text(node, moved(text_of(part, node), shifts, name))


def _pivot_edits(part: bytes, shifts: Shifts) -> Iterator[Edit]:
    """Yield the edits of what a pivot table is made from: it is made again when the workbook is opened."""
    for node in nodes(part):
        shift = shifts.get(node.attributes.get("sheet", "").casefold())
        if node.name == "pivotCacheDefinition":
            yield (
                node.start,
                node.inner,
                changed_tag(part[node.start : node.inner].decode(), refreshOnLoad="1").encode(),
            )
        elif node.name == "worksheetSource" and shift is not None and "ref" in node.attributes:
            yield new_tag(part, node, ref=moved_area(node.attributes["ref"], shift))

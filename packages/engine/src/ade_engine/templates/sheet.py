"""Takes a sheet of a template apart: what is above the rows, how a row looks, and what is below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ade_engine.cells import column_letters
from ade_engine.records import record
from ade_engine.templates.markup import (
    Edit,
    Node,
    changed_tag,
    escaped,
    new_tag,
    new_text,
    nodes,
    removed,
    text_of,
    with_edits,
)
from ade_engine.templates.references import Shift, Shifts, area_of, by_row, copied, moved, moved_area
from ade_engine.templates.template import FillArea, TemplateSheet

_NO_RANGE_TO_GROW = ("mergeCell", "hyperlink")
_FORMULAS = ("f", "formula", "formula1", "formula2")
_KEPT_AREAS = ("c", "f", "selection", "pane", "sheetView")


@record
class Column:
    """A column of the area: which value it takes, or the formula of each row, and the format of its cells."""

    letters: str
    style: int
    place: int | None = None
    formula: str | None = None
    distances: Sequence[int] = ()


@record
class SheetParts:
    """A sheet that is taken apart. `beside` has what stands left and right of the area, by row."""

    head: bytes
    row_tag: str
    columns: Sequence[Column]
    beside: Mapping[int, tuple[str, str]]
    tail: bytes


def last_row_beside(part: bytes, area: FillArea) -> int:
    """Return the last row of the area with cells beside it, or 0."""
    found = (node for node in nodes(part) if node.name == "c" and node.inner < node.end)
    places = (area_of(node.attributes.get("r", "")) for node in found)
    rows = [place[1] for place in places if place and _is_beside(place[0], place[1], area)]
    return max(rows, default=0)


def _is_beside(column: int, row: int, area: FillArea) -> bool:
    return area.first <= row <= area.last and column not in area.headers


def edited(part: bytes, name: str, shifts: Shifts) -> bytes:
    """Return a sheet whose formulas and ranges are those after the shifts, without the results of formulas."""
    return with_edits(part, _edits(part, nodes(part), name, shifts))


def taken_apart(
    part: bytes, sheet: TemplateSheet, area: FillArea, places: Mapping[int, int], shifts: Shifts
) -> SheetParts:
    """Return the parts of a sheet whose rows are given; `places` has the column to be written by that of the sheet."""
    found = nodes(part)
    edits = list(_edits(part, found, sheet.name, shifts))
    data = next(node for node in found if node.path == ("worksheet", "sheetData"))
    rows = [node for node in found if node.path == ("worksheet", "sheetData", "row")]
    above = [row for row in rows if int(row.attributes["r"]) < area.first]
    below = [row for row in rows if int(row.attributes["r"]) > area.last]
    cut = above[-1].end if above else data.inner
    resume = below[0].start if below else data.inner_end
    models = [row for row in rows if area.first <= int(row.attributes["r"]) <= area.last]
    cells = [node for node in found if node.name == "c" and models and models[0].start < node.start < models[-1].end]
    return SheetParts(
        head=with_edits(part, edits, 0, cut),
        row_tag=_row_tag(part, models),
        columns=_columns(part, found, cells, sheet.name, area, places, shifts),
        beside=_beside(part, cells, area, edits),
        tail=with_edits(part, edits, resume),
    )


def _row_tag(part: bytes, models: Sequence[Node]) -> str:
    """Return the tag of a row with a place for its number; % stands for nothing else."""
    tag = part[models[0].start : models[0].inner].decode() if models else "<row>"
    tag = changed_tag(tag, "r", "spans").replace("%", "%%").removesuffix(">").removesuffix("/")
    return f'{tag.rstrip()} r="%s">'


def _columns(
    part: bytes,
    found: Sequence[Node],
    cells: Sequence[Node],
    name: str,
    area: FillArea,
    places: Mapping[int, int],
    shifts: Shifts,
) -> list[Column]:
    usual = _styles_of_columns(found)
    own = {node.attributes["r"]: node for node in cells}
    formulas = _formulas(part, found)
    columns = []
    for number in area.headers:
        letters = column_letters(number)
        cell = own.get(f"{letters}{area.first}")
        style = int(cell.attributes.get("s", "0")) if cell else usual.get(number, 0)
        text, distances = None, ()
        if number not in places and cell is not None and cell.attributes["r"] in formulas:
            text, distances = by_row(formulas[cell.attributes["r"]], area.first, shifts, name)  # type: ignore[assignment]
        columns.append(Column(letters, style, places.get(number), text and escaped(text), distances))
    return columns


def _styles_of_columns(found: Sequence[Node]) -> dict[int, int]:
    columns = [node.attributes for node in found if node.path == ("worksheet", "cols", "col")]
    return {
        number: int(column.get("style", "0"))
        for column in columns
        for number in range(int(column["min"]), min(int(column["max"]), int(column["min"]) + 1000) + 1)
    }


def _formulas(part: bytes, found: Sequence[Node]) -> dict[str, str]:
    """Return the formula of each cell that has one; cells that share one get theirs."""
    shared: dict[str, tuple[str, tuple[int, int, int, int]]] = {}
    formulas: dict[str, str] = {}
    cell = ""
    for node in found:
        if node.path == ("worksheet", "sheetData", "row", "c"):
            cell = node.attributes["r"]
        if node.path != ("worksheet", "sheetData", "row", "c", "f"):
            continue
        text, place = text_of(part, node), area_of(cell)
        key = node.attributes.get("si", "") if node.attributes.get("t") == "shared" else ""
        if place is None:
            continue
        if key and text:
            shared[key] = (text, place)
        elif key in shared:
            master, home = shared[key]
            text = copied(master, rows=place[1] - home[1], columns=place[0] - home[0], letters=column_letters)
        if text:
            formulas[cell] = text
    return formulas


def _beside(part: bytes, cells: Sequence[Node], area: FillArea, edits: Sequence[Edit]) -> dict[int, tuple[str, str]]:
    found: dict[int, tuple[str, str]] = {}
    for node in cells:
        place = area_of(node.attributes["r"])
        if place is None or not _is_beside(place[0], place[1], area):
            continue
        left, right = found.get(place[1], ("", ""))
        text = with_edits(part, edits, node.start, node.end).decode()
        is_left = place[0] < next(iter(area.headers))
        found[place[1]] = (left + text, right) if is_left else (left, right + text)
    return found


def _edits(part: bytes, found: Sequence[Node], name: str, shifts: Shifts) -> Iterator[Edit]:
    shift = shifts.get(name.casefold())
    formulas = _formulas(part, found)
    cell = ""
    for node in found:
        if node.path == ("worksheet", "sheetData", "row", "c"):
            cell = node.attributes["r"]
        if shift is not None:
            yield from _moved_node(part, node, shift)
        if node.name == "f" and node.path[:2] == ("worksheet", "sheetData"):
            yield from _formula(part, node, formulas.get(cell, ""), name, shifts)
        elif node.name == "v" and cell in formulas:
            yield removed(node)  # the result of a formula before there were rows
        elif node.name in _FORMULAS:
            yield new_text(node, moved(text_of(part, node), shifts, name, grows=True))
        elif node.name == "sqref" and shift is not None:
            yield new_text(node, moved_area(text_of(part, node), shift))


def _formula(part: bytes, node: Node, text: str, name: str, shifts: Shifts) -> Iterator[Edit]:
    """Yield a formula after the shifts; one that is shared becomes one of its own."""
    written = escaped(moved(text, shifts, name))
    tag = part[node.start : node.inner].decode()
    shift = shifts.get(name.casefold())
    if node.attributes.get("t") == "shared":
        tag = changed_tag(tag, "t", "si", "ref")
    elif "ref" in node.attributes and shift is not None:
        tag = changed_tag(tag, ref=moved_area(node.attributes["ref"], shift, grows=False))
    if not tag.endswith("/>"):
        yield node.start, node.end, f"{tag}{written}</f>".encode()
    elif written:
        yield node.start, node.end, f"{tag.removesuffix('/>').rstrip()}>{written}</f>".encode()


def _moved_node(part: bytes, node: Node, shift: Shift) -> Iterator[Edit]:
    """Yield the edit of an element that names rows of the sheet it is in."""
    attributes = node.attributes
    if node.path == ("worksheet", "sheetData", "row"):
        if (row := int(attributes["r"])) > shift.last:
            yield new_tag(part, node, r=str(shift.row(row)))
    elif node.path == ("worksheet", "sheetData", "row", "c"):
        yield new_tag(part, node, r=moved_area(attributes["r"], shift, grows=False))
    elif node.name == "brk" and node.path[1] == "rowBreaks":
        yield new_tag(part, node, id=str(shift.row(int(attributes["id"]))))
    elif node.name not in _KEPT_AREAS:
        grows = node.name not in _NO_RANGE_TO_GROW
        for key in ("ref", "sqref"):
            if key in attributes:
                yield new_tag(part, node, **{key: moved_area(attributes[key], shift, grows=grows)})

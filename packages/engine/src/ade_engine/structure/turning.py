"""Turns the tables of a block whose fields are rows, and marks those that nobody asked to turn.

A table is turned inside the window it was found in, which bounds the memory it takes. One that goes on after the window
is only marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ade_engine.cells import Range
from ade_engine.evidence import Contribution
from ade_engine.readers.base import Sheet
from ade_engine.records import record
from ade_engine.structure.follow import Surroundings
from ade_engine.structure.found import weighed
from ade_engine.structure.grid import Block, Line
from ade_engine.structure.judge import Judgement, RowRule
from ade_engine.structure.names import HeaderNames
from ade_engine.structure.rectangle import FixedRange, fixed_table
from ade_engine.structure.tables import FoundTable, SideRow
from ade_engine.structure.transposed import Section, transposed_sections
from ade_engine.structure.turned import Transposed, TurnedSheet, rows_inside

Tables = Callable[[Surroundings, Judgement], Iterator[FoundTable]]
_DECIDED = 50.0
_NO_FIELDS = ("title", "note", "group", "total", "blank")  # what people may say of a row that is none of the fields


@record
class _Part:
    """A section of a block, where it is, and what becomes of it."""

    section: Section
    place: Range
    mode: str


def with_transposed(
    around: Surroundings, judged: Judgement, tables: Tables, judge: Callable[[Block], Judgement]
) -> Iterator[FoundTable]:
    """Yield the tables of a block inside the window; what stands around a table that is turned is judged apart."""
    parts = _parts(around, judged)
    wanted = [part for part in parts if part.mode in ("turn", "always")]
    if not wanted:
        yield from _marked(parts, tables(around, judged))
        return
    others = [part for part in parts if part not in wanted]
    block, start = judged.block, 0
    for part in wanted:
        titles = _titles_above(block.lines, start, part.section.first)
        yield from _apart(around, block, range(start, titles), others, tables, judge)
        yield from _turned(around, block, part, range(titles, part.section.first))
        start = part.section.last + 1
    yield from _apart(around, block, range(start, len(block.lines)), others, tables, judge)


def marked(around: Surroundings, judged: Judgement, tables: Iterator[FoundTable]) -> Iterator[FoundTable]:
    """Yield the tables of a block that goes on after the window, with what makes them look transposed."""
    yield from _marked(_parts(around, judged), tables, is_too_large=True)


def _parts(around: Surroundings, judged: Judgement) -> list[_Part]:
    turning, block = around.turning, judged.block
    if turning.mode == "never" and turning.mode_of is None:
        return []
    are_all = turning.mode == "always" and turning.mode_of is None
    found = transposed_sections(block, around.names.texts, are_all=are_all)
    sections = [section for section in found if _is_table(judged, section)]
    parts = [_Part(one, _place(block, one), turning.of(_texts(block.lines, one))) for one in sections]
    return [part for part in parts if part.mode != "never"]


def _is_table(judged: Judgement, section: Section) -> bool:
    """Return whether a section is more than labels above a table, each with its value."""
    lines = [judged.block.lines[place] for place in section.fields]
    if any(sum(map(bool, line.kinds[section.label + 1 :])) > 1 for line in lines) or not judged.drafts:
        return True
    records = {place for draft in judged.drafts for place in (*draft.headers, *draft.data)}
    return not records.isdisjoint(section.fields)


def _texts(lines: Sequence[Line], section: Section) -> list[str]:
    """Return the titles and the names of a section, which tell the sources of tables apart."""
    first = _titles_above(lines, 0, section.first)
    return [
        str(value) for line in lines[first : section.last + 1] for value in line.values[: section.label + 1] if value
    ]


def _place(block: Block, section: Section) -> Range:
    lines = [block.lines[place] for place in section.fields]
    filled = [column for line in lines for column, kind in enumerate(line.kinds) if kind]
    columns = block.columns[min(filled)] + 1, block.columns[max(filled)] + 1
    return Range(lines[0].number, columns[0], lines[-1].number, columns[1])


def _marked(
    parts: Sequence[_Part], tables: Iterator[FoundTable], *, is_too_large: bool = False
) -> Iterator[FoundTable]:
    """Yield tables with what makes them look transposed; a part that became no table is told of with the next one."""
    left = list(parts)
    for table in tables:
        mine = next((part for part in left if part.place.first_row <= table.last_row), None)
        if mine is not None:
            left = [part for part in left if part.place.last_row > table.last_row]
            table.transposed = Transposed(
                place=mine.place,
                contributions=mine.section.contributions,
                decided_by="evidence",
                is_too_large=is_too_large and mine.mode != "report",
            )
        yield table


def _titles_above(lines: Sequence[Line], start: int, end: int) -> int:
    """Return where the titles of a table begin: lone cells above it, but not the notes right below another table."""
    first = end
    while first > start and lines[first - 1].is_lone:
        first -= 1
    while start < first < end and not lines[first].gap:
        first += 1
    return first


def _apart(
    around: Surroundings,
    block: Block,
    places: range,
    others: Sequence[_Part],
    tables: Tables,
    judge: Callable[[Block], Judgement],
) -> Iterator[FoundTable]:
    """Yield the tables of some lines of a block, as if these were all."""
    if not places:
        return
    lines = [block.lines[place] for place in places]
    lines[0].gap = 0
    judged = judge(Block(block.columns, lines, is_styled=block.is_styled))
    inside = [part for part in others if lines[0].number <= part.place.first_row <= lines[-1].number]
    yield from _marked(inside, tables(around, judged))


def _turned(around: Surroundings, block: Block, part: _Part, titles: range) -> Iterator[FoundTable]:
    """Yield a part of a block as the table it is once it is turned."""
    section, place = part.section, part.place
    fields = [block.lines[number].row for number in section.fields]
    turned = TurnedSheet(around.sheet, fields, range(place.first_column, place.last_column + 1))
    header = range(place.first_column, block.columns[section.label] + 2)
    inside = set(range(section.first, section.last + 1)) - set(section.fields)
    lines = [block.lines[number] for number in titles]
    transposed = Transposed(
        place=place,
        contributions=section.contributions,
        decided_by="settings" if part.mode == "always" else "evidence",
        is_turned=True,
        header_columns=header,
        title_rows=[line.number for line in lines],
        group_rows=sorted(block.lines[number].number for number in inside),
    )
    sides = [SideRow("title", line.row, line.values) for line in lines]
    yield from _read_turned(turned, transposed, sides, around.turning.evidence, around.names)


def turned_by_a_person(
    sheet: Sheet, fixed: FixedRange, rule: RowRule | None, names: HeaderNames
) -> Iterator[FoundTable]:
    """Yield the table in a rectangle whose fields are rows, as a person said; one that is too large as it is."""
    place, header_columns = fixed.place, fixed.header_columns or 0
    rows = rows_inside(sheet, place)
    fields = [row for row in rows or () if fixed.labels.get(row.number) not in _NO_FIELDS]
    others = [row.number for row in rows or () if row not in fields]
    transposed = Transposed(
        place=place,
        contributions=[Contribution("correction", _DECIDED)],
        decided_by="correction",
        is_turned=bool(fields),
        is_too_large=rows is None,
        header_columns=range(place.first_column, place.first_column + header_columns),
        group_rows=others,
    )
    if fields:
        turned = TurnedSheet(sheet, fields, range(place.first_column, place.last_column + 1))
        yield from _read_turned(turned, transposed, [], rule, names)
    elif rows is None:
        for table in fixed_table(sheet, FixedRange(place, fixed.labels), lambda _: rule, names):
            table.transposed = transposed
            yield table


def _read_turned(
    turned: TurnedSheet, transposed: Transposed, titles: Sequence[SideRow], rule: RowRule | None, names: HeaderNames
) -> Iterator[FoundTable]:
    """Yield the table that a turned part of a sheet is; its rows are judged like those of any other."""
    fixed = FixedRange(turned.place, dict.fromkeys(transposed.header_columns, "header"), is_turned=True)
    weigh = None if transposed.decided_by == "correction" else weighed
    for table in fixed_table(turned, fixed, lambda _: rule, names, weigh=weigh):
        table.axes, table.view, table.transposed = turned.axes, turned, transposed
        table.side_rows[:0] = titles
        yield table

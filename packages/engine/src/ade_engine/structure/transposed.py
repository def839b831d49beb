"""Recognises tables whose fields are rows: names run down a column on the left, and each column after it is a record.

What stands in a block is judged section by section, as blank rows part it. Each section collects evidence, small signed
numbers with a name, from its names, the kinds of its cells and its first row. Cross-tables (years as columns, numbers
throughout) are no such tables: all their cells are of one kind, both ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from ade_engine.evidence import Contribution
from ade_engine.records import record
from ade_engine.structure.grid import Block, Line
from ade_engine.structure.kinds import CODE, DATE, EMPTY, FLAG, LONG, NUMBER, TEXT, TEXTUAL, YEAR
from ade_engine.structure.series import is_series
from ade_engine.structure.words import is_header_word, is_total_label

LOOKS_TRANSPOSED = 2.0
_MOST_LINES = 256  # of a section whose names say nothing
_MOST_LABELS = 3  # columns on the left that may hold the names
_LOOK = 24  # rows and columns whose kinds are looked at
_FEWEST_NAMED = 2
_FEWEST_FIELDS = 3  # where names say nothing
_ENOUGH = 4  # rows of several cells, to be sure of their kinds
_MOST_BY_WORDS = 1.0
_HEADINGS = 2  # rows on top that may be the header of a cross-table
# Classes of kinds: words, numbers, dates, codes, flags. Others tell nothing.
_WORDS, _NUMBERS, _NONE = 0, 1, 9
_CLASSES = {TEXT: _WORDS, LONG: _WORDS, NUMBER: _NUMBERS, YEAR: _NUMBERS, DATE: 2, CODE: 3, FLAG: 4}
_CLASS_OF = bytes(_CLASSES.get(kind, _NONE) for kind in range(256))
_ALL_CLASSES = range(5)
_MARGIN = ":*. \u00a0"


@record
class Section:
    """Lines of a block, by position, that look like the fields of records; `label` is the last column of names."""

    first: int
    last: int
    label: int
    fields: Sequence[int]
    contributions: Sequence[Contribution]

    @property
    def score(self) -> float:
        """Return what the evidence sums to."""
        return _total(self.contributions)


def _total(contributions: Sequence[Contribution]) -> float:
    return round(sum(found.delta for found in contributions), 4)


def transposed_sections(block: Block, names: frozenset[str], *, are_all: bool = False) -> list[Section]:
    """Return the parts of a block that look like transposed tables, top to bottom; `names` are those of fields.

    With `are_all`, the configuration says that all tables are, whatever they look like.
    """
    least = float("-inf") if are_all else LOOKS_TRANSPOSED
    sections = (_section(block.lines, places, names, least) for places in _sections(block.lines))
    return _joined(block.lines, [section for section in sections if section is not None])


def _sections(lines: Sequence[Line]) -> Iterator[Sequence[int]]:
    """Yield the places of lines between blank rows, where several have more than one cell."""
    numbers = iter(range(len(lines)))
    counted = 0

    def section_of(place: int) -> int:
        nonlocal counted
        counted += lines[place].gap > 0
        return counted

    for _, places in groupby(numbers, section_of):
        inside = list(places)
        if sum(not lines[place].is_lone for place in inside) >= _FEWEST_NAMED:
            yield inside


def _section(lines: Sequence[Line], places: Sequence[int], names: frozenset[str], least: float) -> Section | None:
    """Return a section that looks transposed, judged by the column of names that suits it best."""
    fields = [place for place in places if not lines[place].is_lone]
    first = min(lines[place].first for place in fields)
    judged = [
        _with_empty_fields(lines, places, names, Section(fields[0], fields[-1], label, fields, evidence))
        for label in range(first, min(first + _MOST_LABELS, len(lines[fields[0]].kinds) - 1))
        if (evidence := _evidence([lines[place] for place in fields], first, label, names))
    ]
    best = max(judged, key=lambda section: section.score, default=None)
    if best is None and least < 0:
        best = Section(fields[0], fields[-1], first, fields, ())
    return best if best is not None and best.score >= least else None


def _with_empty_fields(
    lines: Sequence[Line], places: Sequence[int], names: frozenset[str], section: Section
) -> Section:
    """Return a section with the lone cells that name a field: no record has a value for it."""
    empty = [
        place
        for place in places
        if lines[place].is_lone
        and lines[place].first == section.label
        and _plain(lines[place].values[section.label]) in names
    ]
    fields = sorted((*section.fields, *empty))
    return Section(fields[0], fields[-1], section.label, fields, section.contributions)


def _evidence(lines: Sequence[Line], first: int, label: int, names: frozenset[str]) -> list[Contribution]:
    """Return what speaks for and against names in a column; nothing where it cannot hold them."""
    labelled = [line for line in lines if line.kinds[label] in TEXTUAL]
    if 2 * len(labelled) <= len(lines):
        return []
    texts = [_plain(line.values[label]) for line in labelled]
    named = len(names.intersection(texts))
    if named < _FEWEST_NAMED and not _may_be_unnamed(lines, texts):
        return []
    kinds = list(_by_kinds(lines, label))
    if named < _FEWEST_NAMED and _total(kinds) + _MOST_BY_WORDS < LOOKS_TRANSPOSED:
        return []
    found = [*_by_names(lines, texts, names, label, named), *kinds, *_by_first_row(lines, label)]
    if len(set(texts)) < len(texts):
        found.append(Contribution("transposed.names_repeat", -2.0 * (1 - len(set(texts)) / len(texts)) - 0.5))
    if any(is_total_label(text) for text in texts):
        found.append(Contribution("transposed.total", -0.5))
    if label > first:
        found.append(Contribution("transposed.second_column", -0.25 * (label - first)))
    return found


def _may_be_unnamed(lines: Sequence[Line], texts: Sequence[str]) -> bool:
    """Return whether a section may be transposed although no field is named: small, with each name once."""
    return _FEWEST_FIELDS <= len(lines) <= _MOST_LINES and len(set(texts)) == len(texts)


def _by_names(
    lines: Sequence[Line], texts: Sequence[str], names: frozenset[str], label: int, named: int
) -> Iterator[Contribution]:
    """Yield what names of fields say: those in the column against those in a row."""
    if named >= _FEWEST_NAMED:
        share = named / len(texts)
        yield Contribution("transposed.names_of_fields", round(2.0 * min(1.0, 4 * share) + 2.0 * share, 4))
        if (repeats := _repeats_down(lines, label)) > 0:
            yield Contribution("transposed.values_repeat_down", round(-4.0 * repeats, 4))
    top = lines[:_LOOK] if names else ()
    most = max((len(names.intersection(_texts(line))) for line in top), default=0)
    if most >= _FEWEST_NAMED:
        yield Contribution("transposed.names_in_a_row", -2.0 - 2.0 * most / max(1, lines[0].filled))
    words = sum(map(is_header_word, texts)) / len(texts)
    if words:
        yield Contribution("transposed.words", round(words, 4))
    in_first = [value for value in lines[0].values[label + 1 :] if isinstance(value, str)]
    if in_first and (share := sum(map(is_header_word, in_first)) / len(in_first)) >= 0.5:
        yield Contribution("transposed.words_in_first_row", -1.5 * share)


def _repeats_down(lines: Sequence[Line], label: int) -> float:
    """Return how much more texts repeat down columns than along rows, as in a list of fields with their types."""
    rows = [line.values[label + 1 : label + 1 + _LOOK] for line in lines[1:_LOOK]]
    return _repeats(list(zip(*rows, strict=True))) - _repeats(rows)


def _repeats(groups: Sequence[Sequence[object]]) -> float:
    """Return the share of texts that came before in their group."""
    texts = [[cell for cell in group if isinstance(cell, str) and cell] for group in groups]
    count = sum(map(len, texts))
    return 1 - sum(len(set(group)) for group in texts) / count if count else 0.0


def _by_kinds(lines: Sequence[Line], label: int) -> Iterator[Contribution]:
    """Yield what the kinds of cells say: a field is of one kind, and a record is not."""
    rows = [_classes(line, label) for line in lines[:_LOOK]]
    heading = len(list(takewhile(lambda line: _is_heading(line, label), lines[:_HEADINGS])))
    below = rows[min(heading, len(rows) - 2) :]
    along, down = _evenness(below), _evenness([*map(bytes, zip(*below, strict=True))])
    if along is not None and down is not None and along != down:
        rule = "transposed.kinds_along_rows" if along > down else "transposed.kinds_down_columns"
        telling = sum(_share(row) is not None for row in below)
        yield Contribution(rule, round(4.0 * (along - down) * min(1.0, telling / _ENOUGH), 4))
    classes = [found for row in below if (found := _class_of(row)) is not None]
    if classes and classes.count(_NUMBERS) >= 0.8 * len(classes):
        yield Contribution("transposed.numbers_throughout", -2.0 * min(1.0, len(classes) / _ENOUGH))


def _by_first_row(lines: Sequence[Line], label: int) -> Iterator[Contribution]:
    """Yield what the first row says: years, months or numbers in steps are the columns of a cross-table."""
    if _is_stepping(lines[0], label):
        yield Contribution("transposed.steps_in_first_row", -1.0)
    if lines[0].kinds[label] == EMPTY:
        yield Contribution("transposed.empty_corner", -0.5)


def _is_heading(line: Line, label: int) -> bool:
    """Return whether a row could be the header of a cross-table: words, or steps."""
    return _class_of(_classes(line, label)) == _WORDS or _is_stepping(line, label)


def _is_stepping(line: Line, label: int) -> bool:
    """Return whether a row steps through years, months or dates; dates in no order are those of records."""
    if not is_series(line):
        return False
    cells = [value for value, kind in zip(line.values, line.kinds, strict=True) if kind][line.kinds[label] != EMPTY :]
    texts = [str(value) for value in cells]
    return DATE not in line.kinds[label + 1 :] or texts == sorted(texts)


def _classes(line: Line, label: int) -> bytes:
    """Return the classes of the cells after a name."""
    return bytes(line.kinds[label + 1 : label + 1 + _LOOK]).translate(_CLASS_OF)


def _evenness(groups: Sequence[bytes]) -> float | None:
    """Return how far the cells of each group are of one kind, from 0 to 1; None where no group has two cells."""
    shares = [share for kinds in groups if (share := _share(kinds)) is not None]
    return sum(shares) / len(shares) if shares else None


def _share(kinds: bytes) -> float | None:
    counts = _counts(kinds)
    total = sum(counts)
    return max(counts) / total if total > 1 else None


def _class_of(kinds: bytes) -> int | None:
    """Return the class that most cells are of, or None where there are none."""
    counts = _counts(kinds)
    return counts.index(max(counts)) if any(counts) else None


def _counts(kinds: bytes) -> list[int]:
    return [kinds.count(one) for one in _ALL_CLASSES]


def _texts(line: Line) -> list[str]:
    return [_plain(value) for value in line.values if isinstance(value, str)]


def _plain(value: object) -> str:
    return " ".join(str(value).split()).strip(_MARGIN).replace("_", " ").lower()


def _joined(lines: Sequence[Line], sections: Sequence[Section]) -> list[Section]:
    """Join sections that follow each other and fill the same columns with other names: groups of fields."""
    joined: list[Section] = []
    for section in sections:
        if joined and _goes_on(lines, joined[-1], section):
            before = joined.pop()
            fields = [*before.fields, *section.fields]
            best = max(before, section, key=lambda one: one.score)
            section = Section(before.first, section.last, before.label, fields, best.contributions)
        joined.append(section)
    return joined


def _goes_on(lines: Sequence[Line], one: Section, other: Section) -> bool:
    if one.label != other.label or any(not lines[place].is_lone for place in range(one.last + 1, other.first)):
        return False
    names = {_plain(lines[place].values[one.label]) for place in one.fields}
    is_new = names.isdisjoint(_plain(lines[place].values[other.label]) for place in other.fields)
    return is_new and _last_column(lines, one) == _last_column(lines, other)


def _last_column(lines: Sequence[Line], section: Section) -> int:
    return max(column for place in section.fields for column, kind in enumerate(lines[place].kinds) if kind)

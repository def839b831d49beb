"""What is known of a table besides its columns: lines above it, headings of groups, names of sheet and document."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import field

from ade_engine.cells import Value
from ade_engine.fields import Field
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row, Style
from ade_engine.records import record
from ade_engine.structure.tables import SideRow

_COLONS = ":："  # noqa: RUF001
Path = tuple[str, ...]  # the headings above a row, the outermost first
# Where a heading begins: its column, how far its text is indented, and the points of its number, as in "1.2 Registry"
# or "B.2 Pool".
Depth = tuple[int, int, int]
_NUMBERED = re.compile(r"(?:\d{1,3}|[A-Z]{1,4})((?:\.\d{1,3})*)\.?\s+\S")


@record
class TableFacts:
    """The names of document and sheet, and the lines above the table."""

    document: str = ""
    sheet: str | None = None
    titles: Sequence[SideRow] = ()
    first_row: int = 0  # of the table

    def caption(self, pattern: str) -> str | None:
        """Return what a title right above the table says, as if it were the heading of the first group."""
        below = self.first_row
        for title in reversed(self.titles):
            if title.row.number != below - 1:
                return None
            if (found := part_of(" ".join(title.texts), pattern)) is not None:
                return found
            below -= 1
        return None

    def value_of(self, field: Field) -> Value:
        """Return what all rows of the table have in common for a field, or None."""
        if field.from_title is not None:
            return self._in_titles(field.from_title)
        if field.from_label is not None:
            return self._beside(field.from_label)
        if field.from_sheet:
            return part_of(self.sheet, field.from_sheet)
        return part_of(self.document, field.from_document) if field.from_document else field.constant

    def _in_titles(self, pattern: str) -> Value:
        """Return what the lowest line that matches says."""
        lines = (" ".join(title.texts) for title in reversed(self.titles))
        return next((found for line in lines if (found := part_of(line, pattern)) is not None), None)

    def _beside(self, labels: Sequence[str]) -> Value:
        """Return the cell after the lowest of the labels, or what follows it in its own cell."""
        wanted = {comparable(label) for label in labels}
        for title in reversed(self.titles):
            cells = [cell for cell in title.cells if not is_empty(cell)]
            for place, cell in enumerate(cells):
                text = str(cell)
                name, colon, rest = divided(text)
                if colon and rest and comparable(name) in wanted:
                    return rest
                others = [other for other in cells[place + 1 :] if other != cell]
                if comparable(text) in wanted and others:
                    return others[0]
        return None


def part_of(text: str | None, wanted: bool | str) -> str | None:
    """Return the text, or the part that matches a pattern: its first group, if it has one."""
    if text is None or wanted is True:
        return text
    found = re.search(str(wanted), text)
    if found is None:
        return None
    return found.group(1) if found.re.groups else found.group()


def divided(text: str) -> tuple[str, str, str]:
    """Return the text before the first colon, the colon, and the text behind it; without one, all is before it."""
    place = min((found for colon in _COLONS if (found := text.find(colon)) >= 0), default=-1)
    return (text, "", "") if place < 0 else (text[:place], ":", text[place + 1 :].strip())


def comparable(text: str) -> str:
    """Return a label as it is compared: without case, spaces around it, and colons at its end."""
    return " ".join(text.split()).rstrip(_COLONS + " ").casefold()


class Headings:
    """The headings of groups while rows stream by.

    Where headings begin at different depths, by column, spaces, the style's indent or numbers such as 1.2, a heading
    closes all that begin as deep or deeper. Where they do not, one right below another is a level deeper, and one that
    follows data is of the deepest level, unless more follow it at once: then the last of them is.
    """

    def __init__(self, styles: Sequence[Style] = ()) -> None:
        self._styles = styles
        self._waiting: deque[SideRow] = deque()
        self._above: Path = ()
        self._depths: list[Depth] = []  # of the headings above
        self._seen: set[Depth] = set()
        self._most = 0

    def add(self, rows: Iterable[SideRow]) -> None:
        """Take headings that were read, in order; they may stand below rows that come later."""
        self._waiting.extend(rows)

    def above(self, rows: Sequence[Row]) -> list[Path]:
        """Return the headings above each row of a chunk."""
        if not self._waiting or self._waiting[0].row.number > rows[-1].number:
            return [self._above] * len(rows)
        found = []
        for row in rows:
            if self._waiting and self._waiting[0].row.number < row.number:
                self._pass(row.number)
            found.append(self._above)
        return found

    def _pass(self, number: int) -> None:
        run = []
        while self._waiting and self._waiting[0].row.number < number:
            side = self._waiting.popleft()
            text = " ".join(side.texts)
            run.append((_depth(side.row, text, self._styles), text))
        self._seen.update(depth for depth, _ in run)
        self._most = max(self._most, len(run))
        kept = self._most - len(run)
        for depth, text in run:
            if len(self._seen) > 1:
                kept = sum(one < depth for one in self._depths)
            self._above, self._depths = (*self._above[:kept], text), [*self._depths[:kept], depth]
            kept += 1


def _depth(row: Row, text: str, styles: Sequence[Style]) -> Depth:
    """Return the first filled column of a row, how far its text is indented, and the points of its number."""
    place = next((place for place, value in enumerate(row.values) if not is_empty(value)), 0)
    value = row.values[place] if row.values else None
    spaces = len(value) - len(value.lstrip(" \u00a0")) if isinstance(value, str) else 0
    style = row.styles[place] if row.styles and place < len(row.styles) else -1
    indent = spaces + (2 * styles[style].indent if 0 <= style < len(styles) else 0)
    numbered = _NUMBERED.match(text)
    return place, indent, numbered.group(1).count(".") if numbered else 0


@record(frozen=False)
class ChunkFacts:
    """What fields of one chunk of rows are made from besides their own columns; filled in as it is processed."""

    headings: Sequence[Path] = ()
    clean: dict[str, Sequence[Value]] = field(default_factory=dict)

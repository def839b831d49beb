"""Finds out how a delimited text file separates and quotes its cells.

Every likely dialect is tried on a sample. A dialect is good when rows come out with the same number of cells, of which
there are several, and when the cells look like something: numbers, dates, plain words. A dialect that cuts quoted cells
into pieces loses against every dialect that does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ade_engine.readers.delimited_records import Dialect, records

# In order of preference when two fit equally well.
_DELIMITERS = (",", ";", "\t", "|", "||", "::", "~", "^", "\x1f", "\x01", "§", "¦", ":", "*", " ", "  ")
# These stand inside of ordinary text, so they must win clearly.
_DOUBTFUL = {":": 0.7, " ": 0.5, "  ": 0.6, "*": 0.7, "^": 0.9, "~": 0.9}
_SAMPLE_LINES = 400
_LONGEST_TYPED = 60
_MOST_CUT = 0.1
_USUAL_SHARE = 0.6

_SEPARATOR_LINE = re.compile(r'^"?sep=(.{1,2}?)"?\r?\n?$', re.IGNORECASE)
_TYPED = re.compile(
    r"""
    (?:
      [-+(]?\s*[$€£¥]?\s*\d[\d.,' \u00a0]*(?:[eE][-+]?\d+)?\s*[%€$£)]?
    | \d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]m|Z|[-+]\d\d:?\d\d)?)?
    | \d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]m)?
    | true|false|yes|no|n/?a|null|none|nan
    | [^\s@,;|]+@[^\s@,;|]+\.\w+
    | https?://[^\s,;|"]+
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SUSPICIOUS = re.compile(r"[;|\t\x1f\"]|^\s*'|'\s*$|,\S")


@dataclass(frozen=True, slots=True)
class FoundDialect:
    """The dialect that reads a file best; `first_line` is 1 when the first line only names the separator."""

    dialect: Dialect
    first_line: int = 0


@dataclass(frozen=True, slots=True)
class _Tried:
    """A dialect after it read the sample."""

    dialect: Dialect
    score: float
    cuts_quoted_cells: bool = False

    @property
    def keeps_quoted_cells(self) -> bool:
        """Return whether it separates cells, and never inside of quotes."""
        return self.dialect.width > 1 and not self.cuts_quoted_cells


def find_dialect(lines: Sequence[str], *, delimiter: str | None = None) -> FoundDialect:
    """Return the dialect of a file that starts with these lines; `delimiter` is the user's choice."""
    announced = _SEPARATOR_LINE.match(lines[0]) if lines else None
    first_line = 1 if announced else 0
    sample = [line for line in lines[first_line : first_line + _SAMPLE_LINES] if line.strip()]
    if delimiter is None and announced:
        delimiter = announced.group(1)
    delimiters = [delimiter] if delimiter else _present(sample)
    tried = [_tried(sample, dialect) for dialect in _candidates(sample, delimiters)]
    best = max(tried, key=lambda one: one.score)
    if best.cuts_quoted_cells:
        best = max((one for one in tried if one.keeps_quoted_cells), key=lambda one: one.score, default=best)
    return FoundDialect(best.dialect, first_line)


def _candidates(sample: Sequence[str], delimiters: Sequence[str]) -> Iterator[Dialect]:
    for delimiter in delimiters:
        for quote in _quotes(sample, delimiter):
            skips = _skips(sample, delimiter, quote)
            escapes = (False, True) if any(f"\\{quote}" in line for line in sample) else (False,)
            for skips_space, has_escapes in product(skips, escapes):
                yield Dialect(delimiter=delimiter, quote=quote, has_escapes=has_escapes, skips_space=skips_space)


def _present(sample: Sequence[str]) -> list[str]:
    text = "".join(sample)
    present = [delimiter for delimiter in _DELIMITERS if delimiter in text]
    for doubled in ("||", "::"):
        # Bars that only come in pairs are one delimiter, not one with an empty cell behind it.
        if doubled in present and text.count(doubled[0]) == 2 * text.count(doubled):
            present.remove(doubled[0])
    # A bar with spaces around it, wherever it is: they belong to it when quotes show where cells begin.
    padded = [f" {delimiter} " for delimiter in present if delimiter.strip()]
    present += [delimiter for delimiter in padded if text.count(delimiter) > 0.9 * text.count(delimiter.strip())]
    return present if "," in present else [*present, ","]  # the last one keeps lines whole


def _quotes(sample: Sequence[str], delimiter: str) -> list[str]:
    """Return the quotes worth a try: the double one always, the single one where it clearly quotes cells.

    Text between apostrophes is a value in a few cells of a file. They are quotes when most lines have them, or when a
    delimiter is between them.
    """
    if not any("'" in line for line in sample):
        return ['"']
    single = sum(_quoted_cell(delimiter, "'").search(line) is not None for line in sample)
    double = sum(_quoted_cell(delimiter, '"').search(line) is not None for line in sample)
    edge = re.escape(delimiter)
    around = re.compile(rf"(?:^|{edge}) *'[^'\n]*(?:[,;|\t]|{edge})[^'\n]*'(?:{edge}|\s*$)")
    needs_single = 2 * single > len(sample) or (
        single > 0.1 * len(sample) and any(around.search(line) for line in sample)
    )
    return ['"', "'"] if needs_single and single > double else ['"']


def _quoted_cell(delimiter: str, quote: str) -> re.Pattern[str]:
    """Return a pattern of a line with quotes at the edges of cells."""
    edge = re.escape(delimiter)
    return re.compile(rf"(?s)(?:^|{edge}) *{quote}[^{quote}\s].*[^{quote}\s]{quote}(?:{edge}|\s*$)")


def _skips(sample: Sequence[str], delimiter: str, quote: str) -> Sequence[bool]:
    """Return whether spaces behind the delimiter may belong to it: they do when all cells begin with one."""
    if not delimiter.strip(" "):
        return (False,)
    edge = re.escape(delimiter)
    starts, quoted = re.compile(rf"{edge}(?!{edge}|\s*$)( ?)"), re.compile(rf"{quote}[^{quote}]*{quote}")
    spaces = [found for line in sample for found in starts.findall(quoted.sub(quote, line))]
    if len(spaces) > 1 and all(spaces):
        return (True,)
    return (False, True) if _has_space_before_quotes(sample, delimiter, quote) else (False,)


def _has_space_before_quotes(sample: Sequence[str], delimiter: str, quote: str) -> bool:
    """Return whether a space usually separates the delimiter from the quote behind it."""
    behind = re.compile(rf"{re.escape(delimiter)}( *){quote}(?!{quote}?(?:{re.escape(delimiter)}|\s*$))")
    spaces = [len(found) for line in sample for found in behind.findall(line)]
    return 2 * sum(map(bool, spaces)) > len(spaces)


def _tried(sample: Sequence[str], dialect: Dialect) -> _Tried:
    """Read the sample in a dialect and return how well that fits."""
    broken: list[bool] = []
    rows = [row for row in records(iter(sample), dialect, report=lambda: broken.append(True)) if any(row)]
    if not rows:
        return _Tried(dialect, 0.0)
    lengths = Counter(map(len, rows))
    regularity = sum(count * max(length - 1, 0.02) / length for length, count in lengths.items())
    cells = [cell for row in rows for cell in row]
    looks = sum(map(_look, cells)) / len(cells)
    # A few odd rows (titles, notes, a broken line) are normal, so their number counts by its root.
    score = regularity / len(rows) / len(lengths) ** 0.5 * looks * _DOUBTFUL.get(dialect.delimiter, 1.0)
    cut = sum(_cuts_a_quoted_cell(row, dialect.quote) for row in rows)
    score *= 1 - 0.5 * min((len(broken) + cut) / len(rows), 1.0)
    width, usual = lengths.most_common(1)[0]
    if dialect.delimiter in _DOUBTFUL and (usual < _USUAL_SHARE * len(rows) or _are_values(sample)):
        score = 0.0
    # Single rows may be broken themselves.
    return _Tried(replace(dialect, width=width), score, cut > _MOST_CUT * len(rows))


def _are_values(sample: Sequence[str]) -> bool:
    """Return whether whole lines are values, such as times: then their colons separate nothing."""
    return sum(_TYPED.fullmatch(line.strip()[:_LONGEST_TYPED]) is not None for line in sample) > 0.8 * len(sample)


def _cuts_a_quoted_cell(row: Sequence[str], quote: str) -> bool:
    """Return whether a quote opens in one cell of the row and closes in a later one, or has spaces around it."""
    is_open = False
    for cell in row:
        text = cell.strip()
        starts, ends = text.startswith(quote), text.endswith(quote)
        is_whole = starts and ends and len(text) > 1
        if (is_open and ends and not starts) or (is_whole and text != cell):
            return True
        is_open = (starts and not is_whole) or (is_open and not starts)
    return False


def _look(cell: str) -> float:
    """Return how much a cell looks like one value: 1 for a number or date, less for text, little for unsplit cells."""
    text = cell.strip()
    if not text or (len(text) <= _LONGEST_TYPED and _TYPED.fullmatch(text)):
        return 1.0
    return 0.2 if _SUSPICIOUS.search(cell) else 0.8

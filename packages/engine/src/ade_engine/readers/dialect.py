"""Finds out how a delimited text file separates and quotes its cells.

Every likely pair of delimiter and quote is tried on a sample. A pair is good when rows come out with the same number
of cells, of which there are several, and when the cells look like something: numbers, dates, plain words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ade_engine.readers.delimited_records import Dialect, records

# In order of preference when two fit equally well.
_DELIMITERS = (",", ";", "\t", "|", "||", "::", "~", "^", "\x1f", "\x01", "§", "¦", ":", "*", " ", "  ")
# These stand inside of ordinary text, so they must win clearly.
_DOUBTFUL = {":": 0.7, " ": 0.5, "  ": 0.6, "*": 0.7, "^": 0.9, "~": 0.9}
_SAMPLE_LINES = 400
_LONGEST_TYPED = 60

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


def find_dialect(lines: Sequence[str]) -> FoundDialect:
    """Return the dialect of a file that starts with these lines."""
    announced = _SEPARATOR_LINE.match(lines[0]) if lines else None
    first_line = 1 if announced else 0
    sample = [line for line in lines[first_line : first_line + _SAMPLE_LINES] if line.strip()]
    delimiters = [announced.group(1)] if announced else _present(sample)
    best, best_score = Dialect(delimiter=delimiters[0]), -1.0
    for delimiter in delimiters:
        for quote in _quotes(sample, delimiter):
            dialect = Dialect(delimiter=delimiter, quote=quote, has_escapes=_has_escapes(sample, quote))
            score, width = _score(sample, dialect)
            if score > best_score + 1e-9:
                best, best_score = replace(dialect, width=width), score
    return FoundDialect(best, first_line)


def _present(sample: Sequence[str]) -> list[str]:
    text = "".join(sample)
    present = [delimiter for delimiter in _DELIMITERS if delimiter in text]
    for doubled in ("||", "::"):
        # Bars that only come in pairs are one delimiter, not one with an empty cell behind it.
        if doubled in present and text.count(doubled[0]) == 2 * text.count(doubled):
            present.remove(doubled[0])
    return present or [","]


def _quotes(sample: Sequence[str], delimiter: str) -> list[str]:
    """Return the quotes that stand at the edge of a cell; the double quote is always worth a try."""
    at_edge = re.compile(rf"(?:^|{re.escape(delimiter)})'[^']*(?:''[^']*)*'(?:{re.escape(delimiter)}|\r?\n?$)")
    has_single = sum(bool(at_edge.search(line)) for line in sample) > 0.1 * len(sample)
    return ['"', "'"] if has_single else ['"']


def _has_escapes(sample: Sequence[str], quote: str) -> bool:
    # A backslash before a quote that closes a cell ("C:\dir\",) is a folder, not an escape; one inside of it is.
    inside = re.compile(rf"\\{quote}[^,;|\t\r\n]")
    doubled = re.compile(rf"[^,;|\t\r\n{quote}]{quote}{quote}[^{quote}]")
    return sum(bool(inside.search(line)) for line in sample) > sum(bool(doubled.search(line)) for line in sample)


def _score(sample: Sequence[str], dialect: Dialect) -> tuple[float, int]:
    """Return how well the dialect fits, and the usual number of cells."""
    rows = [row for row in records(iter(sample), dialect) if any(row)]
    if not rows:
        return 0.0, 0
    lengths = Counter(map(len, rows))
    regularity = sum(count * max(length - 1, 0.02) / length for length, count in lengths.items())
    cells = [cell for row in rows for cell in row]
    looks = sum(map(_look, cells)) / len(cells)
    # A few odd rows (titles, notes, a broken line) are normal, so their number counts by its root.
    score = regularity / len(rows) / len(lengths) ** 0.5 * looks * _DOUBTFUL.get(dialect.delimiter, 1.0)
    return score, lengths.most_common(1)[0][0]


def _look(cell: str) -> float:
    """Return how much a cell looks like one value: 1 for a number or date, less for text, little for unsplit cells."""
    text = cell.strip()
    if not text or (len(text) <= _LONGEST_TYPED and _TYPED.fullmatch(text)):
        return 1.0
    return 0.2 if _SUSPICIOUS.search(cell) else 0.8

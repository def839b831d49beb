"""Issues: what is wrong with the data, as values, with the cell they come from and never what it holds."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Any, TextIO

from ade_engine.cells import Value
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

SEVERITIES = ("info", "warning", "error")
_MASK = "…"
_FIGURE = re.compile(r"\d[\d.,'\u00a0\u202f]*(?<=\d)%?")


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing wrong with one cell of the source, or with a whole table when `cell` is None."""

    sheet: str | None
    cell: str | None
    field: str | None
    rule: str
    severity: str
    message: str

    def as_json(self) -> dict[str, Any]:
        """Return the issue as the artifact and issues.ndjson hold it."""
        return {
            "sheet": self.sheet,
            "cell": self.cell,
            "field": self.field,
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says about a value, before it is known which cells hold that value."""

    rule: str
    severity: str
    message: str


class IssueLog:
    """Counts every issue, keeps the first `cap` for the artifact and writes all of them as lines of JSON."""

    def __init__(self, stream: TextIO | None, *, cap: int = 1000) -> None:
        self._stream = stream
        self._cap = cap
        self.kept: list[Issue] = []
        self.severities: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.cells = 0  # that a warning or an error is about
        self.fields: Counter[str] = Counter()  # cells with errors
        self.whole = 0  # warnings and errors about a whole table or sheet, apart from fields that are missing
        self._last: tuple[str | None, str | None] = (None, None)
        self._last_error: tuple[str | None, str | None] = (None, None)

    @property
    def count(self) -> int:
        """Return how many issues there are, kept or not."""
        return sum(self.severities.values())

    def add(self, issues: Iterable[Issue]) -> None:
        """Take issues in the order they are found."""
        for issue in issues:
            self.severities[issue.severity] += 1
            self.rules[issue.rule] += 1
            if issue.severity != "info":
                self._count_place(issue)
            if len(self.kept) < self._cap:
                self.kept.append(issue)
            if self._stream is not None:
                self._stream.write(json.dumps(issue.as_json(), ensure_ascii=False) + "\n")

    def _count_place(self, issue: Issue) -> None:
        """Count what the issue is about; several issues of a cell come one after the other and count once."""
        place = (issue.cell, issue.field)
        if issue.cell is None:
            self.whole += issue.field is None or issue.rule != "required"
            return
        if place != self._last:
            self._last = place
            self.cells += 1
        if issue.severity == "error" and issue.field is not None and place != self._last_error:
            self._last_error = place
            self.fields[issue.field] += 1


def mask(message: str, values: Iterable[Value]) -> str:
    """Return the message without any of the values: a rule's author may have put them in, in a form of their own."""
    values = [value for value in values if value is not None]
    for text in sorted(_spellings(values), key=lambda spelling: (-len(spelling), spelling)):
        message = _pattern(text).sub(_MASK, message)
    if any(map(str.isdigit, message)) and (numbers := _numbers(values)):
        message = _FIGURE.sub(lambda found: _MASK if _is_one_of(found.group(), numbers) else found.group(), message)
    return message if len(message) <= MAX_MESSAGE_CHARACTERS else message[: MAX_MESSAGE_CHARACTERS - 1] + _MASK


def _spellings(values: Sequence[Value]) -> set[str]:
    """Return the ways a value may be spelled in a message."""
    texts = {str(value) for value in values}
    texts |= {repr(text)[1:-1] for text in texts} | {" ".join(text.split()) for text in texts}
    texts |= {text for value in values if isinstance(value, date) for text in _date_spellings(value)}
    return {text.strip() for text in texts if text.strip()}


def _date_spellings(value: date) -> Iterator[str]:
    days = (str(value.day), f"{value.day:02d}")
    months = (str(value.month), f"{value.month:02d}", f"{value:%b}", f"{value:%B}")
    for day, month, year in product(days, months, (f"{value:%Y}", f"{value:%y}")):
        for gap in ("", ".", "/", "-", " "):
            yield from (gap.join(parts) for parts in ((day, month, year), (month, day, year), (year, month, day)))
        yield f"{month} {day}, {year}"


def _numbers(values: Iterable[Value]) -> list[float]:
    found = []
    for value in values:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            try:
                found.append(abs(float(value)))
            except (ValueError, OverflowError):
                continue
    return found


def _is_one_of(figure: str, numbers: Sequence[float]) -> bool:
    """Return whether a figure of a message is one of the numbers, rounded or written with separators."""
    scale = 100 if figure.endswith("%") else 1
    digits = re.sub(r"[^\d.,]", "", figure)
    for group, point in ((",", "."), (".", ",")):
        whole, _, decimals = digits.replace(group, "").partition(point)
        if not decimals.isdigit() and decimals:
            continue
        reading = float(f"{whole}.{decimals or 0}")
        # A short whole number is more likely a bound that the rule names.
        is_telling = bool(decimals) or len(whole) > 2
        for number in numbers:
            if reading == number * scale or (is_telling and reading == round(number * scale, len(decimals))):
                return True
    return False


def _pattern(text: str) -> re.Pattern[str]:
    # A value of one or two characters is likely to be part of a longer word that has nothing to do with it.
    before, after = (r"(?<!\w)", r"(?!\w)") if len(text) < 3 else ("", "")
    return re.compile(before + re.escape(text) + after, re.IGNORECASE)

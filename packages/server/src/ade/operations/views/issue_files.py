"""Reads the issues of a run from the file that the run wrote: a part at a time, since anyone's rules wrote it.

One question reads a limited number of bytes and lines, whatever the file holds: a file of a million issues takes many
short questions and none that delays others. What was counted is kept for the next question, since files never change.
"""

import json
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from ade.files import FileStore

STEP_BYTES = 4 * 1024 * 1024
STEP_LINES = 40_000
LONGEST_LINE_BYTES = 64 * 1024
BLOCK_BYTES = 256 * 1024
MOST_BLOCKS = 1000
MOST_SHEETS_OF_BLOCK = 16
MOST_GROUPS = 2000
MOST_NAME_CHARACTERS = 200_000  # of the groups of a file together
MOST_FILES = 64
LONGEST_NAME = 255
LONGEST_MESSAGE = 500
LAST_ROW_DIGITS = 7


class Issue(NamedTuple):
    """One thing wrong in the data, as the file says."""

    sheet: str | None
    cell: str | None
    field: str | None
    rule: str
    severity: str
    message: str

    @property
    def group(self) -> "Group":
        """Return what it is counted with."""
        return Group(self.sheet, self.field, self.rule, self.severity)

    @property
    def row(self) -> int | None:
        """Return the row of its cell, or None when it is about more than a cell."""
        digits = (self.cell or "").lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        is_number = digits.isascii() and digits.isdecimal() and len(digits) <= LAST_ROW_DIGITS
        return int(digits) if is_number else None


class Group(NamedTuple):
    """Issues that differ in their cell and message alone."""

    sheet: str | None
    field: str | None
    rule: str
    severity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueFilter:
    """Which issues someone wants to see."""

    sheet: str | None = None
    field: str | None = None
    has_no_field: bool = False
    rule: str | None = None
    severity: str | None = None
    rows: tuple[int, int] | None = None

    def takes(self, issue: Issue) -> bool:
        """Return whether an issue is wanted."""
        return (
            self.sheet in (None, issue.sheet)
            and self.field in (None, issue.field)
            and not (self.has_no_field and issue.field is not None)
            and self.rule in (None, issue.rule)
            and self.severity in (None, issue.severity)
            and (self.rows is None or (issue.row is not None and self.rows[0] <= issue.row <= self.rows[1]))
        )


@dataclass(slots=True)
class Block:
    """A part of the file, and which rows of which sheets its issues are about."""

    start: int
    end: int
    rows: dict[str | None, tuple[int, int]] | None = field(default_factory=dict)  # None: of too many sheets

    def add(self, issue: Issue, sheets: dict[str | None, str | None]) -> None:
        """Take note of an issue; the sheets are those whose names are kept for the whole file."""
        row = issue.row
        if row is None or self.rows is None:
            return
        if issue.sheet not in sheets:
            self.rows = None
            return
        sheet = sheets[issue.sheet]  # equal, but one text for all blocks
        first, last = self.rows.get(sheet, (row, row))
        self.rows[sheet] = (min(first, row), max(last, row))
        if len(self.rows) > MOST_SHEETS_OF_BLOCK:
            self.rows = None

    def may_have(self, wanted: IssueFilter) -> bool:
        """Return whether an issue of the wanted rows may be in it."""
        if wanted.rows is None or self.rows is None:
            return True
        spans = self.rows.values() if wanted.sheet is None else filter(None, [self.rows.get(wanted.sheet)])
        return any(first <= wanted.rows[1] and last >= wanted.rows[0] for first, last in spans)


@dataclass(slots=True, eq=False)
class Counted:
    """What is known of a file so far."""

    size_bytes: int
    groups: Counter[Group] = field(default_factory=Counter)
    other_count: int = 0  # of groups beyond those that are counted one by one
    sheets: dict[str | None, str | None] = field(default_factory=dict)  # of those groups
    name_characters: int = 0
    blocks: list[Block] = field(default_factory=list)
    end: int = 0  # so much of the file is counted
    lock: Lock = field(default_factory=Lock)

    @property
    def is_complete(self) -> bool:
        """Return whether the whole file is counted."""
        return self.end >= self.size_bytes

    def count(self, issue: Issue, start: int, end: int) -> None:
        """Count an issue, whose line is there in the file."""
        if self._is_counted_apart(issue.group):
            self.groups[issue.group] += 1
        else:
            self.other_count += 1
        block_bytes = max(BLOCK_BYTES, self.size_bytes // MOST_BLOCKS)
        if not self.blocks or start - self.blocks[-1].start >= block_bytes:
            self.blocks.append(Block(start, end))
        self.blocks[-1].add(issue, self.sheets)
        self.blocks[-1].end = end

    def _is_counted_apart(self, group: Group) -> bool:
        """Return whether a group has a count of its own; a new one gets it while the names take little memory."""
        if group in self.groups:
            return True
        characters = sum(len(name) for name in group if name is not None)
        if len(self.groups) >= MOST_GROUPS or self.name_characters + characters > MOST_NAME_CHARACTERS:
            return False
        self.name_characters += characters
        self.sheets.setdefault(group.sheet, group.sheet)
        return True


_files: OrderedDict[str, Counted] = OrderedDict()
_files_lock = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many issues of each group a file has, as far as it is counted."""

    groups: dict[Group, int]
    other_count: int
    is_complete: bool


def count_issues(files: FileStore, key: str) -> Counts:
    """Count another part of the issues of a run, and return what is known then; ask again until it is complete."""
    counted = _counted(files, key)
    with counted.lock:
        if not counted.is_complete:
            _count_on(files, key, counted)
        return Counts(groups=dict(counted.groups), other_count=counted.other_count, is_complete=counted.is_complete)


def list_issues(
    files: FileStore, key: str, wanted: IssueFilter, *, start: int, limit: int
) -> tuple[list[Issue], int | None]:
    """Return the next matching issues from a place in the file, and the place to continue from; None at its end.

    There may be none although more follow: a question reads only so much.
    """
    counted, allowance = _counted(files, key), _Allowance()
    found: list[Issue] = []
    while start < counted.size_bytes and not allowance.is_used:
        before = start = _next_place(counted, wanted, start)
        until = start + BLOCK_BYTES
        for issue, end in _issues(files, key, start, allowance):
            start = end
            if issue is not None and wanted.takes(issue):
                found.append(issue)
                if len(found) == limit:
                    return found, _unless_at_end(start, counted)
            if wanted.rows is not None and start >= until:
                break  # the next blocks may be of other rows
        if start == before:
            return found, None  # the file ends before its size
    return found, _unless_at_end(start, counted)


def _unless_at_end(place: int, counted: Counted) -> int | None:
    return place if place < counted.size_bytes else None


@dataclass(slots=True)
class _Allowance:
    """How much one question may still read."""

    byte_count: int = STEP_BYTES
    line_count: int = STEP_LINES

    @property
    def is_used(self) -> bool:
        return self.byte_count <= 0 or self.line_count <= 0

    def spend(self, byte_count: int) -> None:
        self.byte_count -= byte_count
        self.line_count -= 1


def _counted(files: FileStore, key: str) -> Counted:
    """Return what is known of a file; that of the least recently used is forgotten."""
    with _files_lock:
        if key in _files:
            _files.move_to_end(key)
            return _files[key]
    size_bytes = files.size(key)
    with _files_lock:
        counted = _files.setdefault(key, Counted(size_bytes))
        while len(_files) > MOST_FILES:
            _files.popitem(last=False)
        return counted


def _count_on(files: FileStore, key: str, counted: Counted) -> None:
    before = counted.end
    for issue, end in _issues(files, key, counted.end, _Allowance()):
        if issue is not None:
            counted.count(issue, counted.end, end)
        counted.end = end
    if counted.end == before:
        counted.end = counted.size_bytes  # the file ends before its size


def _next_place(counted: Counted, wanted: IssueFilter, start: int) -> int:
    """Return where the next wanted issue may be, from the parts that are counted."""
    if wanted.rows is None:
        return start
    known = counted.end
    for block in list(counted.blocks):
        if block.end > start and block.may_have(wanted):
            return max(start, block.start)
    return max(start, known)


def _issues(files: FileStore, key: str, start: int, allowance: _Allowance) -> Iterator[tuple[Issue | None, int]]:
    """Yield the issue of each line, None for one that is none, and where the line ends; stop when that was enough."""
    place, rest, is_too_long = start, b"", False
    # Enough to end the last line that is begun, or to see that it is too long.
    for chunk in files.read(key, start=start, length=allowance.byte_count + LONGEST_LINE_BYTES + 1):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            place += len(line) + 1
            allowance.spend(len(line) + 1)
            yield (None if is_too_long else issue_of(line)), place
            is_too_long = False
            if allowance.is_used:
                return
        if len(rest) > LONGEST_LINE_BYTES:  # what follows of this line is passed over
            place += len(rest)
            allowance.spend(len(rest))
            rest, is_too_long = b"", True
            yield None, place
            if allowance.is_used:
                return
    if rest:
        allowance.spend(len(rest))
        yield (None if is_too_long else issue_of(rest)), place + len(rest)


def issue_of(line: bytes) -> Issue | None:
    """Return the issue of a line, or None when it is none."""
    if not line.startswith(b"{") or len(line) > LONGEST_LINE_BYTES:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    sheet, cell, name = (_text(found.get(key), LONGEST_NAME) for key in ("sheet", "cell", "field"))
    rule, severity, message = (
        _text(found.get(key), longest)
        for key, longest in (("rule", LONGEST_NAME), ("severity", LONGEST_NAME), ("message", LONGEST_MESSAGE))
    )
    if rule is None or severity is None or message is None:
        return None
    return Issue(sheet, cell, name, rule, severity, message)


def _text(value: object, longest: int) -> str | None:
    """Return a text that can be sent: a lone half of a character cannot."""
    return value[:longest].encode("utf-8", "replace").decode() if isinstance(value, str) else None

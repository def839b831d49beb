"""How the files of two versions differ, line by line, in a bounded time.

difflib compares every line with every equal one, and does so again for every block it finds: files of many lines that
repeat would take it hours. So the lines that are the same at both ends are left out first, and only some thousand lines
of all files together are compared; what is beyond that is shown as replaced.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

LARGEST_DIFF = 200_000  # of all files together, in characters
MOST_COMPARED_LINES = 1500
MOST_COMPARED_BYTES = 1_000_000  # of all files together, both versions
_CONTEXT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """How a file differs between two versions."""

    path: str
    change: str  # added, removed, changed
    diff: str | None  # unified, unless the file is no text


def changes_between(older: Mapping[str, bytes], newer: Mapping[str, bytes]) -> list[FileChange]:
    """Return the files that differ, by path."""
    paths = sorted(path for path in older.keys() | newer.keys() if older.get(path) != newer.get(path))
    found: list[FileChange] = []
    left = _Left()
    for path in paths:
        before, after = older.get(path), newer.get(path)
        change = "added" if before is None else "removed" if after is None else "changed"
        found.append(FileChange(path=path, change=change, diff=_shown(path, before or b"", after or b"", left)))
    return found


@dataclass(slots=True)
class _Left:
    """How much may still be compared and shown."""

    lines: int = MOST_COMPARED_LINES
    read_bytes: int = MOST_COMPARED_BYTES
    characters: int = LARGEST_DIFF


def _shown(path: str, older: bytes, newer: bytes, left: _Left) -> str | None:
    left.read_bytes -= len(older) + len(newer)
    if left.read_bytes < 0 or left.characters <= 0:
        return f"--- a/{path}\n+++ b/{path}\n@@ too large to compare: {len(older)} and {len(newer)} bytes @@\n"
    lines, used = _unified(path, older, newer, most_lines=left.lines)
    if lines is None:
        return None
    left.lines -= used
    shown = _first_characters(lines, left.characters)
    left.characters -= len(shown)
    return shown


def _first_characters(lines: Iterator[str], most: int) -> str:
    """Join lines up to a number of characters; what follows is never made."""
    kept: list[str] = []
    length = 0
    for line in lines:
        kept.append(line)
        length += len(line)
        if length >= most:
            break
    return "".join(kept)[:most]


def _unified(path: str, older: bytes, newer: bytes, *, most_lines: int) -> tuple[Iterator[str] | None, int]:
    """Return the difference of a file, None when it is no text, and how many lines are compared for it."""
    try:
        before, after = older.decode().splitlines(keepends=True), newer.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return None, 0
    head = _same(zip(before, after, strict=False))
    least = min(len(before), len(after)) - head
    tail = min(least, _same(zip(reversed(before), reversed(after), strict=False)))
    compared = len(before) + len(after) - 2 * (head + tail)
    names = (f"a/{path}", f"b/{path}")
    if compared <= most_lines:
        keep_from, keep_to = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
        lines = _compared(_part(before, keep_from, keep_to), _part(after, keep_from, keep_to), names, keep_from)
        return lines, compared
    return _replaced(_part(before, head, tail), _part(after, head, tail), names, head), 0


def _same(pairs: Iterator[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _part(lines: Sequence[str], start: int, left_out: int) -> Sequence[str]:
    return lines[start : len(lines) - left_out]


def _compared(before: Sequence[str], after: Sequence[str], names: tuple[str, str], start: int) -> Iterator[str]:
    """Yield the unified difference of parts that begin behind a number of lines."""
    if before != after:
        yield from (f"--- {names[0]}\n", f"+++ {names[1]}\n")
    for group in difflib.SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT):
        old, new = (group[0][1], group[-1][2]), (group[0][3], group[-1][4])
        yield _header(start, old, new)
        for tag, first, last, new_first, new_last in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[first:last])
                continue
            yield from (f"-{line}" for line in before[first:last])
            yield from (f"+{line}" for line in after[new_first:new_last])


def _replaced(before: Sequence[str], after: Sequence[str], names: tuple[str, str], start: int) -> Iterator[str]:
    yield from (f"--- {names[0]}\n", f"+++ {names[1]}\n", _header(start, (0, len(before)), (0, len(after))))
    yield from (f"-{line}" for line in before)
    yield from (f"+{line}" for line in after)


def _header(start: int, old: tuple[int, int], new: tuple[int, int]) -> str:
    return f"@@ -{_range(start, *old)} +{_range(start, *new)} @@\n"


def _range(start: int, first: int, last: int) -> str:
    """Return lines as a unified difference names them: an empty range is behind the line before it."""
    length, begin = last - first, start + first + 1
    if length == 1:
        return str(begin)
    return f"{begin if length else begin - 1},{length}"

"""Finds in what uv prints why packages could not be installed. Some of the words are those of packages: not trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import dropwhile

from ade.domain.run import LimitedResource
from ade_engine.configuration.requirements import Requirement

_NO_SPACE = re.compile(r"os error (28|122)\b")  # ENOSPC and EDQUOT
_ERROR_DRAWN, _CAUSE_DRAWN = re.compile("^\u00d7"), re.compile("^\u2570\u2500\u25b6")  # as some versions write them
_DRAWINGS = re.compile(r"[\u2500-\u257f\u00d7\x00]")
_WORD = re.compile(r"\S++")
_WORDS = re.compile(r"[a-z0-9-]++")
_KINDS = ("cause:", "error:", "")  # how the lines begin that say why
_NO_CAUSE = ("hint:", "Using CPython", "Using Python", "Resolved ", "Downloading ")
_OVER_LIMIT = {
    # uv does not say how a process that compiles ended; without a bug in Python, only the limit ends it.
    LimitedResource.CPU: re.compile(r"SIGXCPU|signal: 24\b|Bytecode compilation failed|Bytecode timed out"),
    LimitedResource.DISK: re.compile(r"SIGXFSZ|signal: 25\b|os error 27\b"),
    LimitedResource.MEMORY: re.compile(r"MemoryError|memory allocation of \d++ bytes failed|os error 12\b"),
}


def without_queries(line: str) -> str:
    """Return a line of uv without what follows a question mark in an address: the key of an index may be there.

    Names and passwords in addresses are left out by uv itself.
    """
    return _WORD.sub(lambda word: _without_query(word[0]), line)


def _without_query(word: str) -> str:
    address, mark, query = word.partition("?")
    if not mark or "://" not in address:
        return word
    _, bracket, rest = query.partition(")")
    return f"{address}?...{bracket}{rest}"


def place(found: Sequence[Requirement], lines: Iterable[str]) -> str:
    """Return file and line of the requirement that uv complains about; of the first one when it names none."""
    words = {word for line in lines for word in _WORDS.findall(line.lower())}
    named = next((each for each in found if each.name in words), found[0])
    return f"{named.file}, line {named.line}"


def cause(lines: Iterable[str]) -> str:
    """Return what uv says went wrong: the causes it names, else its errors, else all; without drawings and hints."""
    plain = [_DRAWINGS.sub(" ", _CAUSE_DRAWN.sub("cause:", _ERROR_DRAWN.sub("error:", line))).strip() for line in lines]
    for kind in _KINDS:
        rest = dropwhile(lambda line: not line.startswith(kind), plain)  # noqa: B023 - used up before the next kind
        if said := [line.removeprefix(kind).strip() for line in rest if not line.startswith(_NO_CAUSE)]:
            return " ".join(" ".join(said).split())
    return ""


def is_disk_full(lines: Iterable[str]) -> bool:
    """Return whether uv found no room on the disk."""
    return any(_NO_SPACE.search(line) for line in lines)


def limit_reached(lines: Sequence[str]) -> LimitedResource | None:
    """Return the limit that ended uv or a process it started, if uv names one."""
    return next((kind for kind, words in _OVER_LIMIT.items() if any(map(words.search, lines))), None)

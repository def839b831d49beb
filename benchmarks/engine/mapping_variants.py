"""Makes further cases of mapping out of given ones: renamed columns, no profiles, no headers. Seeded, so repeatable."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from mapping_cases import Case, Prepared

from ade_engine.mapping.profile import Column
from ade_engine.mapping.reading import words_of
from ade_engine.mapping.vocabulary import vocabulary

_PREFIXES = ["src", "tbl", "cust", "ext", "sys", "app", "in", "raw", "main", "dim", "crm", "hr", "fin", "stg", "new"]
_SUFFIXES = ["v2", "v1", "raw", "clean", "new", "final", "old", "2", "x", "txt", "fld", "col", "cur"]
_QUALIFIERS = "total primary main current original avg net new actual local base full".split()  # noqa: SIM905
_FEWEST_ROWS, _FEWEST_COLUMNS = 10, 3


def without_profiles(prepared: Prepared) -> Prepared:
    """Return a case as a configuration written by hand sees it."""
    return replace(prepared, configuration=replace(prepared.configuration, profiles={}))


def without_headers(prepared: Prepared) -> Prepared:
    """Return a case whose table has no header."""
    if prepared.table is None:
        return prepared
    columns = []
    for column in prepared.table.columns:
        bare = Column(column.position, "", column.values)
        bare.row_count = column.row_count
        columns.append(bare)
    table = type(prepared.table)(prepared.table.sheet, columns, (), prepared.table.first_row)
    return replace(prepared, table=table)


def renamed(case: Case, *, side: str, seed: int) -> Case | None:
    """Return a case made of one table: every second row on each side, other names, and columns missing on both."""
    chance = random.Random(f"{case.id} {side} {seed}")  # noqa: S311 - the same every time
    columns = list(case.target if side == "target" else case.source)
    rows = max((len(values) for _, values in columns), default=0)
    if rows < _FEWEST_ROWS or len(columns) < _FEWEST_COLUMNS or len({name for name, _ in columns}) < len(columns):
        return None
    target = [column for column in columns if chance.random() < 0.8]
    source = [column for column in columns if chance.random() < 0.8]
    if chance.random() < 0.5:
        chance.shuffle(source)
    restyle = _style(chance)
    names = {name: name if chance.random() < 0.15 else restyle(name) for name, _ in source}
    kept = {name for name, _ in target}
    if len(set(names.values())) < len(names) or not target or not source:
        return None
    return replace(
        case,
        id=f"{case.id}/{side}/{seed}",
        kind="renamed",
        target=[(name, values[0::2]) for name, values in target],
        source=[(names[name], values[1::2]) for name, values in source],
        gold={names[name]: name if name in kept else None for name, _ in source},
    )


def few_rows(case: Case) -> Case | None:
    """Return a case cut to a few rows: a statement with three bookings shows little of what values look like."""
    chance = random.Random(f"{case.id} few")  # noqa: S311 - the same every time
    rows = min(max((len(values) for _, values in side), default=0) for side in (case.target, case.source))
    if rows < _FEWEST_ROWS:
        return None
    ours, theirs = chance.choice([1, 2, 3, 5]), chance.choice([1, 2, 3, 5, rows])
    source, target = chance.randrange(rows - ours + 1), chance.randrange(rows - theirs + 1)
    return replace(
        case,
        id=f"{case.id}/few",
        kind="few rows",
        target=[(name, values[target : target + theirs]) for name, values in case.target],
        source=[(name, values[source : source + ours]) for name, values in case.source],
    )


def _style(chance: random.Random) -> Callable[[str], str]:
    """Return a way to write names, the same for all columns of a table."""
    steps = chance.sample([_no_vowels, _cut, _other_words, _fewer_words, _qualified], k=chance.choice([0, 1, 1, 2]))
    before = chance.choice(_PREFIXES) if chance.random() < 0.3 else None
    after = chance.choice(_SUFFIXES) if chance.random() < 0.3 else None
    write = chance.choice([_snake, _camel, _upper, _title, _title])

    def restyle(name: str) -> str:
        words = list(words_of(name)) or [name]
        for step in steps:
            if step is _no_vowels or chance.random() < 0.6:
                words = step(words, chance) or words
        return write([*([before] if before else []), *words, *([after] if after else [])])

    return restyle


def _no_vowels(words: Sequence[str], _: random.Random) -> list[str]:
    return [bare for word in words if (bare := word[:1] + re.sub("[aeiou]", "", word[1:]))]


def _cut(words: Sequence[str], chance: random.Random) -> list[str]:
    return [word[: chance.choice([2, 3, 3, 4])] for word in words]


def _other_words(words: Sequence[str], chance: random.Random) -> list[str]:
    known = vocabulary().concepts
    others = [[other for other in known if known[other] == known.get(word)] for word in words]
    return [chance.choice(choice) if choice else word for word, choice in zip(words, others, strict=True)]


def _fewer_words(words: Sequence[str], chance: random.Random) -> list[str]:
    return [word for number, word in enumerate(words) if len(words) < 2 or number != chance.randrange(len(words))]


def _qualified(words: Sequence[str], chance: random.Random) -> list[str]:
    return [chance.choice(_QUALIFIERS), *words]


def _snake(words: Sequence[str]) -> str:
    return "_".join(words)


def _camel(words: Sequence[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


def _upper(words: Sequence[str]) -> str:
    return " ".join(words).upper()


def _title(words: Sequence[str]) -> str:
    return " ".join(word.capitalize() for word in words)

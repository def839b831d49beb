"""Parses statements with sqlfluff's grammar of T-SQL, which is stricter than the parser that translates them."""

import re
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache

from tsql.parsing import LOCK_INTENDED

_ROWS = re.compile(r"(\([^()]*\))(?:, \1)+")


def shape(sql: str) -> str:
    """Return a statement with short lists and few rows: how many there are means nothing to a grammar."""
    bare = re.sub(r"@p\d+", "?", sql.replace(LOCK_INTENDED, "").strip())
    bare = re.sub(r"\((\?(?:, \?)*), \d+\)", r"(\1, 0)", bare)  # rows of values that come with their number
    return _ROWS.sub(r"\1", re.sub(r"IN \(\?(?:, \?)+\)", "IN (?)", bare))


def faults(statements: Iterable[str]) -> dict[str, str]:
    """Return {shape: what the grammar does not accept}, on every processor."""
    shapes = sorted({shape(sql) for sql in statements})
    with ProcessPoolExecutor() as processes:
        found = processes.map(fault, shapes, chunksize=20)
        return {each: text for each, text in zip(shapes, found, strict=True) if text}


def fault(sql: str) -> str:
    """Return what the grammar does not accept in a shape, or nothing."""
    numbers = iter(range(10_000))
    given = re.sub(r"\?", lambda _: f"@p{next(numbers)}", sql)
    return "; ".join(found.desc() for found in _linter().parse_string(given).violations)


@cache
def _linter():  # type: ignore[no-untyped-def]
    from sqlfluff.core import FluffConfig, Linter  # takes a second to load

    return Linter(config=FluffConfig(overrides={"dialect": "tsql"}))

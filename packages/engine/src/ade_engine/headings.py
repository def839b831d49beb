"""Tells by what a configuration says which rows are headings of groups, and which have labels with their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from ade_engine.cells import Value
from ade_engine.configuration.model import Configuration
from ade_engine.mapping.profile import is_empty
from ade_engine.structure.kinds import NUMERIC, kind_of
from ade_engine.table_facts import comparable, divided

Test = Callable[[Sequence[Value]], bool]
_COLONS = (":", "：")  # noqa: RUF001


def heading_test(configuration: Configuration) -> Test | None:
    """Return whether cells are a heading by `from_group` and by the setting `headings`; None when neither says so."""
    patterns = [field.from_group for field in configuration.fields if isinstance(field.from_group, str)]
    matches = pattern_test(patterns)
    if configuration.settings.headings == "alone":
        return lambda cells: len(_texts(cells)) == 1 or (matches is not None and matches(cells))
    return matches


def pattern_test(patterns: Sequence[str]) -> Test | None:
    """Return whether the one text of a row, or its label with a value, matches a pattern; None without any."""
    searches = [re.compile(pattern).search for pattern in patterns]

    def matches(cells: Sequence[Value]) -> bool:
        text = " ".join(_texts(cells))
        return bool(text) and any(search(text) is not None for search in searches)

    return matches if searches else None


def is_heading_below(cells: Sequence[Value], above: Sequence[Value], below: Sequence[Value]) -> bool:
    """Return whether a row begins with texts alone, where the row above goes on, and a number or such a row follows.

    Such a row is no second row of a header where every row without a number is a heading.
    """
    width = _only_first(cells)
    if not width or all(map(is_empty, above[width:])):
        return False
    return 0 < _only_first(below) <= width or any(kind_of(cell) in NUMERIC for cell in below[width:])


def _only_first(cells: Sequence[Value]) -> int:
    """Return how many cells a row begins with, when these are texts and all others are empty; otherwise 0."""
    width = next((n for n, cell in enumerate(cells) if is_empty(cell)), len(cells))
    are_texts = all(isinstance(cell, str) for cell in cells[:width])
    return width if are_texts and all(map(is_empty, cells[width:])) else 0


def label_test(configuration: Configuration) -> Test | None:
    """Return whether a row has labels of `from_label` with their values, and no name of another column."""
    wanted = {comparable(label) for field in configuration.fields for label in field.from_label or ()}
    names = configuration.names_of_fields - wanted

    def has_labels(cells: Sequence[Value]) -> bool:
        found = [cell for cell in cells if not is_empty(cell)]
        is_label = [_is_label(str(cell), wanted) for cell in found]
        if not any(is_label) or not (is_label[0] or str(found[0]).rstrip().endswith(_COLONS)):
            return False
        if any(isinstance(cell, str) and cell.strip().lower() in names for cell in found):
            return False
        return len(found) > sum(is_label) or any(divided(str(cell))[2] for cell in found)

    return has_labels if wanted else None


def _is_label(text: str, wanted: Collection[str]) -> bool:
    name, colon, rest = divided(text)
    return comparable(name if colon and rest else text) in wanted


def _texts(cells: Sequence[Value]) -> list[str]:
    """Return the only text of a row, or a label that ends in a colon and its value; nothing for all other rows."""
    found: list[Value] = []
    for cell in cells:
        if not is_empty(cell):
            found.append(cell)
            if len(found) > 2 or not isinstance(found[0], str):
                return []
    texts = [" ".join(str(cell).split()) for cell in found]
    return texts if len(texts) < 2 or texts[0].endswith(_COLONS) else []

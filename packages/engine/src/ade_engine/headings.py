"""Tells by patterns which rows are headings of groups: those with one text, or with a label and its value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ade_engine.cells import Value
from ade_engine.configuration.model import Configuration
from ade_engine.mapping.profile import is_empty

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

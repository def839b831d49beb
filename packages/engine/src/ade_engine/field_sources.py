"""Checks the arguments of a field that say where its values come from and what becomes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ade_engine.fields import Field

SOURCES = (
    "from_group", "from_title", "from_label", "from_sheet", "from_document", "from_field", "lookup", "constant",
)  # fmt: skip
FILES = ("lookup", "replace")  # arguments that name a file of the configuration folder
FIELDS = ("from_field", "lookup_by")  # arguments that name another field
_FLAGS = ("from_group", "from_sheet", "from_document")  # of the patterns: True takes the whole text
_PATTERNS = ("from_group", "from_title", "from_sheet", "from_document", "extract")

_OF_WORDS = ("replace", "choices", "lookup", "keep", "drop")  # what ignore_case holds for


def check_sources(field: Field) -> None:
    """Raise ValueError when arguments contradict each other or cannot mean anything."""
    named = sources_named(field)
    require(len(named) < 2, f"{' and '.join(named[:2])} exclude each other: a value has one source")
    for name in _PATTERNS:
        pattern = getattr(field, name)
        is_flag = name in _FLAGS and isinstance(pattern, bool)
        require(pattern is None or is_flag or isinstance(pattern, str), f"{name} must be a regular expression, as text")
        if isinstance(pattern, str):
            compiles(name, pattern)
    _settle_labels(field)
    require(field.group_level is None or field.group_level >= 1, "group_level must be 1 (the outermost) or more")
    require(field.group_level is None or bool(field.from_group), "group_level is for a field with from_group")
    require(field.from_field != field.name, "from_field must name another field")
    _check_lookup(field)
    _check_parts(field)
    _check_values(field)


def sources_named(field: Field) -> list[str]:
    """Return the arguments that say where values come from when no column has them; 0 and False are constants too."""
    flags = {name: getattr(field, name) for name in SOURCES}
    return [name for name, value in flags.items() if value is not None and (value is not False or name == "constant")]


def _settle_labels(field: Field) -> None:
    """Make from_label a tuple of texts, which may be given as one text."""
    labels = field.from_label
    if labels is None:
        return
    listed = (labels,) if isinstance(labels, str) else tuple(labels) if isinstance(labels, list | tuple) else ()
    is_named = bool(listed) and all(isinstance(label, str) and label.strip() for label in listed)
    require(is_named, "from_label must be a label, or a list of labels of which the lowest is taken")
    object.__setattr__(field, "from_label", listed)


def _check_lookup(field: Field) -> None:
    require((field.lookup is None) == (field.lookup_by is None), "lookup and lookup_by need each other")
    for name in ("lookup_key", "lookup_value"):
        require(getattr(field, name) is None or field.lookup is not None, f"{name} is for a field with lookup")
    require(field.lookup_by != field.name, "lookup_by must name another field")


def _check_parts(field: Field) -> None:
    require(field.split != "", "split must be a text of one character or more")
    require((field.split is None) == (field.part is None), "split and part need each other")
    require(field.part != 0, "part counts from 1, or from -1 at the end")
    require(field.extract is None or field.split is None, "extract and split exclude each other")


def _check_values(field: Field) -> None:
    for name in ("keep", "drop"):
        listed = getattr(field, name)
        require(listed is None or not isinstance(listed, str), f"{name} must be a list of values, not one text")
        object.__setattr__(field, name, None if listed is None else tuple(listed))
    require(not isinstance(field.choices, str), "choices must be a list of values, not one text")
    is_map = field.replace is None or isinstance(field.replace, str | Mapping)
    require(is_map, "replace must be a dict, or the name of a csv file")
    has_words = any(getattr(field, name) is not None for name in _OF_WORDS)
    require(not field.ignore_case or has_words, f"ignore_case is for a field with {', '.join(_OF_WORDS)}")
    require(field.width is None or 1 <= field.width <= 255, "width must be a number from 1 to 255")


def require(holds: bool, message: str) -> None:
    """Raise ValueError unless something holds."""
    if not holds:
        raise ValueError(message)


def compiles(name: str, pattern: Any) -> None:
    """Raise ValueError when an argument is not a regular expression."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{name} is not a regular expression: {error}") from None

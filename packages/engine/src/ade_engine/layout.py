"""Lays the output out: which columns a table gets, in which order, under which headers and sheet name."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.cells import column_letters
from ade_engine.configuration.model import ColumnRules, Configuration
from ade_engine.mapping.table import TableMapping
from ade_engine.records import record


@record
class OutputColumn:
    """A column of the output: a field with the source columns that feed it, or an unmapped source column."""

    title: str
    rules: ColumnRules | None
    sources: tuple[int, ...]


def lay_out(mapping: TableMapping, configuration: Configuration) -> list[OutputColumn]:
    """Return fields in configured order, then the unmapped columns from left to right unless they are dropped."""
    wants_missing = configuration.settings.missing_fields == "empty"
    is_known = any(column.field is not None for column in mapping.columns)
    columns = []
    for rules in configuration.columns:
        sources = tuple(mapping.sources(rules.field.name))
        # A computed field has nothing to be computed from in a table without any field.
        if sources or (rules.is_computed and is_known) or wants_missing:
            columns.append(OutputColumn(rules.field.title, rules, sources))
    if configuration.settings.unmapped == "keep":
        for column in mapping.columns:
            if column.field is None:
                title = column.header or f"Column {column_letters(column.position)}"
                columns.append(OutputColumn(title, None, (column.position,)))
    return _with_unique_titles(columns)


def _with_unique_titles(columns: Sequence[OutputColumn]) -> list[OutputColumn]:
    taken: set[str] = set()
    return [OutputColumn(_unused(column.title, taken), column.rules, column.sources) for column in columns]


def _unused(title: str, taken: set[str]) -> str:
    candidate, number = title, 1
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{title} ({number})"
    taken.add(candidate.casefold())
    return candidate

"""Lays the output out: which columns a table gets, in which order, under which headers and sheet name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ade_engine.companions import companion_names
from ade_engine.configuration.model import ColumnRules, Configuration
from ade_engine.mapping.outcome import TableMapping
from ade_engine.records import record


@record
class OutputColumn:
    """A column of the output: a field with the source columns that feed it, or an unmapped source column.

    `is_companion` tells that a money field of the table, or a hook, may give it values.
    """

    title: str
    rules: ColumnRules | None
    sources: tuple[int, ...]
    is_companion: bool = False

    @property
    def is_written(self) -> bool:
        """Return whether it is in the output: a helper field is not."""
        return self.rules is None or self.rules.field.output

    @property
    def is_filled(self) -> bool:
        """Return whether anything gives it values."""
        return bool(self.sources) or self.is_companion or (self.rules is not None and self.rules.is_computed)


def lay_out(
    mapping: TableMapping, configuration: Configuration, unpivoted: Mapping[str, int] | None = None
) -> list[OutputColumn]:
    """Return fields in configured order, then the unmapped columns from left to right unless they are dropped.

    Columns that a person keeps always are among them; those that the configuration ignores, or that become rows, never.
    `unpivoted` are the stand-ins for columns of fields that get their headers and cells.
    """
    wants_missing = configuration.settings.missing_fields == "empty"
    is_known = bool(unpivoted) or any(column.field is not None for column in mapping.columns)
    is_expanded = is_known and "expand" in configuration.hooks  # which may set any field
    sources = {rules.field.name: tuple(mapping.sources(rules.field.name)) for rules in configuration.columns}
    sources |= {name: (position,) for name, position in (unpivoted or {}).items()}
    companions = companion_names(
        [rules for rules in configuration.columns if sources[rules.field.name] or (rules.is_computed and is_known)]
    )
    columns = []
    for rules in configuration.columns:
        own, is_companion = sources[rules.field.name], rules.field.name in companions
        # A computed field has nothing to be computed from in a table without any field.
        if own or is_companion or (rules.is_computed and is_known) or wants_missing:
            columns.append(OutputColumn(rules.field.title, rules, own, is_companion))
        elif is_expanded:
            columns.append(OutputColumn(rules.field.title, rules, (), True))
    keeps_others = configuration.settings.unmapped == "keep"
    for column in mapping.columns:
        is_other = column.field is None and column.reason not in ("ignored", "unpivoted")
        if is_other and (keeps_others or column.reason == "kept"):  # by a person, whose word wins
            title = (
                column.header
                or f"{'Row' if mapping.axes.are_turned else 'Column'} {mapping.axes.column(column.position)}"
            )
            columns.append(OutputColumn(title, None, (column.position,)))
    return _with_unique_titles(columns)


def _with_unique_titles(columns: Sequence[OutputColumn]) -> list[OutputColumn]:
    taken: dict[str, int] = {}
    return [
        OutputColumn(_unused(column.title, taken), column.rules, column.sources, column.is_companion)
        for column in columns
    ]


def _unused(title: str, taken: dict[str, int]) -> str:
    """Return the title, or one with a number. `taken` has the last number of each: thousands may be equal."""
    folded = title.casefold()
    candidate, number = title, taken.get(folded, 1)
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{title} ({number})"
    taken[folded] = number
    taken.setdefault(candidate.casefold(), 1)
    return candidate

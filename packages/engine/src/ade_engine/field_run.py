"""One field of a table while its rows stream by: what changes its values, and what is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ade_engine.configuration.model import ColumnRules, Context
from ade_engine.layout import OutputColumn
from ade_engine.mapping.outcome import SourceTable
from ade_engine.marks import MarkCheck
from ade_engine.sourcing import first_steps, last_steps
from ade_engine.table_facts import ChunkFacts, TableFacts
from ade_engine.transform import FieldTransform
from ade_engine.unique import UniqueCheck
from ade_engine.validate import FieldValidation


class FieldRun:
    """One field of the output while its table streams by."""

    def __init__(
        self,
        column: OutputColumn,
        rules: ColumnRules,
        *,
        table: SourceTable,
        context: Context,
        chunk: ChunkFacts,
        is_watched: bool,
    ) -> None:
        self.rules = rules
        self.sources = column.sources
        source = next((found for found in table.columns if found.position in column.sources), None)
        given: dict[str, Any] = {"field": rules.field, "table": table, "context": context, "column": source}
        facts = TableFacts(context.document, table.sheet, table.title_rows, table.first_row)
        self.transform = FieldTransform(rules, given, first=first_steps(rules, facts, chunk), last=last_steps(rules))
        self.marks = MarkCheck(rules.field)
        self.validation = FieldValidation(rules, given)
        self.unique = UniqueCheck(is_watched=is_watched) if rules.field.unique else None

    @property
    def name(self) -> str:
        """Return the field's name."""
        return self.rules.field.name


def issue_positions(fields: Sequence[FieldRun], first: int) -> dict[str, int]:
    """Return the column that issues of a field name: its own, that of the field it is made from, or the first."""
    own = {field.name: field.sources[0] for field in fields if field.sources}
    return {field.name: own.get(field.name, own.get(field.rules.field.base or "", first)) for field in fields}

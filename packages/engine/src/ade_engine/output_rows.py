"""What the rows of a table become in the output: which columns are written, how they look, and where a row is from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ade_engine.axes import UPRIGHT, Axes
from ade_engine.cells import Value, column_letters
from ade_engine.chunk import Chunk
from ade_engine.configuration.model import Settings
from ade_engine.layout import OutputColumn
from ade_engine.readers.base import Row
from ade_engine.writers.look import PERCENT_FORMAT, Look


class OutputRows:
    """The columns that are written of a table, and behind them those that say where a row comes from."""

    def __init__(
        self,
        columns: Sequence[OutputColumn],
        settings: Settings,
        *,
        sheet: str | None,
        document: str,
        axes: Axes = UPRIGHT,
    ) -> None:
        self.columns = columns
        self.places = {column.rules.field.name: place for place, column in enumerate(columns) if column.rules}
        self._settings = settings
        self._sheet = sheet
        self._document = document
        self._axes = axes

    @property
    def titles(self) -> list[str]:
        """Return the headers."""
        return [*(column.title for column in self.columns), *(origin.capitalize() for origin in self._settings.origin)]

    @property
    def sources(self) -> list[dict[str, Any]]:
        """Return for each column the field it is, and the columns of the sheet it is from."""
        own = [
            {
                "field": None if column.rules is None else column.rules.field.name,
                "from": [self._axes.column(position) for position in column.sources if position > 0],
            }
            for column in self.columns
        ]
        return [*own, *({"field": None, "from": []} for _ in self._settings.origin)]

    @property
    def origin_places(self) -> range:
        """Return the indexes of the columns that say where a row comes from."""
        return range(len(self.columns), len(self.columns) + len(self._settings.origin))

    @property
    def look(self) -> Look:
        """Return how the columns look."""
        fields = {place: column.rules.field for place, column in enumerate(self.columns) if column.rules is not None}
        percents = {place: PERCENT_FORMAT for place, field in fields.items() if field.type == "percent"}
        return Look(
            formats=percents | {place: field.format for place, field in fields.items() if field.format},
            widths={place: field.width for place, field in fields.items() if field.width},
            has_filter=self._settings.has_filter,
            is_frozen=self._settings.freeze,
            is_excel_table=self._settings.excel_tables,
        )

    def of(self, chunk: Chunk) -> list[tuple[Value, ...]]:
        """Return the rows of a chunk as they are written."""
        empty: Sequence[Value] = [None] * len(chunk.rows)
        columns = [
            chunk.values.get(column.rules.field.name, empty)
            if column.rules is not None
            else chunk.source[column.sources[0]]
            for column in self.columns
        ]
        columns += [self._origins(origin, chunk.rows) for origin in self._settings.origin]
        return list(zip(*columns, strict=True))

    def _origins(self, origin: str, rows: Sequence[Row]) -> Sequence[Value]:
        if origin == "row":
            are_turned = self._axes.are_turned  # then a row of the table is a column of the document
            return [column_letters(row.number) if are_turned else row.number for row in rows]
        return [self._document if origin == "document" else self._sheet] * len(rows)

"""A table before its rows stream by, and what became of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ade_engine.axes import UPRIGHT, Axes
from ade_engine.errors import ConfigurationError
from ade_engine.evidence import Contribution
from ade_engine.fields import Field
from ade_engine.mapping.profile import Column
from ade_engine.records import record
from ade_engine.structure.tables import SideRow


@record
class SourceTable:
    """A table as rules see it before its rows stream by."""

    sheet: str | None
    columns: Sequence[Column]
    header_rows: Sequence[int]
    first_row: int
    title_rows: Sequence[SideRow] = ()
    axes: Axes = UPRIGHT

    @property
    def titles(self) -> list[str]:
        """Return the lines above the table as texts, from top to bottom."""
        return [" ".join(row.texts) for row in self.title_rows]

    @property
    def headers(self) -> list[str]:
        """Return the headers from left to right."""
        return [column.header for column in self.columns]


@record
class Guess:
    """A field that a column could be, how likely it is, and why."""

    field: int
    confidence: float
    contributions: tuple[Contribution, ...]
    is_safe: bool  # false where names or values alone are not enough to map it


@record
class Guesses:
    """What was guessed for the columns of a table: the best assignment, and the likely fields of each column."""

    assigned: Mapping[int, Guess]
    likely: Mapping[int, Sequence[Guess]]


NO_GUESSES = Guesses({}, {})


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The field that came second for a column."""

    field: str
    score: float


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A field that a column could be, how likely it is, and why."""

    field: str
    confidence: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedColumn:
    """What became of a column.

    `reason` says why: best, likely, combined, hook, corrected; no_candidate, below_threshold, unsure, lost, ignored,
    kept.
    `confidence` is the probability that the field is right. `suggestions` are for a person to choose from.
    `learned_from` names the accepted document that was the best evidence.
    """

    position: int
    header: str
    field: str | None
    reason: str
    score: float | None = None
    margin: float | None = None
    contributions: tuple[Contribution, ...] = ()
    runner_up: RunnerUp | None = None
    lost_to: str | None = None
    confidence: float | None = None
    suggestions: tuple[Suggestion, ...] = ()
    learned_from: str | None = None


class TableMapping:
    """The columns of a table with their fields. A hook may change it before rows are read."""

    def __init__(self, columns: Iterable[MappedColumn], fields: Sequence[Field], axes: Axes = UPRIGHT) -> None:
        self.columns = list(columns)
        self.axes = axes
        self._fields = {field.name: field for field in fields}

    def sources(self, field: str) -> list[int]:
        """Return the positions of the columns that feed a field, from left to right."""
        return [column.position for column in self.columns if column.field == field]

    def assign(self, column: int | str, field: str | None, reason: str = "hook") -> None:
        """Map a column, given by position or header, to a field, or to none; a column that held the field loses it."""
        if field is not None and field not in self._fields:
            raise ConfigurationError(f"A hook assigned a column to {field}, which is not a field.")
        place = self._place(column)
        for number, other in enumerate(self.columns):
            if field is not None and other.field == field and number != place:
                self.columns[number] = MappedColumn(
                    position=other.position, header=other.header, field=None, reason=reason
                )
        kept = self.columns[place]
        self.columns[place] = MappedColumn(position=kept.position, header=kept.header, field=field, reason=reason)

    def _place(self, wanted: int | str) -> int:
        for number, column in enumerate(self.columns):
            if wanted in (column.position, column.header):
                return number
        raise ConfigurationError("A hook assigned a column that the table does not have.")

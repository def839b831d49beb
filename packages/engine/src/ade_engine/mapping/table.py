"""Decides which column of a table is which field, and records why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ade_engine.cells import Value, column_letters
from ade_engine.configuration.model import Configuration, Context
from ade_engine.errors import ConfigurationError
from ade_engine.evidence import Contribution
from ade_engine.fields import Field
from ade_engine.mapping.assign import best_assignment
from ade_engine.mapping.header_index import HeaderIndex
from ade_engine.mapping.headers import comparable, numbered
from ade_engine.mapping.profile import Column
from ade_engine.mapping.score import Candidate, score_column
from ade_engine.records import record

_UNITS = 10_000  # scores have four decimals; whole numbers make sums exact and ties real


@record
class SourceTable:
    """A table as rules see it before its rows stream by."""

    sheet: str | None
    columns: Sequence[Column]
    header_rows: Sequence[int]
    first_row: int

    @property
    def headers(self) -> list[str]:
        """Return the headers from left to right."""
        return [column.header for column in self.columns]


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The field that came second for a column."""

    field: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedColumn:
    """What became of a column.

    `reason` says why: best, combined, hook; no_candidate, below_threshold, lost, ignored.
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


class TableMapping:
    """The columns of a table with their fields. A hook may change it before rows are read."""

    def __init__(self, columns: Iterable[MappedColumn], fields: Sequence[Field]) -> None:
        self.columns = list(columns)
        self._fields = {field.name: field for field in fields}

    def sources(self, field: str) -> list[int]:
        """Return the positions of the columns that feed a field, from left to right."""
        return [column.position for column in self.columns if column.field == field]

    def assign(self, column: int | str, field: str | None) -> None:
        """Map a column, given by position or header, to a field, or to none; who held the field lets go of it."""
        if field is not None and field not in self._fields:
            raise ConfigurationError(f"A hook assigned a column to {field}, which is not a field.")
        place = self._place(column)
        for number, other in enumerate(self.columns):
            if field is not None and other.field == field and number != place:
                self.columns[number] = MappedColumn(
                    position=other.position, header=other.header, field=None, reason="hook"
                )
        kept = self.columns[place]
        self.columns[place] = MappedColumn(position=kept.position, header=kept.header, field=field, reason="hook")

    def _place(self, wanted: int | str) -> int:
        for number, column in enumerate(self.columns):
            if wanted in (column.position, column.header):
                return number
        raise ConfigurationError("A hook assigned a column that the table does not have.")


class Mapper:
    """Maps one table after another by the same configuration."""

    def __init__(self, configuration: Configuration, context: Context) -> None:
        self._configuration = configuration
        self._context = context
        self._index = HeaderIndex(configuration.fields)
        self._ignored = {comparable(header) for header in configuration.settings.ignore}

    def map_table(self, table: SourceTable) -> TableMapping:
        """Choose a field, or none, for each column."""
        headers = numbered(table.headers)
        scores = [self._score(column, table, header) for column, header in zip(table.columns, headers, strict=True)]
        chosen = best_assignment(self._gains(scores))
        combined = self._combined(scores, chosen)
        columns = [
            _left_out(column)
            if self._is_ignored(column.header, headers[number])
            else self._explain(table, number, scores, chosen, combined)
            for number, column in enumerate(table.columns)
        ]
        return TableMapping(columns, self._configuration.fields)

    def _score(self, column: Column, table: SourceTable, numbered: str) -> dict[int, Candidate]:
        if self._is_ignored(column.header, numbered):
            return {}
        rules = self._configuration.columns
        return score_column(
            column, columns=rules, index=self._index, table=table, context=self._context, numbered=numbered
        )

    def _is_ignored(self, header: str, numbered: str) -> bool:
        return bool(self._ignored) and not self._ignored.isdisjoint((comparable(header), comparable(numbered)))

    def _threshold(self, field: int) -> float:
        own = self._configuration.fields[field].threshold
        return self._configuration.settings.threshold if own is None else own

    def _gains(self, scores: Sequence[Mapping[int, Candidate]]) -> dict[tuple[int, int], int]:
        """Return what each possible pair gains over leaving the column unmapped.

        Only what lies above the threshold counts: two doubtful pairs must not outweigh one that is certain.
        """
        gains: dict[tuple[int, int], int] = {}
        for number, candidates in enumerate(scores):
            for field, candidate in candidates.items():
                surplus = round((candidate.score - self._threshold(field)) * _UNITS)
                if surplus >= 0:
                    gains[number, field] = surplus + 1
        return gains

    def _combined(self, scores: Sequence[Mapping[int, Candidate]], chosen: Mapping[int, int]) -> dict[int, int]:
        """Return further columns for fields that say they take several."""
        further: dict[int, int] = {}
        for number, candidates in enumerate(scores):
            best = _ranked(candidates)
            if number in chosen or not best:
                continue
            rules = self._configuration.columns[best[0]]
            takes_several = rules.field.combine is not None or rules.combine is not None
            if takes_several and candidates[best[0]].score >= self._threshold(best[0]):
                further[number] = best[0]
        return further

    def _explain(
        self,
        table: SourceTable,
        number: int,
        scores: Sequence[Mapping[int, Candidate]],
        chosen: Mapping[int, int],
        combined: Mapping[int, int],
    ) -> MappedColumn:
        column, candidates = table.columns[number], scores[number]
        ranked = _ranked(candidates)
        field = chosen.get(number, combined.get(number))
        if field is not None:
            reason = "best" if number in chosen else "combined"
            return self._mapped(column, candidates, field, [other for other in ranked if other != field], reason)
        if not ranked or candidates[ranked[0]].score <= 0:
            return MappedColumn(position=column.position, header=column.header, field=None, reason="no_candidate")
        best = candidates[ranked[0]]
        winner = next((other for other, taken in chosen.items() if taken == ranked[0]), None)
        is_lost = best.score >= self._threshold(ranked[0]) and winner is not None
        return MappedColumn(
            position=column.position,
            header=column.header,
            field=None,
            reason="lost" if is_lost else "below_threshold",
            score=best.score,
            margin=None if is_lost else round(best.score - self._threshold(ranked[0]), 4),
            contributions=best.contributions,
            runner_up=RunnerUp(self._name(ranked[0]), best.score),
            lost_to=column_letters(table.columns[winner].position) if is_lost and winner is not None else None,
        )

    def _mapped(
        self, column: Column, candidates: Mapping[int, Candidate], field: int, others: list[int], reason: str
    ) -> MappedColumn:
        score = candidates[field].score
        second = RunnerUp(self._name(others[0]), candidates[others[0]].score) if others else None
        # Without a rival the choice was between this field and none.
        rival = second.score if second else self._threshold(field)
        return MappedColumn(
            position=column.position,
            header=column.header,
            field=self._name(field),
            reason=reason,
            score=score,
            margin=round(score - rival, 4),
            contributions=candidates[field].contributions,
            runner_up=second,
        )

    def _name(self, field: int) -> str:
        return self._configuration.fields[field].name


def _left_out(column: Column) -> MappedColumn:
    return MappedColumn(position=column.position, header=column.header, field=None, reason="ignored")


def _ranked(candidates: Mapping[int, Candidate]) -> list[int]:
    """Return fields from the best score down; the earlier field goes first among equals."""
    return sorted(candidates, key=lambda field: (-candidates[field].score, field))


def column_values(rows: Iterable[Sequence[Value]], position: int) -> list[Value]:
    """Return one column of rows whose trailing empty cells are cut off."""
    return [row[position - 1] if len(row) >= position else None for row in rows]

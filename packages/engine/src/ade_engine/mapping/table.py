"""Decides which column of a table is which field, and records why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ade_engine.cells import Value
from ade_engine.configuration.model import Configuration, Context
from ade_engine.evidence import DIGITS, Contribution, total
from ade_engine.mapping.assign import best_assignment
from ade_engine.mapping.header_index import HeaderIndex
from ade_engine.mapping.headers import comparable, numbered
from ade_engine.mapping.outcome import (
    NO_GUESSES,
    Guess,
    Guesses,
    MappedColumn,
    RunnerUp,
    SourceTable,
    Suggestion,
    TableMapping,
)
from ade_engine.mapping.profile import Column
from ade_engine.mapping.score import Candidate, contradicts, score_column

if TYPE_CHECKING:
    from ade_engine.mapping.guess import Guesser

_GUESSED = ("header.fuzzy", "header.words", "values.")
_NAMED = 0.998  # of columns that a name, a hint or a rule maps, this share is right
_UNITS = 10_000  # scores have four decimals; whole numbers make sums exact and ties real


class Mapper:
    """Maps one table after another by the same configuration."""

    def __init__(self, configuration: Configuration, context: Context) -> None:
        self._configuration = configuration
        self._context = context
        self._index = HeaderIndex(configuration.fields)
        self._ignored = {comparable(header) for header in configuration.settings.ignore}

    @cached_property
    def _guesser(self) -> Guesser:
        from ade_engine.mapping.guess import Guesser  # most documents are like the last one, and nothing is guessed

        return Guesser(self._configuration, self._context.document)

    def map_table(self, table: SourceTable) -> TableMapping:
        """Choose a field, or none, for each column."""
        scores, ignored = self._scores(table)
        chosen = best_assignment(self._gains(scores))
        pairs = self._open_pairs(table, scores, chosen, ignored)
        guesses = self._guesser.guess(pairs, least=self._configuration.settings.suggest) if pairs else NO_GUESSES
        likely = self._likely(guesses, scores)
        taken = {guess.field for guess in likely.values()}
        chosen = {column: field for column, field in chosen.items() if column not in likely and field not in taken}
        origins = self._guesser.learned_from(table.columns, [(n, g.field) for n, g in likely.items()]) if likely else {}
        combined = self._combined(scores, {*chosen, *likely})
        columns = [
            _left_out(column)
            if ignored[number]
            else replace(
                self._guessed(column, scores[number], likely[number], guesses.likely.get(number, ())),
                learned_from=origins.get((number, likely[number].field)),
            )
            if number in likely
            else self._unsure(self._explain(table, number, scores, chosen, combined), number, guesses, taken)
            for number, column in enumerate(table.columns)
        ]
        return TableMapping(columns, self._configuration.fields, table.axes)

    def stated(self, table: SourceTable) -> dict[int, int]:
        """Return the columns that the configuration itself names, and their fields."""
        scores, _ = self._scores(table)
        return _stated_pairs(scores, best_assignment(self._gains(scores)))

    def open_pairs(self, table: SourceTable) -> dict[tuple[int, int], list[int]]:
        """Return what the model is asked about: the features of the pairs that no rule decides."""
        scores, ignored = self._scores(table)
        return self._open_pairs(table, scores, best_assignment(self._gains(scores)), ignored)

    def _scores(self, table: SourceTable) -> tuple[list[dict[int, Candidate]], list[bool]]:
        """Return the evidence for each field, column by column, and which columns are left out."""
        headers = numbered(table.headers)
        ignored = [self._is_ignored(*pair) for pair in zip(table.headers, headers, strict=True)]
        scores = [
            {} if is_ignored else self._score(column, table, header)
            for column, header, is_ignored in zip(table.columns, headers, ignored, strict=True)
        ]
        return scores, ignored

    def _open_pairs(
        self,
        table: SourceTable,
        scores: Sequence[Mapping[int, Candidate]],
        chosen: Mapping[int, int],
        ignored: Sequence[bool],
    ) -> dict[tuple[int, int], list[int]]:
        """Return the features of the pairs of columns and fields that no rule of the configuration decides."""
        if not self._configuration.guesses:
            return {}
        stated = _stated_pairs(scores, chosen)
        left = [number for number, is_out in enumerate(ignored) if not is_out and number not in stated]
        if not left or len(stated) == len(self._configuration.fields):
            return {}
        rows = self._guesser.describe(table.columns, left, stated)
        return {
            (column, field): row
            for (column, field), row in rows.items()
            if _stated(scores[column].get(field)) >= 0
            and not contradicts(table.columns[column], self._configuration.fields[field])
        }

    def _likely(self, guesses: Guesses, scores: Sequence[Mapping[int, Candidate]]) -> dict[int, Guess]:
        """Return the guesses that are certain enough to be mapped; what a rule of the field adds counts too."""
        settings, fields = self._configuration.settings, self._configuration.fields
        return {
            column: guess
            for column, guess in guesses.assigned.items()
            if guess.is_safe
            and round(guess.confidence + _stated(scores[column].get(guess.field)), DIGITS)
            >= max(settings.automatic, fields[guess.field].threshold or 0)
        }

    def _score(self, column: Column, table: SourceTable, numbered: str) -> dict[int, Candidate]:
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

    def _combined(self, scores: Sequence[Mapping[int, Candidate]], taken: Collection[int]) -> dict[int, int]:
        """Return further columns for fields that say they take several."""
        further: dict[int, int] = {}
        for number, candidates in enumerate(scores):
            best = _ranked(candidates)
            if number in taken or not best:
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
            lost_to=table.axes.column(table.columns[winner].position) if is_lost and winner is not None else None,
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
            confidence=_confidence(candidates[field]),
        )

    def _guessed(
        self, column: Column, candidates: Mapping[int, Candidate], guess: Guess, likely: Sequence[Guess]
    ) -> MappedColumn:
        """Return a column that was mapped because the guess is certain enough."""
        others = [other for other in likely if other.field != guess.field]
        added = _rules(candidates.get(guess.field))
        score = total((*guess.contributions, *added))
        second = RunnerUp(self._name(others[0].field), others[0].confidence) if others else None
        rival = second.score if second else self._configuration.settings.automatic
        return MappedColumn(
            position=column.position,
            header=column.header,
            field=self._name(guess.field),
            reason="likely",
            score=score,
            margin=round(score - rival, DIGITS),
            contributions=(*guess.contributions, *added),
            runner_up=second,
            confidence=guess.confidence,
        )

    def _unsure(self, column: MappedColumn, number: int, guesses: Guesses, taken: set[int]) -> MappedColumn:
        """Return an unmapped column with the fields it is likely to be."""
        likely = [guess for guess in guesses.likely.get(number, ()) if guess.field not in taken]
        if column.field is not None or not likely:
            return column
        suggestions = [Suggestion(self._name(g.field), g.confidence, g.contributions) for g in likely]
        first = suggestions[0]
        return MappedColumn(
            position=column.position,
            header=column.header,
            field=None,
            reason="unsure",
            score=first.confidence,
            margin=round(first.confidence - self._configuration.settings.automatic, DIGITS),
            contributions=first.contributions,
            runner_up=RunnerUp(first.field, first.confidence),
            suggestions=tuple(suggestions),
        )

    def _name(self, field: int) -> str:
        return self._configuration.fields[field].name


def _stated_pairs(scores: Sequence[Mapping[int, Candidate]], chosen: Mapping[int, int]) -> dict[int, int]:
    return {column: field for column, field in chosen.items() if _is_stated(scores[column][field])}


def _is_stated(candidate: Candidate) -> bool:
    """Return whether the configuration itself names the column: by a name, a hint or a rule of a field."""
    return any(not found.rule.startswith(_GUESSED) for found in candidate.contributions)


def _rules(candidate: Candidate | None) -> tuple[Contribution, ...]:
    """Return what the rules of a field say about a column."""
    found = candidate.contributions if candidate else ()
    return tuple(contribution for contribution in found if contribution.rule.startswith("col."))


def _stated(candidate: Candidate | None) -> float:
    return total(_rules(candidate))


def _confidence(candidate: Candidate) -> float:
    """Return how often mappings of this kind are right: nearly always where the configuration names the column."""
    return _NAMED if _is_stated(candidate) else round(min(candidate.score, _NAMED), DIGITS)


def _left_out(column: Column) -> MappedColumn:
    return MappedColumn(position=column.position, header=column.header, field=None, reason="ignored")


def _ranked(candidates: Mapping[int, Candidate]) -> list[int]:
    """Return fields from the best score down; the earlier field goes first among equals."""
    return sorted(candidates, key=lambda field: (-candidates[field].score, field))


def column_values(rows: Iterable[Sequence[Value]], position: int) -> list[Value]:
    """Return one column of rows whose trailing empty cells are cut off."""
    return [row[position - 1] if len(row) >= position else None for row in rows]

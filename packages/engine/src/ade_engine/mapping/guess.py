"""Guesses the fields of columns that no rule names: probabilities for all pairs, then one best assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ade_engine.configuration.model import Configuration
from ade_engine.mapping.assign import best_assignment
from ade_engine.mapping.model import NEVER, UNIT, contributions, is_safe, leads, model, probability
from ade_engine.mapping.outcome import Guess, Guesses
from ade_engine.mapping.pairs import FieldSide, Pair, describe, learned_from
from ade_engine.mapping.profile import Column

_FLOOR = -3 * UNIT  # pairs that are less likely are not assigned
_MOST_PAIRS = 5_000  # about half a second; wider tables are mapped by rules alone
_MOST_SUGGESTIONS = 3


def assigned_pairs(raws: Mapping[Pair, int]) -> dict[int, int]:
    """Return the best assignment of columns to fields among pairs that are not unlikely."""
    return best_assignment({pair: raw - _FLOOR for pair, raw in raws.items() if raw > _FLOOR})


class Guesser:
    """Guesses for one table after another by the same configuration."""

    def __init__(self, configuration: Configuration, document: str = "") -> None:
        self._configuration = configuration
        self._document = document

    @cached_property
    def _fields(self) -> FieldSide:
        return FieldSide(self._configuration, self._document)

    def describe(
        self, columns: Sequence[Column], open_columns: Sequence[int], settled: Mapping[int, int]
    ) -> dict[Pair, list[int]]:
        """Return the features of every pair of an open column and a field that no column has; none if too many."""
        taken = set(settled.values())
        rules = self._configuration.columns
        fields = [number for number, rule in enumerate(rules) if number not in taken and not rule.is_computed]
        if not open_columns or not fields or len(open_columns) * len(fields) > _MOST_PAIRS:
            return {}
        return describe(columns, self._fields, open_columns=open_columns, open_fields=fields, settled=settled)

    def learned_from(self, columns: Sequence[Column], pairs: Sequence[Pair]) -> dict[Pair, str]:
        """Return which accepted documents pairs were guessed by, where these were better evidence than the examples."""
        return learned_from(columns, self._fields, pairs) if self._configuration.learned.entries else {}

    def guess(self, rows: Mapping[Pair, Sequence[int]], *, least: float) -> Guesses:
        """Return the best assignment of the pairs, and for each column the fields of at least this confidence."""
        judge = model()
        raws = {pair: judge.raw(row) for pair, row in rows.items()}
        ahead = leads(raws)
        final = {pair: judge.calibrated(rows[pair], raw, ahead[pair]) for pair, raw in raws.items() if raw > NEVER}
        made: dict[Pair, Guess] = {}

        def guess_of(pair: Pair) -> Guess:
            if pair not in made:
                made[pair] = _guess(pair, rows[pair], raws[pair], final[pair])
            return made[pair]

        assigned = {column: guess_of((column, field)) for column, field in assigned_pairs(raws).items()}
        likely: dict[int, list[Guess]] = {}
        for pair in sorted(final, key=lambda pair: (-final[pair], pair)):
            if probability(final[pair]) < least:
                break
            if len(likely.get(pair[0], ())) < _MOST_SUGGESTIONS:
                likely.setdefault(pair[0], []).append(guess_of(pair))
        return Guesses(assigned, likely)


def _guess(pair: Pair, row: Sequence[int], raw: int, final: int) -> Guess:
    judge = model()
    reasons = judge.reasons(row)
    reasons["table.rivals"] += final - raw
    likely = probability(final)
    return Guess(pair[1], likely, contributions(judge.start, reasons), is_safe(row, likely))

"""Fills companions: the fields that get the currencies of money fields.

A companion with a column of its own keeps what the column says; amounts fill its empty cells only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ade_engine.cells import Value
from ade_engine.configuration.model import ColumnRules
from ade_engine.currencies import CODES, SYMBOLS, agreed
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.transform import Transformed

_TWO_IN_A_ROW = Finding(
    "money.currency", "error", "is in another currency than another amount of its row, and both name one currency field"
)
_COLUMN_DIFFERS = Finding("money.currency", "error", "is not the currency that the amount of its row is written with")


def companion_names(columns: Iterable[ColumnRules]) -> frozenset[str]:
    """Return the fields that money fields name as theirs."""
    return frozenset(rules.field.currency for rules in columns if rules.field.currency is not None)


class Currencies:
    """The currencies found in one chunk of rows, by companion and place. Money fields come before companions."""

    def __init__(self) -> None:
        self._found: dict[str, dict[int, str]] = {}

    def of(self, companion: str) -> Mapping[int, str]:
        """Return the currencies that amounts gave a field, by place."""
        return self._found.get(companion, {})

    def add(self, field: Field, result: Transformed) -> Iterator[tuple[int, Finding]]:
        """Take in the clean values of a field; yield where its currency contradicts another of the row."""
        if field.currency is not None:
            yield from self._amounts(field.currency, result.marks)
        elif known := self._found.get(field.name):
            yield from self._differing(known, result.values)

    def _amounts(self, companion: str, marks: Mapping[int, str]) -> Iterator[tuple[int, Finding]]:
        known = self._found.setdefault(companion, {})
        for place, currency in sorted(marks.items()):
            both = agreed(known.get(place, currency), currency)
            known[place] = both or known[place]
            if both is None:
                yield place, _TWO_IN_A_ROW

    @staticmethod
    def _differing(known: Mapping[int, str], values: Sequence[Value]) -> Iterator[tuple[int, Finding]]:
        for place, currency in known.items():
            own = _currency(values[place])
            if own is not None and agreed(own, currency) is None:
                yield place, _COLUMN_DIFFERS


def _currency(value: Value) -> str | None:
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text in SYMBOLS:
        return text
    return text.upper() if text.upper() in CODES else None

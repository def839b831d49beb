"""Keeps what conversion takes off a value: the currency of an amount, the sign of a percentage.

A number without its mark can be wrong: amounts in two currencies do not add up, and 19 without a percent sign may stand
for 19 % or for 1900 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ade_engine.cells import Value
from ade_engine.currencies import agreed
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.notation import written

_OTHER_CURRENCY = Finding(
    "money.currency",
    "error",
    "is in another currency than amounts above it; name a field that gets the currency: currency=...",
)
_NO_SIGN = Finding(
    "percent.scale",
    "warning",
    "is a number beyond 1 without a percent sign, so it is read as more than 100 %; set maximum or minimum to allow it",
)
MARKED_TYPES = ("money", "percent")
MarksByPlace = Mapping[int, str]


@lru_cache(maxsize=16_384)
def mark_of(text: str) -> str | None:
    """Return the currency or "%" that a number is written with."""
    number = written(text)
    if number is None:
        return None
    return "%" if number.has_percent else number.currency


def marks_in(values: Sequence[Value]) -> dict[int, str]:
    """Return the marks of a column by place."""
    return {
        place: mark for place, value in enumerate(values) if type(value) is str and (mark := mark_of(value)) is not None
    }


class MarkCheck:
    """Looks for numbers of one field of one table whose mark is missing or does not fit."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._currency: str | None = None

    def findings(self, values: Sequence[Value], marks: MarksByPlace) -> Iterator[tuple[int, Finding]]:
        """Yield what is wrong with a chunk, by place."""
        if self._field.type == "percent":
            yield from ((place, _NO_SIGN) for place, value in enumerate(values) if self._is_unsure(value, place, marks))
        elif marks and self._field.currency is None:
            yield from ((place, _OTHER_CURRENCY) for place in sorted(marks) if not self._fits(marks[place]))

    def _is_unsure(self, value: Value, place: int, marks: MarksByPlace) -> bool:
        if type(value) not in (int, float) or -1 <= value <= 1 or place in marks:  # type: ignore[operator]
            return False
        return (self._field.maximum if value > 1 else self._field.minimum) is None  # type: ignore[operator]

    def _fits(self, currency: str) -> bool:
        both = agreed(self._currency or currency, currency)
        self._currency = both or self._currency
        return both is not None

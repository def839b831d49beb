"""How a table of the output looks, where its format has looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ade_engine.records import record

PERCENT_FORMAT = "0.00%"
NO_TEMPLATE: Mapping[str, dict[str, Any]] = {}  # what writers that fill none say of their tables


@record(kw_only=True)
class Look:
    """Number formats and widths by index of the column; whether there is a filter and a frozen header."""

    formats: Mapping[int, str] = field(default_factory=dict)
    widths: Mapping[int, int] = field(default_factory=dict)
    has_filter: bool = False
    is_frozen: bool = True
    is_excel_table: bool = False

    def moved(self, order: Sequence[int]) -> Look:
        """Return the look of the same columns in other places; one that has no place is left out."""
        count = len(order)
        return Look(
            formats={order[place]: form for place, form in self.formats.items() if place < count and order[place] >= 0},
            widths={order[place]: width for place, width in self.widths.items() if place < count and order[place] >= 0},
            has_filter=self.has_filter,
            is_frozen=self.is_frozen,
            is_excel_table=self.is_excel_table,
        )

    def joined(self, other: Look) -> Look:
        """Return this look with what another says of further columns."""
        return Look(
            formats={**other.formats, **self.formats},
            widths={**other.widths, **self.widths},
            has_filter=other.has_filter,
            is_frozen=other.is_frozen,
            is_excel_table=other.is_excel_table,
        )


PLAIN = Look()

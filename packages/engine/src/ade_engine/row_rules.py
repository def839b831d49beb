"""Applies the row rules of a configuration when the structure of a sheet is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ade_engine.cells import Value
from ade_engine.configuration.model import Configuration, Context
from ade_engine.evidence import Contribution
from ade_engine.headings import heading_test, is_heading_below, label_test
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.rules import evidence
from ade_engine.structure import RowContext

Evidence = Callable[[RowContext], Mapping[str, Sequence[Contribution]]]
_DECIDED = 50.0  # a person outweighs everything
_MOST = 10.0  # one rule may outweigh all built-in evidence, but not by so much that a score loses its meaning


@record
class RowView:
    """A row as rules see it: `values` from column A on, and the rows next to it."""

    number: int
    values: Sequence[Value]
    above: Sequence[Value]
    below: Sequence[Value]
    blank_rows_above: int

    @property
    def filled(self) -> list[Value]:
        """Return the values that are not empty."""
        return [value for value in self.values if not is_empty(value)]

    @property
    def texts(self) -> list[str]:
        """Return the values as trimmed texts, empty ones as ""."""
        return ["" if value is None else str(value).strip() for value in self.values]

    @property
    def first(self) -> str:
        """Return the text of the first cell that is not empty."""
        return next((text for text in self.texts if text), "")


def row_evidence(configuration: Configuration, context: Context, corrected: Mapping[int, str]) -> Evidence | None:
    """Return what the structure pass asks about each row, or None when no rule or setting says what rows are.

    `corrected` says what people decided that rows are, by number.
    """
    rules, is_heading, has_labels = configuration.row_rules, heading_test(configuration), label_test(configuration)
    are_headings_bare = configuration.settings.headings == "without_values"
    if not (rules or corrected or is_heading or has_labels or are_headings_bare):
        return None

    def asked(found: RowContext) -> Mapping[str, Sequence[Contribution]]:
        view = RowView(
            found.row.number, found.row.values, _values(found.above), _values(found.below), found.blank_rows_above
        )
        by_label: dict[str, list[Contribution]] = {}
        for rule in rules:
            delta = evidence(rule.function, _MOST, row=view, sheet=found.sheet, context=context)
            if delta:
                by_label.setdefault(rule.label, []).append(Contribution(rule.function.rule, delta))
        if is_heading is not None and is_heading(found.row.values):
            by_label.setdefault("group", []).append(Contribution("from_group", _MOST))
        if has_labels is not None and has_labels(view.values):
            by_label.setdefault("header", []).append(Contribution("from_label", -_MOST))
        if are_headings_bare and is_heading_below(view.values, view.above, view.below):
            by_label.setdefault("header", []).append(Contribution("rows.headings", -_MOST))
        if (label := corrected.get(found.row.number)) is not None:
            by_label = {label: [Contribution("correction", _DECIDED)]}
        return by_label

    return asked


def _values(row: Row | None) -> Sequence[Value]:
    return () if row is None else row.values

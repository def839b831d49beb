"""Scores one column against one field, as a sum of named contributions."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.configuration.model import ColumnRules, Context
from ade_engine.evidence import DIGITS, Contribution, total
from ade_engine.fields import Field
from ade_engine.mapping.header_index import HeaderIndex
from ade_engine.mapping.kinds import KINDS
from ade_engine.mapping.profile import Column
from ade_engine.records import record
from ade_engine.rules import evidence

_AGREES, _DISAGREES, _OF_TYPE = 0.6, 0.3, 0.4


@record
class Candidate:
    """The evidence for a column being a field."""

    contributions: tuple[Contribution, ...]
    score: float


def score_column(
    column: Column,
    *,
    columns: Sequence[ColumnRules],
    index: HeaderIndex,
    table: object,
    context: Context,
    numbered: str = "",
) -> dict[int, Candidate]:
    """Return the fields there is evidence for or against, by their number."""
    headers = index.contributions(column.header, column.lowest_header, numbered)
    candidates: dict[int, Candidate] = {}
    for number, rules in enumerate(columns):
        header = headers.get(number)
        found = [] if header is None else [header]
        value = value_contribution(column, rules.field, header)
        found += [] if value is None else [value]
        found += rule_contributions(rules, column, table, context)
        if found:
            candidates[number] = Candidate(tuple(found), total(found))
    return candidates


def value_contribution(column: Column, target: Field, header: Contribution | None) -> Contribution | None:
    """Return what the values say. Only telling kinds are evidence for a column whose header says nothing."""
    kind_name = target.value_kind
    if kind_name is None or not column.values:
        return None
    kind = KINDS[kind_name]
    if header is None and not kind.is_telling:
        return None
    share = column.share_of_kind(kind_name)
    if share >= _AGREES:
        is_unrelated = header is None and column.header.strip()
        weight = kind.support / 2 if is_unrelated else kind.support
        return Contribution(f"values.{kind_name}", round(weight * share, DIGITS))
    if share < _DISAGREES and header is not None:
        # A type says what values should be, a kind what they look like: wrong ones are to be reported, not disowned.
        weight = kind.contradiction if target.kind else kind.contradiction * _OF_TYPE
        return Contribution(f"values.{kind_name}", round(-weight * (1 - share), DIGITS))
    return None


def contradicts(column: Column, target: Field) -> bool:
    """Return whether values are of another kind than the one that the field names."""
    if target.kind is None or not column.values:
        return False
    return column.share_of_kind(target.kind) < _DISAGREES


def rule_contributions(rules: ColumnRules, column: Column, table: object, context: Context) -> list[Contribution]:
    """Return what the configuration's own detect_ functions say."""
    given = {"column": column, "table": table, "field": rules.field, "context": context}
    deltas = [(function.rule, evidence(function, 1.0, **given)) for function in rules.detectors]
    return [Contribution(rule, delta) for rule, delta in deltas if delta]

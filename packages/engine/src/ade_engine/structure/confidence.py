"""How likely a table and its header are exactly right: named signs of doubt with learned weights, as a probability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ade_engine.structure.assemble import Draft
from ade_engine.structure.judge import Judgement
from ade_engine.structure.kinds import EMPTY
from ade_engine.structure.learned import HEADER_CONFIDENCE, TABLE_CONFIDENCE

_LEADS = (0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 9.0)
_SIZES = (3, 8, 30)
_WIDTHS = (2, 5, 12)
_LIMIT = 50
_MANY_OPTIONS = 5
# One value for each tenth of a score, so that no platform rounds another way.
_PROBABILITIES = tuple(round(1 / (1 + math.exp(-tenth / 10)), 2) for tenth in range(-_LIMIT, _LIMIT + 1))


def doubts_of(judged: Judgement, draft: Draft, *, lead: float, span: tuple[int, int]) -> tuple[str, ...]:
    """Return what can be said for or against a table being right; `lead` is that of its header over the next choice."""
    lines, tables, options = judged.block.lines, len(judged.drafts), len(judged.options)
    inside = [lines[i] for i in draft.data + draft.groups + draft.totals if i > draft.first]
    gaps = sum(line.gap > 0 for line in inside)
    found = [
        f"lead_{_step(lead, _LEADS)}",
        f"header_rows_{min(len(draft.headers), 4)}",
        f"rows_{_step(len(draft.data), _SIZES)}",
        f"columns_{_step(span[1] - span[0] + 1, _WIDTHS)}",
        "no_gaps" if not gaps else "few_gaps" if gaps < 3 else "many_gaps",
        "only_table" if tables == 1 else "two_tables" if tables == 2 else "many_tables",
        "styled" if lines[draft.first].styles is not None else "no_styles",
    ]
    if lines[draft.first].styles is not None:
        found.append("no_option" if options == 1 else "few_options" if options < _MANY_OPTIONS else "many_options")
    found += ["chosen_by_tables"] if judged.reasons else []
    found += ["groups"] if draft.groups else []
    found += ["totals"] if draft.totals else []
    found += ["notes"] if draft.notes else []
    found += ["titles"] if draft.titles else []
    headed = {c for i in draft.headers for c, kind in enumerate(lines[i].kinds) if kind != EMPTY}
    bare = sum(c not in headed for c in range(span[0], span[1] + 1))
    found.append("all_headed" if not bare else "one_unheaded" if bare == 1 else "many_unheaded")
    return tuple(found)


def _step(value: float, limits: Sequence[float]) -> int:
    return sum(value >= limit for limit in limits)


def table_confidence(doubts: Sequence[str]) -> float:
    """Return the probability that all edges of a table are right."""
    return probability(doubts, TABLE_CONFIDENCE)


def header_confidence(doubts: Sequence[str]) -> float:
    """Return the probability that the header rows are right."""
    return probability(doubts, HEADER_CONFIDENCE)


def probability(doubts: Sequence[str], weights: Mapping[str, int]) -> float:
    """Return the probability that doubts leave."""
    score = weights.get("base", 0) + sum(weights.get(doubt, 0) for doubt in doubts)
    return _PROBABILITIES[max(-_LIMIT, min(score // 10, _LIMIT)) + _LIMIT]

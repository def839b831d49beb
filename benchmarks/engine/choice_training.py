"""Learns the weights that choose among labellings, from labellings by chains that were not trained on their sheets.

What is minimised is the expected loss: how much worse the tables of a labelling are than the best on offer, times how
likely the weights choose it. Weights are drawn towards nothing, and that of the chain's own opinion towards 1.

Published ranges follow other conventions than those that were verified. So their offers have weights of their own
besides the shared ones, and only the latter are kept: what is true of published ranges alone is not taken for a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from labelled import Labelled, number
from minimise import minimise
from table_scores import line_counts, table_counts

from ade_engine.cells import Range
from ade_engine.structure.assemble import Draft, column_span
from ade_engine.structure.find import _regions
from ade_engine.structure.found import WINDOW, header_rows
from ade_engine.structure.grid import Block, GridRow, Merges, cut, grid_row
from ade_engine.structure.judge import Judgement, judge
from ade_engine.structure.regions import Region

PULL, OPINION_PULL, OWN_PULL = 0.25, 3.0, 1.0
STEPS = 60
LEAST_SEEN = 8
DRAWS, DRAWN = 8, 60  # trainings, and of how many families in a hundred
OPINION = "behind"
_EQUAL = 1e-6
_SHARES = {"fuste": 2.0, "saus": 4.0, "troy": 2.0}


@dataclass
class Drafted:
    """A table as far as it is compared with a true one."""

    range: Range
    first_row: int
    last_row: int
    header_rows: list[int]
    title_rows: list[int]
    repeated_header_rows: list[int]
    totals_rows: list[int]
    note_rows: list[int]
    group_rows: list[int]


@dataclass(frozen=True)
class Offer:
    """The labellings of a block: their signs, by how much they are behind, and how good the sheet's tables are then."""

    families: tuple[str, ...]
    weight: float
    is_published: bool
    signs: list[Mapping[str, int]]
    behind: list[float]
    worth: list[float]


def offers_of(sheet: Labelled) -> list[Offer]:
    """Return the labellings of each block of a sheet that has several, with the weights in use."""
    rows = sheet.sheet.table
    if len(rows) > WINDOW:
        return []
    merges = Merges(sheet.sheet.merged)
    grid = [line for row in rows if (line := grid_row(row, merges))]
    blocks = [_block(sheet, grid, region) for region in _regions(grid, None, sheet.sheet.styles)]
    judged = [judge(block, sheet=None, offers_all=True) for block in blocks]
    tables = [[drafted(found, draft) for draft in found.drafts] for found in judged]
    offers = []
    for n, found in enumerate(judged):
        if len(found.options) < 2:
            continue
        worth = []
        for option in found.options:
            own = [drafted(found, draft) for draft in option.drafts]
            worth.append(_worth(sheet, [table for m, part in enumerate(tables) for table in (own if m == n else part)]))
        signs = [option.signs for option in found.options]
        share = _SHARES.get(sheet.corpus, sheet.weight)
        behind = [option.behind for option in found.options]
        offers.append(Offer(sheet.families, share, not sheet.is_verified, signs, behind, worth))
    return offers


def _block(sheet: Labelled, grid: Sequence[GridRow], region: Region) -> Block:
    inside = grid[region.first : region.last + 1]
    last = region.last_column if region.last_column >= 0 else max(row.mask.bit_length() for row in inside) - 1
    return cut(inside, sheet=sheet.sheet, first_column=region.first_column, last_column=last)


def drafted(judged: Judgement, draft: Draft) -> Drafted:
    """Return where the table of a draft is."""
    block = judged.block
    first, last = column_span(draft, block.lines, block.columns)
    rows = [line.number for line in block.lines]
    first_row, last_row = rows[draft.first], rows[max(draft.data or draft.headers)]
    parts = (draft.titles, draft.repeats, draft.totals, draft.notes, draft.groups)
    return Drafted(
        Range(first_row, block.columns[first] + 1, last_row, block.columns[last] + 1),
        first_row,
        last_row,
        header_rows(judged.block, draft),
        *([rows[i] for i in part] for part in parts),
    )


def _worth(sheet: Labelled, tables: Sequence[Drafted]) -> float:
    """Return how good tables are: exact edges count as much as near ones, and tables that are none cost."""
    if sheet.lines is not None:
        counts = line_counts(sheet, tables)
        return 6 * counts["right lines"] / max(counts["lines"], 1) + 1.5 * counts["last header"]
    counts = table_counts(sheet, tables)
    return counts["EoB-0"] + counts["EoB-2"] + 0.5 * counts["header"] + 0.25 * counts["IoU .5"] - 0.7 * counts["found"]


def train(offers: Sequence[Offer]) -> dict[str, int]:
    """Return the weights of the signs of tables, in hundredths: the mean of those learned from parts of the families.

    Labellings that matter are few, and one training learns too much from single workbooks.
    """
    offers = [offer for offer in offers if max(offer.worth) - min(offer.worth) > _EQUAL]
    total: Counter[str] = Counter()
    for draw in range(DRAWS):
        drawn = [offer for offer in offers if number(f"{offer.families[0]} {draw}") % 100 < DRAWN]
        for name, weight in _trained(drawn).items():
            total[name] += weight / DRAWS  # type: ignore[assignment]
    whole = {name: round(100 * weight) for name, weight in sorted(total.items())}
    return {name: weight for name, weight in whole.items() if weight}


def _trained(offers: Sequence[Offer]) -> dict[str, float]:
    names = _names(offers)
    starts = np.cumsum([0, *(len(offer.worth) for offer in offers)])[:-1]
    group = np.repeat(np.arange(len(offers)), [len(offer.worth) for offer in offers])
    rows = [
        [*(signs.get(name, 0) for name in names), -behind]
        for offer in offers
        for signs, behind in zip(offer.signs, offer.behind, strict=True)
    ]
    table, worth = np.array(rows, dtype=float), np.concatenate([offer.worth for offer in offers])
    regret = np.maximum.reduceat(worth, starts)[group] - worth
    sizes = Counter(offer.families for offer in offers)
    shares = np.array([offer.weight / sizes[offer.families] ** 0.5 for offer in offers])[group]
    count = len(names) + 1
    rest, pull = np.zeros(2 * count), np.repeat([PULL, OWN_PULL], count)
    rest[count - 1], pull[count - 1] = 1.0, OPINION_PULL
    is_published = np.array([offer.is_published for offer in offers])[group]
    table = np.concatenate([table, table * is_published[:, None]], axis=1)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = table @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, starts)[group])
        chance = odds / np.add.reduceat(odds, starts)[group]
        expected = np.add.reduceat(chance * regret, starts)[group]
        away = weights - rest
        value = float((shares * chance * regret).sum() + (pull * away**2).sum())
        return value, table.T @ (shares * chance * (regret - expected)) + 2 * pull * away

    weights = minimise(loss, rest.copy(), steps=STEPS)
    return {name: float(weight) for name, weight in zip([*names, OPINION], weights[:count], strict=True)}


def _names(offers: Sequence[Offer]) -> list[str]:
    """Return the signs that tell labellings of enough blocks apart."""
    telling: Counter[str] = Counter()
    for offer in offers:
        for name in {name for signs in offer.signs for name in signs}:
            telling[name] += len({signs.get(name, 0) for signs in offer.signs}) > 1
    return sorted(name for name, count in telling.items() if count >= LEAST_SEEN)

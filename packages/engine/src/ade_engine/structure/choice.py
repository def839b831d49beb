"""Chooses among the best labellings of a block by the tables they make.

The chain sees a few lines at a time. Whether two tables are one, or a header has one more row, is also told by what
comes out: so the labellings that are nearly as good as the best are assembled, and learned weights judge their tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from ade_engine.evidence import Contribution
from ade_engine.records import record
from ade_engine.structure.assemble import Draft
from ade_engine.structure.learned import CHOICE

LEAD = 6.0  # labellings that are worse by more are no choice
MOST = 8
TRIED = 24


@record(frozen=False)
class Labelling:
    """A labelling of a block, by how much the chain likes it less than the best, and the tables it makes."""

    behind: float
    labels: list[str]
    drafts: list[Draft]
    signs: Mapping[str, int] = field(default_factory=dict)  # of its tables; none where there is no other labelling


def choose(found: Sequence[Labelling]) -> tuple[Labelling, list[Contribution]]:
    """Return the best of some labellings, the first of which the chain likes best, and why it is not the first."""
    worth = [worth_of(labelling) for labelling in found]
    best = max(range(len(found)), key=lambda n: (worth[n], -n))
    return found[best], _reasons(found[0], found[best]) if best else []


def worth_of(labelling: Labelling) -> float:
    """Return what the tables of a labelling earn, less what the chain has against it."""
    signs = sum(CHOICE.get(name, 0) * count for name, count in labelling.signs.items())
    return signs / 100 - labelling.behind * CHOICE.get("behind", 100) / 100


def _reasons(first: Labelling, chosen: Labelling) -> list[Contribution]:
    """Return the signs that the chosen labelling has more or less often than the first, in the chain's measure."""
    names = sorted({*first.signs, *chosen.signs} & CHOICE.keys())
    more = {name: chosen.signs.get(name, 0) - first.signs.get(name, 0) for name in names}
    scale = CHOICE["behind"]
    return [
        Contribution(f"header.table_{name}", round(count * CHOICE[name] / scale, 4))
        for name, count in more.items()
        if count
    ]

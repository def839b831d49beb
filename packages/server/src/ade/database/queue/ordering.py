"""The order of the queue: reading it, and the few ways to change it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.paging import below
from ade.database.queue.kinds import RUN, RunRow, change
from ade.database.queue.runs import FULL, IN_ORDER, QUEUED, FullRun, r
from ade.database.schema import runs
from ade.database.transaction import Transaction
from ade.domain.order import ORDER, one_level_up
from ade.domain.run import Block


def before(place: Sequence[Any]) -> sa.ColumnElement[bool]:
    """Return the condition of standing before a place in the order."""
    return below(IN_ORDER, place)


_PLACE = [sa.bindparam(name, type_=column.type) for name, column in zip(ORDER, IN_ORDER, strict=True)]
# The first comparison again on its own: it is what lets every database start at the right place of the index.
_COUNT_BEFORE = sa.select(sa.func.count()).select_from(runs).where(QUEUED, IN_ORDER[0] <= _PLACE[0], before(_PLACE))


def count_before(tx: Transaction, place: Sequence[int]) -> int:
    """Count the queued runs before a place."""
    return int(tx.execute(_COUNT_BEFORE, dict(zip(ORDER, place, strict=True))).scalar_one())


_RANKED = sa.select(r.id, sa.func.row_number().over(order_by=IN_ORDER).label("position")).where(QUEUED).subquery()
MOST_RANKED = 1000  # in one statement: a parameter each


def positions(tx: Transaction, run_ids: Sequence[str]) -> dict[str, int]:
    """Return the position of each run that is queued, from one pass over the queue for up to a thousand of them."""
    found: dict[str, int] = {}
    for start in range(0, len(run_ids), MOST_RANKED):
        asked = sa.select(_RANKED.c.id, _RANKED.c.position).where(
            _RANKED.c.id.in_(run_ids[start : start + MOST_RANKED])
        )
        found |= {row.id: row.position for row in tx.execute(asked)}
    return found


def page(tx: Transaction, *, after: Sequence[int] | None, limit: int, skip: int = 0) -> Sequence[FullRun]:
    """Return queued runs in claim order, behind a place, or behind a number of runs."""
    chosen = FULL.select(QUEUED).order_by(*IN_ORDER).limit(limit)
    if skip:
        chosen = chosen.offset(skip)
    if after is not None:
        chosen = chosen.where(IN_ORDER[0] >= after[0], sa.not_(before(after)), r.sequence != after[-1])
    return FULL.all(tx, chosen)


def set_priority(tx: Transaction, run_ids: Sequence[str], priority: int, *, ages_at: datetime) -> list[RunRow]:
    """Give queued runs another priority; ageing starts again. Returns those that were still queued.

    A pause of the old priority no longer covers them, and lifting it would not find them: the next claim looks again.
    """
    return change(
        tx,
        RUN,
        QUEUED,
        r.id.in_(run_ids),
        event="run.priority_changed",
        data={"priority": priority},
        priority=priority,
        effective_priority=priority,
        ages_at=ages_at,
        block_mask=r.block_mask.bitwise_and(~int(Block.PAUSED)),
    )


def age(tx: Transaction, *, next_at: datetime, most: int) -> list[tuple[RunRow, int]]:
    """Move the runs up one level that waited long enough; return each with the level it had."""
    due = sa.select(r.id, r.effective_priority).where(QUEUED, r.ages_at.is_not(None), r.ages_at <= tx.now)
    found = tx.execute(due.order_by(r.ages_at, r.sequence).limit(most)).all()
    levels: dict[int, list[str]] = {}
    for row in found:
        levels.setdefault(row.effective_priority, []).append(row.id)
    aged: list[tuple[RunRow, int]] = []
    for level, run_ids in sorted(levels.items()):
        aged.extend((run, level) for run in _age_level(tx, run_ids, level, next_at=next_at))
    return aged


def _age_level(tx: Transaction, run_ids: list[str], level: int, *, next_at: datetime) -> list[RunRow]:
    higher = one_level_up(level)
    if higher == level:  # at the top: it ages no more
        tx.execute(sa.update(runs).where(r.id.in_(run_ids), QUEUED).values(ages_at=None))
        return []
    return change(
        tx,
        RUN,
        QUEUED,
        r.id.in_(run_ids),
        event="run.aged",
        data={"from": level, "to": higher},
        effective_priority=higher,
        ages_at=next_at,
    )


def neighbours(tx: Transaction, place: Sequence[int], *, count: int, is_before: bool) -> Sequence[FullRun]:
    """Return the queued runs of the same level nearest to a place, nearest first; the run at the place not counted."""
    same_level = r.effective_priority == place[0]
    condition = before(place) if is_before else sa.and_(sa.not_(before(place)), r.sequence != place[-1])
    order = [column.desc() for column in IN_ORDER] if is_before else list(IN_ORDER)
    return FULL.all(tx, FULL.select(QUEUED, same_level, condition).order_by(*order).limit(count))


def set_keys(tx: Transaction, keys: Sequence[tuple[str, int]]) -> None:
    """Give runs new order keys."""
    if not keys:
        return
    statement = sa.update(runs).where(r.id == sa.bindparam("run_id"), QUEUED).values(order_key=sa.bindparam("new_key"))
    tx.execute(statement, [{"run_id": run_id, "new_key": key} for run_id, key in keys])


def place(tx: Transaction, run_id: str, order_key: int) -> list[RunRow]:
    """Put a queued run at a place a person chose."""
    return change(tx, RUN, QUEUED, r.id == run_id, event="run.moved", order_key=order_key, placed_at=tx.now)

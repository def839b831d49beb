"""People change the order: another priority, or another place. Every change is audited."""

from datetime import timedelta

from ade.database.queue import builds, control, ordering, plans, runs, waiting
from ade.database.queue.control import lock_dispatch
from ade.database.queue.kinds import RunRow
from ade.database.queue.runs import FullRun
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.order import UNITS_PER_MICROSECOND, keys_between, order_key_at, place_of
from ade.domain.priority import HIGHEST, LOWEST
from ade.domain.queue import QueueRules
from ade.domain.run import RunStatus
from ade.errors import Invalid, NotFound, OrderChanged, RunNotQueued
from ade.operations.queue.runs import audit_change

# How far from its neighbour a run goes when it is put first of its level.
STRIDE = int(timedelta(seconds=1) / timedelta(microseconds=1)) * UNITS_PER_MICROSECOND


def change_priority(
    tx: Transaction, run_id: str, priority: int, *, rules: QueueRules, actor: Actor, reason: str | None = None
) -> RunRow:
    """Give a queued run another priority."""
    lock_dispatch(tx)
    return _reprioritise(tx, _queued(tx, run_id), _checked(priority), rules=rules, actor=actor, reason=reason)


def change_plan_priority(
    tx: Transaction, plan_id: str, priority: int, *, rules: QueueRules, actor: Actor, reason: str | None = None
) -> list[RunRow]:
    """Give a plan and all its waiting phases another priority."""
    lock_dispatch(tx)
    if plans.get(tx, plan_id) is None:
        raise NotFound(f"There is no plan {plan_id}.")
    plans.set_priority(tx, plan_id, _checked(priority))
    waiting_phases = [run for run in plans.phases(tx, [plan_id]) if run.status == RunStatus.QUEUED]
    return [_reprioritise(tx, run, priority, rules=rules, actor=actor, reason=reason) for run in waiting_phases]


def _reprioritise(
    tx: Transaction, run: FullRun, priority: int, *, rules: QueueRules, actor: Actor, reason: str | None
) -> RunRow:
    changed = ordering.set_priority(tx, [run.id], priority, ages_at=tx.now + rules.age_after)[0]
    audit_change(tx, actor, run, action="run.priority", changes={"priority": [run.priority, priority]}, reason=reason)
    builds.hurry(tx, run.build_id, effective_priority=priority)
    waiting.unpark_document(tx, run.input_document_id)
    control.bump_order(tx)
    wake_workers(tx)
    return changed


def move_run(
    tx: Transaction,
    run_id: str,
    *,
    actor: Actor,
    before: str | None = None,
    after: str | None = None,
    seen_version: int | None = None,
) -> int:
    """Put a queued run just before or after another one of the same level; return the version of the new order.

    `seen_version` is the order the person looked at: when it changed since, nothing is moved.
    """
    dispatch = lock_dispatch(tx)
    if seen_version is not None and seen_version != dispatch.order_version:
        raise OrderChanged("Another person changed the order. Load it again, then move the run.")
    run, other = _queued(tx, run_id), _queued(tx, _one_of(before, after))
    if run.id == other.id:
        raise Invalid("A run cannot be moved before or after itself.")
    if run.effective_priority != other.effective_priority:
        raise Invalid("The two runs have different priorities. Change the priority first, then move it.")
    ordering.place(tx, run.id, _key_beside(tx, run, other, is_before=before is not None))
    changes = {"place": [run.order_key, "before" if before else "after", other.id]}
    audit_change(tx, actor, run, action="run.move", changes=changes)
    waiting.unpark_document(tx, run.input_document_id)
    version = control.bump_order(tx)
    wake_workers(tx)
    return version


def _one_of(before: str | None, after: str | None) -> str:
    if (before is None) == (after is None):
        raise Invalid("Give before or after, but not both.")
    return before or after or ""


def _key_beside(tx: Transaction, run: FullRun, other: FullRun, *, is_before: bool) -> int:
    """Return a key between the other run and its neighbour; spread out the runs around when the gap is used up."""
    window = 0
    while True:
        lower, upper = _around(tx, run, other, is_before=is_before, count=window + 1)
        inner = [*reversed(lower[:window]), run, *upper[:window]]
        keys = keys_between(_lower_bound(lower, upper, window), _upper_bound(tx, upper, window), len(inner))
        if keys:
            new_keys = {row.id: key for row, key in zip(inner, keys, strict=True)}
            own_key = new_keys.pop(run.id)
            ordering.set_keys(tx, list(new_keys.items()))
            return own_key
        window = max(8, window * 4)


def _around(
    tx: Transaction, run: FullRun, other: FullRun, *, is_before: bool, count: int
) -> tuple[list[FullRun], list[FullRun]]:
    """Return the runs below and above the gap, nearest first, without the one that moves."""
    place = place_of(other)
    beside = ordering.neighbours(tx, place, count=count + 1, is_before=is_before)
    beyond = [other, *ordering.neighbours(tx, place, count=count, is_before=not is_before)]
    near, far = ([row for row in rows if row.id != run.id][:count] for rows in (beside, beyond))
    return (near, far) if is_before else (far, near)


def _lower_bound(lower: list[FullRun], upper: list[FullRun], window: int) -> int:
    """Return the key of the run just below the window, or one far enough out when there is none."""
    if len(lower) > window:
        return lower[window].order_key
    lowest = lower[-1] if lower else upper[0]
    return lowest.order_key - STRIDE * (window + 1)


def _upper_bound(tx: Transaction, upper: list[FullRun], window: int) -> int:
    """Return the key of the run just above the window, or the present when there is none.

    Nothing may be placed in the future: what is submitted next would go before it.
    """
    return upper[window].order_key if len(upper) > window else order_key_at(tx.now)


def _queued(tx: Transaction, run_id: str) -> FullRun:
    run = runs.get(tx, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    if run.status != RunStatus.QUEUED:
        raise RunNotQueued(f"The run is {run.status}; only a queued run can be moved or given another priority.")
    return run


def _checked(priority: int) -> int:
    if not HIGHEST <= priority <= LOWEST:
        raise Invalid(f"A priority is a whole number from {HIGHEST} to {LOWEST}.")
    return priority

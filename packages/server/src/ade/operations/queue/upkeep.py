"""Periodic work of the queue. No scheduler: the first process that has a turn after a tick does it."""

from collections.abc import Collection
from dataclasses import dataclass, field

from ade.database.queue import builds, control, due, endings, ordering, runs, waiting
from ade.database.queue.control import lock_dispatch
from ade.database.queue.events import record_audit
from ade.database.queue.kinds import BUILD, RUN
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.access import SYSTEM
from ade.domain.fingerprint import Surroundings
from ade.domain.queue import QueueRules
from ade.logs import get_logger
from ade.operations.queue import fitting
from ade.operations.queue.returning import recover

log = get_logger()
MOST_AGED_AT_ONCE = 500


@dataclass(slots=True)
class Upkept:
    """What one round of upkeep did."""

    recovered_runs: list[str] = field(default_factory=list)
    recovered_builds: list[str] = field(default_factory=list)


def do_if_due(
    tx: Transaction, *, rules: QueueRules, surroundings: Surroundings | None = None, crowded: Collection[str] = ()
) -> Upkept | None:
    """If a tick has passed: recover what dead workers held, unblock scheduled runs, move up long waits.

    A worker gives its surroundings: for them, it makes again what no living worker could build. It starts nothing of
    the workspaces that are `crowded`.
    """
    lock_dispatch(tx)
    is_ours = control.ask_upkeep_turn(tx, every=rules.tick)
    is_due = due.ask(tx)
    due_now = is_due()
    return _do(tx, due_now, rules=rules, surroundings=surroundings, crowded=crowded) if is_ours() else None


def _do(
    tx: Transaction,
    is_due: set[str],
    *,
    rules: QueueRules,
    surroundings: Surroundings | None,
    crowded: Collection[str],
) -> Upkept:
    done = Upkept()
    if due.RUNS in is_due:
        done.recovered_runs = recover(tx, endings.overdue(tx, RUN), rules=rules)
    if due.BUILDS in is_due:
        done.recovered_builds = recover(tx, endings.overdue(tx, BUILD), rules=rules)
    ready_count = len(waiting.unblock_scheduled(tx)) if due.SCHEDULED in is_due else 0
    if due.AT_A_CAP in is_due:
        ready_count += waiting.unpark_uncapped(tx, but=crowded)
    if surroundings is not None and (due.UNBUILT in is_due or done.recovered_builds):
        fitting.take_over(tx, surroundings, living_since=tx.now - 2 * rules.lease)
    if due.AGES in is_due or done.recovered_runs:  # what came back may have waited long enough before
        age(tx, rules=rules)
    if done.recovered_runs or done.recovered_builds or ready_count:
        wake_workers(tx)
    return done


def age(tx: Transaction, *, rules: QueueRules) -> None:
    """Move up what waited too long, one level. Audited, since it changes the order."""
    aged = ordering.age(tx, next_at=tx.now + rules.age_after, most=MOST_AGED_AT_ONCE)
    subjects = [
        (run.id, run.workspace_id, {"effective_priority": [before, run.effective_priority]}) for run, before in aged
    ]
    record_audit(tx, SYSTEM, action="run.aged", subject_kind="run", subjects=subjects)
    most_urgent: dict[str, int] = {}
    for run, _ in aged:
        level = most_urgent.get(run.build_id, run.effective_priority)
        most_urgent[run.build_id] = min(level, run.effective_priority)
    for build_id, level in sorted(most_urgent.items()):
        builds.hurry(tx, build_id, effective_priority=level)
    for document_id in waiting.having_parked_runs(tx, {run.input_document_id for run, _ in aged}):
        waiting.unpark_document(tx, document_id)


def reconcile(tx: Transaction) -> bool:
    """Count the open runs again; return whether the counter was wrong."""
    dispatch = lock_dispatch(tx)
    counted = runs.count_open(tx)
    if counted == dispatch.open_run_count:
        return False
    log.error("queue.count_corrected", was=dispatch.open_run_count, counted=counted)
    control.correct_open_count(tx, counted)
    return True

"""Submitting runs: one, many, or as a plan. All or none; nothing is executed here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ade.database.content import workspaces
from ade.database.queue import plans, runs
from ade.database.queue.builds import FullBuild
from ade.database.queue.control import ask_lock, lock_dispatch
from ade.database.queue.kinds import BuildRow
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.database.views import rejections
from ade.database.wire.prepared import Answer
from ade.domain.build import BuildStatus
from ade.domain.order import order_key_at
from ade.domain.priority import DEFAULT_PRIORITY, HIGHEST, LOWEST
from ade.domain.proposal import ProposalState
from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.errors import Invalid, QueueFull
from ade.operations.queue.builds import BuildRequest, ask_build, get_or_create_build

MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What someone wants of a run, besides its configuration and document."""

    priority: int = DEFAULT_PRIORITY
    scheduled_at: datetime | None = None
    sheets: list[str] | None = None
    corrections: list[dict[str, Any]] | None = None  # of this document alone
    is_trial: bool = False  # only to see what the corrections change
    earlier_run_id: str | None = None  # the run whose result was corrected
    is_proposed: bool = False  # an author may apply the corrections from now on
    runtime_network_access: bool  # as decided by a NetworkRule; never without one
    memory_mb: int | None = None
    cpu_count: float | None = None
    trace_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A run someone wants."""

    build: BuildRequest
    input_document_id: str
    submitted_by: str | None = None
    wish: Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The place of a run in a plan: its phase, if it is in one."""

    plan_id: str | None = None
    plan_sequence: int = 0
    number: int = 0


def submit_runs(tx: Transaction, requests: Sequence[RunRequest], *, rules: QueueRules) -> list[str]:
    """Queue up to 1000 runs in one transaction and return their ids, in order; raise QueueFull unless all fit."""
    return _submit(tx, requests, [_Place()] * len(requests), rules=rules)


def submit_plan(
    tx: Transaction, phases: Sequence[RunRequest], *, workspace_id: str, priority: int, rules: QueueRules
) -> tuple[str, list[str]]:
    """Queue runs that depend on each other; each phase inherits the plan's priority and waits for the one before it."""
    if not phases:
        raise Invalid("A plan needs at least one phase.")
    dispatch = lock_dispatch(tx)
    plan_id, sequence = tx.new_id(), dispatch.number
    row = {
        "id": plan_id,
        "workspace_id": workspace_id,
        "sequence": sequence,
        "priority": priority,
        "created_at": tx.now,
    }
    plans.insert(tx, row)
    places = [_Place(plan_id=plan_id, plan_sequence=sequence, number=number) for number in range(1, len(phases) + 1)]
    inherited = [replace(phase, wish=replace(phase.wish, priority=priority)) for phase in phases]
    return plan_id, _submit(tx, inherited, places, rules=rules)


def _submit(
    tx: Transaction, requests: Sequence[RunRequest], places: Sequence[_Place], *, rules: QueueRules
) -> list[str]:
    _require_sound(requests)
    # One message takes the lock, counts these runs as open, and reads the builds.
    lock = ask_lock(tx, opened=len(requests))
    builds_asked = {wanted: ask_build(tx, wanted) for wanted in dict.fromkeys(request.build for request in requests)}
    dispatch = lock()
    _require_room(tx, dispatch.open_run_count, requests, rules=rules)
    first = dispatch.run_sequence - len(requests) + 1  # the numbers of these runs end at run_sequence
    built = {wanted: _build_of(tx, wanted, answer, requests, first=first) for wanted, answer in builds_asked.items()}
    rows = [
        _row(tx, request, place, built[request.build], sequence=first + number, rules=rules)
        for number, (request, place) in enumerate(zip(requests, places, strict=True))
    ]
    runs.insert_runs(tx, rows)
    _wake(tx, requests, rows, built.values())
    return [row["id"] for row in rows]


def _require_sound(requests: Sequence[RunRequest]) -> None:
    if len(requests) > MOST_AT_ONCE:
        raise Invalid(f"At most {MOST_AT_ONCE} runs can be submitted at once; split the list.")
    if not requests:
        raise Invalid("Name at least one document to run.")
    if not all(HIGHEST <= request.wish.priority <= LOWEST for request in requests):
        raise Invalid(f"A priority is a whole number from {HIGHEST} to {LOWEST}.")


def _require_room(tx: Transaction, open_run_count: int, requests: Sequence[RunRequest], *, rules: QueueRules) -> None:
    """Refuse runs that do not fit; near the end, also those of a workspace that has many: others need room too.

    The count has these runs in it.
    """
    if open_run_count > rules.queue_size:
        raise QueueFull(f"The queue can hold {rules.queue_size} runs. Try again when some have finished.")
    if open_run_count <= rules.queue_size - rules.kept_size:
        return
    own_count = runs.count_open_of(tx, requests[0].build.workspace_id, most=rules.kept_size + 1)
    if own_count + len(requests) > rules.kept_size and workspaces.are_several(tx):
        raise QueueFull(
            f"The queue is nearly full. Its last {rules.kept_size} places are reserved for workspaces with fewer runs "
            "in it. Try again when some of yours have finished."
        )


def _build_of(
    tx: Transaction, wanted: BuildRequest, answer: Answer[FullBuild], requests: Sequence[RunRequest], *, first: int
) -> FullBuild:
    """Return the build of some of the requests: as urgent as the most urgent of them, and in the place of the first."""
    own = [(number, request.wish.priority) for number, request in enumerate(requests) if request.build == wanted]
    most_urgent = min(priority for _, priority in own)
    return get_or_create_build(tx, wanted, answer, effective_priority=most_urgent, sequence=first + own[0][0])


def _wake(
    tx: Transaction, requests: Sequence[RunRequest], rows: Sequence[Mapping[str, Any]], built: Iterable[BuildRow]
) -> None:
    """Wake one worker for each run that is ready; all of them when only some may fit a run or a build."""
    ready_count = sum(not row["block_mask"] for row in rows)
    is_for_any = all(request.wish.memory_mb is None and request.wish.cpu_count is None for request in requests)
    if any(build.status == BuildStatus.QUEUED for build in built) or (ready_count and not is_for_any):
        wake_workers(tx)
    elif ready_count:
        wake_workers(tx, count=ready_count)


def _row(
    tx: Transaction, request: RunRequest, place: _Place, build: BuildRow, *, sequence: int, rules: QueueRules
) -> dict[str, Any]:
    wish, blocks = request.wish, _blocks(tx, request.wish, place, build)
    return {
        "id": tx.new_id(),
        "workspace_id": request.build.workspace_id,
        "configuration_id": request.build.configuration_id,
        "version_id": request.build.version_id,
        "input_document_id": request.input_document_id,
        "build_id": build.id,
        "plan_id": place.plan_id,
        "plan_sequence": place.plan_sequence,
        "phase": place.number,
        "priority": wish.priority,
        "effective_priority": wish.priority,
        "order_key": order_key_at(tx.now),
        "sequence": sequence,
        "block_mask": int(blocks),
        "created_at": tx.now,
        "scheduled_at": wish.scheduled_at,
        "ready_at": None if blocks else tx.now,
        "ages_at": max(tx.now, wish.scheduled_at or tx.now) + rules.age_after,
        "submitted_by": request.submitted_by,
        "sheets": wish.sheets,
        "corrections": wish.corrections,
        "is_trial": wish.is_trial,
        "earlier_run_id": wish.earlier_run_id,
        "proposal": ProposalState.WAITING if wish.is_proposed else None,
        "runtime_network_access": wish.runtime_network_access,
        "memory_mb": wish.memory_mb,
        "cpu_count": wish.cpu_count,
        "trace_id": wish.trace_id,
    }


def _blocks(tx: Transaction, wish: Wish, place: _Place, build: BuildRow) -> Block:
    blocks = Block(0)
    if build.status != BuildStatus.READY:
        blocks |= Block.BUILD
    if place.number > 1:
        blocks |= Block.EARLIER_PHASE
    if wish.scheduled_at is not None and wish.scheduled_at > tx.now:
        blocks |= Block.SCHEDULED
    return blocks


def record_rejection(tx: Transaction, *, priority: int, count: int = 1) -> None:
    """Count a refused submission, in a transaction of its own: the refused one left nothing behind."""
    rejections.add(tx, priority=priority, count=count)

"""The queue: in claim order, with everything that holds it back, and the ways to change it."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, RulesDependency, SystemDependency
from ade.api.etags import IfMatch, number_of, quoted, unquoted
from ade.api.idempotency import IdempotencyKey, create
from ade.api.paging import Cursor, Limit, decode, encode, whole
from ade.api.responses import NoContent
from ade.api.schemas.base import level_of
from ade.api.schemas.queue import (
    Analytics,
    Capacity,
    NewPause,
    NewPlace,
    Pause,
    ProjectedPlace,
    Queue,
    QueuedRun,
)
from ade.api.schemas.runs import EstimatedStart, Run
from ade.database.content import workspaces
from ade.database.queue import pauses as pause_store
from ade.database.transaction import Transaction
from ade.domain.access import Caller, Role
from ade.domain.pause import PauseScope
from ade.domain.priority import Priority
from ade.errors import Forbidden, Invalid, NotFound
from ade.operations.queue.ordering import move_run
from ade.operations.queue.pauses import pause, resume
from ade.operations.views import positions
from ade.operations.views.analytics import analyse
from ade.operations.views.queue_views import concerns, view_queue
from ade.operations.views.run_views import RunView, get_run

router = APIRouter(tags=["queue"])
Member = Annotated[Access, requires(Role.VIEWER, "queue")]
WINDOWS = {"1h": 1, "6h": 6, "24h": 24, "3d": 72, "7d": 168, "30d": 720, "90d": 2160}
_ORDER_PARTS = (whole,) * 5
Position = Annotated[
    int, Query(ge=1, le=1_000_000, description="Begin with the run at this position; ignored with a cursor.")
]


@router.get("/queue")
def get_queue(
    response: Response,
    system: SystemDependency,
    rules: RulesDependency,
    access: Member,
    cursor: Cursor = None,
    limit: Limit = 50,
    position: Position = 1,
) -> Queue:
    """Return the queue in claim order, what runs, what may, and the pauses; its ETag is needed to reorder."""
    after = decode(cursor, *_ORDER_PARTS)
    skip = 0 if after else position - 1
    view = system.database.read(
        lambda tx: view_queue(tx, access.caller, after=after, limit=limit, rules=rules, skip=skip)
    )
    response.headers["ETag"] = quoted(view.version)
    return Queue(
        version=view.version,
        items=[QueuedRun.of(one) for one in view.waiting],
        next_cursor=encode(view.places[-1]) if len(view.places) == limit else None,
        running=[Run.listed(RunView(row=row, place=None)) for row in view.running],
        capacity=Capacity(
            slots=view.slots,
            running_count=view.running_count,
            queued_count=max(0, view.open_count - view.running_count),
            queue_size=rules.queue_size,
            max_running=rules.max_running or None,
            worker_count=view.worker_count,
            waiting_since=view.waiting_since,
        ),
        pauses=[Pause.of(row) for row in view.pauses],
    )


@router.put("/queue/{run_id}/position")
def move(
    run_id: PathId,
    body: NewPlace,
    response: Response,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.OPERATOR, "run")],
    if_match: IfMatch = None,
) -> Run:
    """Put a queued run just before or after another; with If-Match only if the order has not changed meanwhile."""
    tag = unquoted(if_match)
    seen = None if tag is None or tag == "*" else number_of(tag)

    def work(tx: Transaction) -> int:
        _require_seen(tx, access.caller, body.before or body.after or "")
        return move_run(tx, run_id, actor=access.actor, before=body.before, after=body.after, seen_version=seen)

    response.headers["ETag"] = quoted(system.database.write(work))
    return Run.of(system.database.read(lambda tx: get_run(tx, run_id, rules=rules)))


def _require_seen(tx: Transaction, caller: Caller, run_id: str) -> None:
    owner = workspaces.owner_of(tx, "run", run_id)
    if owner is None or caller.role_in(owner) is None:
        raise NotFound(f"There is no run {run_id}.")


@router.post("/queue/pauses", status_code=201, response_model=Pause)
def add_pause(
    body: NewPause,
    request: Request,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.OPERATOR, "everything")],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Hold back everything, a priority, a workspace or a plan. What runs finishes."""

    def work(tx: Transaction) -> Pause:
        _require_scope(tx, access.caller, body.scope, body.value)
        pause_id = pause(tx, body.scope, body.value, reason=body.reason, actor=access.actor)
        return Pause.of(next(row for row in pause_store.active(tx) if row.id == pause_id))

    return create(request, system, access, key=idempotency_key, body=body, work=work, status=201)


@router.delete("/queue/pauses/{pause_id}", status_code=204, response_class=NoContent, response_model=None)
def lift_pause(
    pause_id: PathId,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.OPERATOR, "everything")],
) -> NoContent:
    """Lift one pause; what another one covers stays held back."""

    def work(tx: Transaction) -> None:
        row = next((one for one in pause_store.active(tx) if one.id == pause_id), None)
        if row is None or not concerns(tx, access.caller, row):
            raise NotFound(f"There is no pause {pause_id} in force.")
        _require_scope(tx, access.caller, PauseScope(row.scope), row.value)
        resume(tx, pause_id, actor=access.actor)

    system.database.write(work)
    return NoContent()


def _require_scope(tx: Transaction, caller: Caller, scope: PauseScope, value: str | None) -> None:
    """Let operators pause their workspaces and plans, and administrators what concerns everyone."""
    if scope in {PauseScope.ALL, PauseScope.PRIORITY}:
        if not caller.may_administer:
            raise Forbidden("This affects everyone: it needs an administrator of the deployment.")
        return
    if not value:
        raise Invalid(f"Name the {scope} to pause.")
    owner = value if scope == PauseScope.WORKSPACE else workspaces.owner_of(tx, "plan", value)
    role = None if owner is None or workspaces.get(tx, owner) is None else caller.role_in(owner)
    if role is None:
        raise NotFound(f"There is no {scope} {value}.")
    if role.rank < Role.OPERATOR.rank:
        raise Forbidden(f"You are {role} in this workspace; this needs the role operator.")


@router.get("/queue/estimate")
def estimate(
    system: SystemDependency,
    rules: RulesDependency,
    access: Member,
    priority: Annotated[int | str, Query(description="0 to 100, or a level's name.")] = "normal",
) -> ProjectedPlace:
    """Estimate the position of a run submitted now, and when it may start."""
    level = _level(priority)
    position, found = system.database.read(lambda tx: positions.would_be(tx, priority=level, rules=rules))
    start = EstimatedStart.model_validate(found, from_attributes=True) if found else None
    return ProjectedPlace(
        position=position, estimated_start_at=start.likely_at if start else None, estimated_start=start
    )


def _level(priority: int | str) -> int:
    names = ", ".join(level.name.lower() for level in Priority)
    try:
        level = level_of(str(priority))
    except ValueError:
        raise Invalid(f"A priority is one of {names}, or a whole number from 0 to 100.") from None
    return level


@router.get("/queue/analytics")
def get_analytics(
    system: SystemDependency,
    access: Member,
    window: Annotated[str, Query(pattern=f"^({'|'.join(WINDOWS)})$", description="How far back.")] = "24h",
) -> Analytics:
    """Return how the queue has been doing: waits, run times, throughput, rejections, utilisation."""
    return Analytics.of(system.database.read(lambda tx: analyse(tx, window=timedelta(hours=WINDOWS[window]))))

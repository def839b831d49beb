"""Plans: runs that depend on each other."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, RulesDependency, SystemDependency
from ade.api.idempotency import IdempotencyKey, create_in_queue
from ade.api.network import network_rule
from ade.api.paging import Cursor, decode, next_cursor, whole
from ade.api.schemas.base import Page, level_of
from ade.api.schemas.plans import NewPlan, Plan, PlanChange
from ade.api.schemas.runs import Cancellation
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.errors import QueueFull
from ade.operations.queue.ordering import change_plan_priority
from ade.operations.queue.plans import cancel_plan
from ade.operations.queue.requests import PhaseWish, request_plan
from ade.operations.queue.submit import Wish, record_rejection
from ade.operations.views.run_views import get_plan, list_plans

router = APIRouter(tags=["plans"])
Operator = Annotated[Access, requires(Role.OPERATOR, "plan")]
MostPlans = Annotated[int, Query(ge=1, le=50)]  # each has up to 20 runs


@router.post("/workspaces/{workspace_id}/plans", status_code=202, response_model=Plan)
def submit(
    workspace_id: PathId,
    body: NewPlan,
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.OPERATOR, "workspace")],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Queue runs in phases; each starts when the one before it succeeded."""
    network = network_rule(system, access)
    phases = [
        PhaseWish(
            configuration_id=phase.configuration_id,
            input_document_id=phase.input_document_id,
            version=phase.version,
            wish=Wish(runtime_network_access=network.decide(phase.runtime_network_access)),
        )
        for phase in body.phases
    ]
    priority = level_of(body.priority)

    def work(tx: Transaction) -> list[str]:
        return [request_plan(tx, workspace_id, phases, priority=priority, actor=access.actor, rules=rules)]

    def view(tx: Transaction, plan_ids: Sequence[str]) -> Plan:
        return Plan.of(get_plan(tx, plan_ids[0], rules=rules))

    try:
        return create_in_queue(request, system, access, key=idempotency_key, body=body, work=work, view=view)
    except QueueFull:
        system.database.write(lambda tx: record_rejection(tx, priority=priority, count=len(phases)))
        raise


@router.get("/workspaces/{workspace_id}/plans")
def list_all(
    workspace_id: PathId,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
    cursor: Cursor = None,
    limit: MostPlans = 20,
) -> Page[Plan]:
    """List the plans of a workspace, the latest first."""
    place = decode(cursor, whole)
    after = place[0] if place else None

    def work(tx: Transaction) -> Page[Plan]:
        views = list_plans(tx, workspace_id=workspace_id, after=after, limit=limit, rules=rules)
        return Page(
            items=[Plan.of(view) for view in views],
            next_cursor=next_cursor(views, limit, lambda view: (view.row.sequence,)),
        )

    return system.database.read(work)


@router.get("/plans/{plan_id}")
def get_one(
    plan_id: PathId,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.VIEWER, "plan")],
) -> Plan:
    """Return a plan and its runs by phase."""
    return Plan.of(system.database.read(lambda tx: get_plan(tx, plan_id, rules=rules)))


@router.patch("/plans/{plan_id}")
def change_one(
    plan_id: PathId, body: PlanChange, system: SystemDependency, rules: RulesDependency, access: Operator
) -> Plan:
    """Give a plan and its waiting phases another priority."""

    level = level_of(body.priority)
    system.database.write(
        lambda tx: change_plan_priority(tx, plan_id, level, rules=rules, actor=access.actor, reason=body.reason)
    )
    return get_one(plan_id, system, rules, access)


@router.post("/plans/{plan_id}/cancel")
def cancel(
    plan_id: PathId,
    system: SystemDependency,
    rules: RulesDependency,
    access: Operator,
    body: Cancellation | None = None,
) -> Plan:
    """Cancel a plan with all that waits or runs of it."""

    reason = body.reason if body else None
    system.database.write(lambda tx: cancel_plan(tx, plan_id, actor=access.actor, reason=reason))
    return get_one(plan_id, system, rules, access)

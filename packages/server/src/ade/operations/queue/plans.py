"""Plans as a whole: cancelled, with all that waits and runs of them."""

from ade.database.queue import plans
from ade.database.queue.control import lock_dispatch
from ade.database.queue.events import record_audit
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.plan import PlanStatus
from ade.domain.run import FINISHED
from ade.errors import Conflict, NotFound
from ade.operations.queue.runs import cancel_run


def cancel_plan(tx: Transaction, plan_id: str, *, actor: Actor, reason: str | None) -> None:
    """Cancel the phase at work or in line; those behind it are cancelled with it."""
    lock_dispatch(tx)
    plan = plans.get(tx, plan_id)
    if plan is None:
        raise NotFound(f"There is no plan {plan_id}.")
    if plan.status != PlanStatus.ACTIVE:
        raise Conflict(f"The plan has already ended ({plan.status}); there is nothing to cancel.")
    changes = {"status": [plan.status, "cancelled"]}
    subjects = [(plan_id, plan.workspace_id, changes)]
    record_audit(tx, actor, action="plan.cancel", subject_kind="plan", subjects=subjects, reason=reason)
    first = next((run for run in plans.phases(tx, [plan_id]) if run.status not in FINISHED), None)
    if first is not None:
        cancel_run(tx, first.id, actor=actor, reason=reason)

"""Holding runs back and letting them continue. Running runs finish."""

from typing import Any

from ade.database.content import workspaces
from ade.database.queue import pauses, waiting
from ade.database.queue.control import lock_dispatch
from ade.database.queue.events import record_audit
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.pause import PauseScope
from ade.domain.priority import parse_priority
from ade.errors import Conflict, Invalid, NotFound

MOST_OF_WORKSPACE = 100  # all pauses are looked through for every claim and for every view of the queue


def pause(tx: Transaction, scope: PauseScope, value: str | None, *, reason: str, actor: Actor) -> str:
    """Hold back everything, a priority, a workspace or a plan; return the pause's id. Pauses overlap."""
    lock_dispatch(tx)
    value = _checked(scope, value)
    _require_place(tx, scope, value)
    pause_id = pauses.insert(tx, scope=scope, value=value, reason=reason, created_by=actor.name)
    changes: dict[str, list[Any]] = {"scope": [None, scope], "value": [None, value]}
    record_audit(
        tx, actor, action="queue.pause", subject_kind="pause", subjects=[(pause_id, None, changes)], reason=reason
    )
    return pause_id


def resume(tx: Transaction, pause_id: str, *, actor: Actor) -> None:
    """Lift one pause; what another one covers stays held back."""
    lock_dispatch(tx)
    lifted = pauses.lift(tx, pause_id, lifted_by=actor.name)
    if lifted is None:
        raise NotFound(f"There is no pause {pause_id} in force.")
    if lifted.scope != PauseScope.ALL:
        waiting.unpark_scope(tx, PauseScope(lifted.scope), lifted.value or "")
    record_audit(tx, actor, action="queue.resume", subject_kind="pause", subjects=[(pause_id, None, {})])
    wake_workers(tx)


def _checked(scope: PauseScope, value: str | None) -> str | None:
    if scope == PauseScope.ALL:
        return None
    if not value:
        raise Invalid(f"Name the {scope} to pause.")
    if scope != PauseScope.PRIORITY:
        return value
    try:
        return str(parse_priority(value))
    except ValueError as error:
        raise Invalid(str(error)) from None


def _require_place(tx: Transaction, scope: PauseScope, value: str | None) -> None:
    owner = workspaces.owner_of(tx, "plan", value or "") if scope == PauseScope.PLAN else value
    is_narrow = scope in {PauseScope.WORKSPACE, PauseScope.PLAN}
    if is_narrow and owner is not None and pauses.count_of(tx, owner) >= MOST_OF_WORKSPACE:
        raise Conflict(f"A workspace and its plans have at most {MOST_OF_WORKSPACE} pauses. Lift one first.")

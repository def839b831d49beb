"""Proposals: corrections an operator made for one document, which an author applies from now on, or declines."""

from collections.abc import Mapping, Sequence
from typing import Any

from ade.database.queue import runs
from ade.database.queue.control import lock_dispatch
from ade.database.queue.runs import FullRun
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.proposal import ProposalState
from ade.errors import Conflict, NotFound
from ade.operations.queue.runs import audit_change


def has_proposable(corrections: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether any of them can apply from now on: in the next document, rows are elsewhere."""
    return any(one["kind"] not in ("row", "range", "cell") for one in corrections)


def decide_proposal(
    tx: Transaction,
    run_id: str,
    state: ProposalState,
    *,
    note: str | None,
    actor: Actor,
    configuration_id: str | None = None,
) -> None:
    """Write what an author decided on a proposal that waits; refuse where none does."""
    lock_dispatch(tx)
    run = runs.get(tx, run_id)
    if run is None or configuration_id not in {None, run.configuration_id}:
        raise NotFound(f"There is no run {run_id} of this configuration.")
    if not runs.set_proposal(tx, run_id, state, note=note, decided_by=actor.name):
        raise Conflict(f"The corrections of this run {_why_not(run.proposal)}.")
    audit_change(tx, actor, run, action="run.proposal", changes={"proposal": [run.proposal, state]}, reason=note)


def withdraw_proposal(tx: Transaction, run: FullRun) -> bool:
    """Take the proposal of a run back that waits, as a later run of the document makes it; return whether it did."""
    if run.proposal != ProposalState.WAITING:
        return False
    lock_dispatch(tx)
    return runs.set_proposal(tx, run.id, None, note=None, decided_by=None)


def _why_not(state: str | None) -> str:
    """Return why there is nothing to decide."""
    if state == ProposalState.ACCEPTED:
        return "were accepted already"
    if state == ProposalState.DECLINED:
        return "were declined already"
    return "do not wait for an author"

"""Proposals: corrections that operators made, for authors to accept or decline."""

from typing import Annotated

from fastapi import APIRouter, Query

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, RulesDependency, SystemDependency
from ade.api.paging import Cursor, decode, next_cursor, whole
from ade.api.schemas.base import Id, Page
from ade.api.schemas.proposals import ProposalDecision, ProposedRun
from ade.api.schemas.runs import Run
from ade.database.views.run_lists import RunFilter
from ade.domain.access import Role
from ade.domain.proposal import ProposalState
from ade.operations.queue.proposals import decide_proposal
from ade.operations.views.proposals import list_proposals
from ade.operations.views.run_views import get_run

router = APIRouter(tags=["runs"])
State = Annotated[ProposalState, Query(description="Only proposals that are waiting, were accepted, or were declined.")]
Limit = Annotated[int, Query(ge=1, le=50)]


@router.get("/workspaces/{workspace_id}/proposals")
def list_all(
    workspace_id: PathId,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
    cursor: Cursor = None,
    limit: Limit = 20,
    state: State = ProposalState.WAITING,
    configuration_id: Id | None = None,
) -> Page[ProposedRun]:
    """List corrections that operators made and that wait for an author, with their runs, the latest first."""
    place = decode(cursor, whole)
    wanted = RunFilter(workspace_ids=[workspace_id], proposal=state, configuration_id=configuration_id)
    found = system.database.read(
        lambda tx: list_proposals(tx, wanted, after=place[0] if place else None, limit=limit, rules=rules)
    )
    return Page(
        items=[ProposedRun.of(one) for one in found],
        next_cursor=next_cursor(found, limit, lambda one: (one.run.row.sequence,)),
    )


@router.post("/runs/{run_id}/proposal")
def decide(
    run_id: PathId,
    body: ProposalDecision,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.AUTHOR, "run")],
) -> Run:
    """Accept or decline corrections that an operator made; the run and its document stay as they are."""
    state = ProposalState(body.decision)
    system.database.write(lambda tx: decide_proposal(tx, run_id, state, note=body.note, actor=access.actor))
    return Run.of(system.database.read(lambda tx: get_run(tx, run_id, rules=rules)))

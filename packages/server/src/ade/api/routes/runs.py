"""Runs: submitted, listed, cancelled, run again, moved up and down."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel

from ade.api.access import Access, requires
from ade.api.combining import Combining
from ade.api.dependencies import PathId, RulesDependency, SystemDependency
from ade.api.idempotency import IdempotencyKey, create_in_queue
from ade.api.network import network_rule
from ade.api.paging import Cursor, Limit, decode, next_cursor, whole
from ade.api.schemas.base import Id, Page, level_of
from ade.api.schemas.corrections import CorrectedRun, plain
from ade.api.schemas.runs import Cancellation, NewRun, NewRuns, NewTestRun, Run, RunAgain, RunChange, Runs
from ade.database.transaction import Transaction
from ade.database.views.run_lists import RunFilter
from ade.domain.access import Role
from ade.domain.network import NetworkRule
from ade.domain.priority import DEFAULT_PRIORITY
from ade.domain.proposal import ProposalState
from ade.domain.queue import QueueRules
from ade.domain.run import RunStatus
from ade.domain.verdict import Verdict
from ade.errors import QueueFull
from ade.operations.content.corrections import document_name, draft_with_corrections
from ade.operations.queue.case_tests import publish_tested
from ade.operations.queue.ordering import change_priority
from ade.operations.queue.proposals import decide_proposal
from ade.operations.queue.requests import (
    Submission,
    corrections_of_document,
    request_each,
    request_run_again,
    request_runs,
    request_test_run,
)
from ade.operations.queue.runs import cancel_run
from ade.operations.queue.submit import Wish, record_rejection
from ade.operations.views.run_views import RunView, get_run, list_runs, submitted_runs
from ade.system import System

router = APIRouter(tags=["runs"])
Viewer = Annotated[Access, requires(Role.VIEWER, "run")]
Operator = Annotated[Access, requires(Role.OPERATOR, "run")]
Submitter = Annotated[Access, requires(Role.OPERATOR, "configuration")]
Statuses = Annotated[list[RunStatus] | None, Query(max_length=10, description="Only these; may be repeated.")]
IsTest = Annotated[
    bool | None,
    Query(
        description="Only runs that test a draft or try corrections, or none of them. When it is not given, runs that"
        " try corrections are left out."
    ),
]
IsNewest = Annotated[
    bool,
    Query(
        description="Only the newest run of each document, of those that neither were cancelled nor are tests; none"
        " of documents that were deleted."
    ),
]
HasIssues = Annotated[bool | None, Query(description="Only runs that found issues, or none of them.")]
Verdicts = Annotated[
    list[Verdict] | None, Query(max_length=3, description="Only runs that succeeded with these; may be repeated.")
]


@router.post("/configurations/{configuration_id}/runs", status_code=202, response_model=Run)
def submit(
    configuration_id: PathId,
    body: NewRun,
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Submitter,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Queue a run; it is answered at once, and executed by a worker."""
    wish = _wish(body, request, network_rule(system, access))
    submission = (body.input_document_id, wish, access.actor)

    def queue(tx: Transaction, submissions: Sequence[Submission]) -> list[str]:
        return request_each(tx, configuration_id, submissions, number=body.version, rules=rules)

    def queue_and_view(submissions: Sequence[Submission]) -> list[RunView]:
        run_ids = system.database.write(lambda tx: queue(tx, submissions))
        return system.database.read(lambda tx: submitted_runs(tx, run_ids, rules=rules))

    with _counting_refusals(system, wish.priority):
        if idempotency_key is not None:  # it is kept in the transaction of the submission, which is then its own
            work = partial(queue, submissions=[submission])
            return _create(request, system, access, rules, key=idempotency_key, body=body, work=work)
        combining: Combining[Submission, RunView] = request.app.state.submissions
        # Runs that are next to each other in the queue: their positions are found with one query.
        alike = (configuration_id, body.version, wish.priority, wish.scheduled_at)
        run = combining.do(alike, submission, queue_and_view)
        return Response(Run.of(run).model_dump_json(), status_code=202, media_type="application/json")


@router.post("/configurations/{configuration_id}/runs/batch", status_code=202, response_model=Runs)
def submit_many(
    configuration_id: PathId,
    body: NewRuns,
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Submitter,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Queue up to 1000 runs, one for each document; all or none."""
    wish = _wish(body, request, network_rule(system, access))

    def work(tx: Transaction) -> list[str]:
        return request_runs(
            tx, configuration_id, body.input_document_ids, wish=wish, number=body.version,
            actor=access.actor, rules=rules,
        )  # fmt: skip

    def view(tx: Transaction, run_ids: Sequence[str]) -> Runs:
        return Runs(runs=[Run.listed(one) for one in submitted_runs(tx, run_ids, rules=rules)])

    with _counting_refusals(system, wish.priority, count=len(body.input_document_ids)):
        return create_in_queue(request, system, access, key=idempotency_key, body=body, work=work, view=view)


@router.post("/configurations/{configuration_id}/test-run", status_code=202, response_model=Run)
def submit_test(
    configuration_id: PathId,
    body: NewTestRun,
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.AUTHOR, "configuration")],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Queue a run of the draft as it is now; editing continues without changing it."""
    wish = Wish(
        priority=level_of(body.priority),
        sheets=body.sheets,
        runtime_network_access=network_rule(system, access).decide(body.runtime_network_access),
        trace_id=_trace_id(request),
    )

    def work(tx: Transaction) -> list[str]:
        document_id = body.input_document_id
        return [request_test_run(tx, configuration_id, document_id, wish=wish, actor=access.actor, rules=rules)]

    with _counting_refusals(system, wish.priority):
        return _create(request, system, access, rules, key=idempotency_key, body=body, work=work)


@router.post("/configurations/{configuration_id}/corrections", status_code=202, response_model=Run)
def correct(
    configuration_id: PathId,
    body: CorrectedRun,
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.AUTHOR, "configuration")],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Publish a version with corrections that apply from now on, and queue a run of a document with it."""
    network = network_rule(system, access).decide(None)
    wish = Wish(priority=level_of(body.priority), runtime_network_access=network, trace_id=_trace_id(request))

    def work(tx: Transaction) -> list[str]:
        draft_with_corrections(
            tx, configuration_id, plain(body.corrections), undone=body.undone,
            document=document_name(tx, body.input_document_id, workspace_id=access.workspace_id),
            note=body.note, actor=access.actor,
        )  # fmt: skip
        version = publish_tested(tx, configuration_id, note=body.note, is_untested=body.skip_tests, actor=access.actor)
        if body.accepts_proposal_of is not None:
            decide_proposal(tx, body.accepts_proposal_of, ProposalState.ACCEPTED, note=body.note, actor=access.actor,
                            configuration_id=configuration_id)  # fmt: skip
        own = corrections_of_document(
            tx, body.input_document_id, plain(body.only_this_document), earlier_run_id=body.earlier_run_id,
            actor=access.actor,
        )  # fmt: skip
        return request_runs(
            tx, configuration_id, [body.input_document_id], wish=replace(wish, corrections=own or None),
            number=version.number, actor=access.actor, rules=rules,
        )  # fmt: skip

    with _counting_refusals(system, wish.priority):
        return _create(request, system, access, rules, key=idempotency_key, body=body, work=work)


def _create(
    request: Request,
    system: System,
    access: Access,
    rules: QueueRules,
    *,
    key: str | None,
    body: BaseModel,
    work: Callable[[Transaction], Sequence[str]],
) -> Response:
    """Queue one run and answer with it."""

    def view(tx: Transaction, run_ids: Sequence[str]) -> Run:
        return Run.of(get_run(tx, run_ids[0], rules=rules))

    return create_in_queue(request, system, access, key=key, body=body, work=work, view=view)


def _wish(body: NewRun | NewRuns, request: Request, network: NetworkRule) -> Wish:
    return Wish(
        priority=level_of(body.priority),
        scheduled_at=body.scheduled_at,
        sheets=body.sheets,
        runtime_network_access=network.decide(body.runtime_network_access),
        memory_mb=body.memory_mb,
        cpu_count=body.cpu_count,
        trace_id=_trace_id(request),
    )


def _trace_id(request: Request) -> str | None:
    return getattr(request.state, "trace_id", None)


@contextmanager
def _counting_refusals(system: System, priority: int, *, count: int = 1) -> Iterator[None]:
    """Count a submission that is refused, in a transaction of its own: the refused one left nothing behind."""
    try:
        yield
    except QueueFull:
        system.database.write(lambda tx: record_rejection(tx, priority=priority, count=count))
        raise


def _run_filter(
    status: Statuses = None,
    document_id: Id | None = None,
    configuration_id: Id | None = None,
    build_id: Id | None = None,
    is_test: IsTest = None,
    is_newest: IsNewest = False,
    has_issues: HasIssues = None,
    verdict: Verdicts = None,
) -> RunFilter:
    return RunFilter(
        statuses=status or (),
        document_id=document_id,
        configuration_id=configuration_id,
        build_id=build_id,
        is_test=is_test,
        is_newest=is_newest,
        has_issues=has_issues,
        verdicts=verdict or (),
    )


Filter = Annotated[RunFilter, Depends(_run_filter)]


@router.get("/runs")
def list_everywhere(
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.VIEWER, "everything")],
    wanted: Filter,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Run]:
    """List the runs of all workspaces you see, the latest submission first."""
    return _page(system, replace(wanted, workspace_ids=access.caller.workspaces), cursor, limit, rules)


@router.get("/workspaces/{workspace_id}/runs")
def list_in_workspace(
    workspace_id: PathId,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
    wanted: Filter,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Run]:
    """List the runs of a workspace, the latest submission first."""
    return _page(system, replace(wanted, workspace_ids=[workspace_id]), cursor, limit, rules)


def _page(system: System, wanted: RunFilter, cursor: str | None, limit: int, rules: RulesDependency) -> Page[Run]:
    place = decode(cursor, whole)
    after = place[0] if place else None
    views = system.database.read(lambda tx: list_runs(tx, wanted, after=after, limit=limit, rules=rules))
    return Page(
        items=[Run.listed(view) for view in views],
        next_cursor=next_cursor(views, limit, lambda view: (view.row.sequence,)),
    )


@router.get("/runs/{run_id}")
def get_one(run_id: PathId, system: SystemDependency, rules: RulesDependency, access: Viewer) -> Run:
    """Return a run, with its place while it is queued."""
    return Run.of(system.database.read(lambda tx: get_run(tx, run_id, rules=rules)))


@router.patch("/runs/{run_id}")
def change_one(
    run_id: PathId, body: RunChange, system: SystemDependency, rules: RulesDependency, access: Operator
) -> Run:
    """Give a queued run another priority."""

    level = level_of(body.priority)
    system.database.write(
        lambda tx: change_priority(tx, run_id, level, rules=rules, actor=access.actor, reason=body.reason)
    )
    return get_one(run_id, system, rules, access)


@router.post(
    "/runs/{run_id}/cancel", responses={202: {"model": Run, "description": "The run is running and is being stopped."}}
)
def cancel(
    run_id: PathId,
    response: Response,
    system: SystemDependency,
    rules: RulesDependency,
    access: Operator,
    body: Cancellation | None = None,
) -> Run:
    """Cancel a run: a queued one at once, a running one as soon as its worker stopped it."""
    return _cancel(run_id, response, system, rules, access, body.reason if body else None)


@router.delete(
    "/runs/{run_id}", responses={202: {"model": Run, "description": "The run is running and is being stopped."}}
)
def cancel_by_delete(
    run_id: PathId, response: Response, system: SystemDependency, rules: RulesDependency, access: Operator
) -> Run:
    """Cancel a run. Its history stays."""
    return _cancel(run_id, response, system, rules, access, None)


def _cancel(
    run_id: str, response: Response, system: System, rules: RulesDependency, access: Access, reason: str | None
) -> Run:
    status = system.database.write(lambda tx: cancel_run(tx, run_id, actor=access.actor, reason=reason))
    response.status_code = 200 if status == RunStatus.CANCELLED else 202
    return get_one(run_id, system, rules, access)


@router.post("/runs/{run_id}/run-again", status_code=202, response_model=Run)
def run_again(
    run_id: PathId,
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Operator,
    body: RunAgain | None = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Queue a new run of the same document; this one stays as it is."""
    wanted = body or RunAgain()
    priority = None if wanted.priority is None else level_of(wanted.priority)

    def work(tx: Transaction) -> list[str]:
        again = request_run_again(
            tx, run_id, number=wanted.version, priority=priority, network=network_rule(system, access),
            network_asked=wanted.runtime_network_access, corrections=plain(wanted.corrections),
            is_trial=wanted.is_trial, is_proposal=not access.has(Role.AUTHOR), actor=access.actor, rules=rules,
        )  # fmt: skip
        return [again]

    with _counting_refusals(system, DEFAULT_PRIORITY if priority is None else priority):
        return _create(request, system, access, rules, key=idempotency_key, body=wanted, work=work)

"""Runs, over the wire."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from ade.api.schemas.base import Answer, Body, Id, Moment, Number, Priority, Reason, Text
from ade.api.schemas.corrections import Corrections
from ade.database.queue.builds import FullBuild
from ade.database.queue.runs import FullRun
from ade.domain.build import BuildStatus
from ade.domain.isolation import Isolation
from ade.domain.proposal import ProposalState
from ade.domain.run import FailureCode, LimitedResource, RunStatus, WaitingFor
from ade.domain.verdict import Verdict
from ade.operations.views.positions import Place
from ade.operations.views.run_views import RunView


class Failure(Answer):
    """Why a run or a build ended badly."""

    code: FailureCode
    message: str
    resource: LimitedResource | None = None

    @classmethod
    def of(cls, row: FullRun | FullBuild) -> "Failure | None":
        """Return a row's failure, or None when it has none."""
        if row.failure_code is None:
            return None
        code, resource = FailureCode(row.failure_code), row.failure_resource
        return cls(
            code=code,
            message=row.failure_message or "",
            resource=None if resource is None else LimitedResource(resource),
        )


class BuildState(Answer):
    """The build a run uses."""

    id: Id
    status: BuildStatus


class EstimatedStart(Answer):
    """When a queued run may start, as a range."""

    earliest_at: datetime
    likely_at: datetime
    latest_at: datetime

    @classmethod
    def of(cls, place: Place | None) -> "EstimatedStart | None":
        """Return the estimate of a place, or None."""
        if place is None or place.estimate is None:
            return None
        return cls.from_row(place.estimate)


class Proposal(Answer):
    """What becomes of the corrections that an operator made for one document."""

    state: ProposalState
    note: str | None = Field(description="Note of the author who decided.")
    decided_by: str | None
    decided_at: datetime | None

    @classmethod
    def of(cls, row: FullRun) -> "Proposal | None":
        """Return the proposal of a run, or None."""
        if row.proposal is None:
            return None
        return cls(
            state=ProposalState(row.proposal),
            note=row.proposal_note,
            decided_by=row.proposal_decided_by,
            decided_at=row.proposal_decided_at,
        )


class Run(Answer):
    """One document processed by one version of a configuration."""

    id: Id
    workspace_id: Id
    configuration_id: Id
    configuration_name: str
    version: int
    is_test: bool = Field(description="Whether it is only a test of a draft or of corrections.")
    is_trial: bool = Field(description="Whether it is a trial of corrections: it is never the result of its document.")
    input_document_id: Id
    document_name: str
    build_id: Id
    build: BuildState
    plan_id: str | None
    phase: int | None
    status: RunStatus
    waiting_for: WaitingFor | None = Field(description="Why it has not started; null unless it is queued.")
    waiting_reason: str | None = Field(
        description="The same in words: the cause, and the person if there is one.",
        examples=["It needs 64 processors; the largest live worker has 4 processors."],
    )
    position: int | None = Field(description="Its place in the queue: 1 is claimed next.")
    estimated_start_at: datetime | None
    estimated_start: EstimatedStart | None
    priority: int
    effective_priority: int
    sheets: list[str] | None
    corrections: list[dict[str, Any]] | None = Field(
        description="Those for this document alone; null in lists and in webhooks."
    )
    proposal: Proposal | None = Field(
        description="The proposal of an operator who corrected it, with the author's decision."
    )
    runtime_network_access: bool
    memory_mb: int | None = Field(description="The memory declared for it.")
    cpu_count: float | None = Field(description="The processors declared for it.")
    submitted_by: str | None
    created_at: datetime
    scheduled_at: datetime | None
    ready_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None
    files_removed_at: datetime | None = Field(description="When retention removed its files; the record remains.")
    worker: str | None
    failure: Failure | None
    verdict: Verdict | None = Field(
        description="Whether the result can be used: `ready` as it is, `check` first, or `not_usable`. Null unless it "
        "succeeded."
    )
    verdict_reason: str | None = Field(
        description="Why, in a sentence that names fields and headers, never values.",
        examples=["Email and Joined on were not found; Mail address and Joining date are new."],
    )
    fit: float | None = Field(
        description="How well the document fits the configuration, from 0 to 1; it orders runs of the same verdict."
    )
    isolation: Isolation | None
    metrics: dict[str, Any] | None
    links: dict[str, str]

    @classmethod
    def listed(cls, view: RunView) -> "Run":
        """Return the model of a run in a list or a message: its corrections may be long, and hold values of cells."""
        return cls.of(replace(view, row=replace(view.row, corrections=None)))

    @classmethod
    def of(cls, view: RunView) -> "Run":
        """Return the model of a run."""
        row, place = view.row, view.place
        estimate = EstimatedStart.of(place)
        return cls.from_row(
            row,
            version=row.version_number,
            is_test=row.snapshot_of is not None or row.is_trial,
            build=BuildState(id=row.build_id, status=BuildStatus(row.build_status)),
            phase=row.phase if row.plan_id else None,
            waiting_for=place.waiting_for if place else None,
            waiting_reason=place.reason if place else None,
            position=place.position if place else None,
            estimated_start_at=estimate.likely_at if estimate else None,
            estimated_start=estimate,
            worker=row.worker_name,
            failure=Failure.of(row),
            proposal=Proposal.of(row),
            **verdict_of(row),
            links=links_of("runs", row.id, "logs", "artifact", "output", "issues"),
        )


def verdict_of(row: FullRun) -> dict[str, Any]:
    """Return the verdict on a run; one that was cancelled in the last moment, or whose files were refused, has none."""
    if row.status != RunStatus.SUCCEEDED or row.verdict is None:
        return {"verdict": None, "verdict_reason": None, "fit": None}
    return {"verdict": Verdict(row.verdict), "verdict_reason": row.verdict_reason, "fit": row.fit}


def links_of(kind: str, row_id: str, *parts: str) -> dict[str, str]:
    """Return where the parts of a run or a build are found."""
    address = f"/api/v1/{kind}/{row_id}"
    streams = {"events": f"{address}/events", "stream": f"{address}/events/stream"}
    return {"self": address, **streams, **{part: f"{address}/{part}" for part in parts}}


NetworkWish = Annotated[
    bool | None,
    Field(
        description="Whether it may reach public addresses. If ADE_RUNTIME_NETWORK_ACCESS is `ask`, this needs the "
        "role author; if it is `never`, it is refused. By default as the setting says."
    ),
]
LONGEST_SHEET_NAMES = 8_000  # together: they are kept with every run of a batch


def _short_together(names: list[str]) -> list[str]:
    if sum(map(len, names)) > LONGEST_SHEET_NAMES:
        raise ValueError(f"the names have more than {LONGEST_SHEET_NAMES} characters together")
    return list(dict.fromkeys(names))


SheetNames = Annotated[
    list[Annotated[Text, Field(max_length=255)]], Field(max_length=200), AfterValidator(_short_together)
]


class _Options(Body):
    priority: Priority = "normal"
    version: Number | None = Field(None, description="A published version; by default the current one.")
    runtime_network_access: NetworkWish = None
    sheets: SheetNames | None = Field(
        None, description="Names of the sheets to read, including hidden ones; by default as the configuration says."
    )
    scheduled_at: Moment | None = Field(None, description="Earliest start.")
    memory_mb: Annotated[int, Field(ge=64, le=1_048_576)] | None = None
    cpu_count: Annotated[float, Field(gt=0, le=1024)] | None = None


class NewRun(_Options):
    """A run to queue."""

    input_document_id: Id


class NewRuns(_Options):
    """Runs to queue: one for each document, all or none."""

    input_document_ids: list[Id] = Field(min_length=1, max_length=1000)


class NewTestRun(Body):
    """A run of the draft to queue."""

    input_document_id: Id
    priority: Priority = "high"
    sheets: SheetNames | None = None
    runtime_network_access: NetworkWish = None


class Runs(Answer):
    """Runs that were queued together, in the order of their documents."""

    runs: list[Run]


class RunChange(Body):
    """Another priority for a queued run, and why."""

    priority: Priority
    reason: Reason | None = None


class Cancellation(Body):
    """Why something is cancelled."""

    reason: Reason | None = None


class RunAgain(Body):
    """What shall be different in the new run; none: the published version, the same priority and network access."""

    version: Number | None = None
    priority: Priority | None = None
    runtime_network_access: NetworkWish = None
    corrections: Corrections = Field(
        default_factory=list,
        description="For this document only; those of the run apply too, and later ones take precedence.",
    )
    is_trial: Annotated[
        bool,
        Field(
            description="A trial that only shows what the corrections change: it is not a result of the document and"
            " sends no webhook."
        ),
    ] = False


class Issue(Answer):
    """Something wrong in the data."""

    sheet: str | None
    cell: str | None = Field(description="None when it is about a whole table or sheet.")
    field: str | None
    rule: str = Field(examples=["type.date"])
    severity: str = Field(examples=["error"])
    message: str


class IssueGroup(Answer):
    """Issues that differ in their cell and message alone."""

    sheet: str | None
    field: str | None
    rule: str
    severity: str
    count: int


class IssueCounts(Answer):
    """How many issues of each kind a run found."""

    groups: list[IssueGroup]
    other_count: int = Field(description="Issues beyond the kinds that are counted one by one.")
    is_complete: bool = Field(
        description="Whether all are counted; if not, ask again: each request continues counting."
    )


class CellPlace(Answer):
    """A cell of a document."""

    sheet: str | None
    cell: str = Field(examples=["C7"])


class ValueGroup(Answer):
    """Cells of a field that hold the same value and have the same thing wrong."""

    field: str
    rule: str
    severity: str
    message: str
    value: str | None = Field(description="As a correction of kind value names it; null: the cells are empty.")
    is_cut: bool = Field(description="The value is too long to be corrected, and only its beginning is here.")
    count: int
    cells: list[CellPlace] = Field(description="The first of the cells.")


class IssueValues(Answer):
    """The values that issues of a run are about: errors first, the most frequent first."""

    items: list[ValueGroup]
    group_count: int = Field(description="How many groups there are; the most frequent are listed.")
    is_complete: bool = Field(description="Whether all issues were looked up.")

    @classmethod
    def of(cls, found: dict[str, Any]) -> "IssueValues":
        """Return the model of what the engine found."""
        return cls.model_validate({**found, "items": found["groups"]})


class Event(Answer):
    """An event, numbered without gaps; its further keys depend on its type."""

    model_config = ConfigDict(extra="allow", frozen=True)

    seq: int
    at: datetime
    type: str = Field(examples=["run.claimed"])


class Events(Answer):
    """Events in order; ask again with `after` = the last `seq` for those that follow."""

    items: list[Event]
    is_complete: bool = Field(description="Whether nothing will follow.")


class Combination(Body):
    """Runs whose outputs become one document."""

    run_ids: list[Id] = Field(min_length=1, max_length=1000, description="In the order of the rows.")
    format: Literal["xlsx", "csv", "parquet"] = Field(
        default="xlsx", description="Names of the document, whatever names the runs wrote."
    )

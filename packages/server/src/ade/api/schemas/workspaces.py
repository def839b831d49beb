"""Workspaces, over the wire."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from ade.api.schemas.base import Answer, Body, Id, Name, Number, Priority
from ade.database.content.workspaces import WorkspaceRow
from ade.settings import MOST_DAYS

Days = Annotated[Number, Field(le=MOST_DAYS)]
Slug = Annotated[str, Field(pattern="^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$", examples=["sales"])]


class RunOnUpload(Body):
    """Which run each new document of a workspace gets by itself."""

    configuration_id: Id
    priority: Priority = "normal"


class Retention(Body):
    """How long a workspace keeps things, in days; none: as the deployment says."""

    documents_days: Days | None = None
    runs_days: Days | None = None


class Preferences(Body):
    """What a workspace decided for itself."""

    run_on_upload: RunOnUpload | None = None
    retention: Retention | None = None


class Workspace(Answer):
    """Where people work together."""

    id: Id
    slug: str
    name: str
    role: str = Field(description="Your role: viewer, operator, author or admin.")
    preferences: Preferences
    max_running: int | None
    created_at: datetime

    @classmethod
    def of(cls, row: WorkspaceRow, role: str) -> "Workspace":
        """Return the model of a row."""
        return cls.from_row(row, role=role, preferences=Preferences.model_validate(row.preferences))


class Overview(Answer):
    """The state of a workspace: counted, whatever its size.

    A document is judged by its newest run that has a result: neither cancelled, nor a test run of a draft.
    """

    running_count: int
    queued_count: int
    document_count: int = Field(description="Documents that have a result.")
    failed_count: int = Field(description="Documents whose newest run failed.")
    with_issues_count: int = Field(description="Documents whose newest run found issues.")
    issue_count: int = Field(description="How many issues these runs found.")
    ready_count: int = Field(description="Documents whose newest run is Ready.")
    check_count: int = Field(description="Documents whose newest run is Check.")
    not_usable_count: int = Field(description="Documents whose newest run is Not usable.")
    proposal_count: int = Field(description="Documents with a proposal that waits for an author.")


class NewWorkspace(Body):
    """A workspace to make."""

    name: Name = Field(examples=["Sales"])
    slug: Slug | None = None


class WorkspaceChange(Body):
    """What to change of a workspace; what is left out stays."""

    name: Name | None = None
    preferences: Preferences | None = None
    max_running: Annotated[int, Field(ge=1, le=100_000)] | None = None

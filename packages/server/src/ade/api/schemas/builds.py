"""Builds, over the wire."""

from datetime import datetime
from typing import Any

from pydantic import Field

from ade.api.schemas.base import Answer, Id
from ade.api.schemas.runs import Failure, links_of
from ade.database.views.build_lists import ListedBuild
from ade.domain.build import BuildStatus


class Build(Answer):
    """The environment of one configuration version, shared by its runs."""

    id: Id
    workspace_id: Id
    configuration_id: Id
    configuration_name: str
    version: int
    is_test: bool = Field(description="Whether only test runs use it: no published version has the same files.")
    fingerprint: str
    surroundings: str = Field(
        description="Engine, Python and platform of the workers that make and use it.",
        examples=["ade-engine 0.1.0, CPython 3.12, Linux x86_64"],
    )
    status: BuildStatus
    effective_priority: int
    waiting_run_count: int = Field(description="Queued runs that use it.")
    created_at: datetime
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    last_used_at: datetime | None
    files_removed_at: datetime | None = Field(
        description="When retention removed its files; the next run that needs it has it built again."
    )
    worker: str | None
    failure: Failure | None
    manifest: dict[str, Any] | None = Field(
        description="The fields and rules it found in the configuration; null in lists of builds."
    )
    metrics: dict[str, Any] | None
    size_bytes: int | None
    links: dict[str, str]

    @classmethod
    def of(cls, row: ListedBuild) -> "Build":
        """Return the model of a row."""
        is_published_since = row.snapshot_of is not None and row.published_number is not None
        return cls.from_row(
            row,
            version=row.published_number if is_published_since else row.version_number,
            is_test=row.snapshot_of is not None and not is_published_since,
            worker=row.worker_name,
            failure=Failure.of(row),
            links=links_of("builds", row.id, "logs"),
        )

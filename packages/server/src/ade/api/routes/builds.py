"""Builds."""

from typing import Annotated

from fastapi import APIRouter, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, SystemDependency
from ade.api.paging import Cursor, Limit, decode, instant, next_cursor, word
from ade.api.routes.run_files import Tail, log_of
from ade.api.schemas.base import Id, Page
from ade.api.schemas.builds import Build
from ade.database.transaction import Transaction
from ade.database.views import build_lists
from ade.database.views.build_lists import BuildFilter
from ade.domain.access import Role
from ade.domain.build import BuildStatus
from ade.errors import Conflict
from ade.operations.queue.builds import cancel_build
from ade.operations.queue.runs import audit_build
from ade.operations.views.run_files import log_key
from ade.operations.views.run_views import get_build, require_build

router = APIRouter(tags=["builds"])
Viewer = Annotated[Access, requires(Role.VIEWER, "build")]


@router.get("/builds")
def list_all(
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "everything")],
    cursor: Cursor = None,
    limit: Limit = 50,
    configuration_id: Id | None = None,
    status: BuildStatus | None = None,
) -> Page[Build]:
    """List builds, newest first."""
    wanted = BuildFilter(workspace_ids=access.caller.workspaces, configuration_id=configuration_id, status=status)
    after = decode(cursor, instant, word)
    rows = system.database.read(lambda tx: build_lists.page(tx, wanted, after=after, limit=limit))
    return Page(
        items=[Build.of(row) for row in rows],
        next_cursor=next_cursor(rows, limit, lambda row: (row.created_at, row.id)),
    )


@router.get("/builds/{build_id}")
def get_one(build_id: PathId, system: SystemDependency, access: Viewer) -> Build:
    """Return a build."""
    return Build.of(system.database.read(lambda tx: get_build(tx, build_id)))


@router.post("/builds/{build_id}/cancel")
def cancel(
    build_id: PathId, system: SystemDependency, access: Annotated[Access, requires(Role.OPERATOR, "build")]
) -> Build:
    """Cancel a build; the runs that wait for it fail."""

    def work(tx: Transaction) -> None:
        row = require_build(tx, build_id)
        if row.status not in {BuildStatus.QUEUED, BuildStatus.BUILDING}:
            raise Conflict(f"The build is already {row.status}; there is nothing to cancel.")
        cancel_build(tx, build_id)
        audit_build(tx, access.actor, row, action="build.cancel", changes={"status": [row.status, "cancelled"]})

    system.database.write(work)
    return Build.of(system.database.read(lambda tx: get_build(tx, build_id)))


@router.get(
    "/builds/{build_id}/logs",
    response_class=Response,
    responses={200: {"description": "The log.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_logs(
    build_id: PathId, request: Request, system: SystemDependency, access: Viewer, tail: Tail = None
) -> Response:
    """Return the log of a build, as far as it is written."""
    return log_of(request, system, system.database.read(lambda tx: log_key(tx, "build", build_id)), tail)

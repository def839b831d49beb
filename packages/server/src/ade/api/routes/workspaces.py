"""Workspaces."""

from typing import Annotated

from fastapi import APIRouter, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, SystemDependency
from ade.api.etags import IfMatch, quoted, required_number
from ade.api.idempotency import IdempotencyKey, create
from ade.api.schemas.base import Page, level_of
from ade.api.schemas.workspaces import NewWorkspace, Overview, Workspace, WorkspaceChange
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.errors import NotFound
from ade.operations.content.configurations import get_configuration
from ade.operations.content.workspaces import change_workspace, create_workspace, get_workspace, list_workspaces
from ade.operations.views.overviews import view_overview

router = APIRouter(tags=["workspaces"])


@router.get("/workspaces")
def list_all(
    system: SystemDependency, access: Annotated[Access, requires(Role.VIEWER, "everything")]
) -> Page[Workspace]:
    """List the workspaces you see."""
    rows = system.database.read(lambda tx: list_workspaces(tx, access.caller))
    return Page(items=[Workspace.of(row, access.caller.role_in(row.id) or Role.VIEWER) for row in rows])


@router.post("/workspaces", status_code=201, response_model=Workspace)
def create_one(
    request: Request,
    body: NewWorkspace,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.ADMIN, "deployment")],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Create a workspace."""

    def work(tx: Transaction) -> Workspace:
        return Workspace.of(create_workspace(tx, name=body.name, slug=body.slug, actor=access.actor), Role.ADMIN)

    return create(request, system, access, key=idempotency_key, body=body, work=work, status=201)


@router.get("/workspaces/{workspace_id}")
def get_one(
    workspace_id: PathId,
    response: Response,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
) -> Workspace:
    """Return a workspace; its ETag is needed to change it."""
    row = system.database.read(lambda tx: get_workspace(tx, workspace_id))
    response.headers["ETag"] = quoted(row.revision)
    return Workspace.of(row, access.caller.role_in(workspace_id) or Role.VIEWER)


@router.get("/workspaces/{workspace_id}/overview")
def get_overview(
    workspace_id: PathId,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
) -> Overview:
    """Return the state of a workspace: running and waiting runs, and the newest run of each document."""
    return Overview.model_validate(
        system.database.read(lambda tx: view_overview(tx, workspace_id)), from_attributes=True
    )


@router.patch("/workspaces/{workspace_id}")
def change_one(
    workspace_id: PathId,
    body: WorkspaceChange,
    response: Response,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.ADMIN, "workspace")],
    if_match: IfMatch = None,
) -> Workspace:
    """Change a workspace's name, cap or preferences."""
    values = body.model_dump(exclude_unset=True, exclude={"preferences"})
    values = {name: value for name, value in values.items() if name != "name" or value is not None}
    if body.preferences is not None:
        values["preferences"] = body.preferences.model_dump(mode="json", exclude_none=True)
    wanted = body.preferences.run_on_upload if body.preferences else None

    def work(tx: Transaction) -> Workspace:
        get_workspace(tx, workspace_id)
        if wanted is not None:
            values["preferences"]["run_on_upload"]["priority"] = level_of(wanted.priority)
            if get_configuration(tx, wanted.configuration_id).row.workspace_id != workspace_id:
                raise NotFound(f"There is no configuration {wanted.configuration_id}.")
        row = change_workspace(tx, workspace_id, values, revision=required_number(if_match), actor=access.actor)
        response.headers["ETag"] = quoted(row.revision)
        return Workspace.of(row, Role.ADMIN)

    return system.database.write(work)

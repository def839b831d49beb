"""Workspaces: made, listed, changed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ade.database.content import workspaces
from ade.database.content.workspaces import WorkspaceRow
from ade.database.queue.events import record_audit
from ade.database.transaction import Transaction
from ade.domain.access import Actor, Caller
from ade.errors import Changed, Conflict, NotFound
from ade.operations.queue.caps import cap_workspace

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def create_workspace(tx: Transaction, *, name: str, slug: str | None, actor: Actor) -> WorkspaceRow:
    """Add a workspace; raise Conflict when its slug is taken."""
    slug = slug or slug_of(name)
    workspace_id = tx.new_id()
    row = {"id": workspace_id, "slug": slug, "name": name, "preferences": {}, "created_at": tx.now}
    if not workspaces.insert(tx, row):
        raise Conflict(f"There is already a workspace {slug}. Choose another name or slug.")
    subjects = [(workspace_id, workspace_id, {"name": [None, name]})]
    record_audit(tx, actor, action="workspace.create", subject_kind="workspace", subjects=subjects)
    return get_workspace(tx, workspace_id)


def slug_of(name: str) -> str:
    """Return a name as part of an address."""
    return _NOT_SLUG.sub("-", name.lower()).strip("-")[:64] or "workspace"


def get_workspace(tx: Transaction, workspace_id: str) -> WorkspaceRow:
    """Return a workspace; raise NotFound."""
    row = workspaces.get(tx, workspace_id)
    if row is None:
        raise NotFound(f"There is no workspace {workspace_id}.")
    return row


def list_workspaces(tx: Transaction, caller: Caller) -> Sequence[WorkspaceRow]:
    """Return the workspaces the caller sees, oldest first."""
    return workspaces.listed(tx, among=caller.workspaces)


def change_workspace(
    tx: Transaction, workspace_id: str, values: Mapping[str, Any], *, revision: int, actor: Actor
) -> WorkspaceRow:
    """Change a workspace that is still as it was read."""
    before = get_workspace(tx, workspace_id)
    if "max_running" in values:
        cap_workspace(tx, workspace_id, values["max_running"], actor=actor)
    rest = {name: value for name, value in values.items() if name != "max_running"}
    if not workspaces.update(tx, workspace_id, revision=revision, values=rest):
        raise Changed("Another person changed the workspace. Read it again, then change it.")
    if rest:
        changes = {name: [getattr(before, name), value] for name, value in rest.items()}
        subjects = [(workspace_id, workspace_id, changes)]
        record_audit(tx, actor, action="workspace.change", subject_kind="workspace", subjects=subjects)
    return get_workspace(tx, workspace_id)

"""Operating the deployment: workers, audit log, settings."""

from datetime import timedelta
from importlib.metadata import version as version_of
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ade import __version__
from ade.api.access import Access, requires
from ade.api.dependencies import PathId, RulesDependency, SystemDependency
from ade.api.paging import Cursor, Limit, decode, next_cursor, whole
from ade.api.schemas.base import Id, Page, Text
from ade.api.schemas.operation import AuditRow, Setting, SettingsList, Worker, Workers
from ade.database.transaction import Transaction
from ade.database.views import audit
from ade.database.views.audit import AuditFilter
from ade.domain.access import Role
from ade.errors import NotFound
from ade.operations.queue.workers import drain_worker, list_workers
from ade.settings import PREFIX, SECRET, Settings

router = APIRouter(tags=["operation"])
STOPPED_SHOWN_FOR = timedelta(days=1)


@router.get("/workers")
def get_workers(
    system: SystemDependency, rules: RulesDependency, access: Annotated[Access, requires(Role.OPERATOR, "queue")]
) -> Workers:
    """List the workers at work, and those that stopped within a day, with the runs you see that they execute."""

    def work(tx: Transaction) -> Workers:
        silent_before = tx.now - 2 * rules.lease
        found = list_workers(tx, access.caller, stopped_since=tx.now - STOPPED_SHOWN_FOR)
        return Workers(
            items=[
                Worker.of(row, running=running, is_alive=row.stopped_at is None and row.heartbeat_at >= silent_before)
                for row, running in found
            ]
        )

    return system.database.read(work)


@router.post("/workers/{worker_id}/drain")
def drain(
    worker_id: PathId,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.ADMIN, "deployment")],
) -> Worker:
    """Ask a worker to claim nothing more; what it has in work finishes."""

    def work(tx: Transaction) -> Worker:
        drain_worker(tx, worker_id, actor=access.actor)
        found = [pair for pair in list_workers(tx, access.caller, stopped_since=tx.now) if pair[0].id == worker_id]
        if not found:
            raise NotFound(f"There is no worker {worker_id}.")
        row, running = found[0]
        return Worker.of(row, running=running, is_alive=row.heartbeat_at >= tx.now - 2 * rules.lease)

    return system.database.write(work)


@router.get("/audit")
def get_audit(
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "everything")],
    cursor: Cursor = None,
    limit: Limit = 50,
    workspace_id: Id | None = None,
    subject_kind: Annotated[Text | None, Query(max_length=32)] = None,
    subject_id: Annotated[Text | None, Query(max_length=64)] = None,
    action: Annotated[Text | None, Query(max_length=64)] = None,
) -> Page[AuditRow]:
    """List who changed what, newest first: of the workspaces you administer, or everything as an administrator."""
    caller = access.caller
    own = None if caller.may_administer else {one for one in caller.roles if caller.role_in(one) == Role.ADMIN}
    among = own if workspace_id is None else {workspace_id} & (own if own is not None else {workspace_id})
    wanted = AuditFilter(workspace_ids=among, subject_kind=subject_kind, subject_id=subject_id, action=action)
    place = decode(cursor, whole)
    after = place[0] if place else None
    rows = system.database.read(lambda tx: audit.page(tx, wanted, after=after, limit=limit))
    return Page(
        items=[AuditRow.of(row) for row in rows],
        next_cursor=next_cursor(rows, limit, lambda row: (row.position,)),
    )


@router.get("/settings")
def get_settings(
    system: SystemDependency, access: Annotated[Access, requires(Role.ADMIN, "deployment")]
) -> SettingsList:
    """List what the operator decided; addresses that may hold a password are left out."""
    return SettingsList(
        version=__version__,
        engine_version=version_of("ade-engine"),
        database=system.database.dialect,
        settings=[
            Setting(
                name=f"{PREFIX}{name.upper()}",
                value="(hidden)"
                if name in SECRET and getattr(system.settings, name)
                else _plain(getattr(system.settings, name)),
                default=_plain(field.default),
                description=field.description or "",
            )
            for name, field in Settings.model_fields.items()
        ],
    )


def _plain(value: Any) -> str | bool | int | float | None:
    return value if isinstance(value, str | bool | int | float) or value is None else str(value)

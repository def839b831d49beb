"""Puts rows into a database the short way: each function adds what its row needs, unless told otherwise."""

from datetime import timedelta
from itertools import count
from typing import Any

import sqlalchemy as sa

from ade.database.schema import builds, configuration_versions, configurations, documents, runs, workspaces
from ade.database.transaction import Transaction
from ade.database.types import EPOCH
from ade.domain.run import RunStatus
from ade.ids import new_id
from ade.operations.queue.surroundings import here

_numbers = count(1)
_LATER = EPOCH + timedelta(days=40_000)


def add_workspace(tx: Transaction, **values: Any) -> str:
    """Add a workspace."""
    return _add(
        tx, workspaces, {"slug": f"w{next(_numbers)}", "name": "Work", "preferences": {}, "created_at": tx.now}, values
    )


def add_document(tx: Transaction, **values: Any) -> str:
    """Add a document."""
    given: dict[str, Any] = {
        "workspace_id": values.get("workspace_id") or add_workspace(tx),
        "name": "people.xlsx",
        "media_type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "size_bytes": 1,
        "sha256": f"{next(_numbers):064x}",
        "file_key": "documents/1",
        "sheets": [],
        "created_at": tx.now,
    }
    return _add(tx, documents, given, values)


def add_documents(tx: Transaction, count: int, *, workspace_id: str) -> list[str]:
    """Add many documents in one statement."""
    given = [
        {
            "id": new_id(),
            "workspace_id": workspace_id,
            "name": "people.xlsx",
            "media_type": "text/csv",
            "size_bytes": 1,
            "sha256": f"{next(_numbers):064x}",
            "file_key": "documents/1",
            "sheets": [],
            "created_at": tx.now,
        }
        for _ in range(count)
    ]
    tx.execute(sa.insert(documents), given)
    return [str(row["id"]) for row in given]


def add_configuration(tx: Transaction, **values: Any) -> str:
    """Add a configuration without versions."""
    workspace = values.get("workspace_id") or add_workspace(tx)
    return _add(
        tx,
        configurations,
        {"workspace_id": workspace, "name": f"People {next(_numbers)}", "created_at": tx.now},
        values,
    )


def add_version(tx: Transaction, configuration_id: str, **values: Any) -> str:
    """Add a version of a configuration."""
    given = {"configuration_id": configuration_id, "number": next(_numbers), "status": "archived", "created_at": tx.now}
    return _add(tx, configuration_versions, given, values)


def add_build(tx: Transaction, **values: Any) -> str:
    """Add a ready build."""
    configuration = values.get("configuration_id") or add_configuration(tx)
    workspace = _workspace_of(tx, configurations, configuration)
    given = {
        "workspace_id": workspace,
        "configuration_id": configuration,
        "version_id": values.get("version_id") or add_version(tx, configuration),
        "fingerprint": f"{next(_numbers):064x}",
        "surroundings": str(here()),
        "status": "ready",
        "effective_priority": 50,
        "order_key": 0,
        "sequence": next(_numbers),
        "created_at": tx.now,
        "queued_at": tx.now,
    }
    return _add(tx, builds, given, values)


def add_run(tx: Transaction, **values: Any) -> str:
    """Add a queued, ready run of a new document on a new build."""
    build = values["build_id"] if values.get("build_id") else add_build(tx)
    built = tx.execute(sa.select(builds).where(builds.c.id == build)).one()
    given = {
        "workspace_id": built.workspace_id,
        "configuration_id": built.configuration_id,
        "version_id": built.version_id,
        "input_document_id": values.get("input_document_id") or add_document(tx, workspace_id=built.workspace_id),
        "build_id": build,
        "status": "queued",
        "priority": 50,
        "effective_priority": 50,
        "order_key": 0,
        "sequence": next(_numbers),
        "created_at": tx.now,
        "ready_at": tx.now,
    }
    return _add(tx, runs, given, values)


def fitting(status: RunStatus) -> dict[str, Any]:
    """Return the values a run of this status cannot be without."""
    extra: dict[RunStatus, dict[str, Any]] = {
        RunStatus.RUNNING: {"claim_token": next(_numbers), "lease_expires_at": _LATER},
        RunStatus.FAILED: {"failure_code": "internal_error", "failure_message": "Broken."},
    }
    return {"status": status, **extra.get(status, {})}


def _add(tx: Transaction, table: sa.Table, given: dict[str, Any], values: dict[str, Any]) -> str:
    row = {"id": new_id(), **given, **values}
    tx.execute(sa.insert(table).values(**row))
    return str(row["id"])


def _workspace_of(tx: Transaction, table: sa.Table, row_id: str) -> str:
    return str(tx.execute(sa.select(table.c.workspace_id).where(table.c.id == row_id)).scalar_one())

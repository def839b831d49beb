"""Reads and writes around one attempt at a run or a build."""

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ade.database import builds as build_store
from ade.database.runs import held, r
from ade.database.schema import builds, documents, events, runs
from ade.database.transaction import Transaction

_UNSAFE = re.compile(r"[^\w.\- ]")
LONGEST_NAME_BYTES = 120


def held_run(tx: Transaction, run_id: str, token: int) -> sa.Row[Any] | None:
    """Return a run with its document's name and key, while this claim holds it."""
    columns = (
        r.build_id,
        r.effective_priority,
        r.sequence,
        r.sheets,
        r.runtime_network_access,
        r.memory_mb,
        r.file_key,
        r.trace_id,
        documents.c.file_key.label("document_key"),
        documents.c.name.label("document_name"),
    )
    joined = runs.join(documents, documents.c.id == r.input_document_id)
    return tx.execute(sa.select(*columns).select_from(joined).where(held(run_id, token))).one_or_none()


def held_build(tx: Transaction, build_id: str, token: int) -> sa.Row[Any] | None:
    """Return a build while this claim holds it."""
    return tx.execute(sa.select(builds).where(build_store.held(build_id, token))).one_or_none()


def set_run_folder(tx: Transaction, run_id: str, token: int, folder: str) -> bool:
    """Name the folder of a run, while this claim holds it; tell whether it does."""
    return tx.execute(sa.update(runs).where(held(run_id, token)).values(file_key=folder)).rowcount == 1


def set_run_build(tx: Transaction, run_id: str, token: int, build_id: str) -> None:
    """Name the build a run is executed with, while this claim holds it."""
    tx.execute(sa.update(runs).where(held(run_id, token)).values(build_id=build_id))


def set_build_folder(tx: Transaction, build_id: str, token: int, folder: str) -> bool:
    """Name the folder of a build, while this claim holds it; tell whether it does."""
    condition = build_store.held(build_id, token)
    return tx.execute(sa.update(builds).where(condition).values(file_key=folder)).rowcount == 1


def folder_of(tx: Transaction, kind: str, subject_id: str) -> str | None:
    """Return the folder that a run or build names."""
    table = runs if kind == "run" else builds
    key: str | None = tx.execute(sa.select(table.c.file_key).where(table.c.id == subject_id)).scalar_one_or_none()
    return key


def key_of_product(tx: Transaction, run_id: str) -> str | None:
    """Return where the document lies that a run's output becomes, if a later phase waits for it."""
    found = sa.select(documents.c.file_key).where(_is_product_of(run_id))
    key: str | None = tx.execute(found.order_by(documents.c.id).limit(1)).scalar_one_or_none()
    return key


def fill_product(tx: Transaction, run_id: str, *, size_bytes: int, sha256: str) -> None:
    """Note the size and digest of the document a run's output became."""
    produced = sa.update(documents).where(_is_product_of(run_id))
    tx.execute(produced.values(size_bytes=size_bytes, sha256=sha256))


def _is_product_of(run_id: str) -> sa.ColumnElement[bool]:
    """Return the condition of being a run's output; said twice, so that a planner sees that the index will do."""
    return sa.and_(documents.c.produced_by.is_not(None), documents.c.produced_by == run_id)


def note_use(tx: Transaction, build_id: str) -> None:
    """Remember that a build is in use, for retention."""
    tx.execute(sa.update(builds).where(builds.c.id == build_id).values(last_used_at=tx.now))


def lifecycle(tx: Transaction, kind: str, subject_id: str) -> list[Mapping[str, Any]]:
    """Return the events of a run or build so far, in order."""
    chosen = sa.select(events.c.sequence, events.c.type, events.c.at, events.c.data).where(
        events.c.subject_kind == kind, events.c.subject_id == subject_id
    )
    return [dict(row) for row in tx.execute(chosen.order_by(events.c.sequence)).mappings()]


def safe_name(name: str) -> str:
    """Return a document's name as a file name: nothing that leads elsewhere, and no longer than a disk takes.

    Its end is kept, which says of what kind it is. Disks count bytes, and a letter may have four.
    """
    cleaned = _UNSAFE.sub("_", name).strip(". ").encode()[-LONGEST_NAME_BYTES:].decode(errors="ignore")
    return cleaned or "document"

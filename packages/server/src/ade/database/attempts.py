"""Reads and writes around one attempt at a run or a build."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

from ade.database import builds as build_store
from ade.database.prepared import Answer, Prepared
from ade.database.runs import RUNNING, held, r
from ade.database.schema import builds, documents, events, runs
from ade.database.transaction import Transaction

_UNSAFE = re.compile(r"[^\w.\- ]")
LONGEST_NAME_BYTES = 120


_RUN_ID = sa.bindparam("run_id", type_=r.id.type)
_HELD_RUN = Prepared(
    sa.select(
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
        documents.c.encoding.label("document_encoding"),
    )
    .select_from(runs.join(documents, documents.c.id == r.input_document_id))
    .where(r.id == _RUN_ID, RUNNING, r.claim_token == sa.bindparam("token", type_=r.claim_token.type))
)
_BUILD_OF_RUN = Prepared(
    sa.select(builds).select_from(builds.join(runs, builds.c.id == r.build_id)).where(r.id == _RUN_ID)
)


def ask_held_run(tx: Transaction, run_id: str, token: int) -> Answer:
    """Ask for a run with its document's name and key, while this claim holds it; return what gives one row or none."""
    return _HELD_RUN.ask(tx, {"run_id": run_id, "token": token})


def held_run(tx: Transaction, run_id: str, token: int) -> Any:
    """Return a run with its document's name and key, while this claim holds it, or None."""
    return next(iter(ask_held_run(tx, run_id, token)()), None)


def ask_build_of_run(tx: Transaction, run_id: str) -> Answer:
    """Ask for the build of a run; return what gives its one row."""
    return _BUILD_OF_RUN.ask(tx, {"run_id": run_id})


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


def ask_product(tx: Transaction, run_id: str) -> Answer:
    """Ask where the document lies that a run's output becomes; return what gives one row, or none when none waits."""
    return _PRODUCT.ask(tx, {"run_id": run_id})


def fill_product(tx: Transaction, run_id: str, *, size_bytes: int, sha256: str) -> None:
    """Note the size and digest of the document a run's output became."""
    produced = sa.update(documents).where(_is_product_of(run_id))
    tx.execute(produced.values(size_bytes=size_bytes, sha256=sha256))


def _is_product_of(run_id: Any) -> sa.ColumnElement[bool]:
    """Return the condition of being a run's output; said twice, so that a planner sees that the index will do."""
    return sa.and_(documents.c.produced_by.is_not(None), documents.c.produced_by == run_id)


_PRODUCT = Prepared(sa.select(documents.c.file_key).where(_is_product_of(_RUN_ID)).order_by(documents.c.id).limit(1))


def note_use(tx: Transaction, build_id: str) -> None:
    """Remember that a build is in use, for retention."""
    tx.execute(sa.update(builds).where(builds.c.id == build_id).values(last_used_at=tx.now))


_LIFECYCLE = Prepared(
    sa.select(events.c.sequence, events.c.type, events.c.at, events.c.data)
    .where(
        events.c.subject_kind == sa.bindparam("kind", type_=events.c.subject_kind.type),
        events.c.subject_id == sa.bindparam("subject", type_=events.c.subject_id.type),
    )
    .order_by(events.c.sequence)
)


def ask_lifecycle(tx: Transaction, kind: str, subject_id: str) -> Callable[[], list[Mapping[str, Any]]]:
    """Ask for the events of a run or build so far, in order; return what gives them."""
    answer = _LIFECYCLE.ask(tx, {"kind": kind, "subject": subject_id})
    return lambda: [dict(row._asdict()) for row in answer()]


def safe_name(name: str) -> str:
    """Return a document's name as a file name: nothing that leads elsewhere, and no longer than a disk takes.

    Its end is kept, which says of what kind it is. Disks count bytes, and a letter may have four.
    """
    cleaned = _UNSAFE.sub("_", name).strip(". ").encode()[-LONGEST_NAME_BYTES:].decode(errors="ignore")
    return cleaned or "document"

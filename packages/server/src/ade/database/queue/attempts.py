"""Reads and writes around one attempt at a run or a build."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ade.database.queue.builds import FULL, FullBuild
from ade.database.queue.kinds import BUILD, KINDS, RUN
from ade.database.queue.runs import RUNNING, r
from ade.database.rows import Rows
from ade.database.schema import builds, documents, events, runs
from ade.database.transaction import Transaction
from ade.database.wire.prepared import Answer, Prepared, PreparedRows
from ade.domain.queue import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRun:
    """What a worker needs to know of a run it holds, with its document."""

    build_id: str
    effective_priority: int
    sequence: int
    sheets: list[str] | None
    corrections: list[dict[str, Any]] | None
    runtime_network_access: bool
    memory_mb: int | None
    file_key: str | None
    trace_id: str | None  # of the request that submitted it
    document_key: str
    document_name: str
    document_encoding: str | None  # of its text, as chosen; None: detected


_HELD = Rows(
    HeldRun,
    runs,
    document_key=documents.c.file_key,
    document_name=documents.c.name,
    document_encoding=documents.c.encoding,
)
_RUN_ID = sa.bindparam("run_id", type_=r.id.type)
_HELD_RUN = PreparedRows(
    _HELD,
    _HELD.select(
        r.id == _RUN_ID, RUNNING, r.claim_token == sa.bindparam("token", type_=r.claim_token.type)
    ).select_from(runs.join(documents, documents.c.id == r.input_document_id)),
)
_BUILD_OF_RUN = PreparedRows(
    FULL, FULL.select(r.id == _RUN_ID).select_from(builds.join(runs, builds.c.id == r.build_id))
)


def ask_held_run(tx: Transaction, run_id: str, token: int) -> Answer[HeldRun]:
    """Ask for a run with its document's name and key, while this claim holds it; return what gives one row or none."""
    return _HELD_RUN.ask(tx, {"run_id": run_id, "token": token})


def held_run(tx: Transaction, run_id: str, token: int) -> HeldRun | None:
    """Return a run with its document's name and key, while this claim holds it, or None."""
    return next(iter(ask_held_run(tx, run_id, token)()), None)


def ask_build_of_run(tx: Transaction, run_id: str) -> Answer[FullBuild]:
    """Ask for the build of a run; return what gives its one row."""
    return _BUILD_OF_RUN.ask(tx, {"run_id": run_id})


def held_build(tx: Transaction, build_id: str, token: int) -> FullBuild | None:
    """Return a build while this claim holds it."""
    return FULL.one_or_none(tx, FULL.select(BUILD.held_under(build_id, token)))


def set_folder(tx: Transaction, claim: Claim, folder: str) -> bool:
    """Name the folder of a run or build, while this claim holds it; return whether it does."""
    kind = KINDS[claim.kind]
    named = sa.update(kind.table).where(kind.held_under(claim.id, claim.token)).values(file_key=folder)
    return tx.execute(named).rowcount == 1


def set_run_build(tx: Transaction, run_id: str, token: int, build_id: str) -> None:
    """Name the build a run is executed with, while this claim holds it."""
    tx.execute(sa.update(runs).where(RUN.held_under(run_id, token)).values(build_id=build_id))


def folder_of(tx: Transaction, kind: str, subject_id: str) -> str | None:
    """Return the folder that a run or build names."""
    table = KINDS[kind].table
    key: str | None = tx.execute(sa.select(table.c.file_key).where(table.c.id == subject_id)).scalar_one_or_none()
    return key


def ask_product(tx: Transaction, run_id: str) -> Callable[[], str | None]:
    """Ask where the document lies that a run's output becomes; return what gives its key, or None when none waits."""
    answer = _PRODUCT.ask(tx, {"run_id": run_id})
    return lambda: next((file_key for (file_key,) in answer()), None)


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


_EVENT_COLUMNS = ("sequence", "type", "at", "data")
_LIFECYCLE = Prepared(
    sa.select(*(events.c[name] for name in _EVENT_COLUMNS))
    .where(
        events.c.subject_kind == sa.bindparam("kind", type_=events.c.subject_kind.type),
        events.c.subject_id == sa.bindparam("subject", type_=events.c.subject_id.type),
    )
    .order_by(events.c.sequence)
)


def ask_lifecycle(tx: Transaction, kind: str, subject_id: str) -> Callable[[], list[Mapping[str, Any]]]:
    """Ask for the events of a run or build so far, in order; return what gives them."""
    answer = _LIFECYCLE.ask(tx, {"kind": kind, "subject": subject_id})
    return lambda: [dict(zip(_EVENT_COLUMNS, row, strict=True)) for row in answer()]

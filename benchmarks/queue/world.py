"""A database of ADE to measure in: one workspace, one build that is ready, and as many documents and runs as asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

import rows
from ade.database.maintenance import migrate
from ade.database.schema import documents, queue_control, runs
from ade.database.transaction import Database, Transaction
from ade.domain.access import Actor, ActorKind
from ade.domain.fingerprint import fingerprint
from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.requests import request_each
from ade.operations.queue.submit import Wish
from ade.operations.queue.surroundings import here
from ade.operations.queue.workers import WorkerFacts, register_worker

RULES = QueueRules(queue_size=10_000_000)
CHUNK = 50_000
PERSON = Actor(ActorKind.USER, "person@example.org", "1")
WISH = Wish(runtime_network_access=False)


@dataclass(frozen=True)
class World:
    """Where runs are submitted to."""

    url: str
    build: BuildRequest
    build_id: str

    def submit(self, database: Database, *document_ids: str, rules: QueueRules = RULES) -> list[str]:
        """Queue a run of each document as the API does, in one transaction; return their ids."""
        orders = [(document_id, WISH, PERSON) for document_id in document_ids]
        configuration_id = self.build.configuration_id
        return database.write(lambda tx: request_each(tx, configuration_id, orders, number=None, rules=rules))


def create(url: str) -> World:
    """Make an empty world in an empty database."""
    database = Database(url)
    migrate.upgrade(database)
    world = database.write(lambda tx: _add_build(tx, url))
    database.close()
    return world


def _add_build(tx: Transaction, url: str) -> World:
    workspace = rows.add_workspace(tx)
    configuration = rows.add_configuration(tx, workspace_id=workspace)
    version = rows.add_version(tx, configuration, status="published", published_at=tx.now)
    made_from = fingerprint({}, here())
    build_id = rows.add_build(tx, configuration_id=configuration, version_id=version, fingerprint=made_from)
    build = BuildRequest(
        workspace_id=workspace, configuration_id=configuration, version_id=version, fingerprint=made_from
    )
    return World(url, build, build_id)


def add_worker(database: Database, name: str, *, slots: int = 1) -> str:
    """Register a worker."""
    facts = WorkerFacts(name=name, host="here", process_id=1, version="0", slots=slots)
    return database.write(lambda tx: register_worker(tx, facts, rules=RULES))


def add_documents(database: Database, world: World, count: int) -> list[str]:
    """Add documents and return their ids."""
    made: list[str] = []
    for start in range(0, count, 5000):
        size = min(5000, count - start)
        made += database.write(
            lambda tx, size=size: rows.add_documents(tx, size, workspace_id=world.build.workspace_id)
        )
    return made


# Rows are made by the database itself: a million of them through Python would take longer than all measurements.
_NUMBERS = {
    "postgresql": "SELECT n FROM generate_series(CAST(:first AS bigint), CAST(:last AS bigint)) AS numbers(n)",
    "sqlite": (
        "WITH RECURSIVE numbers(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)"
        " SELECT n FROM numbers"
    ),
}
_PAD = {"postgresql": "lpad(CAST(n AS text), 12, '0')", "sqlite": "printf('%012d', n)"}


def fill(
    database: Database,
    world: World,
    count: int,
    *,
    first: int,
    priority: int = 50,
    block: int = 0,
    document_id: str | None = None,
    build_id: str | None = None,
) -> None:
    """Put queued runs straight into the tables, each of its own document unless one is named."""
    for start in range(first, first + count, CHUNK):
        span = {"first": start, "last": min(start + CHUNK, first + count) - 1}
        if document_id is None:
            _fill_table(database, documents, _document_columns(database, world), span)
        columns = _run_columns(database, world, document_id, build_id or world.build_id, priority, block)
        _fill_table(database, runs, columns, span)
    counted = sa.update(queue_control).where(queue_control.c.name == "dispatch")
    opened = {"open_run_count": queue_control.c.open_run_count + count, "run_sequence": first + count}
    database.write(lambda tx: tx.execute(counted.values(**opened)))


def _fill_table(database: Database, table: sa.Table, columns: dict[str, str], span: dict[str, int]) -> None:
    numbers = _NUMBERS[database.dialect]
    listed, chosen = ", ".join(columns), ", ".join(columns.values())
    statement = f"INSERT INTO {table.name} ({listed}) SELECT {chosen} FROM ({numbers}) AS rows_to_add"  # noqa: S608
    database.write(lambda tx: tx.execute(sa.text(statement), span))


def _document_columns(database: Database, world: World) -> dict[str, str]:
    number = _PAD[database.dialect]
    return {
        "id": f"'00000000-0000-7000-8000-' || {number}",
        "workspace_id": f"'{world.build.workspace_id}'",
        "name": "'people.xlsx'",
        "media_type": "'text/csv'",
        "size_bytes": "1",
        "sha256": f"'{'0' * 52}' || {number}",
        "file_key": "'documents/1'",
        "sheets": "'[]'",
        "created_at": "1",
    }


def _run_columns(
    database: Database, world: World, document_id: str | None, build_id: str, priority: int, block: int
) -> dict[str, str]:
    number = _PAD[database.dialect]
    return {
        "id": f"'00000000-0000-7000-9000-' || {number}",
        "workspace_id": f"'{world.build.workspace_id}'",
        "configuration_id": f"'{world.build.configuration_id}'",
        "version_id": f"'{world.build.version_id}'",
        "input_document_id": f"'{document_id}'" if document_id else f"'00000000-0000-7000-8000-' || {number}",
        "build_id": f"'{build_id}'",
        "status": "'queued'",
        "priority": str(priority),
        "effective_priority": str(priority),
        "order_key": "n",
        "sequence": "n",
        "block_mask": str(block),
        "created_at": "1",
        "ready_at": "1",
        "ages_at": str(2**52),  # not today
        "runtime_network_access": "false",
    }


def add_unfinished_build(database: Database, world: World) -> str:
    """Add a build that another worker is making."""
    worker = add_worker(database, "builder")

    def add(tx: Transaction) -> str:
        later = tx.now + timedelta(days=1)
        held = {"status": "building", "claimed_by": worker, "claim_token": 0, "lease_expires_at": later}
        known = {"configuration_id": world.build.configuration_id, "version_id": world.build.version_id}
        return rows.add_build(tx, **known, **held)

    return database.write(add)


WAITING_FOR_BUILD = int(Block.BUILD)


def vacuum(database: Database) -> None:
    """Let the database look at what it holds, as autovacuum would have by now."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM ANALYZE" if database.dialect == "postgresql" else "ANALYZE")

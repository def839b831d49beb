"""The schema is the same by migration and by metadata, and the database itself refuses what must not be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import ScriptDirectory

import databases
import rows
from ade.database.dialects import is_unique_violation
from ade.database.maintenance import migrate, revisions
from ade.database.schema import builds, configuration_versions, metadata, queue_control, runs, workspaces
from ade.database.transaction import Database, Transaction
from ade.domain.build import BuildStatus
from ade.domain.run import RunStatus
from ade.errors import SchemaOutdated, SchemaTooNew
from catalog import snapshot
from tsql.stand_in import skip_where_a_server_is_needed


@pytest.fixture
def empty_database(backend: databases.Backend, tmp_path: Path) -> Iterator[Database]:
    opened = Database(backend.empty_url(tmp_path, "empty"))
    yield opened
    opened.close()


@pytest.mark.req("W5")
def test_migrations_and_metadata_make_the_same_tables(database: Database, empty_database: Database) -> None:
    empty_database.write(lambda tx: metadata.create_all(tx.connection))

    by_metadata = empty_database.read(snapshot)
    by_migration = {name: facts for name, facts in database.read(snapshot).items() if name != "alembic_version"}

    assert by_migration == by_metadata
    assert set(by_metadata) == set(metadata.tables)


def test_autogenerate_finds_nothing_to_do_after_an_upgrade(database: Database) -> None:
    skip_where_a_server_is_needed(database.url)

    assert migrate.differences(database) == []


def test_a_missing_column_is_reported_as_a_difference(database: Database, empty_database: Database) -> None:
    skip_where_a_server_is_needed(empty_database.url)

    migrate.upgrade(empty_database)
    empty_database.write(lambda tx: tx.execute(sa.text("DROP INDEX ix_runs_finished" + _on_table(tx, "runs"))))

    assert any("ix_runs_finished" in difference for difference in migrate.differences(empty_database))


def test_every_step_is_known_without_loading_what_takes_it() -> None:
    steps = ScriptDirectory.from_config(migrate._config()).walk_revisions()

    assert [step.revision for step in steps] == list(reversed(revisions.REVISIONS))


def test_upgrade_can_be_repeated_and_taken_back(empty_database: Database) -> None:
    migrate.upgrade(empty_database)
    migrate.upgrade(empty_database)
    assert revisions.current_revision(empty_database) == revisions.NEWEST

    empty_database.write(lambda tx: command.downgrade(migrate._config(tx.connection), "base"))

    assert set(empty_database.read(snapshot)) <= {"alembic_version"}


def test_an_upgrade_that_fails_half_way_changes_nothing(empty_database: Database) -> None:
    # The last table a migration makes exists already, so the step breaks near its end.
    empty_database.write(lambda tx: tx.execute(sa.text("CREATE TABLE runs (id INTEGER)")))

    with pytest.raises(sa.exc.DBAPIError):
        migrate.upgrade(empty_database)

    assert set(empty_database.read(snapshot)) == {"runs"}


def test_a_database_without_schema_is_refused_with_the_command_to_run(empty_database: Database) -> None:
    with pytest.raises(SchemaOutdated, match="ade db upgrade"):
        revisions.require_current(empty_database)


def test_an_older_schema_is_refused_with_the_command_to_run(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "NEWEST", "9999")

    with pytest.raises(SchemaOutdated, match=r"at 0001, this version needs 9999\. Run: ade db upgrade"):
        revisions.require_current(database)


def test_a_newer_schema_is_refused(empty_database: Database) -> None:
    migrate.upgrade(empty_database)
    empty_database.write(lambda tx: tx.execute(sa.text("UPDATE alembic_version SET version_num = 'ffff'")))

    with pytest.raises(SchemaTooNew, match="ffff"):
        revisions.require_current(empty_database)
    with pytest.raises(SchemaTooNew, match="Upgrade the program"):
        migrate.upgrade(empty_database)


def test_the_control_rows_are_there_after_an_upgrade(database: Database) -> None:
    names = database.read(lambda tx: set(tx.execute(sa.select(queue_control.c.name)).scalars()))

    assert names == {"dispatch", "upkeep"}


@pytest.mark.req("R2")
@pytest.mark.parametrize("status", list(RunStatus))
def test_every_status_of_the_domain_is_accepted(database: Database, status: RunStatus) -> None:
    run_id = database.write(lambda tx: rows.add_run(tx, **rows.fitting(status)))

    assert (
        database.read(lambda tx: tx.execute(sa.select(runs.c.status).where(runs.c.id == run_id)).scalar_one()) == status
    )


@pytest.mark.req("R2", "B5")
@pytest.mark.parametrize(("table", "status"), [(runs, "waiting"), (runs, "timed_out"), (builds, "running")])
def test_a_status_the_domain_does_not_know_is_refused(database: Database, table: sa.Table, status: str) -> None:
    database.write(rows.add_run)

    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda tx: tx.execute(sa.update(table).values(status=status)))


@pytest.mark.req("R1")
@pytest.mark.parametrize("column", ["workspace_id", "configuration_id", "input_document_id", "build_id"])
def test_a_run_without_one_of_its_parts_is_refused(database: Database, column: str) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda tx: rows.add_run(tx, **{column: None}))


@pytest.mark.req("R1")
def test_a_run_of_an_unknown_document_is_refused(database: Database) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda tx: rows.add_run(tx, input_document_id="no-such-document"))


@pytest.mark.req("R6")
def test_runs_have_no_columns_for_retries() -> None:
    assert not {"attempt", "retry_of_run_id"} & set(runs.columns.keys())


@pytest.mark.req("Q4")
def test_a_second_running_run_of_a_document_is_refused(database: Database) -> None:
    document = database.write(rows.add_document)
    running = rows.fitting(RunStatus.RUNNING)
    database.write(lambda tx: rows.add_run(tx, input_document_id=document, **running))
    database.write(lambda tx: rows.add_run(tx, input_document_id=document))  # a queued one is fine

    with pytest.raises(sa.exc.IntegrityError) as refused:
        database.write(lambda tx: rows.add_run(tx, input_document_id=document, **running))

    assert is_unique_violation(refused.value)


@pytest.mark.req("B1")
def test_a_second_build_of_a_fingerprint_is_refused(database: Database) -> None:
    configuration = database.write(rows.add_configuration)
    database.write(lambda tx: rows.add_build(tx, configuration_id=configuration, fingerprint="f" * 64))

    with pytest.raises(sa.exc.IntegrityError) as refused:
        database.write(lambda tx: rows.add_build(tx, configuration_id=configuration, fingerprint="f" * 64))

    assert is_unique_violation(refused.value)


def test_a_configuration_has_at_most_one_draft_and_one_published_version(database: Database) -> None:
    configuration = database.write(rows.add_configuration)
    for number, status in enumerate(["draft", "published", "archived", "archived"], start=10):
        database.write(lambda tx, n=number, s=status: rows.add_version(tx, configuration, number=n, status=s))  # type: ignore[misc]

    for status in ("draft", "published"):
        with pytest.raises(sa.exc.IntegrityError):
            database.write(lambda tx, s=status: rows.add_version(tx, configuration, number=20, status=s))  # type: ignore[misc]

    kept = database.read(
        lambda tx: tx.execute(sa.select(sa.func.count()).select_from(configuration_versions)).scalar_one()
    )
    assert kept == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "running"},  # without a lease
        {"status": "failed"},  # without a cause
        {"priority": -1},
        {"effective_priority": 101},
    ],
)
def test_a_run_that_cannot_be_is_refused(database: Database, wrong: dict[str, Any]) -> None:
    if database.dialect == "postgresql":
        pytest.skip("reads each condition again at each change")

    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda tx: rows.add_run(tx, **wrong))


def test_a_build_without_a_lease_is_refused(database: Database) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda tx: rows.add_build(tx, status=BuildStatus.BUILDING))


def test_a_failed_build_without_a_cause_is_refused(database: Database) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda tx: rows.add_build(tx, status=BuildStatus.FAILED))


@pytest.mark.req("W5")
def test_ids_and_slugs_are_compared_byte_by_byte(database: Database) -> None:
    database.write(lambda tx: rows.add_workspace(tx, slug="sales"))
    database.write(lambda tx: rows.add_workspace(tx, slug="SALES"))

    found = database.read(lambda tx: tx.execute(sa.select(workspaces.c.slug).where(workspaces.c.slug == "Sales")).all())

    assert found == []


def _on_table(tx: Transaction, table: str) -> str:
    return f" ON {table}" if tx.dialect == "mssql" else ""

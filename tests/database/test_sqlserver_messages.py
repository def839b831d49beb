"""What is sent to SQL Server, and what is done about its errors, through a driver that answers as the tests say."""

from collections.abc import Iterator
from typing import Any

import mssql_python
import pytest
import sqlalchemy as sa

import scripted_sqlserver as scripted
from ade.database.maintenance import migrate, sqlserver
from ade.database.queue.control import lock_dispatch
from ade.database.schema import queue_control, workspaces
from ade.database.transaction import Database, Transaction
from ade.database.wire.prepared import Prepared
from ade.errors import DriverMissing

DISPATCH = (1_000_000, 7, 3, 1, 5, 1)
OPENING = "SET NOCOUNT ON;\nBEGIN TRANSACTION;\nSET NOCOUNT OFF;\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> scripted.Server:
    return scripted.install(monkeypatch)


@pytest.fixture
def database(server: scripted.Server) -> Iterator[Database]:
    """Yield a database that has connected already."""
    opened = Database("mssql://ade:secret@db/ade")
    opened.read(lambda tx: tx.execute(sa.text("SELECT 1")).all())
    server.messages.clear()
    yield opened
    opened.close()


def insert(tx: Transaction, **values: Any) -> None:
    row = {"id": "w", "slug": "s", "name": "n", "preferences": {}, "created_at": tx.clock and tx.now, **values}
    tx.execute(sa.insert(workspaces).values(**row))


def test_the_lock_begins_its_transaction_in_one_message_and_a_commit_is_another(
    database: Database, server: scripted.Server
) -> None:
    server.answer = lambda sql, _: [DISPATCH] if sql.startswith("UPDATE queue_control") else None

    assert database.write(lock_dispatch).number == 7

    first, last = server.messages
    assert first.startswith("SET XACT_ABORT ON;\nBEGIN TRANSACTION;\nEXEC sp_executesql N'UPDATE queue_control")
    assert last == "SET XACT_ABORT ON;\nCOMMIT;\nSET XACT_ABORT OFF;"


def test_a_statement_that_goes_by_sqlalchemy_is_one_message_with_the_beginning_of_its_transaction(
    database: Database, server: scripted.Server
) -> None:
    database.write(lambda tx: insert(tx, name="it's 100 % 😀", max_running=None, created_at=None))

    first, last = server.messages
    assert first.startswith(f"{OPENING}EXEC sp_executesql N'INSERT INTO workspaces (id, slug, name,")
    assert "VALUES (@p1, @p2, @p3, @p4, NULL, NULL)" in first
    assert "@p3 = N'it''s 100 % 😀'" in first
    assert "COMMIT" in last


def test_what_is_only_read_has_no_transaction(database: Database, server: scripted.Server) -> None:
    server.answer = lambda _sql, _values: [("s",)]

    assert database.read(lambda tx: tx.execute(sa.select(workspaces.c.slug)).scalar_one()) == "s"

    assert len(server.messages) == 1


def test_bytes_are_left_to_the_driver(database: Database, server: scripted.Server) -> None:
    echo = sa.select(sa.bindparam("given", b"\x00", type_=sa.LargeBinary))
    server.answer = lambda sql, _: [(b"\x00",)] if sql.startswith("SELECT") else None

    database.write(lambda tx: tx.execute(echo).all())

    first, second = server.messages[:2]
    assert (first, second.partition(" ")[0]) == (OPENING, "SELECT")


def test_a_backslash_at_the_end_of_a_line_is_not_lost(database: Database, server: scripted.Server) -> None:
    """In a literal of T-SQL it means that the text continues in the next line, and both vanish."""
    echo = Prepared(sa.select(sa.bindparam("given", type_=sa.Unicode)))
    server.answer = lambda sql, _: [("",)] if "sp_executesql" in sql else None

    database.write(lambda tx: echo.rows(tx, {"given": "C:\\\nit's"}))
    database.write(lambda tx: insert(tx, name="C:\\\r\nx", created_at=None))

    sent = [message for message in server.messages if "DECLARE" in message]
    assert (
        "DECLARE @v1_1 nvarchar(max) = CAST(N'' AS nvarchar(max)) + N'C:\\' + N'\nit''s'; EXEC sp_executesql" in sent[0]
    )
    assert "@p1 = @v1_1" in sent[0]
    assert "nvarchar(max) = CAST(N'' AS nvarchar(max)) + N'C:\\' + N'\r\nx'; EXEC sp_executesql" in sent[1]


def test_a_text_with_nul_is_refused_and_not_cut(database: Database, server: scripted.Server) -> None:
    echo = Prepared(sa.select(sa.bindparam("given", type_=sa.Unicode)))

    with pytest.raises(ValueError, match="NUL"):
        database.read(lambda tx: echo.rows(tx, {"given": "a\0b"}))

    assert not any("sp_executesql" in message for message in server.messages)


@pytest.mark.req("W5")
def test_a_deadlock_inside_a_savepoint_tries_the_whole_transaction_again(
    database: Database, server: scripted.Server
) -> None:
    """SQL Server has rolled the transaction back then, savepoint and all, and refuses to return to that."""
    tries: list[int] = []

    def answer(sql: str, _values: list[Any]) -> None:
        if sql.startswith("INSERT") and len(tries) == 1:
            raise scripted.error(*scripted.DEADLOCK)
        if sql.startswith("ROLLBACK TRANSACTION"):
            raise scripted.error(*scripted.NO_SAVEPOINT)

    def work(tx: Transaction) -> None:
        tries.append(1)
        with tx.savepoint():
            insert(tx, created_at=None)

    server.answer = answer
    database.write(work)

    assert len(tries) == 2
    assert server.statements[-1] == "SET XACT_ABORT OFF"
    assert "COMMIT" in server.statements


def test_a_transaction_that_is_gone_is_not_carried_on_outside_of_it(
    database: Database, server: scripted.Server
) -> None:
    def answer(sql: str, _values: list[Any]) -> None:
        if sql.startswith("INSERT"):
            raise scripted.error("23000", "Violation of UNIQUE KEY constraint 'uq'. Cannot insert duplicate key")
        if sql.startswith("ROLLBACK TRANSACTION"):
            raise scripted.error(*scripted.NO_SAVEPOINT)

    def work(tx: Transaction) -> None:
        try:
            with tx.savepoint():
                insert(tx, created_at=None)
        except sa.exc.IntegrityError:
            tx.execute(sa.update(queue_control).values(order_version=1))

    server.answer = answer
    with pytest.raises(sa.exc.ProgrammingError, match="No transaction or savepoint"):
        database.write(work)

    assert not any("UPDATE queue_control" in message for message in server.messages)


def test_a_rollback_that_fails_does_not_hide_why_there_was_one(database: Database, server: scripted.Server) -> None:
    def answer(sql: str, _values: list[Any]) -> None:
        if sql.startswith("IF @@TRANCOUNT > 0 ROLLBACK"):
            raise scripted.error(*scripted.NO_TRANSACTION)

    def work(tx: Transaction) -> None:
        insert(tx, created_at=None)
        raise LookupError("the reason")

    server.answer = answer
    with pytest.raises(LookupError, match="the reason"):
        database.write(work)


def test_what_fails_is_rolled_back_by_name(database: Database, server: scripted.Server) -> None:
    """The driver knows of no transaction that it did not begin, and would leave this one open."""

    def work(tx: Transaction) -> None:
        insert(tx, created_at=None)
        raise LookupError

    with pytest.raises(LookupError):
        database.write(work)

    assert server.messages[-1] == "SET XACT_ABORT OFF;\nIF @@TRANCOUNT > 0 ROLLBACK;"


def test_a_connection_without_a_transaction_of_ours_begins_and_ends_its_own(
    database: Database, server: scripted.Server
) -> None:
    with database.engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM runs"))

    assert server.messages == ["BEGIN TRANSACTION", "DELETE FROM runs", "COMMIT"]


def test_a_driver_that_cannot_be_loaded_names_the_libraries_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: Any, **__: Any) -> None:
        raise scripted.error("08001", "Failed to load the driver. Please read the documentation.")

    monkeypatch.setattr(mssql_python, "connect", connect)

    with pytest.raises(DriverMissing, match="libltdl7 libkrb5-3 libgssapi-krb5-2"):
        Database("mssql://ade:secret@db/ade").read(lambda tx: tx.now)


@pytest.mark.req("W5")
def test_an_upgrade_waits_for_another_and_does_not_go_on_without_its_lock(
    database: Database, server: scripted.Server
) -> None:
    """sp_getapplock tells by its return code alone that it gave up waiting."""

    def answer(sql: str, _values: list[Any]) -> None:
        if "sp_getapplock" in sql:
            raise scripted.error("42000", "Another upgrade of this database did not end within ten minutes.")

    server.answer = answer
    with pytest.raises(sa.exc.ProgrammingError, match="Another upgrade"):
        migrate.upgrade(database)

    [lock] = [message for message in server.messages if "sp_getapplock" in message]
    assert "EXEC @given = sp_getapplock" in lock
    assert "@LockTimeout = 600000" in lock
    assert "IF @given < 0 THROW" in lock


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ("User does not have permission to alter database 'ade'.", "has no right to turn it on"),
        ("Database state cannot be changed while other users are using the database.", "state cannot be changed"),
    ],
)
def test_snapshots_that_cannot_be_turned_on_are_told_with_the_reason(
    database: Database, server: scripted.Server, refusal: str, told: str
) -> None:
    def answer(sql: str, _values: list[Any]) -> Any:
        if sql.startswith("ALTER DATABASE"):
            raise scripted.error("42000", refusal)
        return [(0,)] if "is_read_committed_snapshot_on" in sql else None

    server.answer = answer

    assert told in migrate.tune(database)


def test_snapshots_that_are_off_and_sessions_that_stand_still_are_troubles(
    database: Database, server: scripted.Server
) -> None:
    stalled = (57, "worker-3", 4711, "python", "ade", 93, 1)
    answers: dict[str, list[tuple[Any, ...]]] = {
        "is_read_committed_snapshot_on": [(0,)],
        "HAS_PERMS_BY_NAME": [(1,)],
        "sys.dm_exec_sessions": [stalled],
    }
    server.answer = lambda sql, _: next((rows for words, rows in answers.items() if words in sql), None)

    [off] = sqlserver.setup_troubles(database)
    [session] = sqlserver.stalled_sessions(database)

    assert off.found == sqlserver.SNAPSHOT_IS_OFF
    assert "process 4711 on worker-3" in session.found
    assert "93 s and holds the queue" in session.found
    assert "KILL 57" in session.advice


def test_sessions_that_may_not_be_seen_are_told(database: Database, server: scripted.Server) -> None:
    server.answer = lambda sql, _: [(0,)] if "HAS_PERMS_BY_NAME" in sql else None

    [hidden] = sqlserver.stalled_sessions(database)

    assert "VIEW SERVER STATE" in hidden.advice

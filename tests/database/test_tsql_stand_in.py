"""The stand-in for SQL Server refuses, compares and counts as SQL Server does, where that matters to the product."""

import os
from collections.abc import Iterator
from pathlib import Path

import mssql_python
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.mssql.base import MSSQLCompiler

import databases
from ade.database.transaction import Database
from ade.database.wire import batch
from tsql import messages, stand_in
from tsql.grammar import shape
from tsql.parsing import numbered
from tsql.translation import translated


@pytest.fixture(scope="module")
def database(worker_id: str) -> Iterator[Database]:
    """Yield a database of the stand-in with one table; what it changes in this process is put back."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((mssql_python, "connect"), (MSSQLCompiler, "for_update_clause"), (batch.Bundle, "add")):
            patch.setattr(owner, name, getattr(owner, name))
        for variable in (stand_in.POSTGRES, "PYTHONPATH"):
            patch.setenv(variable, os.environ.get(variable, ""))
        server = stand_in.provide(os.environ[databases.POSTGRES_URL])
        backend = databases.ServerBackend(server, name=f"ade_stand_in_{worker_id}")
        opened = Database(backend.empty_url(Path(), "text"))
        with opened.engine.begin() as connection:
            connection.exec_driver_sql(
                "CREATE TABLE texts (word NVARCHAR(4) NULL, code NVARCHAR(4) COLLATE Latin1_General_BIN2 NULL)"
            )
        yield opened
        opened.close()
        backend.close()


def insert(database: Database, **values: str) -> None:
    table = sa.table("texts", *(sa.column(name) for name in values))
    database.write(lambda tx: tx.execute(sa.insert(table).values(**values)))


def count(database: Database, condition: str) -> int:
    return int(
        database.read(lambda tx: tx.execute(sa.text(f"SELECT COUNT(*) FROM texts WHERE {condition}")).scalar_one())
    )


@pytest.mark.parametrize("column", ["word", "code"])
def test_lengths_are_counted_in_units_of_utf16(database: Database, column: str) -> None:
    insert(database, **{column: "ab\N{GRINNING FACE}"})

    with pytest.raises(sa.exc.DataError, match="would be truncated"):
        insert(database, **{column: "abc\N{GRINNING FACE}"})


def test_words_are_compared_without_case_and_codes_with_it_but_without_spaces_at_the_end(database: Database) -> None:
    insert(database, word="Abc", code="Xy")

    assert count(database, "word = N'aBC'") == 1
    assert [count(database, f"code = N'{code}'") for code in ("Xy", "Xy  ", "xy")] == [1, 1, 0]


@pytest.mark.parametrize(
    "refused",
    [
        "SELECT word FROM texts OFFSET 0 ROWS FETCH FIRST 1 ROWS ONLY",
        "SELECT word FROM texts LIMIT 1",
        "SELECT json_extract(word, 'a') FROM texts",
    ],
)
def test_what_sql_server_refuses_is_refused(database: Database, refused: str) -> None:
    with pytest.raises(sa.exc.ProgrammingError):
        database.read(lambda tx: tx.execute(sa.text(refused)))


def test_a_savepoint_is_gone_with_its_transaction(database: Database) -> None:
    with database.engine.connect() as connection:
        connection.exec_driver_sql("SET XACT_ABORT ON; BEGIN TRANSACTION; SAVE TRANSACTION one")
        with pytest.raises(sa.exc.DataError):
            connection.exec_driver_sql("INSERT INTO texts (word) VALUES (N'too long')")
        with pytest.raises(sa.exc.ProgrammingError, match="No transaction or savepoint"):
            connection.exec_driver_sql("ROLLBACK TRANSACTION one")


def test_a_message_is_taken_apart_whatever_its_values_contain() -> None:
    call = "EXEC sp_executesql N'SELECT @p1, @p2, @p3', N'@p1 nvarchar(4), @p2 int, @p3 float'"
    given = "@p1 = N'a;'', @p2 = 7', @p2 = NULL, @p3 = 1.5"
    parts = list(messages.statements(f"BEGIN TRANSACTION;\n{call}, {given};\nCOMMIT;"))

    # A value is cut to the length of its parameter.
    assert parts == [
        ("BEGIN TRANSACTION", {}),
        ("SELECT @p1, @p2, @p3", {"p1": "a;',", "p2": None, "p3": 1.5}),
        ("COMMIT", {}),
    ]


def test_parameters_keep_their_places_when_clauses_move() -> None:
    sql = numbered("UPDATE runs SET a = ? OUTPUT ? AS kind, inserted.id WHERE b LIKE '50%?' AND c = ?")
    [statement] = translated(sql)

    assert sql == "UPDATE runs SET a = @p0 OUTPUT @p1 AS kind, inserted.id WHERE b LIKE '50%?' AND c = @p2"
    assert statement.index("%(p2)s") < statement.index("RETURNING %(p1)s")
    assert "'50%%?'" in statement


def test_lists_and_rows_of_any_length_have_one_shape() -> None:
    few = shape("INSERT INTO a (b) SELECT p0 FROM (VALUES (@p1, 0), (@p2, 1)) AS x(p0, n) WHERE c IN (@p3, @p4)")
    many = shape("INSERT INTO a (b) SELECT p0 FROM (VALUES (@p1, 0), (@p2, 1), (@p3, 2)) AS x(p0, n) WHERE c IN (@p4)")

    assert few == many

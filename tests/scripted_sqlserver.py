"""Takes the place of a SQL Server behind Microsoft's driver: notes every message, and answers as a test says.

Messages are counted by the driver's rules, seen on the wire: a text without parameters is one message. One with
parameters is prepared, executed and forgotten by two (sp_prepexec, sp_unprepare), and each None among them costs
another (sp_describe_undeclared_parameters). Without autocommit a transaction begins and ends by one each.
"""

from collections.abc import Callable, Sequence
from typing import Any

import mssql_python
import pytest
from mssql_python.exceptions import sqlstate_to_exception

import tsql_messages

Rows = Sequence[tuple[Any, ...]]
Answer = Callable[[str, list[Any]], Rows | None]
VERSION = "Microsoft SQL Server 2022 - 16.0.4000.1"
_OF_SQLALCHEMY: dict[str, Rows] = {
    "select @@version": [(VERSION,)],
    "SELECT schema_name()": [("dbo",)],
    "SELECT name FROM sys.system_views": [("dm_exec_sessions",)],
    "SELECT CASE transaction_isolation_level": [("READ COMMITTED",)],
    "SELECT CAST('test max support'": [("test max support",)],
}
_PREFIX = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"


def error(sqlstate: str, text: str) -> Exception:
    """Return what the driver raises."""
    made = sqlstate_to_exception(sqlstate, _PREFIX + text)
    assert made is not None
    return made


DEADLOCK = ("40001", "Transaction (Process ID 55) was deadlocked on lock resources with another process.")
NO_SAVEPOINT = ("42000", "Cannot roll back ade_1. No transaction or savepoint of that name was found.")
NO_TRANSACTION = ("42000", "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.")


class Server:
    """What is behind the driver: the messages it got, and who answers the statements in them."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.answer: Answer = lambda _sql, _values: None

    @property
    def statements(self) -> list[str]:
        """The statements of all messages, as they stand."""
        return [sql for message in self.messages for sql, _ in tsql_messages.statements(message)]

    def results(self, message: str) -> list[Rows]:
        """Return the rows of each statement that has some."""
        found = []
        for sql, values in tsql_messages.statements(message):
            rows = next((rows for start, rows in _OF_SQLALCHEMY.items() if sql.strip().startswith(start)), None)
            rows = self.answer(sql, values) if rows is None else rows
            if rows is not None or sql.lstrip().startswith("SELECT") or "OUTPUT inserted" in sql:
                found.append(rows or [])
        return found


class _Cursor:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._results: list[Rows] = []
        self.rowcount = 1

    @property
    def description(self) -> Any:
        if not self._results:
            return None
        width = len(self._results[0][0]) if self._results[0] else 1
        return [(f"c{number}", None, None, None, None, None, None) for number in range(width)]

    def execute(self, text: str, *parameters: Any) -> "_Cursor":
        given = parameters[0] if len(parameters) == 1 and isinstance(parameters[0], dict | list | tuple) else parameters
        values = list(given.values() if isinstance(given, dict) else given)
        self._server.messages += ["sp_describe_undeclared_parameters" for value in values if value is None]
        self._server.messages += [text, *(["sp_unprepare"] if values else [])]
        self._results = self._server.results(text)
        return self

    def fetchall(self) -> list[Any]:
        rows = list(self._results[0]) if self._results else []
        self._results[:1] = [[]] if self._results else []
        return rows

    def fetchone(self) -> Any:
        return next(iter(self.fetchall()), None)

    def nextset(self) -> bool:
        self._results = self._results[1:]
        return bool(self._results)

    def close(self) -> None:
        self._results = []


class _Connection:
    def __init__(self, server: Server) -> None:
        self._server = server
        self.autocommit = False
        self.closed = False

    def cursor(self) -> _Cursor:
        return _Cursor(self._server)

    def commit(self) -> None:
        if not self.autocommit:
            self._server.messages += ["TM_BEGIN_XACT", "TM_COMMIT_XACT"]

    def rollback(self) -> None:
        if not self.autocommit:
            self._server.messages += ["TM_BEGIN_XACT", "TM_ROLLBACK_XACT"]

    def close(self) -> None:
        self.closed = True


def install(patch: pytest.MonkeyPatch) -> Server:
    """Let the driver connect to a scripted server, whatever the address."""
    server = Server()
    patch.setattr(mssql_python, "connect", lambda *_, **__: _Connection(server))
    return server

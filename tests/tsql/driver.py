"""Takes the place of Microsoft's driver for one server name; its own code converts parameters and makes errors."""

from collections.abc import Callable, Iterable
from typing import Any

import mssql_python
from mssql_python.parameter_helper import detect_and_convert_parameters
from sqlalchemy.dialects.mssql.base import MSSQLCompiler

from ade.database.wire import batch
from tsql import messages, recording
from tsql.parsing import LOCK_INTENDED, numbered
from tsql.session import Result, Session
from tsql.stand_in import SERVER

_connect_to_server = mssql_python.connect


def install() -> None:
    """Let the driver connect to the stand-in where an address names it; once."""
    module: Any = mssql_python
    if module.connect is connect:
        return
    module.connect = connect
    # SQLAlchemy leaves FOR UPDATE out without a word: keep a trace of what was intended.
    MSSQLCompiler.for_update_clause = lambda *_, **__: f" {LOCK_INTENDED}"  # type: ignore[method-assign]
    batch.Bundle.add = _noting_origin(batch.Bundle.add)  # type: ignore[method-assign]


def _noting_origin(add: Callable[..., int]) -> Callable[..., int]:
    def noting(bundle: batch.Bundle, sql: str, values: Any, **options: Any) -> int:
        recording.note_origin(messages.called(sql))
        return add(bundle, sql, values, **options)

    return noting


def connect(address: str = "", *arguments: Any, **options: Any) -> Any:
    """Connect to what an address of the driver names."""
    words = dict(part.split("=", 1) for part in address.split(";") if "=" in part)
    if words.get("Server") != SERVER:
        return _connect_to_server(address, *arguments, **options)
    return Connection(words.get("Database", "master"))


class Connection:
    """A connection as the driver gives it."""

    def __init__(self, database: str) -> None:
        self._session = Session(database)
        self.commit = self._session.commit
        self.rollback = self._session.rollback
        self.close = self._session.close

    @property
    def closed(self) -> bool:
        return self._session.is_closed

    @property
    def autocommit(self) -> bool:
        return self._session.is_autocommitting

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        self._session.is_autocommitting = value

    def cursor(self) -> "Cursor":
        return Cursor(self._session)


class Cursor:
    """A cursor as the driver gives it: the rows of the first statement, then those of the next."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._results = [Result()]

    @property
    def description(self) -> Any:
        return self._results[0].description

    @property
    def rowcount(self) -> int:
        return self._results[0].row_count

    def execute(self, operation: str, *parameters: Any) -> "Cursor":
        is_one = len(parameters) == 1 and isinstance(parameters[0], list | tuple | dict)
        text, values = detect_and_convert_parameters(operation, (parameters[0] if is_one else parameters) or None)
        self._results = self._session.execute(numbered(text), list(values or ())) or [Result()]
        return self

    def executemany(self, operation: str, many: Iterable[Any]) -> None:
        counts = [self.execute(operation, one).rowcount for one in many]
        self._results = [Result(row_count=sum(counts))]

    def fetchall(self) -> list[Any]:
        rows, self._results[0].rows = self._results[0].rows, []
        return rows

    def fetchmany(self, size: int = 1) -> list[Any]:
        rows = self._results[0].rows
        self._results[0].rows = rows[size:]
        return rows[:size]

    def fetchone(self) -> Any:
        return next(iter(self.fetchmany(1)), None)

    def nextset(self) -> bool:
        del self._results[0]
        if not self._results:
            self._results = [Result()]
            return False
        return True

    def setinputsizes(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        self._results = [Result()]

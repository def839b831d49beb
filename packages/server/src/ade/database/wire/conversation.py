"""How the statements of a transaction get to the database: one after the other, or several in a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import sqlalchemy as sa

from ade.database.dialects import BEGIN_READ, BEGIN_WRITE, is_unprepared

if TYPE_CHECKING:
    from ade.database.wire import batch, bundle

    Bundle = bundle.Bundle | batch.Bundle
    Line = bundle.Line | batch.Line

BUNDLED = {"postgresql", "mssql"}  # whose statements travel together


class Conversation:
    """A connection for the length of a transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self.url = connection.engine.url
        self.sql: sa.Dialect = connection.dialect  # what turns statements into words of the database
        self.dialect = connection.dialect.name
        self.statement_count = 0
        self._void_from: int | None = None
        self._bundle: Bundle | None = None  # what the server is still to be sent
        self._is_begun = False

    @property
    def connection(self) -> sa.Connection:
        """Return the connection in an open transaction, after all pending statements are done."""
        self.statement_count += 1
        self._settle()
        if not self._connection.in_transaction():
            self._connection.begin()
        return self._connection

    @property
    def is_bundled(self) -> bool:
        """Return whether statements that are sent wait until someone asks for rows."""
        return self._bundle is not None

    @property
    def is_cut_off(self) -> bool:
        """Return whether the connection was closed in the middle of a message."""
        return self._bundle is not None and not self._connection.invalidated and bool(self._driver.closed)

    def void(self) -> None:
        """Roll this back at its end, unless another statement follows: it did nothing worth a write to the disk."""
        self._void_from = self.statement_count

    @property
    def is_void(self) -> bool:
        """Return whether nothing in it is worth keeping."""
        return self._void_from == self.statement_count

    def begin(self, mode: str) -> None:
        """Begin at once; for a server, BEGIN travels with the first statement."""
        if self.dialect not in BUNDLED:
            self._connection.begin()
            return
        self._bundle = self._line.bundle()
        opening = (BEGIN_READ if mode == "read" else BEGIN_WRITE)[self.dialect]
        self._is_begun = bool(opening)
        if opening:
            self._bundle.add(opening, None)

    def end(self) -> None:
        """Commit it, or roll it back if nothing in it is worth keeping, together with what was not sent yet."""
        if self._bundle is not None:
            if self._is_begun:
                self._bundle.add("ROLLBACK" if self.is_void else "COMMIT", None)
            self.catch_up()
        if self._connection.in_transaction():
            (self._connection.rollback if self.is_void else self._connection.commit)()

    def abandon(self) -> None:
        """Roll back where the driver would not do it at the end, since it does not know what was begun: SQL Server."""
        if self._bundle is not None and not self._connection.invalidated:
            self._line.roll_back()

    def execute(self, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[Any]:
        """Run a statement in this transaction."""
        self.statement_count += 1
        self._settle()
        return self._connection.execute(statement, parameters)

    def control(self, statement: str) -> None:
        """Send a statement that has neither parameters nor an answer."""
        self.statement_count += 1
        if self._bundle is not None:
            self._bundle.add(statement, None)
        else:
            self._connection.exec_driver_sql(statement)

    def send(self, sql: str, parameters: Any, *, is_inlined: bool = False, has_rows: bool = False) -> Any:
        """Hand a compiled statement to the driver; return what its rows are fetched by.

        A server gets several statements at once, when a caller asks for rows: each answer that is waited for costs
        as much as a small statement, and the queue is locked meanwhile.
        """
        self.statement_count += 1
        try:
            if self._bundle is not None:
                return self._bundle.add(sql, parameters, is_inlined=is_inlined, has_rows=has_rows)
            return self._driver.cursor().execute(sql, parameters)
        except self._driver_error as error:
            self._refuse(error, sql, parameters)

    def fetch(self, sent: Any, sql: str) -> list[Any]:
        """Return the rows of a statement that was sent."""
        try:
            return self._bundle.rows(sent) if self._bundle is not None else list(sent.fetchall())
        except self._driver_error as error:
            self._refuse(error, sql, None)

    def catch_up(self) -> None:
        """Wait until everything that was sent is done; a fault of it is raised here."""
        if self._bundle is not None:
            self._surely(self._bundle.send)

    def _settle(self) -> None:
        """Send what must be done before a statement that goes by SQLAlchemy."""
        if self._bundle is not None:
            self._surely(self._bundle.settle)

    def _mark(self) -> Any:
        """Return the present place in what is sent."""
        return None if self._bundle is None else self._bundle.mark()

    def _cut(self, mark: Any) -> bool:
        """Drop unsent statements collected since a mark; return whether any were sent since."""
        return True if self._bundle is None else self._bundle.cut(mark)

    def _surely(self, send: Callable[[], None]) -> None:
        try:
            send()
        except self._driver_error as error:
            self._refuse(error, "", None)

    def _refuse(self, error: Exception, sql: str, parameters: Any) -> NoReturn:
        """Raise what SQLAlchemy would: retries depend on the kind of error, and a lost connection is given up."""
        if is_unprepared(error):
            self._line.forget()
        self._connection._handle_dbapi_exception(error, sql, parameters, None, None)  # noqa: SLF001

    @property
    def _line(self) -> Line:
        line: Line | None = self._connection.info.get("line")
        if line is None:
            line = self._connection.info["line"] = _line_of(self.dialect)(self._driver)
        return line

    @property
    def _driver(self) -> Any:
        return self._connection.connection.driver_connection

    @property
    def _driver_error(self) -> type[Exception]:
        found: type[Exception] = self._connection.dialect.loaded_dbapi.Error
        return found


def _line_of(dialect: str) -> Callable[[Any], Line]:
    if dialect == "mssql":
        from ade.database.wire import batch

        return batch.Line
    from ade.database.wire import bundle  # loads a driver that others do without

    return bundle.Line

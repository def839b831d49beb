"""The one place that opens transactions.

`Database.write(work)` runs `work` in a write transaction, and again as a whole when it lost against another one; so
`work` must have no effect but through its transaction. `Database.read(work)` never waits for writers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

from ade.clock import Clock, SystemClock
from ade.database.dialects import (
    BEGIN_READ,
    BEGIN_WRITE,
    NOW_MICROSECONDS,
    ON_CONNECT,
    connect_arguments,
    is_contention,
    is_unprepared,
    now_microseconds,
)
from ade.database.types import from_microseconds
from ade.errors import DatabaseBusy, DatabaseUnreachable, OutcomeUnknown
from ade.ids import NewId, new_id
from ade.logs import get_logger

if TYPE_CHECKING:
    from ade.database.bundle import Bundle, Line

T = TypeVar("T")
log = get_logger()

MOST_TRIES = 8
FIRST_PAUSE = timedelta(milliseconds=10)
LONGEST_PAUSE = timedelta(seconds=1)
POOL_SIZE = 10


_DATABASE_TIME = f"SELECT {NOW_MICROSECONDS['postgresql']}"


class Transaction:
    """An open transaction: its connection, its moment, and what to do before and after it is committed."""

    def __init__(self, connection: sa.Connection, *, clock: Clock | None, ids: NewId) -> None:
        self._connection = connection
        self.url = connection.engine.url
        self.is_waking = False
        self.new_id = ids
        self.dialect = connection.dialect.name
        self.clock = clock
        self.held: object = None  # what the queue's lock told, once it is taken
        self.untold: list[tuple[Any, ...]] = []  # events that are written at the end, all at once
        self.committing: list[Callable[[], None]] = []
        self.committed: list[Callable[[], None]] = []
        self.statement_count = 0
        self._void_from: int | None = None
        self._now: datetime | None = None
        self._bundle: Bundle | None = None  # what PostgreSQL is still to be sent

    @property
    def connection(self) -> sa.Connection:
        """Return the connection, once all that was sent on it is done, for who looks whether something was begun."""
        self.statement_count += 1
        self.catch_up()
        if not self._connection.in_transaction():
            self._connection.begin()
        return self._connection

    @cached_property
    def is_watched(self) -> bool:
        """Tell whether someone listens to the statements of this engine."""
        heard = self._connection.dispatch
        return bool(heard.before_execute) or bool(heard.before_cursor_execute)

    @property
    def now(self) -> datetime:
        """Return the database's time, read once: everything in a transaction happens at one moment."""
        if self._now is None:
            self._now = self.clock.now() if self.clock else self._database_time()
        return self._now

    @now.setter
    def now(self, instant: datetime) -> None:
        self._now = instant

    def void(self) -> None:
        """Roll this back at its end, unless another statement follows: it did nothing worth a write to the disk."""
        self._void_from = self.statement_count

    @property
    def is_void(self) -> bool:
        """Tell whether nothing in it is worth keeping."""
        return self._void_from == self.statement_count

    def execute(self, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[Any]:
        """Run a statement in this transaction."""
        self.statement_count += 1
        self.catch_up()
        return self._connection.execute(statement, parameters)

    def begin(self, mode: str) -> None:
        """Begin at once; PostgreSQL is told together with the first statement."""
        if self.dialect != "postgresql":
            self._connection.begin()
            return
        self._bundle = self._line.bundle()
        self._bundle.add((BEGIN_READ if mode == "read" else BEGIN_WRITE)[self.dialect], None)

    def end(self) -> None:
        """Commit it, or roll it back if nothing in it is worth keeping, together with what was not sent yet."""
        if self._bundle is not None:
            self._bundle.add("ROLLBACK" if self.is_void else "COMMIT", None)
            self.catch_up()
        if self._connection.in_transaction():
            (self._connection.rollback if self.is_void else self._connection.commit)()

    def send(self, sql: str, parameters: Any, *, is_inlined: bool = False) -> Any:
        """Hand a compiled statement to the driver; return what its rows are fetched by.

        PostgreSQL is told several statements at once, when someone asks for rows: each answer that is waited for costs
        as much as a small statement, and the queue is locked meanwhile.
        """
        self.statement_count += 1
        try:
            if self._bundle is not None:
                return self._bundle.add(sql, parameters, is_inlined=is_inlined)
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
            try:
                self._bundle.send()
            except self._driver_error as error:
                self._refuse(error, "", None)

    def _refuse(self, error: Exception, sql: str, parameters: Any) -> NoReturn:
        """Raise what SQLAlchemy would: who tries again looks at the kind, and a lost connection is given up."""
        if is_unprepared(error):
            self._line.names.clear()
        self._connection._handle_dbapi_exception(error, sql, parameters, None, None)  # noqa: SLF001

    @property
    def is_cut_off(self) -> bool:
        """Tell whether the connection was closed in the middle of a message."""
        return self._bundle is not None and not self._connection.invalidated and bool(self._driver.closed)

    @property
    def _line(self) -> Line:
        line: Line | None = self._connection.info.get("line")
        if line is None:
            from ade.database.bundle import Line  # loads a driver that others do without

            line = self._connection.info["line"] = Line(self._driver)
        return line

    @property
    def _driver(self) -> Any:
        return self._connection.connection.driver_connection

    @property
    def _driver_error(self) -> type[Exception]:
        found: type[Exception] = self._connection.dialect.loaded_dbapi.Error
        return found

    def before_commit(self, action: Callable[[], None]) -> None:
        """Call `action` as the last thing in this transaction: what many parts of it add to is then written once."""
        self.committing.append(action)

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call `action` once this is committed, and not at all if it is rolled back."""
        self.committed.append(action)

    def _database_time(self) -> datetime:
        if self._bundle is None or self.is_watched:
            return from_microseconds(self.execute(sa.select(now_microseconds(self.dialect))).scalar_one())
        [[microseconds]] = self.fetch(self.send(_DATABASE_TIME, []), _DATABASE_TIME)
        return from_microseconds(microseconds)


class Database:
    """A database and the way to work in it.

    A `clock` replaces the database's own, for tests and simulations.
    """

    def __init__(self, url: str, *, clock: Clock | None = None, ids: NewId = new_id) -> None:
        self.url = make_url(url)
        self.engine = _create_engine(self.url)
        self.dialect = self.engine.dialect.name
        self._clock = clock
        self._waiting: Clock = clock or SystemClock()
        self._ids = ids
        # SQLite lets one write at a time, and who finds it busy asks again now and then: among many threads some would
        # never be lucky. Threads of one process take turns instead.
        self._turn: AbstractContextManager[Any] = RLock() if self.dialect == "sqlite" else nullcontext()
        self._idle: list[sa.Connection] = []  # to PostgreSQL, kept as they are: the pool resets what it is given back

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction; retry the whole on contention, with jitter."""
        return self._run(work, mode="write")

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction that changes nothing."""
        return self._run(work, mode="read")

    def close(self) -> None:
        """Close every connection."""
        self._give_up_idle()
        self.engine.dispose()

    def _run(self, work: Callable[[Transaction], T], *, mode: str) -> T:
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return self._once(work, mode=mode)
            except DBAPIError as error:
                if not _may_try_again(error):
                    raise
                last_error = error
            log.debug("transaction.retried", attempt=attempt, mode=mode)
            self._waiting.sleep(_pause_before(attempt))
        if last_error.connection_invalidated:
            raise DatabaseUnreachable(
                f"No connection to {self.url.render_as_string()}: is the server up?"
            ) from last_error
        raise DatabaseBusy(f"Gave up after {MOST_TRIES} tries; try again later.") from last_error

    def _once(self, work: Callable[[Transaction], T], *, mode: str) -> T:
        with self._turn if mode == "write" else nullcontext():
            connection = self._idle_connection() or self._connect(mode)
            transaction = Transaction(connection, clock=self._clock, ids=self._ids)
            try:
                transaction.begin(mode)
                result = work(transaction)
                for action in transaction.committing:
                    action()
                _end(transaction)
            except BaseException as error:
                if transaction.is_cut_off:
                    connection.invalidate()  # else who closes it finds that out, and that hides the error
                connection.close()  # rolls back
                if isinstance(error, DBAPIError) and error.connection_invalidated:
                    self._give_up_idle()  # they were lost with it, most likely
                raise
            self._keep(connection)
        for action in transaction.committed:
            action()
        return result

    def _idle_connection(self) -> sa.Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _keep(self, connection: sa.Connection) -> None:
        if self.dialect == "postgresql" and len(self._idle) < POOL_SIZE:
            self._idle.append(connection)
        else:
            connection.close()

    def _give_up_idle(self) -> None:
        while (connection := self._idle_connection()) is not None:
            connection.close()

    def _connect(self, mode: str) -> sa.Connection:
        try:
            return self.engine.connect().execution_options(ade_mode=mode)
        except sa.exc.TimeoutError as error:
            raise DatabaseBusy("Every connection is in use; try again later.") from error
        except DBAPIError as error:
            if is_contention(error):
                raise
            message = f"Cannot connect to {self.url.render_as_string()}: {_first_line(error)}"
            raise DatabaseUnreachable(message) from error


def _end(transaction: Transaction) -> None:
    try:
        transaction.end()
    except DBAPIError as error:
        # A lost connection may have been lost before or after the commit took hold: only the caller can find out.
        if error.connection_invalidated and not transaction.is_void:
            raise OutcomeUnknown("The connection was lost while saving. Look before trying again.") from error
        raise


def _may_try_again(error: DBAPIError) -> bool:
    return error.connection_invalidated or is_contention(error)


def _pause_before(attempt: int) -> timedelta:
    longest: timedelta = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return longest / random.uniform(1, 2)  # noqa: S311 - jitter, not a secret


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def _create_engine(url: URL) -> sa.Engine:
    dialect = url.get_backend_name()
    if dialect == "sqlite":
        return _create_sqlite(url)
    driver = {"postgresql": "postgresql+psycopg", "mssql": "mssql+mssqlpython"}.get(url.drivername, url.drivername)
    # No ping before each use: a connection that was lost fails at its first statement, and that is tried again.
    engine = sa.create_engine(
        url.set(drivername=driver),
        isolation_level="AUTOCOMMIT" if dialect == "postgresql" else "READ COMMITTED",
        pool_size=POOL_SIZE,
        max_overflow=20,
        connect_args=connect_arguments(url),
    )
    if dialect == "postgresql":
        engine.dialect.use_insertmanyvalues_wo_returning = True  # many rows in one statement, not one after the other
        _begin_ourselves(engine)
    _run_on_connect(engine, dialect)
    return engine


def _begin_ourselves(engine: sa.Engine) -> None:
    """Begin transactions of PostgreSQL here: its driver waits for the answer to each BEGIN, which has none to give.

    A `Transaction` tells it to begin together with its first statement; everyone else's begins here.
    """

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        if "ade_mode" not in options and options.get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql(BEGIN_WRITE["postgresql"])


def _create_sqlite(url: URL) -> sa.Engine:
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, pool_size=POOL_SIZE, max_overflow=20) if url.database else sa.create_engine(url)
    _run_on_connect(engine, "sqlite")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        mode = connection.get_execution_options().get("ade_mode", "write")
        connection.exec_driver_sql((BEGIN_READ if mode == "read" else BEGIN_WRITE)["sqlite"])

    return engine


def _run_on_connect(engine: sa.Engine, dialect: str) -> None:
    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        if dialect == "sqlite":
            connection.isolation_level = None  # the driver would otherwise begin transactions of its own
        if dialect == "postgresql":
            # What the driver prepares by itself it forgets at each rollback, and what we prepared with it.
            connection.prepare_threshold = None
        cursor = connection.cursor()
        for statement in ON_CONNECT[dialect]:
            cursor.execute(statement)
        cursor.close()

"""The one place that opens transactions.

`Database.write(work)` runs `work` in a write transaction, and again as a whole when it lost against another one; so
`work` must have no effect but through its transaction. `Database.read(work)` never waits for writers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from threading import RLock
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ade.clock import Clock, SystemClock
from ade.database.dialects import NOW_MICROSECONDS, RELEASE, ROLL_BACK_TO, SAVE, is_contention, now_microseconds
from ade.database.engines import POOL_SIZE, create_engine, refusal
from ade.database.types import from_microseconds
from ade.database.wire.conversation import Conversation
from ade.errors import DatabaseBusy, DatabaseUnreachable, OutcomeUnknown
from ade.ids import NewId, new_id
from ade.logs import get_logger

T = TypeVar("T")
log = get_logger()

MOST_TRIES = 8
FIRST_PAUSE = timedelta(milliseconds=10)
LONGEST_PAUSE = timedelta(seconds=1)


class Transaction(Conversation):
    """An open transaction: its connection, its moment, and what to do before and after it is committed."""

    def __init__(self, connection: sa.Connection, *, clock: Clock | None, ids: NewId) -> None:
        super().__init__(connection)
        self.wakes = 0  # how many idle workers are woken when it commits
        self.woken: list[str] = []  # which of them, where we send the messages ourselves
        self.new_id = ids
        self.clock = clock
        self.held: object = None  # what the queue's lock returned, once it is taken
        self.unwritten_events: list[tuple[Any, ...]] = []  # events that are written at the end, all at once
        self.committing: list[Callable[[], None]] = []
        self.committed: list[Callable[[], None]] = []
        self._now: datetime | None = None
        self._savepoint_count = 0

    @property
    def now(self) -> datetime:
        """Return the database's time, read once: everything in a transaction happens at one moment."""
        if self._now is None:
            self._now = self.clock.now() if self.clock else self._database_time()
        return self._now

    @now.setter
    def now(self, instant: datetime) -> None:
        self._now = instant

    def before_commit(self, action: Callable[[], None]) -> None:
        """Call `action` as the last thing in this transaction: what many parts of it add to is then written once."""
        self.committing.append(action)

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call `action` once this is committed, and not at all if it is rolled back."""
        self.committed.append(action)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Take back what is done inside when that raises: in the database, and what this transaction remembers.

        After a deadlock or a lost connection nothing can be saved: that error is raised, and the whole is tried again.
        """
        self._savepoint_count += 1
        name, mark, memory = f"ade_{self._savepoint_count}", self._mark(), self._memory()
        self.control(SAVE[self.dialect].format(name))
        try:
            yield
            self.catch_up()  # so that a fault of what was sent inside is raised inside
        except Exception as error:
            if not may_try_again(error):
                self._return_to(name, mark)
                self.__dict__.update(memory)
            raise
        if self.dialect in RELEASE:
            self.control(RELEASE[self.dialect].format(name))

    def _memory(self) -> dict[str, Any]:
        """Return what this transaction remembers of its own statements; not their number, for they were sent."""
        kept = {name: getattr(self, name) for name in ("held", "wakes", "_now", "_void_from")}
        return kept | {name: list(getattr(self, name)) for name in ("unwritten_events", "committing", "committed")}

    def _return_to(self, name: str, mark: Any) -> None:
        """Return to a savepoint.

        Where that fails the transaction is gone, and this error is raised instead of the first: a caller that expects
        the first one would carry on without a transaction.
        """
        if self._cut(mark):
            self.control(ROLL_BACK_TO[self.dialect].format(name))
            self.catch_up()

    def _database_time(self) -> datetime:
        if not self.is_bundled:
            return from_microseconds(self.execute(sa.select(now_microseconds(self.dialect))).scalar_one())
        question = f"SELECT {NOW_MICROSECONDS[self.dialect]} AS now"
        [[microseconds]] = self.fetch(self.send(question, [], has_rows=True), question)
        return from_microseconds(microseconds)


class Database:
    """A database and the way to work in it.

    A `clock` replaces the database's own, for tests and simulations.
    """

    def __init__(self, url: str, *, clock: Clock | None = None, ids: NewId = new_id) -> None:
        self.url = make_url(url)
        self.engine = create_engine(self.url)
        self.dialect = self.engine.dialect.name
        self._clock = clock
        self._waiting: Clock = clock or SystemClock()
        self._ids = ids
        # SQLite has one writer at a time, and a connection that finds it busy polls: among many threads some would
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
                if not may_try_again(error):
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
                _give_up(transaction, connection)
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
        except Exception as error:
            if isinstance(error, DBAPIError) and is_contention(error):
                raise
            if (unreachable := refusal(self.engine, error)) is None:
                raise
            raise unreachable from error


def _give_up(transaction: Transaction, connection: sa.Connection) -> None:
    """Roll back and close, or drop a connection that cannot do that: what fails here must not hide why we are here."""
    try:
        if transaction.is_cut_off:
            connection.invalidate()
        transaction.abandon()
        connection.close()
    except (SQLAlchemyError, connection.dialect.loaded_dbapi.Error) as error:
        log.debug("transaction.not_rolled_back", error=str(error))
        with suppress(SQLAlchemyError, connection.dialect.loaded_dbapi.Error):
            connection.invalidate()
            connection.close()


def _end(transaction: Transaction) -> None:
    try:
        transaction.end()
    except DBAPIError as error:
        # A lost connection may have been lost before or after the commit took hold: only the caller can find out.
        if error.connection_invalidated and not transaction.is_void:
            raise OutcomeUnknown(
                "The connection was lost while saving. Check whether it was saved before you try again."
            ) from error
        raise


def may_try_again(error: Exception) -> bool:
    """Return whether the whole transaction may be tried again after an error: its connection was lost, or it lost."""
    return isinstance(error, DBAPIError) and (error.connection_invalidated or is_contention(error))


def _pause_before(attempt: int) -> timedelta:
    longest: timedelta = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return longest / random.uniform(1, 2)  # noqa: S311 - jitter, not a secret

"""Statements for PostgreSQL that travel together: one message and one wait, however many there are.

The queue is locked while its statements are on their way, and the driver takes longer over sending a small one than the
server over answering it. So they are collected until someone asks for rows. Each is prepared once on a connection and
called by its name from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

from psycopg import DataError, Error, OperationalError, generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, Escaping, ExecStatus

MOST_PREPARED = 300  # on one connection
Statement = tuple[Any, ...]  # what is prepared: a statement, and the values that are part of it
Call = Callable[[], None]  # puts a statement into the message


class Line:
    """A connection to PostgreSQL: what is prepared on it, and how it is asked.

    The driver's cursors do for every statement what is needed for any; that is a third of the time of a small one.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.encoding: str = driver.info.encoding
        self.names: dict[Statement, bytes] = {}
        self._given = 0
        self._reader = Transformer(driver)

    def say(self, calls: Sequence[Call]) -> list[list[Any]]:
        """Send statements in one message, wait for all answers, and return the rows of each."""
        libpq = self.driver.pgconn
        with self.driver.lock:
            try:
                libpq.enter_pipeline_mode()
                for call in calls:
                    call()
                libpq.pipeline_sync()
                answers = self.driver.wait(self._answers(libpq))
                libpq.exit_pipeline_mode()
            except BaseException:
                self.driver.close()  # nobody knows what is still on its way
                raise
        return [self._rows(answer) for answer in answers]

    def _answers(self, libpq: Any) -> Generator[Any, Any, list[Any]]:
        """Yield what the driver is to wait for; return the answers up to the end of the message.

        After a mistake the server passes over the rest of the message, and says so for each statement.
        """
        answers: list[Any] = []
        try:
            yield from generators.send(libpq)
            while True:
                answer = yield from generators.fetch(libpq)
                if answer is None:  # one statement is over, or there will be no more
                    if libpq.status == ConnStatus.BAD:
                        raise OperationalError("the connection is lost")
                elif answer.status == ExecStatus.PIPELINE_SYNC:
                    return answers
                else:
                    answers.append(answer)
        except Error:
            for answer in answers:
                self._raise_mistake(answer)  # the server's last word tells more
            raise

    def _raise_mistake(self, answer: Any) -> None:
        if answer.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(answer, encoding=self.encoding)

    def _rows(self, answer: Any) -> list[Any]:
        self._raise_mistake(answer)
        if answer.status != ExecStatus.TUPLES_OK:
            return []
        self._reader.set_pgresult(answer)
        return self._reader.load_rows(0, answer.ntuples, tuple)

    def bundle(self) -> Bundle:
        """Return a bundle to be sent on this line."""
        return Bundle(self)

    def forget(self) -> None:
        """Forget what was prepared: the server did."""
        self.names.clear()

    def roll_back(self) -> None:
        """Leave it to the driver, which knows whether a transaction is open."""

    def next_name(self) -> bytes:
        """Return a name that was not given yet."""
        self._given += 1
        return b"ade_%d" % self._given


class Bundle:
    """What is to be sent on a connection next."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._calls: list[Call] = []
        self._message_count = 0
        self._answers: list[list[Any]] = []  # the rows of each call that was sent

    def add(self, sql: str, values: Sequence[Any] | None, *, is_inlined: bool = False, has_rows: bool = False) -> int:
        """Add a statement, with values for $1, $2 …, or unchanged; return its place."""
        del has_rows  # the server says
        libpq = self._line.driver.pgconn
        if values is None:
            call = partial(libpq.send_query_params, sql.encode(), None)
        elif is_inlined:
            call = partial(libpq.send_query_prepared, self._name((sql, *values)), None)
        else:
            call = partial(libpq.send_query_prepared, self._name((sql,)), [*map(self._text, values)])
        self._calls.append(call)
        return len(self._answers) + len(self._calls) - 1

    def send(self) -> None:
        """Send what was collected, if anything, and wait for all answers."""
        if not self._calls:
            return
        calls, self._calls = self._calls, []
        self._message_count += 1
        self._answers += self._line.say(calls)

    def settle(self) -> None:
        """Send what must be done before a statement that goes another way: all of it."""
        self.send()

    def mark(self) -> tuple[int, int]:
        """Return the present place: what was sent, and what is collected."""
        return self._message_count, len(self._calls)

    def cut(self, mark: tuple[int, int]) -> bool:
        """Drop unsent statements collected since a mark; return whether any were sent since."""
        message_count, collected = mark
        is_sent = self._message_count > message_count
        del self._calls[0 if is_sent else collected :]
        return is_sent

    def rows(self, place: int) -> list[Any]:
        """Return the rows of a statement."""
        if place >= len(self._answers):
            self.send()
        return self._answers[place]

    def _name(self, statement: Statement) -> bytes:
        """Return the name of a prepared statement; one that is not is prepared at once, ahead of the others."""
        line = self._line
        name = line.names.pop(statement, None)
        if name is None:
            sql, *values = statement
            name, libpq = line.next_name(), line.driver.pgconn
            if values:
                sql = re.sub(r"\$(\d+)", lambda found: self._literal(values[int(found[1]) - 1]), sql)
            line.say([partial(libpq.send_prepare, name, sql.encode(line.encoding))])
            if len(line.names) >= MOST_PREPARED:
                longest_unused = line.names.pop(next(iter(line.names)))
                line.say([partial(libpq.send_query_params, b"DEALLOCATE " + longest_unused, None)])
        line.names[statement] = name  # as the one used last
        return name

    def _text(self, value: Any) -> bytes | None:
        """Return a value as it is sent."""
        if value is None:
            return None
        if isinstance(value, str):
            if "\0" in value:
                raise DataError("PostgreSQL text cannot contain NUL (0x00) characters")
            return value.encode(self._line.encoding)
        if isinstance(value, bool | int | float):
            return repr(value).encode()
        raise TypeError(f"{type(value).__name__} is not a value of the hot path")

    def _literal(self, value: Any) -> str:
        """Return a value as a part of a statement."""
        text = self._text(value)
        if text is None:
            return "NULL"
        if isinstance(value, str):
            text = Escaping(self._line.driver.pgconn).escape_literal(text)
        return text.decode(self._line.encoding)

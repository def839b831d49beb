"""Statements for PostgreSQL that travel together: one message and one wait, however many there are.

The queue is locked while its statements are on their way, and the driver takes longer over sending a small one than the
server over answering it. So they are collected until someone asks for rows. Each is prepared once on a connection and
called by its name from then on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from psycopg import DataError, generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import Escaping, ExecStatus

MOST_PREPARED = 300  # on one connection
Statement = tuple[Any, ...]  # what is prepared: a statement, and the values that are part of it


class Line:
    """A connection to PostgreSQL: what is prepared on it, and how it is asked.

    The driver's cursors do for every statement what is needed for any; that is a third of the time of a small one.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.names: dict[Statement, bytes] = {}
        self._given = 0
        self._reader = Transformer(driver)

    def say(self, message: bytes) -> list[list[Any]]:
        """Send statements in one message, wait for all answers, and return the rows of each."""
        with self.driver.lock:
            self.driver.pgconn.send_query(message)
            answers = self.driver.wait(generators.execute(self.driver.pgconn))
        return [self._rows(answer) for answer in answers]

    def _rows(self, answer: Any) -> list[Any]:
        if answer.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(answer, encoding=self.driver.info.encoding)
        if answer.status != ExecStatus.TUPLES_OK:
            return []
        self._reader.set_pgresult(answer)
        return self._reader.load_rows(0, answer.ntuples, tuple)

    def bundle(self) -> Bundle:
        """Return a bundle to be sent on this line."""
        return Bundle(self)

    def next_name(self) -> bytes:
        """Return a name that was not given yet."""
        self._given += 1
        return b"ade_%d" % self._given


class Bundle:
    """What is to be sent on a connection next."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._calls: list[bytes] = []
        self._answers: list[list[Any]] = []  # the rows of each call that was sent

    def add(self, sql: str, values: Sequence[Any] | None, *, is_inlined: bool = False) -> int:
        """Add a statement, with values for $1, $2 …, or as it stands; return its place."""
        if values is None:
            call = sql.encode()
        elif is_inlined or not values:
            call = b"EXECUTE %s" % self._name((sql, *values))
        else:
            listed = b",".join(map(self._literal, values))
            call = b"EXECUTE %s(%s)" % (self._name((sql,)), listed)
        self._calls.append(call)
        return len(self._answers) + len(self._calls) - 1

    def send(self) -> None:
        """Send what was collected, if anything, and wait for all answers."""
        if not self._calls:
            return
        calls, self._calls = self._calls, []
        self._answers += self._line.say(b";".join(calls))

    def rows(self, place: int) -> list[Any]:
        """Return the rows of a statement."""
        if place >= len(self._answers):
            self.send()
        return self._answers[place]

    def _name(self, statement: Statement) -> bytes:
        """Return the name of a prepared statement; one that is not is prepared at once, ahead of the others."""
        names = self._line.names
        name = names.pop(statement, None)
        if name is None:
            sql, *values = statement
            name = self._line.next_name()
            if values:
                sql = re.sub(r"\$(\d+)", lambda found: self._literal(values[int(found[1]) - 1]).decode(), sql)
            self._line.say(b"PREPARE %s AS %s" % (name, sql.encode()))
            if len(names) >= MOST_PREPARED:
                longest_unused = next(iter(names))
                self._line.say(b"DEALLOCATE " + names.pop(longest_unused))
        names[statement] = name  # as the one used last
        return name

    def _literal(self, value: Any) -> bytes:
        if value is None:
            return b"NULL"
        if isinstance(value, str):
            if value.isascii() and value.isprintable() and "'" not in value and "\\" not in value:
                return b"'%s'" % value.encode()  # as most are
            if "\0" in value:
                raise DataError("PostgreSQL text cannot contain NUL (0x00) characters")
            driver = self._line.driver
            return Escaping(driver.pgconn).escape_literal(value.encode(driver.info.encoding))
        if isinstance(value, bool | int | float):
            return repr(value).encode()
        raise TypeError(f"{type(value).__name__} is not a value of the hot path")

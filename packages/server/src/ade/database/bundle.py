"""Statements for PostgreSQL that travel together: one message and one wait, however many there are.

The queue is locked while its statements are on their way, and the driver takes longer over sending a small one than the
server over answering it. So they are collected until someone asks for rows. Each is prepared once on a connection and
called by its name from then on.
"""

import re
from collections.abc import Sequence
from typing import Any

from psycopg import DataError
from psycopg.pq import Escaping

MOST_PREPARED = 300  # on one connection
Statement = tuple[Any, ...]  # what is prepared: a statement, and the values that are part of it


class Names(dict[Statement, bytes]):
    """The names of what is prepared on a connection; none is given twice."""

    def __init__(self) -> None:
        super().__init__()
        self._given = 0

    def next(self) -> bytes:
        """Return a name that was not given yet."""
        self._given += 1
        return b"ade_%d" % self._given


class Bundle:
    """What is to be sent on a connection next."""

    def __init__(self, driver: Any, names: Names) -> None:
        self._driver = driver
        self._names = names
        self._calls: list[bytes] = []
        self._sent: list[tuple[Any, int]] = []  # for each call the cursor that has its answer, and where

    @property
    def is_waiting(self) -> bool:
        """Tell whether something was not sent yet."""
        return bool(self._calls)

    def add(self, sql: str, values: Sequence[Any] | None, *, is_inlined: bool = False) -> int:
        """Add a statement, with values for $1, $2 …, or as it stands; return its place."""
        if values is None:
            call = sql.encode()
        elif is_inlined:
            call = b"EXECUTE %s" % self._name((sql, *values))
        else:
            listed = b",".join(map(self._literal, values))
            call = b"EXECUTE %s(%s)" % (self._name((sql,)), listed)
        self._calls.append(call)
        return len(self._sent) + len(self._calls) - 1

    def send(self) -> None:
        """Send what was collected, if anything, and wait for all answers."""
        if not self._calls:
            return
        calls, self._calls = self._calls, []
        cursor = self._driver.cursor()
        cursor.execute(b";".join(calls), prepare=False)
        self._sent += ((cursor, number) for number in range(len(calls)))

    def rows(self, place: int) -> list[Any]:
        """Return the rows of a statement."""
        if place >= len(self._sent):
            self.send()
        cursor, number = self._sent[place]
        cursor.set_result(number)
        found: list[Any] = cursor.fetchall()
        return found

    def _name(self, statement: Statement) -> bytes:
        """Return the name of a prepared statement; one that is not is prepared at once, ahead of the others."""
        name = self._names.pop(statement, None)
        if name is None:
            sql, *values = statement
            name = self._names.next()
            if values:
                sql = re.sub(r"\$(\d+)", lambda found: self._literal(values[int(found[1]) - 1]).decode(), sql)
            self._driver.execute(b"PREPARE %s AS %s" % (name, sql.encode()), prepare=False)
            if len(self._names) >= MOST_PREPARED:
                longest_unused = next(iter(self._names))
                self._driver.execute(b"DEALLOCATE " + self._names.pop(longest_unused), prepare=False)
        self._names[statement] = name  # as the one used last
        return name

    def _literal(self, value: Any) -> bytes:
        if value is None:
            return b"NULL"
        if isinstance(value, str):
            if value.isascii() and value.isprintable() and "'" not in value and "\\" not in value:
                return b"'%s'" % value.encode()  # as most are
            if "\0" in value:
                raise DataError("PostgreSQL text cannot contain NUL (0x00) characters")
            return Escaping(self._driver.pgconn).escape_literal(value.encode(self._driver.info.encoding))
        if isinstance(value, bool | int | float):
            return repr(value).encode()
        raise TypeError(f"{type(value).__name__} is not a value of the hot path")

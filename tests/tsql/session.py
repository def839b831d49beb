"""A session of the stand-in: transactions, savepoints and statements, on a connection to PostgreSQL."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlglot.errors import ParseError

from tsql import errors, messages, recording
from tsql.commands import command
from tsql.rules import refusals
from tsql.stand_in import POSTGRES
from tsql.translation import translated

OPTIONS = "-c search_path=dbo,sys"


@dataclass
class Result:
    """What one statement of a message gave."""

    rows: list[Any] = field(default_factory=list)
    description: Any = None
    row_count: int = -1


class Session:
    """A session. Without autocommit a transaction begins with its first statement."""

    def __init__(self, database: str) -> None:
        name = "postgres" if database == "master" else database
        self.address = psycopg.conninfo.make_conninfo(os.environ[POSTGRES], dbname=name, options=OPTIONS)
        try:
            self.postgres = psycopg.connect(self.address, autocommit=True, cursor_factory=psycopg.ClientCursor)
        except psycopg.OperationalError as error:
            raise errors.made("08001", str(error)) from error
        self.postgres.adapters.register_loader("numeric", _Number)
        self.savepoints: list[str] = []
        self.is_autocommitting = False
        self.gives_all_up = False  # XACT_ABORT: any error ends the transaction

    @property
    def is_closed(self) -> bool:
        return self.postgres.closed

    @property
    def is_in_transaction(self) -> bool:
        return self.postgres.info.transaction_status != TransactionStatus.IDLE

    def close(self) -> None:
        self.postgres.close()

    def begin(self) -> None:
        if not self.is_in_transaction:
            self.ask("BEGIN")

    def commit(self) -> None:
        if self.postgres.info.transaction_status == TransactionStatus.INERROR:
            raise errors.refused("The stand-in cannot commit what comes before an error: PostgreSQL gave it up.")
        self._end("COMMIT")

    def rollback(self) -> None:
        self._end("ROLLBACK")

    def _end(self, word: str) -> None:
        self.savepoints.clear()
        if self.is_in_transaction:
            self.ask(word)

    def execute(self, message: str, values: list[Any]) -> list[Result]:
        """Execute the statements of a message, whose parameters are numbered; return what gave rows or counts."""
        given = {f"p{number}": value for number, value in enumerate(values)}
        parts = [(message, given)] if given else messages.statements(message)
        results = []
        for sql, own in parts:
            recording.note(sql, own, is_bound=bool(given))
            results += self._execute(sql, own)
        return results

    def _execute(self, sql: str, given: Mapping[str, Any]) -> list[Result]:
        if (known := command(sql)) is not None:
            return known(self)
        if not self.is_autocommitting:
            self.begin()
        parameters = {name: _bound(value) for name, value in given.items()}
        return [self.ask(statement, parameters) for statement in self._accepted(sql)]

    def _accepted(self, sql: str) -> tuple[str, ...]:
        """Return the statements for PostgreSQL, unless SQL Server would refuse them."""
        try:
            if found := refusals(sql):
                raise errors.refused("; ".join(f"{one.rule}: {one.text}" for one in found) + f" in: {sql}")
            return translated(sql)
        except ParseError as error:
            raise errors.refused(f"Incorrect syntax: {error}") from error

    def ask(self, statement: str, parameters: dict[str, Any] | None = None) -> Result:
        """Execute a statement of PostgreSQL."""
        try:
            cursor = self.postgres.execute(statement, parameters)
        except psycopg.Error as error:
            # SQL Server ends the whole transaction of a victim, savepoints and all; and any, where that is asked for.
            if isinstance(error, psycopg.errors.DeadlockDetected) or self.gives_all_up:
                self.rollback()
            raise errors.of(error) from error
        if cursor.description is None:
            return Result(row_count=cursor.rowcount)
        names = [(column.name, None, None, None, None, None, None) for column in cursor.description]
        return Result(rows=cursor.fetchall(), description=names)


class _Number(psycopg.adapt.Loader):
    """Reads a sum of whole numbers as one: PostgreSQL gives them as decimals."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def _bound(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value

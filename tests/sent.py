"""Notes the statements of an act on the way they take in production: prepared ones, and those of SQLAlchemy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ade.database.transaction import Transaction
from ade.database.wire.conversation import Conversation


@dataclass(frozen=True)
class Sent:
    """A statement and its values, in the words of the database."""

    sql: str
    values: tuple[Any, ...] = ()

    def plan(self, tx: Transaction) -> str:
        """Return how the database would execute it."""
        if tx.dialect == "sqlite":
            found = tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {self.sql}", self.values)
        else:
            found = tx.connection.exec_driver_sql(f"EXPLAIN {self._written()}")
        return "\n".join(str(tuple(row)) for row in found)

    def _written(self) -> str:
        """Return it with its values in the text, as PostgreSQL prepares what is inlined."""
        return re.sub(r"\$(\d+)", lambda place: _literal(self.values[int(place[1]) - 1]), self.sql).replace("%", "%%")


def _literal(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else "NULL" if value is None else repr(value)


@contextmanager
def noted() -> Iterator[list[Sent]]:
    """Note every statement that this process sends meanwhile."""
    found: list[Sent] = []
    send, execute = Conversation.send, Conversation.execute

    def noting_send(self: Conversation, sql: str, parameters: Any, **words: Any) -> Any:
        found.append(Sent(sql, tuple(parameters or ())))
        return send(self, sql, parameters, **words)

    def noting_execute(self: Conversation, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[Any]:
        found.append(Sent(str(statement)))
        return execute(self, statement, parameters)

    Conversation.send, Conversation.execute = noting_send, noting_execute  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Conversation.send, Conversation.execute = send, execute  # type: ignore[method-assign]

"""Statements for SQL Server that travel together, as `bundle` does it for PostgreSQL: one message and one wait.

A message is one text. Each statement in it is a call of sp_executesql, with its values as literals behind it: the
server keeps one plan for a statement whatever its values are, and the driver has nothing to prepare, to describe and
to forget again, each of which is a message of its own. Statements that go by SQLAlchemy are sent the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

MOST_PARAMETERS = 2000  # SQL Server takes 2100, those of sp_executesql itself among them
LONGEST_SHORT_TEXT = 4000  # UTF-16 units
_CONTINUED = re.compile(r"\\(?=\r?\n)")
_PLACE = re.compile(r"%\(([^)]+)\)s|%%")
# A mistake in the middle must not be followed by the rest of the message: the server would carry on, and commit. Left
# on, it would also end a transaction that a savepoint could save.
_ALL_OR_NOTHING = "SET XACT_ABORT ON;\n{}\nSET XACT_ABORT OFF;"
# What the driver shows first must be the answer of the statement behind it, not a count of rows that was not requested.
_UNCOUNTED = "SET NOCOUNT ON;\n{}\nSET NOCOUNT OFF;\n"


class Line:
    """A connection to SQL Server, and how it is asked."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self._bundle: Bundle | None = None

    def bundle(self) -> Bundle:
        """Return a bundle to be sent on this line."""
        self._bundle = Bundle(self)
        return self._bundle

    def opening(self) -> str:
        """Return what goes before the next statement: the beginning of its transaction, if that was not sent yet."""
        return self._bundle.opening() if self._bundle is not None else ""

    def roll_back(self) -> None:
        """Roll back what is open; the driver does not know what was begun by a statement.

        An error cuts a message short, and leaves on what its end would turn off.
        """
        self._bundle = None
        self.say("SET XACT_ABORT OFF;\nIF @@TRANCOUNT > 0 ROLLBACK;")

    def forget(self) -> None:
        """Forget what was prepared: nothing is."""

    def say(self, text: str) -> list[list[Any]]:
        """Send statements in one message, wait for all answers, and return the rows of each that has rows."""
        cursor = self.driver.cursor()
        try:
            cursor.execute(text)
            found = _rows(cursor)
            while cursor.nextset():  # a mistake of a later statement is raised here
                found += _rows(cursor)
        finally:
            cursor.close()
        return found


def _rows(cursor: Any) -> list[list[Any]]:
    """Return the rows of a result as a list of one, or none when it is but a count."""
    return [[tuple(row) for row in cursor.fetchall()]] if cursor.description else []


@dataclass(frozen=True, slots=True)
class _Call:
    """A statement that waits to be sent."""

    place: int
    text: str
    is_control: bool  # begins a transaction or a savepoint: nothing comes back
    has_rows: bool


class Bundle:
    """What is to be sent on a connection next."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._calls: list[_Call] = []
        self._count = 0  # of all calls so far
        self._message_count = 0
        self._answers: dict[int, list[Any]] = {}

    def add(self, sql: str, values: Sequence[Any] | None, *, is_inlined: bool = False, has_rows: bool = False) -> int:
        """Add a statement as `call_of` returns it, with its values, or unchanged; return its place."""
        del is_inlined  # the server looks at the values when it makes its plan
        place, self._count = self._count, self._count + 1
        self._calls.append(_Call(place, f"{_with_values(sql, values or (), place)};", values is None, has_rows))
        return place

    def send(self) -> None:
        """Send what was collected, if anything, and wait for all answers."""
        calls = self._take()
        if calls:
            found = self._line.say(_ALL_OR_NOTHING.format(_joined(calls)))
            self._answers.update(zip((call.place for call in calls if call.has_rows), found, strict=True))

    def settle(self) -> None:
        """Send what was collected, unless the statement that goes another way can take it along."""
        if not all(call.is_control for call in self._calls):
            self.send()

    def opening(self) -> str:
        """Return the beginning of a transaction for the message of a statement that goes another way."""
        self.settle()
        calls = self._take()
        return _UNCOUNTED.format(_joined(calls)) if calls else ""

    def rows(self, place: int) -> list[Any]:
        """Return the rows of a statement."""
        if place not in self._answers:
            self.send()
        return self._answers[place]

    def mark(self) -> tuple[int, int]:
        """Return the present place: what was sent, and what is collected."""
        return self._message_count, len(self._calls)

    def cut(self, mark: tuple[int, int]) -> bool:
        """Drop unsent statements collected since a mark; return whether any were sent since."""
        message_count, collected = mark
        is_sent = self._message_count > message_count
        del self._calls[0 if is_sent else collected :]
        return is_sent

    def _take(self) -> list[_Call]:
        calls, self._calls = self._calls, []
        self._message_count += bool(calls)
        return calls


def _joined(calls: Sequence[_Call]) -> str:
    return "\n".join(call.text for call in calls)


def _with_values(call: str, values: Sequence[Any], place: int = 0) -> str:
    """Return a call with its values behind it; variables for those that a literal cannot hold are declared ahead."""
    declared, given = "", ""
    for number, value in enumerate(values, start=1):
        written = literal(value)
        if _CONTINUED.search(written):
            # A backslash at the end of a line is a sign to read on in the next: put apart, it is itself. An expression
            # is no argument of a call, so it needs a variable.
            parts = _CONTINUED.sub("\\\\' + N'", written)
            # Begun as a long text: short ones added to each other are cut at 4000 units.
            declared += f"DECLARE @v{place}_{number} nvarchar(max) = CAST(N'' AS nvarchar(max)) + {parts}; "
            written = f"@v{place}_{number}"
        given += f", @p{number} = {written}"
    return declared + call + given


def literal(value: Any) -> str:
    """Return a value as a part of a text."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("a text of SQL Server's cannot contain NUL")
        return "N'" + value.replace("'", "''") + "'"
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise ValueError(f"{type(value).__name__} has no literal")


def call_of(sql: str, types: Sequence[str]) -> str:
    """Return the call of a statement whose parameters are @p1, @p2 … of these types; its values are put behind it."""
    declared = ", ".join(f"@p{number} {type_}" for number, type_ in enumerate(types, start=1))
    return f"EXEC sp_executesql {literal(sql)}" + (f", {literal(declared)}" if declared else "")


def declared(type_: sa.types.TypeEngine[Any], dialect: sa.Dialect) -> str:
    """Return how a parameter of a column's type is declared; a text is longer there than any column's."""
    written = dialect.type_compiler_instance.process(type_)
    if "CHAR" not in written:
        return written
    return "nvarchar(max)" if "max" in written else f"nvarchar({LONGEST_SHORT_TEXT})"


def numbered(sql: str, sign: str = "@p") -> tuple[str, list[str]]:
    """Return a statement with @p1, @p2 … or $1, $2 … for its parameters, and their names in that order."""
    order: list[str] = []

    def number(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if found[1] not in order:
            order.append(found[1])
        return f"{sign}{order.index(found[1]) + 1}"

    return _PLACE.sub(number, sql), order


def install(engine: sa.Engine) -> None:
    """Send each statement of SQLAlchemy as one message, together with the beginning of its transaction."""
    dialect: Any = engine.dialect
    dialect.insertmanyvalues_max_parameters = MOST_PARAMETERS

    @sa.event.listens_for(engine, "do_execute")
    def execute(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
        opening = _opening(context)
        text = _inlined(statement, parameters) if context.compiled is not None else statement
        if text is None or (context.compiled is None and parameters):
            _send_alone(cursor, opening)
            return False
        cursor.execute(opening + text)
        return True

    @sa.event.listens_for(engine, "do_executemany")
    def execute_many(cursor: Any, _statement: str, _parameters: Any, context: Any) -> None:
        _send_alone(cursor, _opening(context))

    @sa.event.listens_for(engine, "do_execute_no_params")
    def execute_without_parameters(cursor: Any, _statement: str, context: Any) -> None:
        _send_alone(cursor, _opening(context))


def _opening(context: Any) -> str:
    try:
        line: Line | None = context.root_connection.info.get("line")
    except NotImplementedError:  # SQLAlchemy looks at the first connection before the pool has it
        return ""
    return line.opening() if line is not None else ""


def _send_alone(cursor: Any, opening: str) -> None:
    if opening:
        cursor.execute(opening)


def _inlined(statement: str, parameters: Mapping[str, Any]) -> str | None:
    """Return the call of a statement with its values, or None when one of them has no literal: bytes."""
    # A None is written into the text: where it stands tells its type.
    given = {name: value for name, value in parameters.items() if value is not None}
    sql = _PLACE.sub(lambda found: found[0] if found[0] == "%%" or found[1] in given else "NULL", statement)
    text, order = numbered(sql)
    if not order:
        return text
    values = [given[name] for name in order]
    try:
        return _with_values(call_of(text, [_type_of(value) for value in values]), values)
    except ValueError:
        return None


def _type_of(value: Any) -> str:
    if isinstance(value, str):
        is_short = len(value.encode("utf-16-le", "surrogatepass")) <= 2 * LONGEST_SHORT_TEXT
        return f"nvarchar({LONGEST_SHORT_TEXT})" if is_short else "nvarchar(max)"
    if isinstance(value, bool):
        return "bit"
    if isinstance(value, int):
        return "int" if -(2**31) <= value < 2**31 else "bigint"
    return "float"

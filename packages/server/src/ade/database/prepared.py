"""Statements of the hot path: compiled once for each database, then handed to its driver.

Whoever finishes and claims holds the queue meanwhile, and what SQLAlchemy does around a statement takes longer than the
statement itself. Where someone listens to the statements of an engine, and on other databases, they go the usual way.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from ade.database import batch
from ade.database.transaction import Transaction

Process = Callable[[Any], Any]
Answer = Callable[[], list[Any]]
_WRITTEN_NUMBER = re.compile(r"__\[POSTCOMPILE_(\w+)\]")


class Prepared:
    """A statement whose parameters have names, and none of them is a list."""

    def __init__(self, statement: Any, *, is_inlined: bool = False) -> None:
        self.statement = statement
        self._is_inlined = is_inlined  # PostgreSQL plans it for each set of values: fit for few of them
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, tx: Transaction, parameters: Mapping[str, Any]) -> list[Any]:
        """Execute it and return the rows it gives."""
        return self.ask(tx, parameters)()

    def ask(self, tx: Transaction, parameters: Mapping[str, Any]) -> Answer:
        """Execute it and return what gives its rows; other statements may be executed before that is asked."""
        if not _is_quick(tx):
            rows = list(tx.execute(self.statement, dict(parameters)).all())
            return lambda: rows
        compiled = self._for(tx)
        bound = compiled.bound(parameters)
        sent = tx.send(compiled.sql, bound, is_inlined=self._is_inlined, has_rows=compiled.has_rows)
        if not tx.is_bundled:  # SQLite has its rows by now, and nothing is won by leaving them open
            found = compiled.made(tx.fetch(sent, compiled.sql))
            return lambda: found
        return lambda: compiled.made(tx.fetch(sent, compiled.sql))

    def change(self, tx: Transaction, *many: Mapping[str, Any]) -> None:
        """Execute it once for each set of parameters."""
        if not _is_quick(tx):
            tx.execute(self.statement, [dict(one) for one in many])
            return
        compiled = self._for(tx)
        for one in many:
            tx.send(compiled.sql, compiled.bound(one), has_rows=compiled.has_rows)

    def _for(self, tx: Transaction) -> "_Compiled":
        found = self._compiled.get(tx.dialect)
        if found is None:
            found = self._compiled[tx.dialect] = _Compiled(self.statement, tx.sql)
        return found


def _is_quick(tx: Transaction) -> bool:
    return not tx.is_watched


class _Compiled:
    """A statement in the words of one database, and what turns values into its and back."""

    def __init__(self, statement: Any, dialect: sa.Dialect) -> None:
        self._compiled = statement.compile(dialect=dialect)
        self._dialect = dialect
        self.sql, self._order = {"postgresql": self._numbered, "mssql": self._called}.get(
            dialect.name, self._positional
        )()

    @cached_property
    def has_rows(self) -> bool:
        """Tell whether it answers with rows."""
        return bool(self._columns)

    def _positional(self) -> tuple[str, list[str]]:
        written = {self._compiled.bind_names[bind] for bind in self._compiled.literal_execute_params}
        return self._text, [name for name in self._compiled.positiontup if name not in written]

    def _numbered(self) -> tuple[str, list[str]]:
        """Return the statement with $1, $2 … for its parameters, and their names in that order."""
        order: list[str] = []

        def number(found: re.Match[str]) -> str:
            if found[0] == "%%":
                return "%"
            if found[1] not in order:
                order.append(found[1])
            return f"${order.index(found[1]) + 1}"

        return re.sub(r"%\((\w+)\)s|%%", number, self._text), order

    def _called(self) -> tuple[str, list[str]]:
        """Return the statement as a call that its values are put behind, and their names in that order."""
        sql, order = batch.numbered(self._text)
        types = {name: bind.type for bind, name in self._compiled.bind_names.items()}
        return batch.call_of(sql, [batch.declared(types[name], self._dialect) for name in order]), order

    @property
    def _text(self) -> str:
        """Return the statement with the numbers that are a part of its text: limits."""
        binds = self._compiled.binds
        return _WRITTEN_NUMBER.sub(lambda found: str(int(binds[found[1]].value)), str(self._compiled))

    @cached_property
    def _constants(self) -> dict[str, Any]:
        """Return the values that are part of the statement, as the driver is given them."""
        found = {name: bind.value for bind, name in self._compiled.bind_names.items() if not bind.required}
        processes = dict(self._places)
        return {name: _processed(processes[name], value) for name, value in found.items() if name in processes}

    @cached_property
    def _places(self) -> list[tuple[str, Process | None]]:
        """Return the name of the parameter in each place, and what its values become there."""
        # A parameter may stand in several places, in some of them as the bare number it becomes.
        found = {
            name: process
            for bind, name in self._compiled.bind_names.items()
            if (process := bind.type.dialect_impl(self._dialect).bind_processor(self._dialect)) is not None
        }
        return [(name, found.get(name)) for name in self._order]

    @cached_property
    def _columns(self) -> list[Any]:
        return list(self._compiled._result_columns)  # noqa: SLF001

    @cached_property
    def _row(self) -> Any:
        return namedtuple("_row", [column.keyname for column in self._columns])

    @cached_property
    def _readers(self) -> list[tuple[int, Process]]:
        """Return what turns values of our own types back; the driver knows the others."""
        found = [
            (number, column.type.dialect_impl(self._dialect).result_processor(self._dialect, None))
            for number, column in enumerate(self._columns)
            if isinstance(column.type, sa.TypeDecorator)
        ]
        return [(number, process) for number, process in found if process is not None]

    def bound(self, parameters: Mapping[str, Any]) -> Any:
        """Return what the driver is given."""
        constants = self._constants
        return [
            _processed(process, parameters[name]) if name in parameters else constants[name]
            for name, process in self._places
        ]

    def made(self, found: Sequence[Sequence[Any]]) -> list[Any]:
        """Return rows with names, their values as Python knows them."""
        make, readers = self._row._make, self._readers
        if not readers:
            return [make(row) for row in found]
        rows = []
        for row in found:
            values = list(row)
            for number, process in readers:
                values[number] = process(values[number])
            rows.append(make(values))
        return rows


def _processed(process: Process | None, value: Any) -> Any:
    return value if process is None else process(value)

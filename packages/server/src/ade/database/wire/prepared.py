"""Statements of the hot path: compiled once for each database, then handed to its driver.

The transaction that finishes and claims holds the queue's lock meanwhile, and what SQLAlchemy does around a statement
takes longer than the statement itself.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from ade.database.rows import Rows
from ade.database.transaction import Transaction
from ade.database.wire import batch

Process = Callable[[Any], Any]
T = TypeVar("T")
Answer = Callable[[], list[T]]
Values = tuple[Any, ...]
_WRITTEN_NUMBER = re.compile(r"__\[POSTCOMPILE_(\w+)\]")


class _Statement:
    """A statement whose parameters have names, and none of them is a list."""

    def __init__(self, statement: Any, *, is_inlined: bool = False) -> None:
        self.statement = statement
        self._is_inlined = is_inlined  # PostgreSQL plans it for each set of values: fit for few of them
        self._compiled: dict[str, _Compiled] = {}

    def _ask(
        self, tx: Transaction, parameters: Mapping[str, Any], make: Callable[[Iterable[Any]], T]
    ) -> Callable[[], list[T]]:
        compiled = self._for(tx)
        bound = compiled.bound(parameters)
        sent = tx.send(compiled.sql, bound, is_inlined=self._is_inlined, has_rows=compiled.has_rows)
        if not tx.is_bundled:  # SQLite has its rows by now, and nothing is won by leaving them open
            found = compiled.made(tx.fetch(sent, compiled.sql), make)
            return lambda: found
        return lambda: compiled.made(tx.fetch(sent, compiled.sql), make)

    def change(self, tx: Transaction, *many: Mapping[str, Any]) -> None:
        """Execute it once for each set of parameters."""
        compiled = self._for(tx)
        for one in many:
            tx.send(compiled.sql, compiled.bound(one), has_rows=compiled.has_rows)

    def _for(self, tx: Transaction) -> "_Compiled":
        found = self._compiled.get(tx.dialect)
        if found is None:
            found = self._compiled[tx.dialect] = _Compiled(self.statement, tx.sql)
        return found


class Prepared(_Statement):
    """A statement whose rows are plain values, or that has none."""

    def rows(self, tx: Transaction, parameters: Mapping[str, Any]) -> list[Values]:
        """Execute it and return the rows it gives."""
        return self.ask(tx, parameters)()

    def ask(self, tx: Transaction, parameters: Mapping[str, Any]) -> Answer[Values]:
        """Execute it and return what gives its rows; other statements may be executed before that is asked."""
        return self._ask(tx, parameters, tuple)


class PreparedRows(_Statement, Generic[T]):
    """A statement whose rows become dataclasses."""

    def __init__(self, rows: Rows[T], statement: Any, *, is_inlined: bool = False) -> None:
        super().__init__(statement, is_inlined=is_inlined)
        self._rows = rows

    def rows(self, tx: Transaction, parameters: Mapping[str, Any]) -> list[T]:
        """Execute it and return the rows it gives."""
        return self.ask(tx, parameters)()

    def ask(self, tx: Transaction, parameters: Mapping[str, Any]) -> Answer[T]:
        """Execute it and return what gives its rows; other statements may be executed before that is asked."""
        return self._ask(tx, parameters, self._rows.make)


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
        """Return whether it answers with rows."""
        return bool(self._columns)

    def _positional(self) -> tuple[str, list[str]]:
        written = {self._compiled.bind_names[bind] for bind in self._compiled.literal_execute_params}
        return self._text, [name for name in self._compiled.positiontup if name not in written]

    def _numbered(self) -> tuple[str, list[str]]:
        return batch.numbered(self._text, "$")

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

    def made(self, found: Sequence[Sequence[Any]], make: Callable[[Iterable[Any]], T]) -> list[T]:
        """Return what is made of each row, its values as Python knows them."""
        readers = self._readers
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

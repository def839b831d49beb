"""Rows as frozen dataclasses: the fields of one name the columns that are selected for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, make_dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import sqlalchemy as sa

if TYPE_CHECKING:
    from ade.database.wire.conversation import Conversation

T = TypeVar("T")
KNOWN: list[Rows[Any]] = []  # a test compares the fields of each with its columns


class Rows(Generic[T]):
    """What is selected for a dataclass, and how a row becomes one."""

    def __init__(self, made: type[T], *tables: sa.Table, **computed: sa.ColumnElement[Any]) -> None:
        """Choose for each field the computed column of that name, else the one of the first table that has it."""
        named: dict[str, Any] = {column.key: column for table in reversed(tables) for column in table.c}
        named |= {name: column.label(name) for name, column in computed.items()}
        names = [field.name for field in fields(made)]  # type: ignore[arg-type]
        if unknown := set(names) - named.keys() or computed.keys() - set(names):
            raise TypeError(f"{made.__name__} and its columns disagree on {', '.join(sorted(unknown))}")
        chosen, whole = {name: named[name] for name in names}, tables[0].c
        if is_whole := all(chosen.get(column.key) is column for column in whole):
            chosen = {**whole, **chosen}
        self.made = made
        self.columns = tuple(chosen.values())
        # A whole table is one thing to SQLAlchemy, which looks at each thing that is selected every time.
        others = self.columns[len(whole) :]
        self._select: sa.Select[Any] = sa.select(tables[0], *others) if is_whole else sa.select(*self.columns)
        self._writable = _writable(made, list(chosen))
        KNOWN.append(self)

    def select(self, *where: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """Return the statement that selects what matches."""
        return self._select.where(*where)

    def make(self, row: Iterable[Any]) -> T:
        """Return a row of these columns, in this order, as the dataclass."""
        made: Any = self._writable(*row)
        made.__class__ = self.made
        return made  # type: ignore[no-any-return]

    def all(self, tx: Conversation, statement: sa.Executable, parameters: Any = None) -> Sequence[T]:
        """Return every row of a statement."""
        return [self.make(row) for row in tx.execute(statement, parameters).all()]

    def one(self, tx: Conversation, statement: sa.Executable, parameters: Any = None) -> T:
        """Return the one row of a statement."""
        return self.make(tx.execute(statement, parameters).one())

    def one_or_none(self, tx: Conversation, statement: sa.Executable, parameters: Any = None) -> T | None:
        """Return the one row of a statement, or None when there is none."""
        row = tx.execute(statement, parameters).one_or_none()
        return None if row is None else self.make(row)


def _writable(made: type, names: Sequence[str]) -> Any:
    """Return a class of the same layout that can be filled; an instance becomes frozen by its `__class__`.

    A frozen dataclass sets each of its fields by a call; for the 43 columns of a run that takes seventy times as long.
    """
    init = make_dataclass(made.__name__, names).__init__  # type: ignore[misc]
    members = {"__slots__": vars(made)["__slots__"], "__init__": init, "__setattr__": object.__setattr__}
    return type(made.__name__, made.__bases__, members)

"""What rules see of a row: `row` has the clean value of every field, `source` has the cells as they were read.

Rows are not copied. A view looks its values up in the columns of the chunk, which are filled in while fields are
computed, in the order they read each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.convert import EXACT_TYPES
from ade_engine.fields import Field
from ade_engine.mapping.profile import is_empty


class UnknownField(KeyError):
    """A rule asks for a field that the configuration does not have."""


class UnreadableField(Exception):
    """A rule asks for a value that is not of its field's type, or that a rule failed to clean."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class FieldNotComputed(Exception):
    """A rule asks for a field that is computed after its own."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class _Unreadable:
    """Stands where a field has no clean value."""


class _NotComputed:
    """Stands for a whole column that is computed later."""

    def __getitem__(self, _: int) -> Any:
        return self


UNREADABLE = _Unreadable()
NOT_COMPUTED = _NotComputed()
Columns = dict[str, Any]  # field → values, with UNREADABLE among them, or NOT_COMPUTED


class RowView(Mapping[str, Value]):
    """One row, by the names of the fields. It has every field of the configuration, and cannot be changed.

    `refused` is what was raised for a field without a value: a rule that catches every exception hides it.
    """

    __slots__ = ("_columns", "_place", "refused")

    def __init__(self, columns: Columns, place: int) -> None:
        self._columns = columns
        self._place = place
        self.refused: UnreadableField | FieldNotComputed | None = None

    def __getitem__(self, name: str) -> Value:
        try:
            value = self._columns[name][self._place]
        except KeyError:
            raise UnknownField(name) from None
        if value is UNREADABLE or value is NOT_COMPUTED:
            self.refused = UnreadableField(name) if value is UNREADABLE else FieldNotComputed(name)
            raise self.refused
        return value  # type: ignore[no-any-return]

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ARG002 - every field is there
        """Return the field's value. An unknown name is a mistake here too: every row has every field."""
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return repr(dict(zip(self._columns, self.cells(), strict=True)))

    def cells(self) -> list[Value]:
        """Return all values; None where there is no clean one."""
        cells = [column[self._place] for column in self._columns.values()]
        return [None if cell is UNREADABLE or cell is NOT_COMPUTED else cell for cell in cells]


class Rows:
    """The rows of a chunk, as views of its columns."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    def __getitem__(self, place: int) -> RowView:
        return RowView(self.columns, place)

    def put(self, field: str, values: Sequence[Any]) -> None:
        """Set the column of a field: all views show it at once."""
        self.columns[field] = values


Views = Mapping[str, Rows]  # by the name of the parameter: row, source


def clean_only(field: Field, values: Sequence[Value], failed: Collection[int]) -> Sequence[Any]:
    """Return the values with UNREADABLE where one is not clean: of another type, an error, or left by a failed rule.

    An empty cell is None, however it is written, unless the field is text.
    """
    exact = EXACT_TYPES[field.type] if field.type else None
    types = set(map(type, values))
    if not failed and (types <= exact if exact is not None else CellError not in types):
        return values
    return [UNREADABLE if place in failed else _clean(value, exact) for place, value in enumerate(values)]


def _clean(value: Value, exact: Collection[type] | None) -> Any:
    if exact is None:
        return UNREADABLE if isinstance(value, CellError) else value
    if type(value) in exact:
        return value
    return None if is_empty(value) else UNREADABLE

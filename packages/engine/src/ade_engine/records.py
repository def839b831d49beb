"""Plain records: dataclasses made quickly, because each run makes all of them before it can begin.

A dataclass writes and compiles a method each for comparing, printing and guarding every class; records have none of
these. That nothing is assigned to a record is checked where types are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(cls: type[T]) -> type[T]: ...


@overload
def record(*, frozen: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(eq_default=False, frozen_default=True)
def record(cls: type[T] | None = None, *, frozen: bool = True, kw_only: bool = False) -> Any:  # noqa: ARG001
    """Make a class a record; it is equal to itself alone. `frozen=False` lets its fields change."""
    make = dataclass(slots=True, eq=False, repr=False, kw_only=kw_only)
    return make if cls is None else make(cls)

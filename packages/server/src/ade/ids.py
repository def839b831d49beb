"""Ids: UUIDv7 as text, so that they sort by creation and tell nothing else."""

from collections.abc import Callable
from itertools import count

from uuid_utils import uuid7

NewId = Callable[[], str]


def new_id() -> str:
    """Return a new id."""
    return str(uuid7())


def counting_ids(prefix: str = "0") -> NewId:
    """Return a source of ids that repeats itself exactly, for simulations and tests."""
    numbers = count(1)
    return lambda: f"{prefix:0>8}-0000-7000-8000-{next(numbers):012}"

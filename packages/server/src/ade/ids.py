"""Ids: UUIDv7 as text, so that they sort by creation and tell nothing else."""

from collections.abc import Callable

from uuid_utils import uuid7

NewId = Callable[[], str]


def new_id() -> str:
    """Return a new id."""
    return str(uuid7())

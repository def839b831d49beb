"""Cursors: where the next part of a list begins, as a word the caller does not need to understand."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import Query

from ade.errors import Invalid

LARGEST_PAGE = 200
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="Maximum number of items to return.")]
Cursor = Annotated[
    str | None,
    Query(max_length=500, description="The `next_cursor` of the part before; by default from the beginning."),
]
T = TypeVar("T")


def encode(values: Sequence[Any]) -> str:
    """Return a place in a list as a cursor."""
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode().rstrip("=")


def decode(cursor: str | None, *kinds: Callable[[Any], Any]) -> Any:
    """Return the place a cursor names, its parts of these kinds; None without one."""
    if cursor is None:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return tuple(kind(value) for kind, value in zip(kinds, values, strict=True))
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError):
        raise Invalid("This is not a cursor of this list. Start without one.") from None


def whole(value: Any) -> int:
    """Return a whole number of a cursor that fits a database."""
    if type(value) is not int or abs(value) >= 2**63:
        raise ValueError("not a position")
    return value


def instant(value: Any) -> datetime:
    """Return an instant of a cursor."""
    found = datetime.fromisoformat(value)
    if found.tzinfo is None:
        raise ValueError("not an instant")
    return found.astimezone(UTC)


def word(value: Any) -> str:
    """Return an id of a cursor."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("not an id")
    value.encode()  # half of a character is a ValueError here, and a crash in the database
    return value


def next_cursor(items: Sequence[T], limit: int, place: Callable[[T], Sequence[Any]]) -> str | None:
    """Return the cursor behind the last item, or None when the list ends there."""
    return encode(place(items[-1])) if len(items) == limit else None

"""ETags and what the caller says of them."""

import hashlib
import json
from typing import Annotated

from fastapi import Header

from ade.errors import Changed, PreconditionRequired

IfMatch = Annotated[
    str | None, Header(max_length=200, description="The ETag of what you read, so that no other change is lost.")
]
IfNoneMatch = Annotated[str | None, Header(max_length=200, description="`*`: only if there is none yet.")]


def quoted(tag: object) -> str:
    """Return an ETag as a header has it."""
    return f'"{tag}"'


def unquoted(header: str | None) -> str | None:
    """Return the tag of an If-Match header, or None."""
    return None if header is None else header.strip().removeprefix("W/").strip('"')


def required_number(header: str | None) -> int:
    """Return the revision an If-Match header names; raise when it is missing or names none."""
    tag = unquoted(header)
    if tag is None:
        raise PreconditionRequired("Send If-Match with the ETag of what you read, so that no other change is lost.")
    return number_of(tag)


def number_of(tag: str) -> int:
    """Return a revision; raise Changed for what never was one."""
    if not tag.isdecimal() or not tag.isascii() or len(tag) > 9:
        raise Changed(f"The ETag {tag[:40]!r} is unknown. Read it again.")
    return int(tag)


def tag_of(*facts: object) -> str:
    """Return the ETag of what can be edited, for things that have no revision of their own."""
    return hashlib.sha256(json.dumps(facts, default=str).encode()).hexdigest()[:32]


def require_unchanged(header: str | None, *facts: object) -> None:
    """Raise Changed when If-Match was sent and names another state than this; without it the last edit wins."""
    tag = unquoted(header)
    if tag is not None and tag not in {"*", tag_of(*facts)}:
        raise Changed("Another person changed it. Read it again, then change it.")

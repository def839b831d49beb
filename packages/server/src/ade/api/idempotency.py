"""Idempotency-Key: a creation that is sent again is done once, and answered with what the first request made."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import BaseModel

from ade.api.access import Access
from ade.database.access import idempotency
from ade.database.transaction import Transaction
from ade.errors import KeyReused
from ade.system import System

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern="^[!-~]+$",
        description="A word of your own: if the same request is sent again within a day, it does nothing and is "
        "answered with the result of the first one.",
    ),
]
REPLAYED = "Idempotent-Replayed"
ACCEPTED = 202


def create(
    request: Request,
    system: System,
    access: Access,
    *,
    key: str | None,
    body: BaseModel | bytes,
    work: Callable[[Transaction], BaseModel],
    status: int,
) -> Response:
    """Do a creation in one transaction and answer with what it made; once for each key."""
    text, is_replayed = _once(
        request, system, access, key=key, body=body, work=lambda tx: work(tx).model_dump_json(), status=status
    )
    return _answer(text, status, is_replayed=is_replayed)


def create_in_queue(
    request: Request,
    system: System,
    access: Access,
    *,
    key: str | None,
    body: BaseModel,
    work: Callable[[Transaction], Sequence[str]],
    view: Callable[[Transaction, Sequence[str]], BaseModel],
) -> Response:
    """Queue something in one transaction, once for each key, and answer with a view of it.

    `work` returns the ids of what it made. The view is read after the commit: `work` locks the queue, and the answer
    to one caller is no reason to keep it locked. A request that is sent again shows the same things as they are then.
    """
    text, is_replayed = _once(
        request, system, access, key=key, body=body, work=lambda tx: " ".join(work(tx)), status=ACCEPTED
    )
    shown = system.database.read(lambda tx: view(tx, text.split()))
    return _answer(shown.model_dump_json(), ACCEPTED, is_replayed=is_replayed)


def _once(
    request: Request,
    system: System,
    access: Access,
    *,
    key: str | None,
    body: BaseModel | bytes,
    work: Callable[[Transaction], str],
    status: int,
) -> tuple[str, bool]:
    """Return what the work made, as text, and whether an earlier request with this key made it."""
    if key is None:
        return system.database.write(work), False
    scope = _digest(f"{access.actor.kind}:{access.actor.id}:{request.method}:{request.url.path}".encode())
    sent = body if isinstance(body, bytes) else body.model_dump_json().encode()

    def once(tx: Transaction) -> tuple[str, bool]:
        before = idempotency.take(tx, scope=scope, key=key, digest=_digest(sent))
        if before is not None:
            digest, answered = before
            if digest != _digest(sent):
                raise KeyReused("This key was used for another request. Use a new one for each.")
            return answered, True
        made = work(tx)
        idempotency.answer(tx, scope=scope, key=key, status=status, body=made)
        return made, False

    return system.database.write(once)


def _answer(text: str, status: int, *, is_replayed: bool) -> Response:
    headers = {REPLAYED: "true"} if is_replayed else None
    return Response(text, status_code=status, media_type="application/json", headers=headers)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

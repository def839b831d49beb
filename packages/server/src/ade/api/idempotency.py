"""Idempotency-Key: a creation that is sent again is answered as before, and done once."""

import hashlib
from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import BaseModel

from ade.api.access import Access
from ade.database import idempotency
from ade.database.transaction import Transaction
from ade.errors import KeyReused
from ade.system import System

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern="^[!-~]+$",
        description="A word of your own: the same request sent again within a day is answered as before.",
    ),
]
REPLAYED = "Idempotent-Replayed"


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
    if key is None:
        return _answer(system.database.write(work).model_dump_json(), status)
    scope = _digest(f"{access.actor.kind}:{access.actor.id}:{request.method}:{request.url.path}".encode())
    sent = body if isinstance(body, bytes) else body.model_dump_json().encode()

    def once(tx: Transaction) -> tuple[str, int, bool]:
        before = idempotency.take(tx, scope=scope, key=key, digest=_digest(sent))
        if before is not None:
            if before.request_digest != _digest(sent):
                raise KeyReused("This key was used for another request. Use a new one for each.")
            return before.response_body, before.response_status, True
        made = work(tx).model_dump_json()
        idempotency.answer(tx, scope=scope, key=key, status=status, body=made)
        return made, status, False

    text, told, is_replayed = system.database.write(once)
    answer = _answer(text, told)
    if is_replayed:
        answer.headers[REPLAYED] = "true"
    return answer


def _answer(text: str, status: int) -> Response:
    return Response(text, status_code=status, media_type="application/json")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

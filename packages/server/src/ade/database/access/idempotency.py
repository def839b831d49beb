"""Requests that were answered already, by their Idempotency-Key."""

from datetime import timedelta

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.schema import idempotency_keys
from ade.database.transaction import Transaction

k = idempotency_keys.c
KEPT_FOR = timedelta(hours=24)


def take(tx: Transaction, *, scope: str, key: str, digest: str) -> tuple[str, str] | None:
    """Take a key for this transaction; return digest and answer of its earlier use, or None when it was free."""
    tx.execute(sa.delete(idempotency_keys).where(k.scope == scope, k.key == key, k.expires_at <= tx.now))
    row = {"scope": scope, "key": key, "request_digest": digest, "created_at": tx.now}
    try:
        with tx.savepoint():
            tx.execute(sa.insert(idempotency_keys).values(**row, expires_at=tx.now + KEPT_FOR))
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
        kept = sa.select(k.request_digest, k.response_body).where(k.scope == scope, k.key == key)
        earlier = tx.execute(kept).one()
        return earlier.request_digest, earlier.response_body
    return None


def answer(tx: Transaction, *, scope: str, key: str, status: int, body: str) -> None:
    """Keep the answer with the key."""
    values = {"response_status": status, "response_body": body}
    tx.execute(sa.update(idempotency_keys).where(k.scope == scope, k.key == key).values(**values))


def forget_expired(tx: Transaction) -> int:
    """Remove keys that are too old to be used again."""
    return tx.execute(sa.delete(idempotency_keys).where(k.expires_at <= tx.now)).rowcount

"""People on their way to an OpenID provider and back."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ade.database.schema import oidc_logins
from ade.database.transaction import Transaction

o = oidc_logins.c


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Remember someone who was sent to the provider, and forget those who never came back."""
    tx.execute(sa.delete(oidc_logins).where(o.expires_at <= tx.now))
    tx.execute(sa.insert(oidc_logins).values(**row))


def take(tx: Transaction, token_hash: str) -> sa.Row[Any] | None:
    """Return what was remembered, unless it expired, and forget it: a way back is taken once."""
    row = tx.execute(sa.select(oidc_logins).where(o.token_hash == token_hash)).one_or_none()
    is_ours = tx.execute(sa.delete(oidc_logins).where(o.token_hash == token_hash)).rowcount == 1
    return row if row is not None and is_ours and row.expires_at > tx.now else None

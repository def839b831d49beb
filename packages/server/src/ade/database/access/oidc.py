"""People on their way to an OpenID provider and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.rows import Rows
from ade.database.schema import oidc_logins
from ade.database.transaction import Transaction

o = oidc_logins.c


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginRow:
    """What is remembered of someone on their way."""

    state: str
    nonce: str
    verifier: str
    return_to: str
    expires_at: datetime


_LOGINS = Rows(LoginRow, oidc_logins)


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Remember someone who was sent to the provider, and forget those who never came back."""
    tx.execute(sa.delete(oidc_logins).where(o.expires_at <= tx.now))
    tx.execute(sa.insert(oidc_logins).values(**row))


def take(tx: Transaction, token_hash: str) -> LoginRow | None:
    """Return what was remembered, unless it expired, and forget it: a way back is taken once."""
    row = _LOGINS.one_or_none(tx, _LOGINS.select(o.token_hash == token_hash))
    is_ours = tx.execute(sa.delete(oidc_logins).where(o.token_hash == token_hash)).rowcount == 1
    return row if row is not None and is_ours and row.expires_at > tx.now else None

"""Webhooks and their deliveries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ade.database.paging import below
from ade.database.queue.runs import r
from ade.database.rows import Rows
from ade.database.schema import webhook_deliveries, webhooks
from ade.database.transaction import Transaction

w, d = webhooks.c, webhook_deliveries.c
_PENDING = d.status == sa.literal_column("'pending'")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """A webhook."""

    id: str
    workspace_id: str
    url: str
    secret: str
    statuses: list[str]
    is_disabled: bool
    created_by: str | None
    created_at: datetime
    tells_since: datetime
    looked_at: datetime
    look_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """A message, and what became of it."""

    id: str
    webhook_id: str
    run_id: str | None
    type: str
    status: str
    attempt_count: int
    next_attempt_at: datetime | None
    answered_status: int | None
    error: str | None
    created_at: datetime
    delivered_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDelivery(DeliveryRow):
    """A message to send, with its webhook."""

    url: str
    secret: str
    workspace_id: str


_WEBHOOKS = Rows(WebhookRow, webhooks)
_DELIVERIES = Rows(DeliveryRow, webhook_deliveries)
_DUE = Rows(DueDelivery, webhook_deliveries, webhooks)


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a webhook."""
    tx.execute(sa.insert(webhooks).values(**row))


def get(tx: Transaction, webhook_id: str) -> WebhookRow | None:
    """Return a webhook, or None."""
    return _WEBHOOKS.one_or_none(tx, _WEBHOOKS.select(w.id == webhook_id))


def of_workspace(tx: Transaction, workspace_id: str) -> Sequence[WebhookRow]:
    """Return the webhooks of a workspace, oldest first."""
    return _WEBHOOKS.all(tx, _WEBHOOKS.select(w.workspace_id == workspace_id).order_by(w.created_at, w.id))


def update(tx: Transaction, webhook_id: str, **values: Any) -> None:
    """Change a webhook."""
    tx.execute(sa.update(webhooks).where(w.id == webhook_id).values(**values))


def delete(tx: Transaction, webhook_id: str) -> None:
    """Remove a webhook and what is known of its messages."""
    tx.execute(sa.delete(webhook_deliveries).where(d.webhook_id == webhook_id))
    tx.execute(sa.delete(webhooks).where(w.id == webhook_id))


def enabled(tx: Transaction) -> Sequence[WebhookRow]:
    """Return every webhook that is enabled."""
    return _WEBHOOKS.all(tx, _WEBHOOKS.select(w.is_disabled == sa.false()).order_by(w.id))


def begin_look(tx: Transaction, webhook: WebhookRow) -> bool:
    """Take the turn to look for finished runs; return False when another process took it since the webhook was read."""
    is_unlooked = (w.id == webhook.id, w.look_count == webhook.look_count)
    return tx.execute(sa.update(webhooks).where(*is_unlooked).values(look_count=w.look_count + 1)).rowcount == 1


def unsent_runs(
    tx: Transaction, webhook: WebhookRow, *, look_back: timedelta, most: int
) -> list[tuple[str, str, datetime]]:
    """Return (id, status, when) of runs that finished and that this webhook has no message about, oldest first; trials
    have none.
    """
    since = max(webhook.tells_since, webhook.looked_at - look_back)
    is_sent = sa.exists().where(d.webhook_id == webhook.id, d.run_id == r.id)
    chosen = sa.select(r.id, r.status, r.finished_at).where(
        r.finished_at.is_not(None),
        r.finished_at >= since,
        r.workspace_id == webhook.workspace_id,
        r.status.in_(sorted(webhook.statuses)),
        sa.not_(is_sent),
        r.is_trial == sa.false(),
    )
    found = tx.execute(chosen.order_by(r.finished_at, r.id).limit(most))
    return [(row.id, row.status, row.finished_at) for row in found]


def insert_deliveries(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add messages to send."""
    if rows:
        tx.execute(sa.insert(webhook_deliveries), [dict(row) for row in rows])


def workspaces_due(tx: Transaction, *, without: Sequence[str], most: int) -> Sequence[str]:
    """Return the workspaces that have messages whose time has come, the longest due first."""
    longest = sa.func.min(d.next_attempt_at)
    chosen = sa.select(w.workspace_id).join_from(webhook_deliveries, webhooks, d.webhook_id == w.id)
    chosen = chosen.where(*_is_due(tx), w.workspace_id.not_in(without)).group_by(w.workspace_id)
    return tx.execute(chosen.order_by(longest, w.workspace_id).limit(most)).scalars().all()


def due(tx: Transaction, workspace_id: str, *, most: int) -> Sequence[DueDelivery]:
    """Return messages of a workspace whose time has come, with their webhook, the longest due first."""
    chosen = _DUE.select(*_is_due(tx), w.workspace_id == workspace_id)
    chosen = chosen.join_from(webhook_deliveries, webhooks, d.webhook_id == w.id)
    return _DUE.all(tx, chosen.order_by(d.next_attempt_at, d.id).limit(most))


def _is_due(tx: Transaction) -> tuple[sa.ColumnElement[bool], ...]:
    return _PENDING, d.next_attempt_at <= tx.now, w.is_disabled == sa.false()


def begin_attempt(tx: Transaction, delivery: DeliveryRow, *, again_at: datetime) -> bool:
    """Take a message to send it now; return False when another process has it. `again_at`: when it is due if we die."""
    taken = (
        sa.update(webhook_deliveries)
        .where(d.id == delivery.id, _PENDING, d.attempt_count == delivery.attempt_count)
        .values(attempt_count=d.attempt_count + 1, next_attempt_at=again_at)
    )
    return tx.execute(taken).rowcount == 1


def update_delivery(tx: Transaction, delivery_id: str, **values: Any) -> bool:
    """Change a message; return whether it is still there."""
    return tx.execute(sa.update(webhook_deliveries).where(d.id == delivery_id).values(**values)).rowcount == 1


def delivery(tx: Transaction, webhook_id: str, delivery_id: str) -> DeliveryRow | None:
    """Return a message of a webhook, or None."""
    return _DELIVERIES.one_or_none(tx, _DELIVERIES.select(d.id == delivery_id, d.webhook_id == webhook_id))


def deliveries(
    tx: Transaction, webhook_id: str, *, after: tuple[datetime, str] | None, limit: int
) -> Sequence[DeliveryRow]:
    """Return the messages of a webhook, newest first."""
    chosen = _DELIVERIES.select(d.webhook_id == webhook_id)
    if after is not None:
        chosen = chosen.where(below((d.created_at, d.id), after))
    return _DELIVERIES.all(tx, chosen.order_by(d.created_at.desc(), d.id.desc()).limit(limit))


def forget_old(tx: Transaction, *, before: datetime) -> int:
    """Remove what is known of messages that were settled long ago."""
    return tx.execute(sa.delete(webhook_deliveries).where(sa.not_(_PENDING), d.created_at < before)).rowcount

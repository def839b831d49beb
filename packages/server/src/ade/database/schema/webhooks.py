"""Addresses that receive a message when a run has finished, and what became of each message."""

import sqlalchemy as sa

from ade.database.schema.columns import count, filtered, flag, instant, metadata, one_of, primary_id, reference
from ade.database.types import Json, code, label, words
from ade.domain.webhook import LONGEST_URL, DeliveryStatus
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

webhooks = sa.Table(
    "webhooks",
    metadata,
    primary_id(),
    reference("workspaces"),
    sa.Column("url", label(LONGEST_URL), nullable=False),
    sa.Column("secret", code(100), nullable=False),  # as it is: messages are signed with it
    sa.Column("statuses", Json, nullable=False),  # which endings send a message
    flag("is_disabled"),
    sa.Column("created_by", words(254)),
    instant("created_at", nullable=False),
    instant("tells_since", nullable=False),  # what finished before is not told
    instant("looked_at", nullable=False),  # until when finished runs were looked for
    count("look_count"),  # so that of several who look at once one does
    sa.Index("ix_webhooks_workspace_id", "workspace_id"),
)

webhook_deliveries = sa.Table(
    "webhook_deliveries",
    metadata,
    primary_id(),
    reference("webhooks"),
    reference("runs", nullable=True),  # none: a try of the webhook itself
    sa.Column("type", code(64), nullable=False),
    sa.Column("status", code(16), nullable=False),
    count("attempt_count"),
    instant("next_attempt_at"),
    sa.Column("answered_status", sa.Integer),  # the last HTTP status
    sa.Column("error", words(MAX_MESSAGE_CHARACTERS)),
    instant("created_at", nullable=False),
    instant("delivered_at"),
    one_of("status", DeliveryStatus),
    filtered("uq_webhook_deliveries_run", "webhook_id", "run_id", where="run_id IS NOT NULL", unique=True),
    filtered("ix_webhook_deliveries_due", "next_attempt_at", where="status = 'pending'"),
    sa.Index("ix_webhook_deliveries_listed", "webhook_id", "created_at", "id"),
)

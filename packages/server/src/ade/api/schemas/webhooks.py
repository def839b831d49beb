"""Webhooks, over the wire."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from ade.api.schemas.base import Answer, Body, Id, Text
from ade.database.content.webhooks import DeliveryRow, WebhookRow
from ade.domain.webhook import LONGEST_URL, DeliveryStatus

Ending = Literal["succeeded", "failed", "cancelled"]
Endings = Annotated[
    list[Ending], Field(min_length=1, max_length=3, description="The statuses for which a run sends a message.")
]
Address = Annotated[Text, Field(max_length=LONGEST_URL, examples=["https://example.org/ade"])]


class Webhook(Answer):
    """An address that receives a message when a run of the workspace has finished."""

    id: Id
    workspace_id: Id
    url: str
    statuses: list[Ending]
    is_disabled: bool
    created_by: str | None
    created_at: datetime

    @classmethod
    def of(cls, row: WebhookRow) -> Self:
        """Return the model of a row."""
        return cls.from_row(row)


class CreatedWebhook(Webhook):
    """A new webhook; this is the only time its secret is shown."""

    secret: str = Field(description="The secret that signs messages.", examples=["whsec_..."])


class Webhooks(Answer):
    """The webhooks of a workspace, oldest first."""

    items: list[Webhook]


class NewWebhook(Body):
    """A webhook to make."""

    url: Address
    statuses: Endings = Field(default=["succeeded", "failed", "cancelled"])


class WebhookChange(Body):
    """What to change of a webhook; what is left out stays."""

    url: Address | None = None
    statuses: Endings | None = None
    is_disabled: bool | None = None


class Delivery(Answer):
    """A message, and what became of it."""

    id: Id
    run_id: str | None
    type: str = Field(examples=["run.succeeded"])
    status: DeliveryStatus
    attempt_count: int
    next_attempt_at: datetime | None
    answered_status: int | None = Field(description="The HTTP status of the last answer.")
    error: str | None
    created_at: datetime
    delivered_at: datetime | None

    @classmethod
    def of(cls, row: DeliveryRow) -> "Delivery":
        """Return the model of a row."""
        return cls.from_row(row)

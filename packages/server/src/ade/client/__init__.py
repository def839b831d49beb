"""A typed client of the API: `from ade.client import Client`."""

from ade.client.api import Client
from ade.client.models import (
    AuditRow,
    Build,
    Configuration,
    Delivery,
    Document,
    Event,
    Member,
    Pause,
    QueuedRun,
    Run,
    Webhook,
    Worker,
    Workspace,
)

__all__ = [
    "AuditRow",
    "Build",
    "Client",
    "Configuration",
    "Delivery",
    "Document",
    "Event",
    "Member",
    "Pause",
    "QueuedRun",
    "Run",
    "Webhook",
    "Worker",
    "Workspace",
]

"""The tables, a file a theme. Everything that touches a table imports it from here."""

from ade.database.schema.access import (
    api_keys,
    audit_log,
    idempotency_keys,
    login_failures,
    memberships,
    oidc_logins,
    sessions,
    users,
    workspaces,
)
from ade.database.schema.columns import metadata
from ade.database.schema.content import (
    configuration_files,
    configuration_versions,
    configurations,
    document_tags,
    documents,
)
from ade.database.schema.queue import (
    builds,
    events,
    idle_workers,
    pauses,
    plans,
    queue_control,
    queue_rejections,
    runs,
    totals,
    workers,
)
from ade.database.schema.settings import settings
from ade.database.schema.webhooks import webhook_deliveries, webhooks

__all__ = [
    "api_keys",
    "audit_log",
    "builds",
    "configuration_files",
    "configuration_versions",
    "configurations",
    "document_tags",
    "documents",
    "events",
    "idempotency_keys",
    "idle_workers",
    "login_failures",
    "memberships",
    "metadata",
    "oidc_logins",
    "pauses",
    "plans",
    "queue_control",
    "queue_rejections",
    "runs",
    "sessions",
    "settings",
    "totals",
    "users",
    "webhook_deliveries",
    "webhooks",
    "workers",
    "workspaces",
]

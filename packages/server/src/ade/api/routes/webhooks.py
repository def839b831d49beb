"""Webhooks: messages to other servers when a run has finished."""

from typing import Annotated

from fastapi import APIRouter, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, SystemDependency
from ade.api.idempotency import IdempotencyKey, create
from ade.api.paging import Cursor, Limit, decode, instant, next_cursor, word
from ade.api.responses import NoContent
from ade.api.schemas.base import Page
from ade.api.schemas.webhooks import CreatedWebhook, Delivery, NewWebhook, Webhook, WebhookChange, Webhooks
from ade.database.content import webhooks as store
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.domain.run import RunStatus
from ade.operations.content import webhooks

router = APIRouter(tags=["webhooks"])
InWorkspace = Annotated[Access, requires(Role.ADMIN, "workspace")]
Administrator = Annotated[Access, requires(Role.ADMIN, "webhook")]


@router.get("/workspaces/{workspace_id}/webhooks")
def list_all(workspace_id: PathId, system: SystemDependency, access: InWorkspace) -> Webhooks:
    """List the webhooks of a workspace."""
    rows = system.database.read(lambda tx: store.of_workspace(tx, workspace_id))
    return Webhooks(items=[Webhook.of(row) for row in rows])


@router.post("/workspaces/{workspace_id}/webhooks", status_code=201, response_model=CreatedWebhook)
def create_one(
    workspace_id: PathId,
    body: NewWebhook,
    request: Request,
    system: SystemDependency,
    access: InWorkspace,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Send a message to an address when runs finish; the secret that messages are signed with is shown this once."""

    def work(tx: Transaction) -> CreatedWebhook:
        statuses = [RunStatus(one) for one in body.statuses]
        made = webhooks.create_webhook(
            tx, workspace_id=workspace_id, url=body.url, statuses=statuses, actor=access.actor
        )
        return CreatedWebhook.of(made)

    return create(request, system, access, key=idempotency_key, body=body, work=work, status=201)


@router.get("/webhooks/{webhook_id}")
def get_one(webhook_id: PathId, system: SystemDependency, access: Administrator) -> Webhook:
    """Return a webhook."""
    return Webhook.of(system.database.read(lambda tx: webhooks.get_webhook(tx, webhook_id)))


@router.patch("/webhooks/{webhook_id}")
def change_one(webhook_id: PathId, body: WebhookChange, system: SystemDependency, access: Administrator) -> Webhook:
    """Change the address of a webhook, what it sends, or whether it is active."""
    values = body.model_dump(exclude_none=True)
    changed = system.database.write(lambda tx: webhooks.change_webhook(tx, webhook_id, values, actor=access.actor))
    return Webhook.of(changed)


@router.delete("/webhooks/{webhook_id}", status_code=204, response_class=NoContent, response_model=None)
def delete_one(webhook_id: PathId, system: SystemDependency, access: Administrator) -> NoContent:
    """Remove a webhook; what was not sent is not sent."""
    system.database.write(lambda tx: webhooks.delete_webhook(tx, webhook_id, actor=access.actor))
    return NoContent()


@router.get("/webhooks/{webhook_id}/deliveries")
def list_deliveries(
    webhook_id: PathId,
    system: SystemDependency,
    access: Administrator,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Delivery]:
    """List the messages of a webhook with their outcome, newest first."""
    after = decode(cursor, instant, word)
    rows = system.database.read(lambda tx: store.deliveries(tx, webhook_id, after=after, limit=limit))
    return Page(
        items=[Delivery.of(row) for row in rows],
        next_cursor=next_cursor(rows, limit, lambda row: (row.created_at, row.id)),
    )


@router.post("/webhooks/{webhook_id}/ping", status_code=202)
def ping(webhook_id: PathId, system: SystemDependency, access: Administrator) -> Delivery:
    """Send a test message to the webhook."""
    return Delivery.of(system.database.write(lambda tx: webhooks.ping(tx, webhook_id, actor=access.actor)))


@router.post("/webhooks/{webhook_id}/deliveries/{delivery_id}/send-again", status_code=202)
def send_again(webhook_id: PathId, delivery_id: PathId, system: SystemDependency, access: Administrator) -> Delivery:
    """Send a message again, whatever its outcome."""
    again = system.database.write(lambda tx: webhooks.send_again(tx, webhook_id, delivery_id, actor=access.actor))
    return Delivery.of(again)

"""Webhooks: added, changed, removed; and the messages that finished runs cause.

A run's end writes nothing for webhooks: the sender polls for runs that finished and were not reported yet.
So a run costs the same with and without them, and what a server missed while it was down is found afterwards.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ade.database.content import webhooks
from ade.database.content.webhooks import DeliveryRow, DueDelivery, WebhookRow
from ade.database.queue.events import record_audit
from ade.database.transaction import Database, Transaction
from ade.domain.access import Actor
from ade.domain.run import RunStatus
from ade.domain.webhook import DeliveryStatus, checked_url, new_secret, wait_before_next
from ade.errors import Conflict, NotFound
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

# A transaction that finished a run may commit a little after a later one.
LOOK_BACK = timedelta(seconds=30)
MOST_AT_ONCE = 200
MOST_OF_WORKSPACE = 20
ATTEMPT_LASTS = timedelta(seconds=60)
AT_ONCE_OF_WORKSPACE = 4
KEPT_FOR = timedelta(days=30)
PING = "webhook.ping"


def create_webhook(
    tx: Transaction, *, workspace_id: str, url: str, statuses: Collection[RunStatus], actor: Actor
) -> WebhookRow:
    """Add a webhook; it tells of runs that finish from now on."""
    if len(webhooks.of_workspace(tx, workspace_id)) >= MOST_OF_WORKSPACE:
        raise Conflict(f"A workspace has at most {MOST_OF_WORKSPACE} webhooks.")
    webhook_id = tx.new_id()
    row = {
        "id": webhook_id,
        "workspace_id": workspace_id,
        "url": checked_url(url),
        "secret": new_secret(),
        "statuses": sorted(set(statuses)),
        "created_by": actor.name,
        "created_at": tx.now,
        "tells_since": tx.now,
        "looked_at": tx.now,
    }
    webhooks.insert(tx, row)
    _audit(tx, actor, webhook_id, workspace_id, action="webhook.create", changes={"url": [None, url]})
    return get_webhook(tx, webhook_id)


def get_webhook(tx: Transaction, webhook_id: str) -> WebhookRow:
    """Return a webhook; raise NotFound."""
    row = webhooks.get(tx, webhook_id)
    if row is None:
        raise NotFound(f"There is no webhook {webhook_id}.")
    return row


def change_webhook(tx: Transaction, webhook_id: str, values: dict[str, Any], *, actor: Actor) -> WebhookRow:
    """Change where a webhook goes, what it tells, or whether it does."""
    before = get_webhook(tx, webhook_id)
    if "url" in values:
        checked_url(values["url"])
    if values:
        webhooks.update(tx, webhook_id, **values, tells_since=tx.now)  # what finished under the old rules is not told
        changes = {name: [getattr(before, name), value] for name, value in values.items()}
        _audit(tx, actor, webhook_id, before.workspace_id, action="webhook.change", changes=changes)
    return get_webhook(tx, webhook_id)


def delete_webhook(tx: Transaction, webhook_id: str, *, actor: Actor) -> None:
    """Remove a webhook; what was not sent is not sent."""
    row = get_webhook(tx, webhook_id)
    webhooks.delete(tx, webhook_id)
    _audit(tx, actor, webhook_id, row.workspace_id, action="webhook.delete", changes={"url": [row.url, None]})


def ping(tx: Transaction, webhook_id: str, *, actor: Actor) -> DeliveryRow:
    """Queue a message that only tries the webhook."""
    webhook = get_webhook(tx, webhook_id)
    row = _message(tx, webhook_id, None, PING)
    webhooks.insert_deliveries(tx, [row])
    _audit(tx, actor, webhook_id, webhook.workspace_id, action=PING, changes={"delivery": [None, row["id"]]})
    return _delivery(tx, webhook_id, row["id"])


def send_again(tx: Transaction, webhook_id: str, delivery_id: str, *, actor: Actor) -> DeliveryRow:
    """Send a message again, whatever its outcome."""
    webhook, before = get_webhook(tx, webhook_id), _delivery(tx, webhook_id, delivery_id)
    webhooks.update_delivery(tx, delivery_id, status=DeliveryStatus.PENDING, attempt_count=0, next_attempt_at=tx.now)
    changes = {"delivery": [delivery_id, delivery_id], "status": [before.status, DeliveryStatus.PENDING]}
    _audit(tx, actor, webhook_id, webhook.workspace_id, action="webhook.send_again", changes=changes)
    return _delivery(tx, webhook_id, delivery_id)


def _delivery(tx: Transaction, webhook_id: str, delivery_id: str) -> DeliveryRow:
    found = webhooks.delivery(tx, webhook_id, delivery_id)
    if found is None:
        raise NotFound(f"There is no message {delivery_id}.")
    return found


def note_finished(database: Database) -> int:
    """Make a message of every run that finished and has none yet; return how many."""
    hooks = database.read(webhooks.enabled)
    due = [hook for hook in hooks if database.read(lambda tx, hook=hook: _is_due(tx, hook))]  # type: ignore[misc]
    return sum(database.write(lambda tx, hook=hook: _note(tx, hook)) for hook in due)  # type: ignore[misc]


def _is_due(tx: Transaction, webhook: WebhookRow) -> bool:
    """Return whether there is something to write down; a look alone must not keep the database writing."""
    is_stale = tx.now - webhook.looked_at > LOOK_BACK
    return is_stale or bool(webhooks.unsent_runs(tx, webhook, look_back=LOOK_BACK, most=1))


def _note(tx: Transaction, webhook: WebhookRow) -> int:
    if not webhooks.begin_look(tx, webhook):
        return 0  # another server looked just now
    found = webhooks.unsent_runs(tx, webhook, look_back=LOOK_BACK, most=MOST_AT_ONCE)
    until = tx.now if len(found) < MOST_AT_ONCE else found[-1][2]
    webhooks.update(tx, webhook.id, looked_at=until)
    webhooks.insert_deliveries(tx, [_message(tx, webhook.id, run_id, f"run.{status}") for run_id, status, _ in found])
    return len(found)


def _message(tx: Transaction, webhook_id: str, run_id: str | None, kind: str) -> dict[str, Any]:
    return {
        "id": tx.new_id(),
        "webhook_id": webhook_id,
        "run_id": run_id,
        "type": kind,
        "status": DeliveryStatus.PENDING,
        "next_attempt_at": tx.now,
        "created_at": tx.now,
    }


def take_due(database: Database, *, most: int, sending: Mapping[str, int] | None = None) -> Sequence[DueDelivery]:
    """Take the messages to send now; each is taken by one process.

    `sending` counts what this process is sending, by workspace: addresses that do not answer hold up the messages of
    their own workspace only.
    """
    under_way = Counter(sending or {})

    def work(tx: Transaction) -> list[DueDelivery]:
        found = _in_turns(tx, under_way, most=most)
        return [one for one in found if webhooks.begin_attempt(tx, one, again_at=tx.now + ATTEMPT_LASTS)]

    return database.write(work) if database.read(lambda tx: _in_turns(tx, under_way, most=1)) else []


def _in_turns(tx: Transaction, under_way: Counter[str], *, most: int) -> list[DueDelivery]:
    """Return messages that are due, at most as many of a workspace as may be sent at once."""
    busy = [workspace_id for workspace_id, count in under_way.items() if count >= AT_ONCE_OF_WORKSPACE]
    found: list[DueDelivery] = []
    for workspace_id in webhooks.workspaces_due(tx, without=busy, most=most):
        room = min(AT_ONCE_OF_WORKSPACE - under_way[workspace_id], most - len(found))
        if room > 0:
            found += webhooks.due(tx, workspace_id, most=room)
    return found


def settle(tx: Transaction, delivery: DeliveryRow, *, answered_status: int | None, error: str | None) -> None:
    """Write down how an attempt went: delivered, to be tried again, or given up."""
    message = error[:MAX_MESSAGE_CHARACTERS] if error else None
    facts: dict[str, Any] = {"answered_status": answered_status, "error": message}
    if error is None:
        facts |= {"status": DeliveryStatus.DELIVERED, "delivered_at": tx.now, "next_attempt_at": None}
    elif (wait := wait_before_next(delivery.attempt_count + 1)) is not None:
        facts |= {"next_attempt_at": tx.now + wait}
    else:
        facts |= {"status": DeliveryStatus.FAILED, "next_attempt_at": None}
    webhooks.update_delivery(tx, delivery.id, **facts)


def forget_old_deliveries(tx: Transaction) -> int:
    """Remove what is known of messages settled a month ago."""
    return webhooks.forget_old(tx, before=tx.now - KEPT_FOR)


def _audit(
    tx: Transaction, actor: Actor, webhook_id: str, workspace_id: str, *, action: str, changes: dict[str, list[Any]]
) -> None:
    subjects = [(webhook_id, workspace_id, changes)]
    record_audit(tx, actor, action=action, subject_kind="webhook", subjects=subjects)

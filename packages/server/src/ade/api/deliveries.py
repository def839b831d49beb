"""Sends webhooks, in a thread of the server: every server may, each message is taken by one."""

import json
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from types import TracebackType
from typing import Any

import httpx2

from ade import __version__
from ade.api.outgoing import post
from ade.api.schemas.runs import Run
from ade.clock import as_text
from ade.database.content.webhooks import DueDelivery
from ade.database.transaction import Transaction
from ade.domain.webhook import sign
from ade.errors import AdeError
from ade.logs import get_logger
from ade.operations.content.webhooks import forget_old_deliveries, note_finished, settle, take_due
from ade.operations.views.run_views import RunView, get_run_row
from ade.rounds import Rounds
from ade.system import System

AT_ONCE = 16
FORGET_EVERY = 3600  # rounds
log = get_logger()


class Deliveries(Rounds):
    """Sends what is due for as long as the block lasts."""

    def __init__(self, system: System) -> None:
        super().__init__("webhooks", every_seconds=system.settings.tick_seconds)
        self._system = system
        self._trusted = frozenset(
            name.strip().lower() for name in system.settings.webhook_hosts.split(",") if name.strip()
        )
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook")
        self._sending: dict[Future[None], str] = {}  # with the workspace of each
        self._round_count = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._pool.shutdown(wait=True)

    def make_round(self) -> None:
        """Send until nothing is due or no place is free, and forget from time to time what was sent long ago."""
        while self._start_due() and not self.is_over.is_set():
            wait(self._sending, return_when=FIRST_COMPLETED)  # a receiver that answers slowly delays no other
        if self._round_count % FORGET_EVERY == 0:
            self._system.database.write(forget_old_deliveries)
        self._round_count += 1

    def _start_due(self) -> list[Future[None]]:
        """Begin to send what is due, as far as places are free."""
        self._sending = {future: owner for future, owner in self._sending.items() if not future.done()}
        note_finished(self._system.database)
        free = AT_ONCE - len(self._sending)
        taken = take_due(self._system.database, most=free, sending=Counter(self._sending.values())) if free else []
        started = {self._pool.submit(self._send, one): one.workspace_id for one in taken}
        self._sending.update(started)
        return list(started)

    def _send(self, delivery: DueDelivery) -> None:
        status, error = None, None
        try:
            body = self._system.database.read(lambda tx: _body(tx, delivery))
            timestamp = int(self._system.clock.now().timestamp())
            headers = {
                "Content-Type": "application/json",
                "User-Agent": f"ade/{__version__}",
                "Webhook-Id": delivery.id,
                "Webhook-Timestamp": str(timestamp),
                "Webhook-Signature": sign(delivery.secret, message_id=delivery.id, timestamp=timestamp, body=body),
            }
            status = post(delivery.url, body, headers, trusted_hosts=self._trusted)
            error = None if 200 <= status < 300 else f"It answered {status}."
        except (AdeError, OSError, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as problem:
            error = f"{problem}" or type(problem).__name__
        log.info("webhook.sent", webhook_id=delivery.webhook_id, delivery_id=delivery.id, status=status, error=error)
        self._system.database.write(lambda tx: settle(tx, delivery, answered_status=status, error=error))


def _body(tx: Transaction, delivery: DueDelivery) -> bytes:
    payload: dict[str, Any] = {"type": delivery.type, "timestamp": as_text(delivery.created_at), "data": {}}
    if delivery.run_id is not None:
        # A message leaves the workspace: headers are cells, and a row of values may have been treated as one.
        row = replace(get_run_row(tx, delivery.run_id), verdict_reason=None)
        run = Run.listed(RunView(row=row, place=None))
        payload["data"] = {"run": run.model_dump(mode="json")}
    return json.dumps(payload, ensure_ascii=False).encode()

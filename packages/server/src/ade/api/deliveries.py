"""Sends webhooks, in a thread of the server: every server may, each message is taken by one."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

import httpx2
import structlog

from ade import __version__
from ade.api.outgoing import post
from ade.api.schemas.runs import Run
from ade.database.transaction import Transaction
from ade.domain.webhook import sign
from ade.errors import AdeError
from ade.operations.run_views import RunView, get_run_row
from ade.operations.webhooks import forget_old_deliveries, note_finished, settle, take_due
from ade.system import System

AT_ONCE = 8
FORGET_EVERY = 3600  # rounds
log = structlog.get_logger()


class Deliveries:
    """Sends what is due for as long as the block lasts."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._trusted = frozenset(
            name.strip().lower() for name in system.settings.webhook_hosts.split(",") if name.strip()
        )
        self._is_over = threading.Event()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook")
        self._thread = threading.Thread(target=self._send_until_over, name="webhooks", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self._pool.shutdown(wait=True)

    def send_due(self) -> int:
        """Send what is due now; return how many messages that were."""
        note_finished(self._system.database)
        taken = take_due(self._system.database, most=AT_ONCE)
        list(self._pool.map(self._send, taken))
        return len(taken)

    def _send_until_over(self) -> None:
        rounds = 0
        while not self._is_over.wait(self._system.settings.tick_seconds):
            try:
                while self.send_due() and not self._is_over.is_set():
                    pass
                if rounds % FORGET_EVERY == 0:
                    self._system.database.write(forget_old_deliveries)
            except AdeError as error:  # the database is away for a moment
                log.warning("webhooks.postponed", error=str(error))
            except Exception:  # whatever it is, other messages must go on
                log.exception("webhooks.crashed")
            rounds += 1

    def _send(self, delivery: Any) -> None:
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


def _body(tx: Transaction, delivery: Any) -> bytes:
    told: dict[str, Any] = {"type": delivery.type, "timestamp": delivery.created_at.isoformat(), "data": {}}
    if delivery.run_id is not None:
        run = Run.of(RunView(row=get_run_row(tx, delivery.run_id), place=None))
        told["data"] = {"run": run.model_dump(mode="json")}
    return json.dumps(told, ensure_ascii=False).encode()

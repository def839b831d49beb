"""What a child reaches through its proxy: reported, counted and bounded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from ade.sandbox.inside.proxy_requests import Refused, Target
from ade.sandbox.inside.spec import MIB, Network

Report = Callable[[str, dict[str, Any]], None]


class Spent(OSError):
    """The run has moved as many bytes as it may."""


@dataclass(slots=True)
class _Traffic:
    connection_count: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    is_reached: bool = False
    is_refused: bool = False


class Ledger:
    """Keeps the account of all connections of a child. Used by one thread for each of them."""

    def __init__(self, network: Network, report: Report) -> None:
        self._network = network
        self._report = report
        self._traffic: dict[Target, _Traffic] = {}
        self._moved_bytes = 0
        self._lock = threading.Lock()

    def count(self, target: Target) -> None:
        """Note a request for a target; raise Refused when the run has used up what it may."""
        limits = self._network
        with self._lock:
            if self._moved_bytes >= limits.total_bytes:
                raise Refused(f"A run moves at most {limits.total_bytes // MIB} MB.", status=429)
            if target not in self._traffic and len(self._traffic) >= limits.target_count:
                raise Refused(f"A run asks for at most {limits.target_count} hosts and ports.", status=429)
            self._traffic.setdefault(target, _Traffic())

    def reach(self, target: Target, address: str) -> None:
        """Note a connection; the first to a target is reported."""
        with self._lock:
            traffic = self._traffic[target]
            traffic.connection_count += 1
            is_first, traffic.is_reached = not traffic.is_reached, True
        if is_first:
            self._report_target("network.reached", target, address=address)

    def refuse(self, target: Target, reason: str, *, status: int = 403) -> NoReturn:
        """Raise Refused; the first refusal of a target is reported."""
        with self._lock:
            traffic = self._traffic[target]
            is_first, traffic.is_refused = not traffic.is_refused, True
        if is_first:
            self._report_target("network.refused", target, reason=reason)
        raise Refused(f"{target.host}:{target.port} is not reached: {reason}", status=status)

    def meter(self, target: Target) -> Callable[[int, int], None]:
        """Return what counts the bytes sent to and received from a target, and raises Spent beyond the limit."""

        def moved(sent: int, received: int) -> None:
            with self._lock:
                traffic = self._traffic[target]
                traffic.sent_bytes += sent
                traffic.received_bytes += received
                self._moved_bytes += sent + received
                if self._moved_bytes > self._network.total_bytes:
                    raise Spent

        return moved

    def report_totals(self) -> None:
        """Report what was sent to and received from each target that was reached."""
        with self._lock:
            totals = [(target, traffic) for target, traffic in self._traffic.items() if traffic.is_reached]
        for target, traffic in totals:
            self._report_target(
                "network.used", target, connection_count=traffic.connection_count, sent_bytes=traffic.sent_bytes,
                received_bytes=traffic.received_bytes,
            )  # fmt: skip

    def _report_target(self, event: str, target: Target, **values: Any) -> None:
        with suppress(OSError):  # the worker is gone, and the keeper ends the run
            self._report(event, {"host": target.host, "port": target.port, **values})

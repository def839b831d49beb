"""Requests this server makes to addresses that others chose: only to the outside, and only where it looked."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from ade.destinations import is_outside, look_up
from ade.errors import Forbidden

TIMEOUT_SECONDS = 10  # for each thing that is waited for
LONGEST_SECONDS = 30.0  # for all of it: a byte every few seconds would hold a message forever
Lookup = Callable[[str, int], list[str]]


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, trusted_hosts: frozenset[str], lookup: Lookup = look_up
) -> int:
    """Send a message and return the status of the answer; raise Forbidden for an address of our own networks.

    The name is looked up once and that address is connected to: looked up again, it could lead elsewhere. Redirects are
    not followed, and neither proxies nor passwords of this machine are used.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    address = _checked_address(host, port, trusted_hosts, lookup)
    shown = f"[{address}]" if ":" in address else address
    target = urlunsplit((parts.scheme, f"{shown}:{port}", parts.path or "/", parts.query, ""))
    with (
        _cut_after(LONGEST_SECONDS) as note,
        httpx2.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client,
    ):
        request = client.build_request(
            "POST",
            target,
            content=body,
            headers={**headers, "Host": parts.netloc},
            extensions={"sni_hostname": host, "trace": note},
        )
        answer = client.send(request, stream=True)  # what it says is not read
        answer.close()
        return answer.status_code


@contextmanager
def _cut_after(seconds: float) -> Iterator[Callable[[str, Mapping[str, Any]], None]]:
    """Give what notes the connection of a request; it is cut when the time is up."""
    opened: list[socket.socket] = []
    is_up = threading.Event()

    def note(event: str, facts: Mapping[str, Any]) -> None:
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            opened.append(facts["return_value"].get_extra_info("socket"))
            if is_up.is_set():  # connecting took all the time there was
                cut()

    def cut() -> None:
        is_up.set()
        with suppress(OSError):  # it has ended by itself
            for connection in opened[-1:]:  # with TLS the first was handed over to the second
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.start()
    try:
        yield note
    finally:
        timer.cancel()


def _checked_address(host: str, port: int, trusted_hosts: frozenset[str], lookup: Lookup) -> str:
    found = lookup(host, port)
    if not found:
        raise OSError(f"{host} has no address")
    if host.lower() not in trusted_hosts and not all(is_outside(address) for address in found):
        raise Forbidden(f"{host} is in a network of this server. ADE_WEBHOOK_HOSTS can allow it.")
    return found[0]

"""Requests this server makes to addresses that others chose: only to the outside, and only where it looked."""

import socket
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit, urlunsplit

import httpx2

from ade.domain.webhook import is_public
from ade.errors import Forbidden

TIMEOUT_SECONDS = 10
Lookup = Callable[[str, int], list[str]]


def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


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
    with httpx2.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client:
        request = client.build_request(
            "POST",
            target,
            content=body,
            headers={**headers, "Host": parts.netloc},
            extensions={"sni_hostname": host},
        )
        answer = client.send(request, stream=True)  # what it says is not read
        answer.close()
        return answer.status_code


def _checked_address(host: str, port: int, trusted_hosts: frozenset[str], lookup: Lookup) -> str:
    found = lookup(host, port)
    if not found:
        raise OSError(f"{host} has no address")
    if host.lower() not in trusted_hosts and not all(is_public(address) for address in found):
        raise Forbidden(f"{host} is in a network of this server. ADE_WEBHOOK_HOSTS can allow it.")
    return found[0]

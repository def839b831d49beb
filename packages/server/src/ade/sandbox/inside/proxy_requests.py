"""What a child asks its proxy for: a tunnel (CONNECT), or one plain HTTP request."""

from __future__ import annotations

import re
import socket
import time
from contextlib import suppress
from dataclasses import dataclass

_HEAD_BYTES = 32 * 1024
_HEAD_SECONDS = 30.0
_END = b"\r\n\r\n"
_HOST = rb"(?P<host>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])"
_TUNNEL = re.compile(rb"CONNECT " + _HOST + rb":(?P<port>[0-9]{1,5}) HTTP/1\.[01]")
_PLAIN = re.compile(
    rb"(?P<method>[A-Z]{1,20}) http://" + _HOST + rb"(:(?P<port>[0-9]{1,5}))?(?P<path>/[!-~]*)? HTTP/(?P<minor>1\.[01])"
)
# Of this connection alone, or for the proxy.
_NOT_HANDED_ON = re.compile(rb"(proxy-[a-z-]*|connection|keep-alive)[ \t]*:", re.IGNORECASE)


class Refused(Exception):
    """A request the proxy does not carry out."""

    def __init__(self, reason: str, *, status: int = 403) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRequest:
    """A request, and the first bytes for its target."""

    target: Target
    is_tunnel: bool
    first_bytes: bytes


def read_request(client: socket.socket) -> ProxyRequest:
    """Return what a child asks for; raise Refused for anything else."""
    head, rest = _read_head(client)
    first_line, _, headers = head.partition(b"\r\n")
    if tunnel := _TUNNEL.fullmatch(first_line):
        return ProxyRequest(target=_target(tunnel, b"443"), is_tunnel=True, first_bytes=rest)
    plain = _PLAIN.fullmatch(first_line)
    if plain is None:
        raise Refused(
            "This proxy takes CONNECT host:port, or a method with an address that begins with http://.", status=400
        )
    kept = [line for line in headers.split(b"\r\n") if line and not _NOT_HANDED_ON.match(line)]
    start = b"%s %s HTTP/%s" % (plain["method"], plain["path"] or b"/", plain["minor"])
    # One request a connection: the next one may be for another target.
    whole = b"\r\n".join([start, *kept, b"Connection: close"]) + _END + rest
    return ProxyRequest(target=_target(plain, b"80"), is_tunnel=False, first_bytes=whole)


def answer(client: socket.socket, refusal: Refused) -> None:
    """Tell the child why its request is not carried out."""
    text = str(refusal).encode("ascii", "replace")
    head = b"HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close" % (
        refusal.status, text, len(text),
    )  # fmt: skip
    with suppress(OSError):
        client.sendall(head + _END + text)


def _read_head(client: socket.socket) -> tuple[bytes, bytes]:
    content = b""
    deadline = time.monotonic() + _HEAD_SECONDS
    while _END not in content:
        left = deadline - time.monotonic()
        if len(content) > _HEAD_BYTES or left <= 0:
            raise Refused("The head of the request is too large or takes too long.", status=400)
        client.settimeout(left)
        part = client.recv(_HEAD_BYTES)
        if not part:
            raise Refused("The request ends in its head.", status=400)
        content += part
    head, _, rest = content.partition(_END)
    return head, rest


def _target(found: re.Match[bytes], default_port: bytes) -> Target:
    port = int(found["port"] or default_port)
    if not 1 <= port <= 65535:
        raise Refused("There is no such port.", status=400)
    return Target(found["host"].decode("ascii").strip("[]").lower(), port)

"""The trusted channel between the process that started a child and the parts of it that run no user code."""

from __future__ import annotations

import json
import socket
import sys
from dataclasses import dataclass
from typing import Any

# Packets keep messages of several writers apart; where there are none, short lines do.
KIND = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_STREAM
MAX_BYTES = 64 * 1024
GO = b"g"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The child's ends, as descriptors: the trusted channel, the gate it waits at, its messages, its output."""

    channel: int
    gate: int
    messages: int
    log: int

    def as_list(self) -> list[int]:
        """Return the descriptors in the order they are handed over."""
        return [self.channel, self.gate, self.messages, self.log]

    @classmethod
    def from_list(cls, numbers: list[int]) -> Ends:
        """Return what was handed over."""
        channel, gate, messages, log = numbers
        return cls(channel=channel, gate=gate, messages=messages, log=log)


def send_line(channel: socket.socket, content: bytes) -> None:
    """Send a line, in pieces that each fit into a packet."""
    whole = memoryview(content + b"\n")
    for start in range(0, len(whole), MAX_BYTES):
        channel.sendall(whole[start : start + MAX_BYTES])


def first_line(descriptor: int) -> bytes:
    """Return the first line that arrives at a channel, which stays open; empty when the sender is gone."""
    channel = socket.socket(fileno=descriptor)
    content = b""
    while not content.endswith(b"\n"):
        part = channel.recv(MAX_BYTES)
        if not part:
            break
        content += part
    channel.detach()
    return content if content.endswith(b"\n") else b""


def send(channel: socket.socket, kind: str, **values: Any) -> None:
    """Send one message."""
    channel.send(json.dumps({"type": kind, **values}).encode() + b"\n")

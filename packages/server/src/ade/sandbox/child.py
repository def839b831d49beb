"""One child, from its start to its outcome, for the thread that started it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ade.domain.isolation import Isolation
from ade.sandbox.ending import PEAK_UNIT, Seen, ending_of
from ade.sandbox.inside.channel import GO, MAX_BYTES
from ade.sandbox.inside.spec import Limits
from ade.sandbox.levels import level_of, missing_layers
from ade.sandbox.outcome import Outcome, Usage
from ade_engine.protocol import MAX_LINE_BYTES, Event, InvalidMessage, Result, read_line

_READ_BYTES = 64 * 1024
_LOOK_SECONDS = 1.0
_KEEPER_GRACE_SECONDS = 5.0
_KILL = b"k"
# A reader of what a child prints sees it this much later, and gets no updates more often than that.
_PRINT_SECONDS = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """The parent's ends: the trusted channel, the gate, and what the child writes."""

    channel: socket.socket
    gate: int
    messages: int
    log: int

    def close(self) -> None:
        """Close all of them."""
        self.channel.close()
        for number in (self.gate, self.messages, self.log):
            os.close(number)


@dataclass(frozen=True, slots=True)
class Told:
    """What a child sent and printed since the last batch."""

    events: list[Event]
    printed: bytes = b""
    network: tuple[Event, ...] = ()  # what its proxy saw it reach


class Child:
    """A running child. One thread follows it; any thread may kill it."""

    def __init__(
        self,
        pipes: Pipes,
        *,
        limits: Limits,
        minimum: Isolation,
        reap: Callable[[], None],
        needs_network: bool = False,
    ) -> None:
        self._pipes = pipes
        self._limits = limits
        self._minimum = minimum
        self._needs_network = needs_network
        self._network: list[Event] = []
        self._reap = reap
        self._seen = Seen(limits)
        self._level: Isolation | None = None
        self._missing: dict[str, str] = {}
        self._keeper: int | None = None
        self._started = time.monotonic()
        self._partial = bytearray()
        self._log = bytearray()
        self._handed_on = 0  # so much of the log
        self._printed_at: float | None = None  # the first of what was not handed on
        self._message_bytes = 0
        self._lock = threading.Lock()
        self._outcome: Outcome | None = None
        self._batches = self._follow()

    def events(self) -> Iterator[Event]:
        """Yield what the child tells, as it tells it, until it has ended."""
        for batch in self._batches:
            yield from batch.events

    def batches(self) -> Iterator[Told]:
        """Yield the same, as much at once as there is, and what it prints, a few times a second.

        What it printed last is in the outcome's log alone.
        """
        return self._batches

    def wait(self) -> Outcome:
        """Return how the child ended, once it has and nothing of it is left."""
        for _ in self._batches:
            pass
        if self._outcome is None:
            raise RuntimeError("following this child was interrupted by an error")
        return self._outcome

    def kill(self) -> None:
        """End the child and all it started. Returns at once; `wait` tells when it is done."""
        with self._lock:
            if self._outcome is None:
                self._seen.is_kill_asked = True
                self._ask_keeper_to_kill()

    def _ask_keeper_to_kill(self) -> None:
        with suppress(OSError):  # it has just ended by itself
            self._pipes.channel.send(_KILL, socket.MSG_DONTWAIT)

    def _follow(self) -> Iterator[Told]:
        sources = {
            self._pipes.channel.fileno(): self._read_channel,
            self._pipes.messages: self._read_messages,
            self._pipes.log: self._read_log,
        }
        poll = select.poll()
        for number in sources:
            poll.register(number, select.POLLIN)
        try:
            while sources:
                for number, _ in poll.poll(self._patience_seconds() * 1000):
                    is_open, events = sources[number]()
                    if events:
                        yield Told(events)
                    if not is_open:
                        poll.unregister(number)
                        del sources[number]
                if self._network:
                    yield Told([], network=tuple(self._network))
                    self._network.clear()
                if printed := self._due_print():
                    yield Told([], printed)
                self._end_a_silent_keeper()
        finally:
            self._finish()

    def _read_channel(self) -> tuple[bool, list[Event]]:
        try:
            content = self._pipes.channel.recv(MAX_BYTES)
        except ConnectionResetError:
            content = b""
        for line in content.splitlines():
            self._hear(json.loads(line))
        return bool(content), []

    def _hear(self, message: dict[str, Any]) -> None:
        seen = self._seen
        match message["type"]:
            case "kept":
                self._keeper = _watch_process(message["pid"])
            case "report":
                self._decide(message["proven"], message["reasons"])
            case "ended":
                seen.status, seen.cpu_seconds = message["status"], message["cpu_seconds"]
                seen.peak_bytes = message["peak"] * PEAK_UNIT
            case "over":
                seen.is_over, seen.keeper_cause = True, message["cause"]
            case "network":
                self._network.append(Event(message["event"], message["values"]))
            case "broken":
                seen.trouble = message["error"]
            case unknown:
                raise AssertionError(unknown)

    def _decide(self, proven: list[str], reasons: dict[str, str]) -> None:
        """Let the child continue, or refuse when its isolation is not sufficient."""
        self._level, self._missing = level_of(proven), missing_layers(proven, reasons)
        self._seen.is_started = True
        if self._needs_network and (why := _why_no_network(proven, reasons)):
            self._seen.network_refusal = f"The worker's host cannot give network access: {why}"
            self._ask_keeper_to_kill()
            return
        if self._level.rank >= self._minimum.rank:
            with suppress(BrokenPipeError):  # it was killed meanwhile
                os.write(self._pipes.gate, GO)
            return
        lacks = ", ".join(self._missing)
        self._seen.refusal = f"Isolation is {self._level}, and at least {self._minimum} is required. Missing: {lacks}"
        self._ask_keeper_to_kill()

    def _read_messages(self) -> tuple[bool, list[Event]]:
        content = os.read(self._pipes.messages, _READ_BYTES)
        self._message_bytes += len(content)
        self._check_output()
        if self._seen.is_output_exceeded or self._seen.broken_protocol:
            return bool(content), []  # nothing that it says counts
        self._partial += content
        if b"\n" not in content and len(self._partial) <= MAX_LINE_BYTES:
            return bool(content), []  # a line that comes byte by byte is not looked through each time
        *lines, rest = self._partial.split(b"\n")
        self._partial = bytearray(rest)
        if len(rest) > MAX_LINE_BYTES:
            self._seen.broken_protocol = "a message without end"
            self._partial.clear()
        return bool(content), list(self._understand(lines))

    def _understand(self, lines: list[bytearray]) -> Iterator[Event]:
        """Yield the events, up to a line that is no message: millions of those would take the time of others."""
        for line in lines:
            try:
                message = read_line(bytes(line))
            except InvalidMessage as error:
                self._seen.broken_protocol = str(error)
                return
            if isinstance(message, Result):
                self._seen.results.append(message)
            else:
                yield message

    def _read_log(self) -> tuple[bool, list[Event]]:
        content = os.read(self._pipes.log, _READ_BYTES)
        self._log += content[: max(0, self._limits.output_bytes - len(self._log))]
        if self._printed_at is None and len(self._log) > self._handed_on:
            self._printed_at = time.monotonic()
        self._message_bytes += len(content)
        self._check_output()
        return bool(content), []

    def _patience_seconds(self) -> float:
        if self._printed_at is None:
            return _LOOK_SECONDS
        return max(0.0, self._printed_at + _PRINT_SECONDS - time.monotonic())

    def _due_print(self) -> bytes:
        """Return what was printed since this was last asked, once it has waited long enough."""
        if self._printed_at is None or time.monotonic() < self._printed_at + _PRINT_SECONDS:
            return b""
        printed = bytes(self._log[self._handed_on :])
        self._handed_on, self._printed_at = len(self._log), None
        return printed

    def _check_output(self) -> None:
        if self._message_bytes > self._limits.output_bytes and not self._seen.is_output_exceeded:
            self._seen.is_output_exceeded = True
            self._ask_keeper_to_kill()

    def _end_a_silent_keeper(self) -> None:
        """Kill a keeper that is long past its child's deadline; the child dies with it."""
        if time.monotonic() - self._started > self._limits.wall_seconds + _KEEPER_GRACE_SECONDS and self._keeper:
            _end_process(self._keeper)

    def _finish(self) -> None:
        wall_seconds = time.monotonic() - self._started
        with self._lock:
            self._pipes.close()
            if self._keeper is not None:
                os.close(self._keeper)
            self._outcome = self._judged(wall_seconds)
        self._reap()

    def _judged(self, wall_seconds: float) -> Outcome:
        kind, cause, message = ending_of(self._seen)
        usage = Usage(
            cpu_seconds=self._seen.cpu_seconds,
            peak_memory_bytes=self._seen.peak_bytes,
            wall_seconds=wall_seconds,
        )
        result = self._seen.results[0] if kind in ("succeeded", "failed") else None
        return Outcome(
            kind=kind, cause=cause, message=message, level=self._level, missing=self._missing, usage=usage,
            result=result, log=bytes(self._log),
        )  # fmt: skip


def _why_no_network(proven: list[str], reasons: dict[str, str]) -> str:
    """Return why there is no way out through a proxy, and no other way either; empty when there is."""
    if "network_namespace" not in proven:
        return f"network_namespace: {reasons.get('network_namespace', 'could not be proven')}"
    return reasons.get("network", "")


def _watch_process(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None  # not on every system


def _end_process(watched: int) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(watched, signal.SIGKILL)

"""The event stream of one claim: NDJSON in the file store, numbered without gaps, readable while the run continues.

It begins with all that could be seen of the run before: the stream an earlier worker left, then the lifecycle events of
the database that are not in it. So a reader that follows a run over the death of its worker misses and repeats nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ade.clock import Clock, as_text
from ade.errors import FileMissing, Unavailable
from ade.files import FileStore
from ade.operations.views.streams import EVENTS_FILE
from ade_engine.protocol import Event

# Everybody who opens the run's page reads all of them.
MOST_RELAYED = 10_000
MOST_RELAYED_BYTES = 1024 * 1024
# What only we say of an event. A child that names them says nothing.
_OURS = frozenset({"seq", "at", "type", "run_id", "build_id", "lifecycle"})


class EventLog:
    """Appends events to the stream of a run or build."""

    def __init__(self, files: FileStore, folder: str, *, clock: Clock, subject: Mapping[str, str]) -> None:
        self._files = files
        self._key = f"{folder}/{EVENTS_FILE}"
        self._clock = clock
        self._subject = dict(subject)
        self._sequence = 0
        self._seen_lifecycle = 0
        self._unwritten = b""
        self._relayed = 0
        self._relayed_bytes = 0
        self._is_full = False

    def begin(self, *, earlier_folder: str | None, lifecycle: Iterable[Mapping[str, Any]]) -> None:
        """Start the stream with what could be seen before this claim."""
        lines = self._earlier_lines(earlier_folder) if earlier_folder else []
        for event in lifecycle:
            if event["sequence"] > self._seen_lifecycle:
                lines.append(self._lifecycle_line(event))
        self._files.append(self._key, b"".join(lines))

    def record(self, kind: str, **data: Any) -> None:
        """Append one event."""
        self._append(self._line(kind, as_text(self._clock.now()), data))

    def note(self, kind: str, **data: Any) -> None:
        """Append one event; while the store does not take it, it goes with the next one."""
        with suppress(OSError, Unavailable):
            self.record(kind, **data)

    def flush(self) -> None:
        """Append what the store did not take before."""
        self._append(b"")

    def relay(self, batch: Sequence[Event]) -> None:
        """Append the events of a child in one write; what exceeds the limit is left out, and one event reports that."""
        if self._is_full:
            return
        at = as_text(self._clock.now())
        lines: list[bytes] = []
        for event in batch:
            self._is_full = self._relayed >= MOST_RELAYED or self._relayed_bytes > MOST_RELAYED_BYTES
            if self._is_full:
                break
            lines.append(self._line(f"engine.{event.name}", at, _without_ours(event.data)))
            self._relayed += 1
            self._relayed_bytes += len(lines[-1])
        self._append(b"".join(lines))
        if self._is_full:
            self.record("events.left_out", limit=MOST_RELAYED)

    def _append(self, lines: bytes) -> None:
        """Append lines, and before them those that were not taken: on a new line, for a part of them may be there."""
        lines = self._unwritten + lines
        try:
            self._files.append(self._key, lines)
        except (OSError, Unavailable):
            self._unwritten = b"\n" + lines.removeprefix(b"\n")
            raise
        self._unwritten = b""

    def _earlier_lines(self, folder: str) -> list[bytes]:
        """Return the whole lines of an earlier stream; an unfinished line is left out."""
        try:
            content = b"".join(self._files.read(f"{folder}/{EVENTS_FILE}"))
        except FileMissing:
            return []
        lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
        return [line for line in lines if self._is_carried_on(line)]

    def _is_carried_on(self, line: bytes) -> bool:
        try:
            event = json.loads(line)
            sequence, lifecycle = int(event["seq"]), int(event.get("lifecycle", 0))
        except (ValueError, TypeError, KeyError):
            return False  # cut off by a full disk, with a whole line after it
        self._sequence, self._seen_lifecycle = sequence, max(self._seen_lifecycle, lifecycle)
        return True

    def _lifecycle_line(self, event: Mapping[str, Any]) -> bytes:
        data = {**event["data"], "lifecycle": event["sequence"]}
        return self._line(event["type"], as_text(event["at"]), data)

    def _line(self, kind: str, at: str, data: Mapping[str, Any]) -> bytes:
        self._sequence += 1
        event = {"seq": self._sequence, "at": at, "type": kind, **self._subject, **data}
        return json.dumps(event, ensure_ascii=False, default=str).encode() + b"\n"


def _without_ours(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in _OURS}

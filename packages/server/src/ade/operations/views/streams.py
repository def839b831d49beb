"""The events of a run or a build as one gapless stream, readable while it grows.

Before any worker had it, the stream is what the database recorded. Once a worker has it, the worker writes it to a
file and copies what the database recorded into that (`lifecycle` says which). What the database recorded after the file
ended follows, numbered on.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ade.clock import as_text
from ade.database.queue import builds, runs
from ade.database.queue.builds import FullBuild
from ade.database.queue.runs import FullRun
from ade.database.transaction import Database, Transaction
from ade.database.views import audit
from ade.database.views.audit import EventRow
from ade.domain.build import BuildStatus
from ade.domain.run import FINISHED, RunStatus
from ade.errors import FileMissing, NotFound
from ade.files import FileStore
from ade.operations.views.run_files import refuse_removed

_FINISHED_BUILDS = {BuildStatus.READY, BuildStatus.FAILED, BuildStatus.CANCELLED, BuildStatus.REMOVED}
EVENTS_FILE = "events.ndjson"


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it is sent: its JSON is kept as text, since what a run wrote may be large once it is read."""

    seq: int
    type: str
    text: bytes

    def read(self) -> dict[str, Any]:
        """Return what the event says."""
        content: dict[str, Any] = json.loads(self.text)
        return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the events of a run or a build are, as the database has it now."""

    file_key: str | None
    is_at_work: bool
    is_finished: bool
    is_own_file: bool  # whether the file belongs to the claim that is at work
    recorded: Sequence[EventRow]
    files_removed_at: datetime | None


def find_source(tx: Transaction, kind: str, subject_id: str, *, after: int) -> Source:
    """Return where the events are, with those the database recorded after a number; raise NotFound."""
    row: FullRun | FullBuild | None = runs.get(tx, subject_id) if kind == "run" else builds.get(tx, subject_id)
    if row is None:
        raise NotFound(f"There is no {kind} {subject_id}.")
    is_at_work = row.status in {RunStatus.RUNNING, BuildStatus.BUILDING}
    return Source(
        file_key=row.file_key,
        is_at_work=is_at_work,
        is_finished=row.status in (FINISHED if kind == "run" else _FINISHED_BUILDS),
        is_own_file=is_at_work and row.file_key is not None and row.file_key.endswith(f"/{row.claim_token}"),
        recorded=audit.events_of(tx, kind, subject_id, after=after),
        files_removed_at=row.files_removed_at,
    )


class Stream:
    """Reads a stream bit by bit: each poll returns what is new."""

    def __init__(self, database: Database, files: FileStore, kind: str, subject_id: str) -> None:
        self._database = database
        self._files = files
        self._kind = kind
        self._subject_id = subject_id
        self._file_key: str | None = None
        self._offset = 0
        self._lifecycle = 0  # the last recorded event that was sent
        self.last_seq = 0
        self.is_complete = False
        self.is_file_growing = False
        self.files_removed_at: datetime | None = None

    def poll(self) -> list[Event]:
        """Return the events since the last poll, in order."""
        after = self._lifecycle
        source = self._database.read(lambda tx: find_source(tx, self._kind, self._subject_id, after=after))
        # The file is read after the row: what the row promises is in it by then.
        events = self._from_file(source.file_key)
        events += self._from_records(source)
        self.is_complete = source.is_finished
        self.files_removed_at = source.files_removed_at
        self.is_file_growing = source.is_own_file
        return events

    def poll_file(self) -> list[Event]:
        """Return what the file has grown by; enough while one worker is at work."""
        return self._from_file(self._file_key)

    def _from_file(self, file_key: str | None) -> list[Event]:
        if file_key is None:
            return []
        if file_key != self._file_key:  # another claim, another file: it begins with what the older one held
            self._file_key, self._offset = file_key, 0
        try:
            data = b"".join(self._files.read(f"{file_key.rstrip('/')}/{EVENTS_FILE}", start=self._offset))
        except FileMissing:
            return []
        whole, _, _ = data.rpartition(b"\n")  # the last line may be half written
        if not whole:
            return []
        self._offset += len(whole) + 1
        return [event for line in whole.split(b"\n") if (event := self._event_from_line(line)) is not None]

    def _event_from_line(self, line: bytes) -> Event | None:
        try:
            content: dict[str, Any] = json.loads(line)
            seq, lifecycle, kind = int(content["seq"]), int(content.get("lifecycle") or 0), str(content["type"])
        except (ValueError, TypeError, KeyError):
            return None  # cut off by a crash: what follows begins on a new line
        self._lifecycle = max(self._lifecycle, lifecycle)
        if seq <= self.last_seq:
            return None
        self.last_seq = seq
        return Event(seq, kind, line)

    def _from_records(self, source: Source) -> list[Event]:
        if source.is_own_file and self._offset:
            return []  # the worker copies them; numbering them here could take a number it is about to use
        recorded = [row for row in source.recorded if row.sequence > self._lifecycle]
        if source.is_at_work:
            recorded = _up_to_claim(recorded)
        return [self._event_from_row(row) for row in recorded]

    def _event_from_row(self, row: EventRow) -> Event:
        self._lifecycle = row.sequence
        self.last_seq += 1
        subject = {f"{self._kind}_id": self._subject_id}
        known = {"seq": self.last_seq, "at": as_text(row.at), "type": row.type, **subject, "lifecycle": row.sequence}
        content = {**known, **{name: value for name, value in row.data.items() if name not in known}}
        return Event(self.last_seq, row.type, json.dumps(content, ensure_ascii=False).encode())


def _up_to_claim(recorded: Sequence[EventRow]) -> list[EventRow]:
    """Return what the worker that claimed it is sure to copy: all up to the claim."""
    claims = [number for number, row in enumerate(recorded) if row.type.endswith(".claimed")]
    return list(recorded[: claims[-1] + 1]) if claims else []


def read_events(
    database: Database, files: FileStore, kind: str, subject_id: str, *, after: int = 0
) -> tuple[list[Event], bool]:
    """Return the events after a number, and whether nothing will follow; raise FileRemoved once they are gone."""
    stream = Stream(database, files, kind, subject_id)
    events = [event for event in stream.poll() if event.seq > after]
    if not stream.last_seq:
        refuse_removed(kind, stream.files_removed_at)
    return events, stream.is_complete

"""What changed anywhere, for pages that show it: recorded events and audited changes, as one stream."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Generic, TypeVar

from ade.api.sse import message
from ade.clock import as_text
from ade.database.transaction import Database, Transaction
from ade.database.views import audit
from ade.database.views.audit import AuditRow, EventRow

TRow = TypeVar("TRow", bound=EventRow | AuditRow)
MOST_KEPT = 5000
MOST_READ = 1000
# A transaction that took its number earlier may commit later: so far back is looked again.
LOOK_BACK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that changed."""

    number: int  # in this process
    id: str  # for Last-Event-ID, good in every process
    workspace_id: str | None
    type: str
    subject_kind: str
    subject_id: str
    at: str
    content: bytes  # as it is sent to everybody


class _Log(Generic[TRow]):
    """One of the two tables changes come from."""

    def __init__(self, read: Callable[..., Sequence[TRow]]) -> None:
        self._read = read
        self.position = -1
        self._seen: deque[int] = deque(maxlen=4 * LOOK_BACK)

    def start_at(self, position: int) -> None:
        """Send only what comes after a position."""
        self.position = position
        self._seen.extend(range(max(0, position - LOOK_BACK), position + 1))

    def rows(self, tx: Transaction) -> Sequence[TRow]:
        """Return the latest rows, among them those that were returned before."""
        return self._read(tx, self.position - LOOK_BACK, most=MOST_READ)

    def new(self, found: Sequence[TRow]) -> list[TRow]:
        """Return those of the rows that were not returned before."""
        rows = [row for row in found if row.position not in self._seen and row.position > 0]
        self._seen.extend(row.position for row in rows)
        self.position = max([self.position, *(row.position for row in rows)])
        return rows


class Changes:
    """The latest changes, and the listeners that wait for more. Read by one task; its listeners share what it read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._events, self._audit = _Log(audit.events_after), _Log(audit.audit_after)
        self._numbers = count(1)
        self._kept: deque[Change] = deque(maxlen=MOST_KEPT)
        self.listener_count = 0
        self.changed = asyncio.Event()

    def read(self) -> tuple[list[EventRow], list[AuditRow]]:
        """Read the rows that are new; for a thread of its own."""
        self.start()
        # Noted once it is read: a look that loses against another transaction is tried again as a whole.
        events, audited = self._database.read(lambda tx: (self._events.rows(tx), self._audit.rows(tx)))
        return self._events.new(events), self._audit.new(audited)

    def keep(self, events: list[EventRow], audited: list[AuditRow]) -> set[tuple[str, str]]:
        """Keep what was read, and return the runs and builds it concerns; for the thread of the listeners."""
        for row in events:
            self._keep(row, row.type)
        for change in audited:
            self._keep(change, change.action)
        return {(row.subject_kind, row.subject_id) for row in events}

    def start(self) -> None:
        """Find out where the logs end now, unless that is known."""
        if self._events.position < 0:
            last_event, last_audit = self._database.read(audit.last_positions)
            self._audit.start_at(last_audit)
            self._events.start_at(last_event)

    def begin(self, last_id: str | None) -> tuple[int, bool]:
        """Return the number after which a listener wants to hear, and whether it missed what is no longer kept."""
        newest = self._kept[-1].number if self._kept else 0
        if last_id is None or last_id == self._id():
            return newest, False
        known = next((change.number for change in self._kept if change.id == last_id), None)
        return (newest, True) if known is None else (known, False)

    def reset(self) -> Change:
        """Return the change that tells a listener to read everything again."""
        return make_change(0, self._id(), workspace_id=None, type="reset", subject_kind="", subject_id="", at="")

    def after(self, number: int) -> list[Change]:
        """Return the changes after a number."""
        if not self._kept:
            return []
        known = number - self._kept[0].number + 1  # numbers have no gaps
        return list(islice(self._kept, max(known, 0), None))

    def wake(self) -> None:
        """Let every listener look again."""
        self.changed.set()
        self.changed = asyncio.Event()

    def _id(self) -> str:
        return f"{self._events.position}-{self._audit.position}"

    def _keep(self, row: EventRow | AuditRow, kind: str) -> None:
        self._kept.append(
            make_change(
                next(self._numbers),
                self._id(),
                workspace_id=row.workspace_id,
                type=kind,
                subject_kind=row.subject_kind,
                subject_id=row.subject_id,
                at=as_text(row.at),
            )
        )


def make_change(number: int, change_id: str, **facts: Any) -> Change:
    """Return a change with what its listeners are sent, which is made once for all of them."""
    order = ("type", "subject_kind", "subject_id", "workspace_id", "at")
    content = message(change_id, "change", {name: facts[name] for name in order})
    return Change(number=number, id=change_id, content=content, **facts)

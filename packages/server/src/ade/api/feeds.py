"""Hands events to any number of listeners: one task a process reads, however many listen.

A run or build somebody listens to is a feed. The task looks once a tick at what the database recorded for anyone, reads
the feeds that this concerns and the files that grow, and wakes the listeners. An idle listener costs a timer.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from anyio import to_thread

from ade.api.changes import Change, Changes
from ade.errors import AdeError, Unavailable
from ade.logs import get_logger
from ade.operations.views.streams import Event, Stream, read_events
from ade.system import System

TICK_SECONDS = 0.25
HEARTBEAT_SECONDS = 15.0
MOST_KEPT = 12_000  # all that a run may have
MOST_SENT = 200  # in one piece, before others have their turn
T = TypeVar("T")
Subject = tuple[str, str]  # ("run" or "build", its id)
log = get_logger()


class Feed:
    """The events of one run or build, as far as they were read, and the listeners that wait for more."""

    def __init__(self, system: System, subject: Subject) -> None:
        self.subject = subject
        self.stream = Stream(system.database, system.files, *subject)
        self.events: list[Event] = []
        self.listener_count = 0
        self.is_new = True
        self.error: AdeError | None = None
        self.changed = asyncio.Event()

    def after(self, seq: int) -> list[Event] | None:
        """Return the events after a number, or None when the first of them was dropped."""
        if self.events and self.events[0].seq > seq + 1:
            return None
        return self.events[bisect_right(self.events, seq, key=_seq) :]

    def add(self, events: list[Event]) -> None:
        """Keep new events, up to a limit, and let every listener look again."""
        self.events.extend(events)
        del self.events[:-MOST_KEPT]
        self.wake()

    def wake(self) -> None:
        """Let every listener look again."""
        self.changed.set()
        self.changed = asyncio.Event()


class Feeds:
    """All feeds of a process, and the task that reads them."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._feeds: dict[Subject, Feed] = {}
        self.changes = Changes(system.database)
        self._task: asyncio.Task[None] | None = None
        self._asked = asyncio.Event()
        self.is_hung_up = False

    def hang_up(self) -> None:
        """Let every listener go: the server stops, and they come back to the one that starts."""
        self.is_hung_up = True
        for feed in self._feeds.values():
            feed.wake()
        self.changes.wake()

    async def listen(self, subject: Subject, *, after: int) -> AsyncIterator[list[Event]]:
        """Yield the events after a number as they come, an empty list as a heartbeat; end when the subject ended."""
        feed = self._join(subject)
        seen = after
        try:
            while True:
                changed = feed.changed
                for events in _batches(await self._since(feed, seen)):
                    seen = events[-1].seq
                    yield events
                    await asyncio.sleep(0)  # a peer that is gone takes everything at once: others need the loop too
                is_told = feed.stream.is_complete and seen >= feed.stream.last_seq
                if self.is_hung_up or feed.error is not None or is_told:
                    return
                if not await _happens(changed):
                    yield []
        finally:
            self._leave(feed)

    async def listen_to_changes(self, last_id: str | None) -> AsyncIterator[list[Change]]:
        """Yield what changes anywhere: first an empty list, once no change can be missed; later that is a heartbeat."""
        self._start()
        self.changes.listener_count += 1
        try:
            await to_thread.run_sync(self.changes.start)
            seen, is_behind = self.changes.begin(last_id)
            yield [self.changes.reset()] if is_behind else []
            while True:
                changed = self.changes.changed
                for changes in _batches(self.changes.after(seen)):
                    seen = changes[-1].number
                    yield changes
                    await asyncio.sleep(0)
                if self.is_hung_up:
                    return
                if not await _happens(changed):
                    yield []
        finally:
            self.changes.listener_count -= 1

    async def close(self) -> None:
        """Stop reading."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _since(self, feed: Feed, seen: int) -> list[Event]:
        found = feed.after(seen)
        if found is not None:
            return found
        database, files = self._system.database, self._system.files
        events, _ = await to_thread.run_sync(lambda: read_events(database, files, *feed.subject, after=seen))
        return events

    def _join(self, subject: Subject) -> Feed:
        feed = self._feeds.setdefault(subject, Feed(self._system, subject))
        feed.listener_count += 1
        self._start()
        self._asked.set()
        return feed

    def _leave(self, feed: Feed) -> None:
        feed.listener_count -= 1
        if feed.listener_count == 0:
            self._feeds.pop(feed.subject, None)

    def _start(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        """Read while there are listeners."""
        while self._feeds or self.changes.listener_count:
            self._asked.clear()
            try:
                await self._read_once()
            except AdeError as error:  # the database is away for a moment: the next tick tries again
                log.warning("feeds.unreadable", error=str(error))
            except Exception:  # whatever it is, those who listen would wait for ever
                log.exception("feeds.crashed")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), TICK_SECONDS)

    async def _read_once(self) -> None:
        events, audited = await to_thread.run_sync(self.changes.read)
        concerned = self.changes.keep(events, audited)
        due = [feed for feed in self._feeds.values() if _is_due(feed, concerned)]
        if due:
            grown = await to_thread.run_sync(_poll_all, due, concerned)
            for feed, news in grown:
                feed.add(news)
        if events or audited:
            self.changes.wake()


def _batches(items: list[T]) -> Iterator[list[T]]:
    return (items[start : start + MOST_SENT] for start in range(0, len(items), MOST_SENT))


def _seq(event: Event) -> int:
    return event.seq


def _is_due(feed: Feed, concerned: set[Subject]) -> bool:
    return feed.is_new or feed.stream.is_file_growing or feed.subject in concerned or _awaits_file(feed)


def _awaits_file(feed: Feed) -> bool:
    """Return whether a worker has it but has not begun its file: that leaves no trace in the events."""
    return bool(feed.events) and feed.events[-1].type.endswith(".claimed") and not feed.stream.is_complete


def _poll_all(due: list[Feed], concerned: set[Subject]) -> list[tuple[Feed, list[Event]]]:
    """Read feeds; return those that have something new to tell."""
    grown: list[tuple[Feed, list[Event]]] = []
    for feed in due:
        is_file_enough = feed.stream.is_file_growing and feed.subject not in concerned
        try:
            events = feed.stream.poll_file() if is_file_enough else feed.stream.poll()
        except (Unavailable, OSError) as error:  # for a moment: those who listen would take an end for the run's
            log.warning("feeds.unreadable", subject_id=feed.subject[1], error=str(error))
            feed.is_new = True
            continue
        except AdeError as error:
            feed.error, events = error, []
        if events or feed.is_new or feed.stream.is_complete or feed.error:
            grown.append((feed, events))
        feed.is_new = False
    return grown


async def _happens(changed: asyncio.Event) -> bool:
    """Wait for a change; return whether it came before the next heartbeat is due."""
    try:
        await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)
    except TimeoutError:
        return False
    return True


def feeds_of(app: Any) -> Feeds:
    """Return the feeds of an application."""
    feeds: Feeds = app.state.feeds
    return feeds

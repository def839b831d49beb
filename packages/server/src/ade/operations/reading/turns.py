"""Shares the few processes that read documents between workspaces and people.

A reading that has used up its share while another one waits is stopped, and begins again behind it with twice the
share. So a small document of one person is read soon, whatever documents of others there are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from threading import Condition
from typing import TypeVar

from ade.errors import Unavailable

T = TypeVar("T")
AT_ONCE = 4  # each may use up to a gigabyte
SHARE_SECONDS = 2.0
PATIENCE_SECONDS = 60.0
LOOK_AGAIN_SECONDS = 0.05
BUSY = "Too many documents are being read. Try again in a moment."


@dataclass(frozen=True, slots=True)
class Owner:
    """On whose behalf a document is read."""

    workspace_id: str
    person: str


SERVER = Owner("", "")


class Stopped(Exception):
    """The reading was stopped to let others read, or because no request waits for it."""


@dataclass(slots=True, eq=False)
class Turn:
    """One reading, while it waits and while it runs."""

    owner: Owner
    arrival: int
    share_seconds: float
    slot: int = -1
    started: float = 0.0
    is_stopped: bool = False
    stop: Callable[[], None] | None = field(default=None)

    def stop_now(self) -> None:
        """Stop the reading, now or as soon as it can be."""
        self.is_stopped = True
        if self.stop is not None:
            self.stop()

    def stop_with(self, stop: Callable[[], None]) -> None:
        """Say how the reading is stopped; it is stopped at once if it should have been before."""
        self.stop = stop
        if self.is_stopped:
            stop()


class Turns:
    """The turns that read now, and those that wait."""

    def __init__(
        self,
        *,
        at_once: int = AT_ONCE,
        share_seconds: float = SHARE_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once = at_once
        self._share_seconds = share_seconds
        self._now = now
        self._running: list[Turn] = []
        self._waiting: list[Turn] = []
        self._arrivals = count()
        self._changed = Condition()

    def run(self, owner: Owner, read: Callable[[Turn], T], *, is_wanted: Callable[[], bool] = lambda: True) -> T:
        """Read when it is this owner's turn, again from the start after having been stopped for others."""
        share_seconds = self._share_seconds
        until = self._now() + PATIENCE_SECONDS
        while True:
            try:
                with self._turn(owner, share_seconds, lambda: self._now() < until and is_wanted()) as turn:
                    return read(turn)
            except Stopped:
                if not is_wanted():
                    raise Unavailable(BUSY) from None
                share_seconds *= 2

    @contextmanager
    def _turn(self, owner: Owner, share_seconds: float, may_wait: Callable[[], bool]) -> Iterator[Turn]:
        turn = Turn(owner, next(self._arrivals), share_seconds)
        with self._changed:
            self._waiting.append(turn)
            try:
                while not self._is_next(turn):
                    if not may_wait():
                        raise Unavailable(BUSY)
                    self._stop_one_for(turn)
                    self._changed.wait(LOOK_AGAIN_SECONDS)
                turn.slot = next(slot for slot in count() if all(one.slot != slot for one in self._running))
                turn.started = self._now()
                self._running.append(turn)
            finally:
                self._waiting.remove(turn)
                self._changed.notify_all()
        try:
            yield turn
        finally:
            with self._changed:
                self._running.remove(turn)
                self._changed.notify_all()

    def _is_next(self, turn: Turn) -> bool:
        free = (one for one in self._waiting if not self._in_the_way(one))
        return min(free, key=self._place, default=None) is turn

    def _place(self, turn: Turn) -> tuple[int, int, int]:
        """Return the place of a turn in the line: the owner that reads least comes first."""
        return len(self._of_workspace(turn)), len(self._of_person(turn)), turn.arrival

    def _in_the_way(self, turn: Turn) -> list[Turn]:
        """Return the readings of which one must end before this one begins: no person may take all places."""
        if len(of_person := self._of_person(turn)) >= max(1, self._at_once - 2):
            return of_person
        if len(of_workspace := self._of_workspace(turn)) >= max(1, self._at_once - 1):
            return of_workspace
        return self._running if len(self._running) >= self._at_once else []

    def _of_workspace(self, turn: Turn) -> list[Turn]:
        return [one for one in self._running if one.owner.workspace_id == turn.owner.workspace_id]

    def _of_person(self, turn: Turn) -> list[Turn]:
        return [one for one in self._running if one.owner == turn.owner]

    def _stop_one_for(self, turn: Turn) -> None:
        """Stop the reading that has had its share and whose owner reads most, for the first in an owner's line."""
        if min((one for one in self._waiting if one.owner == turn.owner), key=self._place) is not turn:
            return
        in_the_way = self._in_the_way(turn)
        over = [one for one in in_the_way if self._now() - one.started >= one.share_seconds]
        if not over or any(one.is_stopped for one in in_the_way):  # then a place is about to be free
            return
        max(over, key=lambda one: (*self._place(one)[:2], -one.started)).stop_now()

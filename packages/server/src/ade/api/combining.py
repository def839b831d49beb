"""Combines requests of the same moment: the first one does the work of those that arrive while it is busy.

A submission takes the queue's one lock. When fifty clients submit at once, one transaction for those that wait costs
little more than one for each; nobody waits for others to come.
"""

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ade.errors import AdeError, Unavailable

MOST_AT_ONCE = 100
Asked = TypeVar("Asked")
Made = TypeVar("Made")


@dataclass(slots=True)
class _Item(Generic[Asked, Made]):
    """The request of one caller, and its outcome."""

    asked: Asked
    woken: threading.Event = field(default_factory=threading.Event)
    leads: bool = False
    made: list[Made] = field(default_factory=list)
    error: Exception | None = None


class Combining(Generic[Asked, Made]):
    """Combines what is asked under equal keys. A request that fails does not fail the others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, list[_Item[Asked, Made]]] = {}

    def do(self, key: Hashable, asked: Asked, work: Callable[[Sequence[Asked]], Sequence[Made]]) -> Made:
        """Return the result of the caller's own part; `work` returns one result for each request, or raises for all."""
        item: _Item[Asked, Made] = _Item(asked)
        with self._lock:
            item.leads = key not in self._waiting
            self._waiting.setdefault(key, []).append(item)
        if not item.leads:
            item.woken.wait()
        if item.leads:
            self._lead(key, item, work)
        if item.error is not None:
            raise item.error
        return item.made[0]

    def _lead(self, key: Hashable, own: _Item[Asked, Made], work: Callable[[Sequence[Asked]], Sequence[Made]]) -> None:
        with self._lock:
            batch = self._waiting[key][:MOST_AT_ONCE]
            del self._waiting[key][: len(batch)]
        try:
            _do_together(batch, work)
        finally:
            self._hand_over(key)
            for item in batch:
                if item is not own:
                    item.woken.set()

    def _hand_over(self, key: Hashable) -> None:
        """Let the first of those that arrived meanwhile lead; if there are none, the next to arrive leads."""
        with self._lock:
            if not self._waiting[key]:
                del self._waiting[key]
                return
            follower = self._waiting[key][0]
            follower.leads = True
        follower.woken.set()


def _do_together(batch: list[_Item[Asked, Made]], work: Callable[[Sequence[Asked]], Sequence[Made]]) -> None:
    try:
        made = work([item.asked for item in batch])
    except Unavailable as error:  # it may have been saved: to try again could do it twice
        _fail(batch, error)
    except AdeError as error:
        if len(batch) == 1:
            _fail(batch, error)
            return
        for item in batch:  # one of them is wrong, or not all fit
            _do_together([item], work)
    except Exception as error:  # noqa: BLE001 - every caller must hear of it, whatever it is
        _fail(batch, error)
    else:
        for item, one in zip(batch, made, strict=True):
            item.made.append(one)


def _fail(batch: list[_Item[Asked, Made]], error: Exception) -> None:
    for item in batch:
        item.error = error

"""Bounds the disk that combined outputs take: few at once, from the first copy until the last byte was sent."""

from __future__ import annotations

from collections import Counter
from queue import Empty, SimpleQueue
from threading import Lock

from ade.errors import Unavailable
from ade.operations.reading.turns import Owner

MOST = 4
MOST_OF_WORKSPACE = 2
MOST_OF_PERSON = 2  # the last one may still be on its way when the next is asked for
_BUSY = "Outputs are being combined or downloaded already. Try again when that is done."


class CombiningPlaces:
    """The combinations that are under way."""

    def __init__(self) -> None:
        self._of_person: Counter[str] = Counter()
        self._of_workspace: Counter[str] = Counter()
        self._given_back: SimpleQueue[Owner] = SimpleQueue()
        self._lock = Lock()

    def take(self, owner: Owner) -> None:
        """Take a place, or raise Unavailable when the person, the workspace or everybody has too many."""
        with self._lock:
            self._take_back()
            if (
                self._of_workspace.total() >= MOST
                or self._of_workspace[owner.workspace_id] >= MOST_OF_WORKSPACE
                or self._of_person[owner.person] >= MOST_OF_PERSON
            ):
                raise Unavailable(_BUSY)
            self._of_workspace[owner.workspace_id] += 1
            self._of_person[owner.person] += 1

    def give_back(self, owner: Owner) -> None:
        """Give a place back. A collection of garbage may do so, in a thread that has the lock: it takes none."""
        self._given_back.put(owner)

    def _take_back(self) -> None:
        while True:
            try:
                owner = self._given_back.get_nowait()
            except Empty:
                return
            self._of_workspace -= Counter([owner.workspace_id])  # keeps only what is left of any
            self._of_person -= Counter([owner.person])


combining_places = CombiningPlaces()

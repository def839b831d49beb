"""Bounds how many requests wait for documents to be read: each holds a thread that other requests need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from ade.errors import Unavailable
from ade.operations.reading.turns import BUSY, Owner

MOST = 24
MOST_OF_WORKSPACE = 12
MOST_OF_PERSON = 8


@dataclass(slots=True, eq=False)
class Place:
    """A request that waits. One that is displaced gives up as soon as it notices."""

    owner: Owner
    is_displaced: bool = False

    def require(self) -> None:
        """Give up when another request needs the place."""
        if self.is_displaced:
            raise Unavailable(BUSY)


class Places:
    """The requests that wait."""

    def __init__(self) -> None:
        self._held: list[Place] = []
        self._lock = Lock()

    @contextmanager
    def hold(self, owner: Owner) -> Iterator[Place]:
        """Hold a place, or raise Unavailable when the person, the workspace or everybody holds too many."""
        place = Place(owner)
        with self._lock:
            self._admit(place)
            self._held.append(place)
        try:
            yield place
        finally:
            with self._lock:
                self._held.remove(place)

    def _admit(self, place: Place) -> None:
        held = [one for one in self._held if not one.is_displaced]
        in_workspaces = Counter(one.owner.workspace_id for one in held)
        in_workspace = in_workspaces[place.owner.workspace_id]
        of_person = sum(one.owner == place.owner for one in held)
        if of_person >= MOST_OF_PERSON or in_workspace >= MOST_OF_WORKSPACE:
            raise Unavailable(BUSY)
        if len(held) < MOST:
            return
        largest, most = in_workspaces.most_common(1)[0]
        if most <= in_workspace + 1:
            raise Unavailable(BUSY)
        # The newest: the one that has waited longest is closest to an answer.
        newest = [one for one in held if one.owner.workspace_id == largest][-1]
        newest.is_displaced = True

"""What a claim takes of what it read: a decision without a database.

A claim has three parts. It gathers what it must know under the queue's lock (database/queue/claim.py), decides here
what to take, and writes that (operations/queue/claiming.py calls all three).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from ade.domain.order import place_of
from ade.domain.pause import Pause, PauseScope
from ade.domain.run import Block

ANY_MEMORY = 2**31 - 1
ANY_CPU = 1e9
KindName = Literal["run", "build"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A run or a build at the head of the queue. A build has no plan, no document and no needs."""

    kind: KindName
    id: str
    workspace_id: str
    plan_id: str | None
    priority: int
    input_document_id: str | None
    memory_mb: int | None
    cpu_count: float | None
    event_count: int
    effective_priority: int
    order_key: int
    plan_sequence: int
    phase: int
    sequence: int
    is_busy: int  # another run of its document is running

    @property
    def place(self) -> tuple[int, ...]:
        """Return its place in the order of runs and builds; a build comes before a run with the same place."""
        level, key, *same_instant = place_of(self)
        return (level, key, self.kind == "run", *same_instant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What a worker has free."""

    slots: int
    memory_mb: int = ANY_MEMORY
    cpu_count: float = ANY_CPU

    def fits(self, head: Head) -> bool:
        """Return whether a head fits into the room that is left."""
        return (head.memory_mb or 0) <= self.memory_mb and (head.cpu_count or 0) <= self.cpu_count

    def beside(self, head: Head) -> "Capacity":
        """Return what is left when this is taken."""
        memory_mb, cpu_count = self.memory_mb - (head.memory_mb or 0), self.cpu_count - (head.cpu_count or 0)
        return replace(self, slots=self.slots - 1, memory_mb=memory_mb, cpu_count=cpu_count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """What decides how a claim continues, in addition to the heads."""

    is_everything_paused: bool = False
    is_worker_out: bool = False  # declared dead, or asked to drain
    is_idle: bool = False  # the worker is noted to wait for work
    pauses: Sequence[Pause] = ()
    caps: Mapping[str, int] = field(default_factory=dict)  # by workspace
    is_build_waiting: bool = False  # for the worker's surroundings
    upkept_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a head may not start: its document is busy, a pause covers it, or its workspace is at its cap."""

    block: Block
    scope: PauseScope | None
    value: str
    met: str  # the run


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a claim takes of the heads it saw."""

    taken: Sequence[Head]
    room: Capacity  # that is left then
    obstacle: Obstacle | None  # of the first head that may not start; those behind it were not considered
    is_more: bool  # other heads may fit into what is left


def choose(heads: Sequence[Head], *, holds: Holds, room: Capacity, free_by_workspace: Mapping[str, int]) -> Choice:
    """Choose the heads that start now, in order, up to the first that may not.

    `free_by_workspace` are the runs that each workspace with a cap may still start.
    """
    candidates = sorted(heads, key=lambda head: head.place)[: room.slots]
    is_full_look = len(candidates) == room.slots
    taken: list[Head] = []
    documents: set[str | None] = set()
    free = dict(free_by_workspace)
    for head in candidates:
        if head.kind == "run":
            obstacle = _obstacle(head, holds.pauses, free, documents)
            if obstacle is not None:
                return Choice(taken=taken, room=room, obstacle=obstacle, is_more=True)
            if not room.fits(head):
                continue  # the next look asks for what fits beside those taken
            documents.add(head.input_document_id)
            if head.workspace_id in free:
                free[head.workspace_id] -= 1
        taken.append(head)
        room = room.beside(head)
    return Choice(taken=taken, room=room, obstacle=None, is_more=is_full_look)


def _obstacle(
    head: Head, pauses: Sequence[Pause], free_by_workspace: Mapping[str, int], documents: set[str | None]
) -> Obstacle | None:
    """Return what holds a run back, if anything: a pause, its document being busy, its workspace's cap."""
    for pause in pauses:
        if pause.covers(head):
            return Obstacle(Block.PAUSED, pause.scope, pause.value, head.id)
    if head.is_busy or head.input_document_id in documents:
        return Obstacle(Block.DOCUMENT_BUSY, None, str(head.input_document_id), head.id)
    if free_by_workspace.get(head.workspace_id, 1) <= 0:
        return Obstacle(Block.CAPACITY, PauseScope.WORKSPACE, head.workspace_id, head.id)
    return None

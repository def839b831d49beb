"""How much more a worker has room for: slots, memory and processors."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ade.domain.queue import Claim
from ade.operations.queue.claiming import Room
from ade.settings import Settings
from ade.worker.held import Held


def whole_room(settings: Settings, *, slots: int) -> Room:
    """Return what a worker has when nothing runs: a run that needs more never starts on it."""
    return Room(
        slots=slots,
        memory_mb=settings.memory_budget_mb or slots * settings.worker_mem_mb,
        cpu_count=settings.cpu_budget or os.cpu_count() or 1,
    )


def room_for(held: Held, settings: Settings, *, leaving: Sequence[Claim] = ()) -> Room:
    """Return the room left by the attempts in progress, not counting those that are about to end."""
    default = settings.worker_mem_mb
    whole = whole_room(settings, slots=held.slots)
    memory_mb = whole.memory_mb - held.memory_mb(default=default)
    cpu_count = whole.cpu_count - held.cpu_count()
    return Room(
        slots=held.free_slots + len(leaving),
        memory_mb=max(memory_mb + sum(claim.memory_mb or default for claim in leaving), 0),
        cpu_count=max(cpu_count + sum(claim.cpu_count or 0 for claim in leaving), 0),
    )

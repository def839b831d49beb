"""How much more a worker has room for: slots, memory and processors."""

from __future__ import annotations

import os

from ade.operations.queue import Room
from ade.settings import Settings
from ade.worker.held import Held


def room_for(held: Held, settings: Settings) -> Room:
    """Return what is free beside the attempts in progress."""
    memory_mb = settings.memory_budget_mb or held.slots * settings.worker_mem_mb
    cpu_count = settings.cpu_budget or os.cpu_count() or 1
    return Room(
        slots=held.free_slots,
        memory_mb=max(memory_mb - held.memory_mb(default=settings.worker_mem_mb), 0),
        cpu_count=max(cpu_count - held.cpu_count(), 0),
    )

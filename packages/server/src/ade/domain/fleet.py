"""The live workers: what they have room for, and why none of them takes a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

DRAINING = "It is draining, so it claims no more runs until it is started again."


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWorker:
    """A worker with a recent heartbeat."""

    slots: int
    memory_mb: int | None = None  # for all its runs together; None: not known, so never the reason
    cpu_count: float | None = None
    surroundings: str = ""
    idle_reason: str | None = None  # why it claims nothing although it could
    crowded: Mapping[str, str] = field(default_factory=dict)  # why it starts nothing of some workspaces

    def fits(self, need: "Need") -> bool:
        """Return whether a run has room here when nothing else runs."""
        return _is_enough(self.memory_mb, need.memory_mb) and _is_enough(self.cpu_count, need.cpu_count)


@dataclass(frozen=True, slots=True)
class Need:
    """What a run declared to need; None: nothing in particular."""

    memory_mb: float | None
    cpu_count: float | None

    def __str__(self) -> str:
        parts = [
            f"{self.cpu_count:g} processor{'s' * (self.cpu_count != 1)}" if self.cpu_count else "",
            f"{self.memory_mb:.0f} MB of memory" if self.memory_mb else "",
        ]
        return " and ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Fleet:
    """The workers that are live now."""

    workers: Sequence[LiveWorker]

    @property
    def slots(self) -> int:
        """Return how many runs can execute at once on the workers that claim."""
        return sum(worker.slots for worker in self.workers if worker.idle_reason is None)

    def reason_against(self, need: Need) -> str | None:
        """Return why no worker takes a run with this need now, or None when one does as soon as it has room."""
        if not self.workers:
            return "No worker is live. Start one with `ade worker`."
        fitting = [worker for worker in self.workers if worker.fits(need)]
        if not fitting:
            return self._too_large(need)
        return idle_reason_of(fitting, "could take it")

    def reason_against_build(self, surroundings: str) -> str | None:
        """Return why no worker makes a build now, or None when one does as soon as it has room.

        A build that no live worker could make is taken over by another one soon, so that is no reason.
        """
        return idle_reason_of([one for one in self.workers if one.surroundings == surroundings], "could build it")

    def reason_against_workspace(self, workspace_id: str) -> str | None:
        """Return why no worker starts runs of a workspace now, whatever they need, or None when one does."""
        reasons = [worker.crowded.get(workspace_id) for worker in self.workers if worker.idle_reason is None]
        return None if None in reasons else next(iter(reasons), None)

    def _too_large(self, need: Need) -> str:
        memory_mb = _largest(self.workers, lambda worker: worker.memory_mb)
        cpu_count = _largest(self.workers, lambda worker: worker.cpu_count)
        too_much = Need(
            None if _is_enough(memory_mb, need.memory_mb) else need.memory_mb,
            None if _is_enough(cpu_count, need.cpu_count) else need.cpu_count,
        )
        if too_much == Need(None, None):
            return f"It needs {need}; no live worker has both."
        has = Need(memory_mb if too_much.memory_mb else None, cpu_count if too_much.cpu_count else None)
        return f"It needs {too_much}; the largest live worker has {has}."


def idle_reason_of(workers: Sequence[LiveWorker], could: str) -> str | None:
    """Return why all of some workers claim nothing, or None when one of them does (or there are none)."""
    reasons = [worker.idle_reason for worker in workers]
    if not reasons or None in reasons:
        return None
    if len(reasons) == 1:
        return f"The worker that {could} claims nothing now. {reasons[0]}"
    return f"The {len(reasons)} workers that {could} claim nothing now. {reasons[0]}"


def _is_enough(has: float | None, needs: float | None) -> bool:
    return has is None or needs is None or needs <= has


def _largest(workers: Sequence[LiveWorker], of: Callable[[LiveWorker], float | None]) -> float | None:
    sizes = [of(worker) for worker in workers]
    return None if None in sizes else max((size for size in sizes if size is not None), default=None)

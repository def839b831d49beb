"""Judges every step: what it did to the database, and how the database stands after it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ade.domain.queue import QueueRules
from ade.errors import OutcomeUnknown
from simulation.state import State


class Violation(AssertionError):
    """A promise of the queue was broken; the seed replays it."""

    def __init__(self, seed: int, found: Sequence[str], trace: Sequence[str]) -> None:
        self.seed = seed
        self.found = list(found)
        self.trace = list(trace)
        told = "\n".join(["", *self.trace[-40:], *(f"VIOLATED: {sentence}" for sentence in self.found)])
        super().__init__(f"{told}\nreplay: PYTHONPATH=tests python -m simulation {seed} --verbose")


@dataclass
class Did:
    """A step that was taken: what kind, about what, and how it ended."""

    kind: str
    step: int
    about: dict[str, Any]
    value: Any = None
    error: Exception | None = None

    @property
    def is_known(self) -> bool:
        """Tell whether the process got its answer."""
        return self.error is None

    @property
    def is_committed(self) -> bool:
        """Tell whether it took effect, known or not."""
        return self.error is None or isinstance(self.error, OutcomeUnknown)

    @property
    def outcome(self) -> str:
        """Return how it ended, for the trace."""
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}"
        return self.about["shown"](self.value) if "shown" in self.about else str(self.value)


@dataclass(frozen=True)
class Holder:
    """Who holds a run or a build, since which step. The oracle's own record: it does not trust tokens."""

    worker_id: str
    since: int


@dataclass
class Ledger:
    """What the oracle remembers of the steps so far."""

    rules: QueueRules
    holders: dict[tuple[str, str], Holder] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)  # instants, for the start rate
    last_token: int = 0
    respread: set[str] = field(default_factory=set)  # moved aside for another run: their key is no time any more
    slipped_in: list[str] = field(default_factory=list)  # workers whose heartbeat came during this step


class Oracle:
    """Knows what must hold. Pure: it compares states and never asks the code under test."""

    def __init__(self, rules: QueueRules) -> None:
        self.ledger = Ledger(rules)

    def judge(self, did: Did, before: State, after: State) -> list[str]:
        """Return a sentence for every promise this step broke."""
        from simulation import claims, fences, history, standing  # noqa: PLC0415 - they use the types above

        if not did.is_committed:
            found = _without_effect(did, before, after)
        else:
            found = []
            for check in (history.check, fences.check, claims.check, standing.check):
                found += check(did, before, after, self.ledger)
        self.ledger.slipped_in.clear()
        return found

    def note_slipped_in(self, worker_id: str) -> None:
        """Remember that a heartbeat came in the middle of the step."""
        self.ledger.slipped_in.append(worker_id)

    def holder_of(self, kind: str, subject_id: str) -> Holder | None:
        """Return who holds it by the oracle's own record."""
        return self.ledger.holders.get((kind, subject_id))


def _without_effect(did: Did, before: State, after: State) -> list[str]:
    found = []
    if before.contents != after.contents:
        found.append(f"{did.kind} failed ({did.error!r}) and still changed something")
    expected = did.about.get("expects", ())
    if type(did.error).__name__ not in {"ConnectionLost", *(error.__name__ for error in expected)}:
        found.append(f"{did.kind} was refused for no reason: {did.error!r}")
    return found

"""What is recorded of a step, and what the oracle remembers of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ade.domain.queue import Claim, QueueRules
from ade.errors import OutcomeUnknown


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
        """Return whether the process got its answer."""
        return self.error is None

    @property
    def is_committed(self) -> bool:
        """Return whether it took effect, known or not."""
        return self.error is None or isinstance(self.error, OutcomeUnknown)

    @property
    def claims(self) -> list[Claim]:
        """Return what a claim answered, or a turn, which ends runs and claims at once."""
        return list(self.value[1])

    @property
    def outcome(self) -> str:
        """Return how it ended, for the trace."""
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}"
        return self.about["shown"](self.value) if "shown" in self.about else str(self.value)


@dataclass(frozen=True)
class Holder:
    """The worker that holds a run or a build, since which step. The oracle's own record: it does not trust tokens."""

    worker_id: str
    since: int


@dataclass
class Ledger:
    """What the oracle remembers of the steps so far."""

    rules: QueueRules
    holders: dict[tuple[str, str], Holder] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)  # instants, for the start rate
    last_token: int = 0
    respread: set[str] = field(default_factory=set)  # moved aside for another run: their key is no longer a time
    slipped_in: list[str] = field(default_factory=list)  # workers whose heartbeat came during this step

"""Judges every step: what it did to the database, and how the database stands after it."""

from ade.domain.queue import QueueRules
from simulation import claims, fences, history, standing
from simulation.faults import ConnectionLost
from simulation.record import Did, Holder, Ledger
from simulation.state import State


class Oracle:
    """Knows what must hold. Pure: it compares states and never asks the code under test."""

    def __init__(self, rules: QueueRules) -> None:
        self.ledger = Ledger(rules)

    def judge(self, did: Did, before: State, after: State) -> list[str]:
        """Return a sentence for every promise this step broke."""
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
        """Return its holder by the oracle's own record."""
        return self.ledger.holders.get((kind, subject_id))


def _without_effect(did: Did, before: State, after: State) -> list[str]:
    found = []
    if before.contents != after.contents:
        found.append(f"{did.kind} failed ({did.error!r}) and still changed something")
    if not isinstance(did.error, (ConnectionLost, *did.about.get("expects", ()))):
        found.append(f"{did.kind} was refused for no reason: {did.error!r}")
    return found

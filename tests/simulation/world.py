"""The simulated deployment: a database in memory, a clock that is set, and the processes that come and go."""

import random
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

import rows
from ade.database.maintenance import migrate
from ade.database.queue.wakeups import Wake
from ade.database.schema import configuration_files
from ade.database.transaction import Database, Transaction
from ade.domain.access import Actor, ActorKind
from ade.domain.fingerprint import Surroundings, fingerprint
from ade.domain.queue import Claim, QueueRules
from ade.errors import AdeError
from ade.operations.queue.claiming import Room
from ade.operations.queue.surroundings import here
from repeatable import FakeClock, counting_ids
from simulation import claims, state
from simulation.faults import ConnectionLost, Faults
from simulation.oracle import Oracle
from simulation.record import Did, Violation
from simulation.state import State

PERSON = Actor(ActorKind.USER, "person")
WORKSPACES = ("w1", "w2", "w3")
DOCUMENTS = {workspace: [f"{workspace}-d{number}" for number in range(1, 5)] for workspace in WORKSPACES}
READY_VERSION, OTHER_VERSIONS = 1, (2, 3)  # of each configuration: with a ready build, and without one
Key = tuple[str, str]  # ("run" or "build", id)


@dataclass
class Held:
    """A claim as the process that made it knows it."""

    claim: Claim
    since: int  # the step of the claim: what the token must stand for
    memory_mb: int = 0
    cpu_count: float = 0


@dataclass
class Process:
    """A worker process, living or stalled; what it believes may be out of date."""

    name: str
    worker_id: str
    slots: int
    memory_mb: int
    cpu_count: float
    surroundings: Surroundings = field(default_factory=here)
    held: dict[Key, Held] = field(default_factory=dict)
    is_unsure: bool = False  # a claim of its may have been committed without its knowing
    is_waiting: bool = False  # it was noted to wait after its last turn
    call: Wake = Wake.NAMED  # why it takes a turn next; none: it waits

    @property
    def free_slots(self) -> int:
        """Return how many more it would take."""
        return self.slots - len(self.held)

    @property
    def room(self) -> Room:
        """Return what it believes to have left."""
        return self.room_without([])

    def room_without(self, ended: Collection[Key]) -> Room:
        """Return what it believes to have left when some of what it holds has ended."""
        kept = [held for key, held in self.held.items() if key not in ended]
        return Room(
            slots=self.slots - len(kept),
            memory_mb=self.memory_mb - sum(held.memory_mb for held in kept),
            cpu_count=self.cpu_count - sum(held.cpu_count for held in kept),
            surroundings=self.surroundings,
        )


class World:
    """One seed's deployment. Every step goes through `do`, which asks the oracle."""

    def __init__(self, seed: int, *, rules: QueueRules, faults: Faults, rng: random.Random) -> None:
        self.seed = seed
        self.rng = rng
        self.rules = rules
        self.faults = faults
        self.stage = _stage()
        self.stage.reset()
        self.clock = self.stage.clock
        self.processes: list[Process] = []
        self.vacant_names: list[str] = []
        self.workspaces: list[str] = list(WORKSPACES)
        self.priorities: list[int] = [50]
        self.versions: list[int] = [READY_VERSION]
        self.surroundings: list[Surroundings] = [here()]  # of servers and workers
        self.documents = len(DOCUMENTS[WORKSPACES[0]])  # how many of each workspace
        self.trace: list[str] = []
        self.state: State = state.read(self.stage.connection)
        self.before = self.state  # as it was one step earlier
        self.oracle = Oracle(rules)

    @property
    def step(self) -> int:
        """Return the number of the step that comes next."""
        return len(self.trace)

    def do(self, kind: str, words: str, work: Callable[[Transaction], Any], **about: Any) -> Did:
        """Take one step in one transaction, under a fault or not; ask the oracle about what it did."""
        did = Did(kind=kind, step=self.step, about=about)
        seen: list[Transaction] = []

        def noted(tx: Transaction) -> Any:
            seen[:] = [tx]
            return work(tx)

        try:
            with self.faults.interleaved(self):
                did.value = self.faults.write(self.stage.database, noted, rng=self.rng)
        except (AdeError, ConnectionLost) as error:
            did.error = error
        except Exception as error:
            self.note(words, f"broke with {error!r}")
            raise Violation(self.seed, [f"{kind} broke with {error!r}"], self.trace) from error
        before = self.before = self.state
        self.state = state.read(self.stage.connection, self.state)
        self.note(words, did.outcome)
        if found := self.oracle.judge(did, before, self.state):
            raise Violation(self.seed, found, self.trace)
        if did.is_committed and seen:
            self._deliver(seen[0].woken)
        return did

    def _deliver(self, messages: Collection[str]) -> None:
        """Let the messages of a transaction arrive; one for a process that is gone is found by the others' ticks."""
        for message in messages:
            named = next((process for process in self.processes if process.worker_id == message), None)
            if named is not None:
                named.call = Wake.NAMED
            else:
                self.tick()

    def tick(self) -> None:
        """Let every process that waits look again, as each does once a tick."""
        for process in self.processes:
            if process.call is Wake.NONE:
                process.call = Wake.ALL

    def check_wakes(self) -> None:
        """Fail when a process waits that could claim something, and nobody was woken."""
        if self.rules.max_starts_per_second or any(process.call is not Wake.NONE for process in self.processes):
            return
        for process in self.processes:
            if process.free_slots > 0 and (found := claims.wanted_by(process, self.state, self.oracle.ledger)):
                self.fail(f"{process.name} waits and nobody was woken, although it could claim {found}")

    def wait(self, duration: timedelta) -> None:
        """Let time pass, or step back."""
        self.clock.advance(duration)
        self.tick()
        self.note(f"{duration.total_seconds():+} s")

    def fail(self, sentence: str) -> None:
        """Report what only the end of the story shows."""
        raise Violation(self.seed, [sentence], self.trace)

    def any_surroundings(self) -> Surroundings:
        """Return those of some server or worker."""
        return self.surroundings[0] if len(self.surroundings) == 1 else self.rng.choice(self.surroundings)

    def note(self, words: str, outcome: str = "") -> None:
        """Add a line to the trace."""
        seconds = (self.clock.now() - FakeClock().now()).total_seconds()
        self.trace.append(f"{self.step:4} {seconds:9.3f}s  {words}{f'  →  {outcome}' if outcome else ''}")


class _Stage:
    """The database all worlds of this process play on, one after the other; compiled statements are kept."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self._ids = counting_ids()
        self.database = Database("sqlite://", clock=self.clock, ids=lambda: self._ids())
        migrate.upgrade(self.database)
        self.database.write(_furnish)
        self._image = self.connection.serialize()

    @property
    def connection(self) -> sqlite3.Connection:
        """Return the one connection there is."""
        found = self.database.engine.raw_connection().driver_connection
        assert isinstance(found, sqlite3.Connection)
        return found

    def reset(self) -> None:
        """Go back to the beginning."""
        self.connection.deserialize(self._image)
        self.clock.current = FakeClock().now()
        self._ids = counting_ids()


@cache
def _stage() -> _Stage:
    return _Stage()


def _furnish(tx: Transaction) -> None:
    """Add what runs are about: workspaces, documents, configurations, and one ready build of each."""
    for number, workspace in enumerate(WORKSPACES):
        rows.add_workspace(tx, id=workspace, slug=workspace)
        rows.add_configuration(tx, id=f"{workspace}-c", workspace_id=workspace)
        for version in (READY_VERSION, *OTHER_VERSIONS):
            _add_version(tx, workspace, version)
        given = {"configuration_id": f"{workspace}-c", "version_id": f"{workspace}-v{READY_VERSION}"}
        made_from = fingerprint({"columns/id.py": f"{READY_VERSION}"}, here())
        rows.add_build(tx, id=f"{workspace}-b", **given, fingerprint=made_from, sequence=-number)
        for document in DOCUMENTS[workspace]:
            rows.add_document(tx, id=document, workspace_id=workspace)


def _add_version(tx: Transaction, workspace: str, number: int) -> None:
    """Add a version with one file, whose digest is the version's number."""
    status = "published" if number == READY_VERSION else "archived"
    version_id = f"{workspace}-v{number}"
    rows.add_version(tx, f"{workspace}-c", id=version_id, number=number, status=status, published_at=tx.now)
    file = {"version_id": version_id, "path": "columns/id.py", "content": b"", "size_bytes": 0, "sha256": f"{number}"}
    tx.execute(sa.insert(configuration_files).values(**file, updated_at=tx.now))

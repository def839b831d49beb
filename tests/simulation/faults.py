"""What goes wrong between a process and its database."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ade.database.queue import endings
from ade.database.queue.endings import Lost
from ade.database.queue.kinds import Changed, Kind
from ade.database.transaction import Database, Transaction
from ade.errors import OutcomeUnknown
from ade.operations.queue import claiming as queue

if TYPE_CHECKING:
    from simulation.world import World

T = TypeVar("T")


class ConnectionLost(Exception):
    """The connection broke before the commit: nothing may have happened."""


class Faults:
    """How often what goes wrong; quiet ones for the end of a story."""

    def __init__(
        self, *, lost_before: float = 0, lost_after: float = 0, slipping_in: float = 0, stubbornness: float = 0
    ) -> None:
        self._lost_before = lost_before
        self._lost_after = lost_after
        self._slipping_in = slipping_in
        self.stubbornness = stubbornness  # of processes that go on although they were told that all is lost

    def write(self, database: Database, work: Callable[[Transaction], T], *, rng: random.Random) -> T:
        """Run a transaction, and perhaps lose the connection before or after its commit."""
        drawn = rng.random()
        if drawn < self._lost_before:
            return database.write(lambda tx: _break_off(tx, work))
        result = database.write(work)
        if drawn < self._lost_before + self._lost_after:
            raise OutcomeUnknown("lost after the commit")
        return result

    @contextmanager
    def interleaved(self, world: "World") -> Iterator[None]:
        """Perhaps let a heartbeat commit between the look at the overdue leases and what is done about them.

        Heartbeats take no lock, so a database that reads what is committed allows it. Here both share a connection,
        and the heartbeat's changes are visible from then on: the same thing.
        """
        if not world.processes or world.rng.random() >= self._slipping_in:
            yield
            return
        process = world.rng.choice(world.processes)
        yield from _with_heartbeat_after_look(process.worker_id, world)


def _break_off(tx: Transaction, work: Callable[[Transaction], Any]) -> NoReturn:
    work(tx)
    raise ConnectionLost("lost before the commit")


def _with_heartbeat_after_look(worker_id: str, world: "World") -> Iterator[None]:
    look = endings.overdue

    def beat(tx: Transaction) -> None:
        other = Transaction(tx.connection, clock=tx.clock, ids=tx.new_id)
        if queue.heartbeat(other, worker_id, rules=world.rules) is not None:
            world.oracle.note_slipped_in(worker_id)

    def look_then_beat(tx: Transaction, kind: Kind[Changed]) -> list[Lost]:
        found = look(tx, kind)
        beat(tx)
        return found

    endings.overdue = look_then_beat
    try:
        yield
    finally:
        endings.overdue = look

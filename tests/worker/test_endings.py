"""How runs end: in the transaction that claims for their slots while the worker is busy, on their own otherwise."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from ade.database.transaction import Transaction
from ade.domain.queue import Claim, Ending
from ade.domain.run import RunStatus
from ade.errors import LeaseLost
from ade.operations.queue.claiming import Room, finish_and_claim
from ade.worker.endings import Endings, Waiting
from ade.worker.stopping import Reason
from scene import Scene
from worker.stage import Stage


class Finishing:
    """An attempt that has done its work."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.slot = 0
        self.stopped_because: Reason | None = None

    def cancel(self) -> None:
        self.stopped_because = "cancelled"

    def lose(self) -> None:
        self.stopped_because = "lost"

    def return_uncounted(self) -> None:
        self.stopped_because = "returned"


class Desk:
    """Endings of attempts that run in threads."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.arrived = threading.Semaphore(0)
        self.endings = Endings(scene.database, rules=scene.rules, on_arrival=self.arrived.release)
        self._pool = ThreadPoolExecutor(4)

    def hand_in(self, claim: Claim, **facts: object) -> tuple[Finishing, Future[RunStatus]]:
        attempt = Finishing(claim)
        ending = Ending(claim=claim, facts=facts)
        return attempt, self._pool.submit(self.endings.write, attempt, ending)

    def turn(self, waiting: list[Waiting], *, slots: int) -> list[Claim]:
        worker, rules, endings = self.scene.worker, self.scene.rules, [one.ending for one in waiting]

        def work(tx: Transaction) -> tuple[dict[str, RunStatus], list[Claim]]:
            return finish_and_claim(tx, worker, endings, rules=rules, room=Room(slots=slots))

        statuses, claims = self.scene.write(work)
        self.endings.written(waiting, statuses)
        return claims

    def close(self) -> None:
        self._pool.shutdown()


@pytest.fixture
def desk(database_url: str) -> Iterator[Desk]:
    scene = Scene(database_url)
    opened = Desk(scene)
    yield opened
    opened.close()
    scene.close()


def test_what_ends_while_the_worker_is_busy_is_written_with_its_next_claim(desk: Desk) -> None:
    _, _, third = desk.scene.submit_many(3)
    first, second = desk.scene.claim(2)
    desk.endings.attend()
    handed_in = [desk.hand_in(claim)[1] for claim in (first, second)]
    for _ in handed_in:
        desk.arrived.acquire()

    assert not desk.endings.leave()  # it must look at them first
    claims = desk.turn(desk.endings.waiting(), slots=2)

    assert [claim.id for claim in claims] == [third]
    assert [future.result() for future in handed_in] == ["succeeded", "succeeded"]
    assert desk.endings.leave()


def test_what_ends_while_the_worker_waits_is_written_at_once(desk: Desk) -> None:
    desk.scene.submit()
    _, status = desk.hand_in(desk.scene.claim_one())

    assert status.result() == "succeeded"


def test_an_attempt_that_lost_its_run_is_told_so_and_writes_nothing(desk: Desk) -> None:
    desk.scene.submit_many(2)
    stale, lost = desk.scene.claim(2)
    desk.scene.return_uncounted(stale)
    desk.endings.attend()
    _, of_stale = desk.hand_in(stale, file_key="zombie")
    attempt, of_lost = desk.hand_in(lost, file_key="zombie")
    desk.arrived.acquire(), desk.arrived.acquire()
    attempt.lose()

    desk.turn(desk.endings.waiting(), slots=0)

    for status in (of_stale, of_lost):
        with pytest.raises(LeaseLost):
            status.result()
    assert desk.scene.status(lost.id) == "running"


def test_what_was_handed_in_is_written_when_the_worker_stops(desk: Desk) -> None:
    desk.scene.submit_many(2)
    first, second = desk.scene.claim(2)
    desk.endings.attend()
    _, status = desk.hand_in(first)
    desk.arrived.acquire()

    desk.endings.close()

    assert status.result() == "succeeded"
    assert desk.hand_in(second)[1].result() == "succeeded"  # by itself


@pytest.mark.slow
@pytest.mark.req("Q18")
def test_a_busy_worker_claims_the_next_run_in_the_transaction_that_ends_one(stage: Stage) -> None:
    configuration = stage.configuration({"columns/name.py": 'from ade_engine import Field\n\nfield = Field("name")\n'})
    run_ids = stage.submit(configuration, *stage.documents(4))
    stage.work_off(run_ids, slots=1)

    ended = [stage.run(run_id) for run_id in run_ids]
    # A transaction has one time: the queue's, read when its lock is taken.
    assert [run.finished_at for run in ended[:-1]] == [run.started_at for run in ended[1:]]

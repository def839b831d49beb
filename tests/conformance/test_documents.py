"""One running run for each document, and none of its siblings stranded."""

import pytest
import sqlalchemy as sa

import calls
import rows
from ade.database.dialects import is_unique_violation
from ade.database.queue import waiting
from ade.database.schema import runs
from ade.database.transaction import Transaction
from ade.domain.run import Block, RunStatus
from ade.operations.queue.claiming import Room
from scene import Scene


@pytest.mark.req("Q4")
def test_only_one_of_two_runs_of_a_document_is_claimed(scene: Scene) -> None:
    document = scene.document()
    first, second = scene.submit(document), scene.submit(document)
    other = scene.submit()

    assert [claim.id for claim in scene.claim(3)] == [first, other]
    assert scene.claim(3, worker=scene.add_worker("two")) == []
    assert Block(scene.run(second).block_mask) == Block.DOCUMENT_BUSY


@pytest.mark.req("Q4")
def test_the_database_itself_refuses_a_second_running_run_of_a_document(scene: Scene) -> None:
    """Case 6."""
    document = scene.document()
    scene.submit(document)
    second = scene.submit(document)
    scene.claim_one()
    values = rows.fitting(RunStatus.RUNNING)

    def set_it_running(tx: Transaction) -> None:
        tx.execute(sa.update(runs).where(runs.c.id == second).values(**values))

    with pytest.raises(sa.exc.IntegrityError) as refused:
        scene.write(set_it_running)
    assert is_unique_violation(refused.value)


@pytest.mark.req("Q4", "Q2")
def test_the_best_sibling_comes_next_when_a_run_ends(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    low, urgent, normal = (scene.submit(document, priority=priority) for priority in (70, 10, 50))
    assert scene.claim(3) == []

    scene.succeed(running)

    assert scene.drain(slots=3) == [urgent, normal, low]


def test_a_blocked_urgent_run_does_not_hold_up_a_ready_low_one_of_its_document(scene: Scene) -> None:
    """Case 8."""
    document = scene.document()
    scene.submit(document, priority=10, build=scene.new_build(status="queued"))
    low = scene.submit(document, priority=90)

    assert low in [claim.id for claim in scene.claim(2)]


def test_cancelling_the_first_of_two_lets_the_sibling_proceed(scene: Scene) -> None:
    """Case 31: both were parked, and nothing runs that would wake the second one."""
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    first, second = scene.submit(document), scene.submit(document)
    scene.claim()
    scene.succeed(running)

    scene.cancel(first)

    assert [claim.id for claim in scene.claim()] == [second]


def test_a_sibling_that_became_more_urgent_goes_before_the_run_that_was_given_back(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    sibling = scene.submit(document)
    scene.claim()
    scene.reprioritise(sibling, 10)
    scene.claim()  # parks it again

    scene.return_uncounted(running)

    assert scene.drain() == [sibling, running.id]


def test_a_sibling_that_became_more_urgent_goes_before_the_run_of_a_dead_worker(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    orphan = scene.claim_one()
    sibling = scene.submit(document)
    scene.claim()
    scene.reprioritise(sibling, 10)
    scene.claim()

    scene.add_worker("one")  # the dead one's successor
    successor = scene.add_worker("two")

    assert scene.drain(worker=successor) == [sibling, orphan.id]


@pytest.mark.parametrize("how", ["priority", "place"])
def test_the_ready_head_of_a_document_moved_behind_its_sibling_runs_after_it(scene: Scene, how: str) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    head, sibling = scene.submit(document), scene.submit(document)
    scene.claim()
    scene.succeed(running)

    scene.reprioritise(head, 90) if how == "priority" else scene.move(head, after=sibling)

    assert scene.drain() == [sibling, head]


@pytest.mark.req("Q8")
def test_many_runs_of_a_busy_document_are_set_aside_bit_by_bit(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others need the queue meanwhile; the worker that is woken continues."""
    monkeypatch.setattr(waiting, "MOST_PARKED", 100)
    busy = scene.document()
    requests = [scene.request(busy) for _ in range(200)]
    scene.submit_all(requests)
    scene.claim_one()
    behind = scene.submit()
    worker = scene.worker

    def look(tx: Transaction) -> tuple[list[str], bool]:
        claims = calls.claim(tx, worker, rules=scene.rules, room=Room(slots=1))
        return [claim.id for claim in claims], bool(tx.wakes)

    assert scene.write(look) == ([], True)
    assert scene.write(look) == ([behind], False)

"""Deadlines: a run that takes too long is ended, and only the time it had counts."""

from datetime import timedelta

import pytest

from ade.domain.queue import QueueRules
from ade.errors import LeaseLost
from ade.operations.queue.workers import declare_dead
from scene import Scene


@pytest.mark.req("R7")
def test_a_deadline_ends_a_run_although_its_worker_lives(scene: Scene) -> None:
    """Case 33."""
    scene.rules = QueueRules(max_running=1, run_timeout=timedelta(seconds=40))
    run_id, next_id = scene.submit(), scene.submit()
    claim = scene.claim_one()
    for _ in range(4):
        scene.advance(timedelta(seconds=10, milliseconds=1))
        scene.heartbeat()

    assert scene.upkeep().recovered_runs == [run_id]
    assert scene.run(run_id).failure_code == "timed_out"
    assert "40 s" in str(scene.run(run_id).failure_message)
    assert scene.heartbeat() == []
    assert scene.claim_one().id == next_id
    with pytest.raises(LeaseLost):
        scene.succeed(claim)


@pytest.mark.req("R7", "Q7")
def test_the_time_in_which_nobody_heard_of_a_run_is_not_its_own(scene: Scene) -> None:
    """A host was asleep, or the database's clock was set forward: the run did not take that long."""
    run_id = scene.submit()
    claim = scene.claim_one()

    scene.advance(timedelta(hours=1))
    assert scene.upkeep().recovered_runs == [run_id]

    assert scene.status(run_id) == "queued"
    assert "run.requeued" in scene.events(run_id)
    with pytest.raises(LeaseLost):
        scene.succeed(claim)
    assert scene.drain() == [run_id]


@pytest.mark.req("R7", "Q7")
def test_a_worker_heard_of_again_before_anyone_looked_goes_on_with_the_time_it_had(scene: Scene) -> None:
    run_id = scene.submit()
    claim = scene.claim_one()
    scene.advance(timedelta(hours=1))

    assert [lease.id for lease in scene.heartbeat() or []] == [run_id]
    assert scene.upkeep().recovered_runs == []
    unheard = timedelta(hours=1) - scene.rules.lease
    assert scene.run(run_id).deadline_at == claim.deadline_at + unheard

    scene.heartbeat()
    assert scene.run(run_id).deadline_at == claim.deadline_at + unheard
    scene.succeed(claim)
    assert scene.status(run_id) == "succeeded"


@pytest.mark.req("B5", "Q7")
def test_the_time_in_which_nobody_heard_of_a_build_is_not_its_own(scene: Scene) -> None:
    run_id = scene.submit(build=scene.new_build(status=None))
    lost = scene.claim_one()
    scene.advance(timedelta(hours=1))
    scene.upkeep()

    made = scene.claim_one()
    assert (made.kind, made.id) == ("build", lost.id)
    scene.advance(timedelta(hours=1))
    scene.heartbeat()
    scene.upkeep()
    scene.finish_build(made)

    assert scene.drain() == [run_id]


@pytest.mark.req("R7", "Q8")
def test_what_a_dead_worker_held_past_its_deadline_is_executed_again(scene: Scene) -> None:
    """Its successor knows that it is dead, though its lease still holds."""
    scene.rules = QueueRules(run_timeout=timedelta(seconds=40))
    run_id = scene.submit()
    scene.claim_one()
    for _ in range(4):
        scene.advance(timedelta(seconds=10, milliseconds=1))
        scene.heartbeat()

    scene.write(lambda tx: declare_dead(tx, scene.worker, rules=scene.rules))

    assert scene.status(run_id) == "queued"

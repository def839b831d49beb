"""Builds: one for each fingerprint, made once, and what their end means for the runs that wait."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

import sent
from ade.database.schema import builds
from ade.domain.queue import Claim, QueueRules
from ade.domain.run import Block
from ade.errors import LeaseLost
from ade.operations.queue import attempts
from ade.operations.queue import builds as build_operations
from scene import BROKEN, Scene


@pytest.mark.req("B1", "B2", "B4")
def test_a_thousand_submissions_of_one_fingerprint_share_one_build_and_one_execution(scene: Scene) -> None:
    """Case 27, in one transaction; test_races.py has it from eight processes at once."""
    unbuilt = scene.new_build(status=None)
    submitted = scene.submit_many(1000, build=unbuilt)

    made = scene.claim(5)

    assert [claim.kind for claim in made] == ["build"]
    assert scene.statuses() == {"queued": 1000}
    scene.finish_build(made[0])
    assert [claim.id for claim in scene.claim(1000)] == submitted
    assert len(scene.read(sa.select(builds))) == 1
    assert scene.events(made[0].id) == ["build.queued", "build.claimed", "build.ready"]


@pytest.mark.req("B3")
def test_a_build_is_claimed_once(scene: Scene) -> None:
    scene.submit(build=scene.new_build(status=None))

    assert len(scene.claim(3)) == 1
    assert scene.claim(3, worker=scene.add_worker("two")) == []


@pytest.mark.req("B6")
def test_runs_that_wait_for_a_build_fail_with_its_message(scene: Scene) -> None:
    """Case 28."""
    unbuilt = scene.new_build(status=None)
    waiting = scene.submit_many(3, build=unbuilt)
    other = scene.submit()

    scene.fail_build(scene.claim_one())

    for run_id in waiting:
        run = scene.run(run_id)
        assert (run.status, run.failure_code, run.failure_message) == ("failed", "build_failed", BROKEN.message)
    assert scene.control().open_run_count == 1
    assert scene.drain() == [other]


@pytest.mark.req("B6")
def test_cancelling_a_build_fails_its_runs_and_fences_its_worker(scene: Scene) -> None:
    unbuilt = scene.new_build(status=None)
    run_id = scene.submit(build=unbuilt)
    claim = scene.claim_one()

    scene.write(lambda tx: build_operations.cancel_build(tx, claim.id))

    assert scene.run(run_id).failure_code == "build_failed"
    with pytest.raises(LeaseLost):
        scene.finish_build(claim)
    assert scene.the_build(unbuilt).status == "cancelled"


@pytest.mark.req("B5", "B6")
def test_a_build_that_failed_is_made_again_when_a_new_run_asks_for_it(scene: Scene) -> None:
    unbuilt = scene.new_build(status=None)
    scene.submit(build=unbuilt)
    scene.fail_build(scene.claim_one())

    again = scene.submit(build=unbuilt)

    claim = scene.claim_one()
    assert claim.kind == "build"
    scene.finish_build(claim)
    assert scene.drain() == [again]


@pytest.mark.req("B3", "Q6")
def test_a_zombie_cannot_finish_the_build_of_its_successor(scene: Scene) -> None:
    unbuilt = scene.new_build(status=None)
    scene.submit(build=unbuilt)
    zombie = scene.claim_one()
    scene.advance(scene.rules.lease + timedelta(seconds=1))
    scene.upkeep()
    successor = scene.claim_one(worker=scene.add_worker("two"))

    for write in (scene.finish_build, scene.fail_build):
        with pytest.raises(LeaseLost):
            write(zombie)

    scene.finish_build(successor)
    assert scene.the_build(unbuilt).status == "ready"


@pytest.mark.req("B5")
def test_a_build_that_takes_too_long_fails_and_its_runs_with_it(scene: Scene) -> None:
    run_id = scene.submit(build=scene.new_build(status=None))
    scene.claim_one()
    for _ in range(61):
        scene.advance(timedelta(seconds=10))
        scene.heartbeat()

    scene.upkeep()

    assert scene.run(run_id).failure_code == "build_failed"
    assert "600 s" in str(scene.run(run_id).failure_message)


@pytest.mark.req("B3", "Q7")
def test_a_build_that_kills_its_workers_fails_after_so_many_claims(scene: Scene) -> None:
    scene.rules = QueueRules(max_claims=2)
    unbuilt = scene.new_build(status=None)
    scene.submit(build=unbuilt)
    for _ in range(2):
        scene.claim_one()
        scene.advance(scene.rules.lease + timedelta(seconds=1))
        scene.upkeep()

    assert scene.the_build(unbuilt).failure_code == "process_terminated"


def test_a_build_moves_up_with_the_most_urgent_run_that_waits_for_it(scene: Scene) -> None:
    slow, wanted = scene.new_build(status=None), scene.new_build(status=None)
    scene.submit(build=slow)
    scene.submit(build=wanted, priority=70)
    urgent = scene.submit(build=wanted, priority=90)
    scene.reprioritise(urgent, 10)

    assert scene.claim_one().id == scene.the_build(wanted).id


@pytest.mark.req("B7")
def test_runs_released_by_a_build_keep_their_submission_order_behind_earlier_ready_ones(scene: Scene) -> None:
    unbuilt = scene.new_build(status=None)
    waited = scene.submit_many(3, build=unbuilt)
    scene.advance(timedelta(seconds=1))
    ready = scene.submit()
    scene.advance(timedelta(seconds=1))
    scene.finish_build(scene.claim_one())

    assert scene.drain() == [ready, *waited]


def test_runs_wait_again_when_a_ready_build_has_to_be_made_again(scene: Scene) -> None:
    waiting = scene.submit()
    build_id = scene.the_build().id

    scene.write(lambda tx: build_operations.rebuild(tx, build_id))

    assert Block(scene.run(waiting).block_mask) == Block.BUILD
    claim = scene.claim_one()
    assert claim.id == build_id
    scene.finish_build(claim)
    assert scene.drain() == [waiting]


@pytest.mark.parametrize("how", ["given back", "worker died"])
def test_a_run_that_returns_waits_for_its_build_if_that_is_made_again(scene: Scene, how: str) -> None:
    """The worker finds the build's files gone: it asks for the build, and returns the run."""
    run_id = scene.submit()
    claim = scene.claim_one()
    build_id = scene.the_build().id
    scene.write(lambda tx: build_operations.rebuild(tx, build_id))

    scene.return_uncounted(claim) if how == "given back" else scene.add_worker("one")

    successor = scene.add_worker("two")
    [made] = scene.claim(3, worker=successor)
    assert made.id == build_id
    scene.finish_build(made)
    assert scene.drain(worker=successor) == [run_id]


def test_a_run_that_returns_to_a_build_that_failed_meanwhile_fails_with_it(scene: Scene) -> None:
    run_id = scene.submit()
    claim = scene.claim_one()
    build_id = scene.the_build().id
    scene.write(lambda tx: build_operations.rebuild(tx, build_id))
    scene.fail_build(scene.claim_one())

    scene.return_uncounted(claim)

    assert scene.run(run_id).failure_code == "build_failed"
    assert scene.control().open_run_count == 0


def return_for_rebuild(scene: Scene, claim: Claim) -> None:
    """Do what a worker does that finds the environment of a run's build gone."""
    build = scene.the_build()
    scene.write(lambda tx: attempts.return_for_rebuild(tx, claim, build))


def test_a_run_that_misses_its_environment_waits_for_it_and_lets_its_siblings_pass(scene: Scene) -> None:
    document = scene.document()
    run_id = scene.submit(document)
    claim = scene.claim_one()
    sibling = scene.submit(document, build=scene.new_build())
    assert scene.claim(3) == []

    return_for_rebuild(scene, claim)

    made, passing = scene.claim(3)
    assert (made.id, passing.id) == (scene.the_build().id, sibling)
    scene.succeed(passing)
    scene.finish_build(made)
    assert scene.drain() == [run_id]


def test_a_run_that_misses_its_environment_after_the_build_failed_again_fails_with_it(scene: Scene) -> None:
    """Two runs find the files gone: by the time the second says so, the build was tried again for the first."""
    first, second = scene.submit_many(2)
    claims = scene.claim(2)
    missing = scene.the_build()
    scene.write(lambda tx: attempts.return_for_rebuild(tx, claims[0], missing))
    scene.fail_build(scene.claim_one())

    scene.write(lambda tx: attempts.return_for_rebuild(tx, claims[1], missing))

    assert [scene.run(run_id).failure_code for run_id in (first, second)] == ["build_failed", "build_failed"]
    assert scene.control().open_run_count == 0


def count_statements(scene: Scene, act: Callable[[], object]) -> int:
    """Return how often the database is asked."""
    with sent.noted() as statements:
        act()
    return len(statements)


@pytest.mark.req("Q18")
def test_the_queue_is_held_for_as_many_questions_however_many_runs_a_failed_build_ends(scene: Scene) -> None:
    few, many = (scene.new_build(status=None) for _ in range(2))
    scene.submit_many(3, build=few)
    scene.submit_many(300, build=many)
    first, second = scene.claim(2)

    usual = count_statements(scene, lambda: scene.fail_build(first))

    assert count_statements(scene, lambda: scene.fail_build(second)) <= usual + 2


@pytest.mark.req("Q18", "Q11")
def test_the_queue_is_held_for_as_many_questions_however_many_runs_move_up(scene: Scene) -> None:
    scene.submit_many(3)
    scene.advance(scene.rules.age_after)
    usual = count_statements(scene, scene.upkeep)
    scene.submit_many(300)
    scene.advance(scene.rules.age_after)

    assert count_statements(scene, scene.upkeep) <= usual + 4


@pytest.mark.req("R5")
def test_a_cancelled_run_that_misses_its_environment_waits_for_no_build(scene: Scene) -> None:
    run_id = scene.submit()
    claim = scene.claim_one()
    scene.cancel(run_id)

    return_for_rebuild(scene, claim)

    assert scene.status(run_id) == "cancelled"
    assert scene.control().open_run_count == 0


def test_a_failed_build_lets_the_siblings_of_its_runs_proceed(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    scene.submit(document, build=scene.new_build(status=None), priority=10)
    sibling = scene.submit(document)
    build = scene.claim_one()
    assert scene.claim(3) == []
    scene.succeed(running)

    scene.fail_build(build)

    assert scene.drain() == [sibling]

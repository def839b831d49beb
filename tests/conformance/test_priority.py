"""Priorities: changed by people, and by waiting; audited in the same transaction."""

from datetime import timedelta

import pytest

from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.errors import Invalid, NotFound, RunNotQueued
from scene import Scene

HOUR = timedelta(hours=1)


@pytest.mark.req("Q10")
def test_a_change_of_priority_changes_the_order_and_says_who_and_why(scene: Scene) -> None:
    first, second = scene.submit(), scene.submit()

    scene.reprioritise(second, 20, reason="the auditor waits")

    [row] = scene.audit(second)
    assert (row.actor_name, row.action, row.changes) == ("ada@example.org", "run.priority", {"priority": [50, 20]})
    assert row.reason == "the auditor waits"
    assert scene.events(second) == ["run.queued", "run.priority_changed"]
    assert scene.drain() == [second, first]


@pytest.mark.req("Q10")
def test_the_priority_of_a_run_that_does_not_wait_stays_and_leaves_no_trace(scene: Scene) -> None:
    run_id = scene.submit()
    claim = scene.claim_one()
    with pytest.raises(RunNotQueued):
        scene.reprioritise(run_id, 10)
    scene.succeed(claim)
    with pytest.raises(RunNotQueued):
        scene.reprioritise(run_id, 10)

    assert scene.audit(run_id) == []
    with pytest.raises(NotFound):
        scene.reprioritise("none", 10)


@pytest.mark.req("Q1")
@pytest.mark.parametrize("priority", [-1, 101])
def test_a_priority_off_the_scale_is_refused(scene: Scene, priority: int) -> None:
    run_id = scene.submit()

    with pytest.raises(Invalid, match="from 0 to 100"):
        scene.reprioritise(run_id, priority)
    with pytest.raises(Invalid, match="from 0 to 100"):
        scene.submit(priority=priority)


@pytest.mark.req("Q11")
def test_a_low_run_behind_endless_urgent_work_moves_up_and_is_claimed(scene: Scene) -> None:
    """Case 35."""
    low = scene.submit(priority=70)
    claimed = None
    for _ in range(4):
        scene.submit(priority=10)
        claimed = scene.claim_one().id
        if claimed == low:
            break
        scene.advance(HOUR)
        scene.heartbeat()
        scene.upkeep()

    assert claimed == low
    assert [row.changes for row in scene.audit(low)] == [
        {"effective_priority": [70, 50]},
        {"effective_priority": [50, 20]},
        {"effective_priority": [20, 10]},
    ]
    assert scene.events(low).count("run.aged") == 3
    assert scene.run(low).priority == 70


@pytest.mark.req("Q11")
def test_the_build_of_an_aged_run_moves_up_with_it(scene: Scene) -> None:
    """Case 35, where the low run waits for a build that endless urgent work would starve."""
    unbuilt = scene.new_build(status=None)
    scene.submit(build=unbuilt, priority=70)
    for _ in range(3):
        scene.advance(HOUR)
        scene.upkeep()
    scene.submit(priority=20)

    assert scene.claim_one().kind == "build"


@pytest.mark.req("Q11")
def test_ageing_takes_an_interval_for_each_level_and_ends_at_urgent(scene: Scene) -> None:
    run_id = scene.submit(priority=90)
    levels = []
    for _ in range(6):
        scene.advance(HOUR - timedelta(microseconds=1))
        scene.upkeep()
        levels.append(scene.run(run_id).effective_priority)
        scene.advance(timedelta(microseconds=1))
        scene.upkeep()

    assert levels == [90, 70, 50, 20, 10, 10]
    assert scene.run(run_id).ages_at is None


@pytest.mark.req("Q11")
def test_a_run_more_urgent_than_urgent_is_never_moved_down(scene: Scene) -> None:
    run_id = scene.submit(priority=3)
    scene.advance(HOUR)
    scene.upkeep()

    assert scene.run(run_id).effective_priority == 3


@pytest.mark.req("Q11")
def test_ageing_starts_anew_when_the_priority_changes(scene: Scene) -> None:
    run_id = scene.submit(priority=70)
    scene.advance(HOUR - timedelta(minutes=1))
    scene.reprioritise(run_id, 90)
    scene.advance(timedelta(minutes=2))
    scene.upkeep()

    assert scene.run(run_id).effective_priority == 90


@pytest.mark.req("Q11")
def test_a_run_scheduled_for_later_does_not_age_before_its_time(scene: Scene) -> None:
    assert scene.clock is not None
    run_id = scene.submit(priority=70, scheduled_at=scene.clock.now() + 3 * HOUR)
    for _ in range(3):
        scene.advance(HOUR)
        scene.upkeep()

    assert scene.run(run_id).effective_priority == 70
    scene.advance(HOUR)
    scene.upkeep()
    assert scene.run(run_id).effective_priority == 50


@pytest.mark.req("Q2", "Q11")
def test_an_aged_sibling_goes_before_the_head_of_its_document(scene: Scene) -> None:
    scene.rules = QueueRules(age_after=HOUR, run_timeout=10 * HOUR)
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    aged = scene.submit(document, priority=70)
    scene.claim()
    for _ in range(3):
        scene.advance(HOUR)
        scene.heartbeat()
        scene.upkeep()
    fresh = scene.submit(document)
    scene.claim()
    scene.succeed(running)

    assert scene.drain() == [aged, fresh]


@pytest.mark.req("Q10", "Q12")
def test_a_run_parked_for_a_paused_priority_is_free_once_it_has_another(scene: Scene) -> None:
    pause = scene.pause(PauseScope.PRIORITY, "low")
    run_id = scene.submit(priority=70)
    assert scene.claim() == []

    scene.reprioritise(run_id, 50)

    assert [claim.id for claim in scene.claim()] == [run_id]
    scene.resume(pause)


@pytest.mark.req("Q10", "Q12")
def test_a_run_given_a_paused_priority_is_held_back(scene: Scene) -> None:
    scene.pause(PauseScope.PRIORITY, "10")
    run_id = scene.submit()

    scene.reprioritise(run_id, 10)

    assert scene.claim() == []

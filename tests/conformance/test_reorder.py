"""Moving runs by hand: the order is exactly what was asked for, whatever the gaps."""

import random
from datetime import timedelta

import pytest

from ade.database.queue import ordering as order
from ade.domain.order import place_of
from ade.errors import Invalid, OrderChanged, RunNotQueued
from ade.operations.queue import ordering
from calls import PERSON
from scene import Scene


def line(scene: Scene) -> list[str]:
    """Return the queued runs in claim order."""
    return [run.id for run in scene.database.read(lambda tx: order.page(tx, after=None, limit=5000))]


@pytest.mark.req("Q13")
@pytest.mark.slow
def test_a_thousand_drags_into_one_gap_leave_the_order_exact(scene: Scene) -> None:
    """Case 37."""
    chance = random.Random(37)
    expected = scene.submit_many(40)
    first, last = expected[0], expected[-1]
    for _ in range(20):
        drags: list[dict[str, str]] = []
        for number in range(50):
            moved = chance.choice(expected[1:-1])
            expected.remove(moved)
            expected.insert(len(expected) - 1 if number % 2 else 1, moved)
            drags.append({"run_id": moved, "before": last} if number % 2 else {"run_id": moved, "after": first})
        scene.write(lambda tx, drags=drags: [ordering.move_run(tx, actor=PERSON, **drag) for drag in drags])  # type: ignore[misc]
        assert line(scene) == expected

    assert scene.drain(slots=4) == expected


@pytest.mark.req("Q13")
@pytest.mark.parametrize("seed", range(2))
def test_drags_anywhere_among_new_submissions_leave_the_order_exact(scene: Scene, seed: int) -> None:
    """Case 37, with runs that share a ready time, and others that come while people drag."""
    chance = random.Random(seed)
    expected = scene.submit_many(20)
    for _ in range(40):
        moved, other = chance.sample(expected, 2)
        is_before = chance.random() < 0.5
        scene.move(moved, before=other) if is_before else scene.move(moved, after=other)
        expected.remove(moved)
        expected.insert(expected.index(other) + (0 if is_before else 1), moved)
        if chance.random() < 0.3:
            scene.advance(timedelta(microseconds=chance.choice((0, 1, 10**6))))
            expected += scene.submit_many(chance.randint(1, 3))
        assert line(scene) == expected

    assert scene.drain(slots=3) == expected


@pytest.mark.req("Q13", "Q2")
def test_what_is_submitted_after_a_drag_goes_behind_everything_that_waited(scene: Scene) -> None:
    """Spreading out a used-up gap must not push bystanders into the future."""
    waiting = scene.submit_many(20)
    scene.move(waiting[15], before=waiting[3])
    scene.move(waiting[0], after=waiting[-1])
    scene.advance(timedelta(milliseconds=1))

    late = scene.submit()

    assert line(scene)[-1] == late


@pytest.mark.req("Q13")
def test_a_run_can_be_moved_to_the_front_and_to_the_end(scene: Scene) -> None:
    first, second, third = scene.submit_many(3)
    scene.move(third, before=first)
    assert line(scene) == [third, first, second]
    scene.move(third, after=second)
    assert line(scene) == [first, second, third]


@pytest.mark.req("Q13")
def test_a_run_keeps_the_place_it_was_dragged_to_when_its_build_is_ready(scene: Scene) -> None:
    waiting = scene.submit(build=scene.new_build(status=None))
    build = scene.claim_one()
    first, second = scene.submit_many(2)
    scene.move(waiting, before=second)
    scene.advance(timedelta(seconds=1))
    scene.finish_build(build)

    assert scene.drain() == [first, waiting, second]


@pytest.mark.req("Q13")
def test_a_move_is_audited_and_told(scene: Scene) -> None:
    first, second = scene.submit_many(2)
    scene.move(second, before=first)

    [row] = scene.audit(second)
    assert (row.action, row.actor_name) == ("run.move", "ada@example.org")
    assert row.changes["place"][1:] == ["before", first]
    assert scene.events(second)[-1] == "run.moved"


@pytest.mark.req("Q13")
def test_a_move_in_an_order_that_changed_meanwhile_is_refused(scene: Scene) -> None:
    first, second, third = scene.submit_many(3)
    seen = scene.control().order_version
    scene.move(third, before=first)

    with pytest.raises(OrderChanged):
        scene.write(lambda tx: ordering.move_run(tx, second, actor=PERSON, before=first, seen_version=seen))

    assert line(scene) == [third, first, second]


@pytest.mark.req("Q13")
def test_moves_that_make_no_sense_are_refused(scene: Scene) -> None:
    first, second, urgent = *scene.submit_many(2), scene.submit(priority=10)
    with pytest.raises(Invalid, match="itself"):
        scene.move(first, before=first)
    with pytest.raises(Invalid, match="different priorities"):
        scene.move(first, before=urgent)
    with pytest.raises(Invalid, match="but not both"):
        scene.move(first, before=second, after=second)
    with pytest.raises(Invalid, match="but not both"):
        scene.move(first)
    scene.claim_one()
    with pytest.raises(RunNotQueued):
        scene.move(urgent, before=first)


@pytest.mark.req("Q13", "Q14")
def test_pages_of_the_queue_neither_skip_nor_repeat(scene: Scene) -> None:
    for priority in (50, 10, 50, 90):
        scene.submit_many(5, priority=priority)
    found: list[str] = []
    after = None
    while page := scene.database.read(lambda tx, after=after: order.page(tx, after=after, limit=3)):  # type: ignore[misc]
        found += [run.id for run in page]
        after = place_of(page[-1])

    assert found == line(scene) == scene.drain()

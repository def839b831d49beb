"""Where a run stands, what it waits for, when it may start, and how the queue has been doing."""

from datetime import timedelta

import pytest

from ade.domain.pause import PauseScope
from ade.domain.run import WaitingFor
from ade.operations.queue import submit, workers
from ade.operations.views import analytics, positions
from ade.operations.views.positions import Place
from scene import Scene

MINUTE = timedelta(minutes=1)


def place_of(scene: Scene, run_id: str) -> Place:
    run = scene.run(run_id)
    return scene.database.read(lambda tx: positions.places(tx, [run], rules=scene.rules))[run_id]


def line(scene: Scene) -> list[tuple[int, str]]:
    found = scene.database.read(lambda tx: positions.page(tx, after=None, limit=100, rules=scene.rules))
    return [(place.position, run.id) for run, place in found]


@pytest.mark.req("Q14")
def test_positions_count_up_in_the_order_of_the_claim(scene: Scene) -> None:
    for priority in (50, 10, 90, 50):
        scene.submit_many(3, priority=priority)
    scene.move(line(scene)[8][1], before=line(scene)[4][1])
    told = line(scene)

    assert [position for position, _ in told] == list(range(1, 13))
    assert all(place_of(scene, run_id).position == position for position, run_id in told)
    assert scene.drain() == [run_id for _, run_id in told]


@pytest.mark.req("Q14")
def test_a_run_that_does_not_wait_has_no_place(scene: Scene) -> None:
    run_id = scene.submit()
    scene.claim_one()
    run = scene.run(run_id)

    assert scene.database.read(lambda tx: positions.places(tx, [run], rules=scene.rules)) == {}


@pytest.mark.req("R2", "Q14")
def test_each_reason_to_wait_is_told(scene: Scene) -> None:
    assert scene.clock is not None
    document = scene.document()
    scene.submit(document)
    scene.claim_one()
    _, [_, phase] = scene.submit_plan(2)
    paused = scene.submit(priority=70)
    scene.pause(PauseScope.PRIORITY, "low")
    expected = {
        scene.submit(build=scene.new_build(status=None)): WaitingFor.BUILD,
        scene.submit(document): WaitingFor.DOCUMENT_BUSY,
        scene.submit(scheduled_at=scene.clock.now() + MINUTE): WaitingFor.SCHEDULED,
        scene.submit(): WaitingFor.CAPACITY,
        phase: WaitingFor.EARLIER_PHASE,
        paused: WaitingFor.PAUSED,
    }

    assert {run_id: place_of(scene, run_id).waiting_for for run_id in expected} == expected


@pytest.mark.req("Q14")
def test_what_is_parked_and_what_was_not_met_yet_are_told_the_same(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    scene.claim_one()
    sibling = scene.submit(document)
    before = place_of(scene, sibling)
    scene.claim()  # parks it

    assert place_of(scene, sibling) == before


@pytest.mark.req("Q14")
def test_an_estimate_follows_from_slots_and_recent_durations(scene: Scene) -> None:
    scene.submit_many(2)
    for claim in scene.claim(2):
        scene.advance(MINUTE)
        scene.heartbeat()
        scene.succeed(claim)
    waiting = scene.submit_many(9)
    now = scene.write(lambda tx: tx.now)

    likely = [place_of(scene, run_id).estimate for run_id in waiting]

    starts = [estimate.likely_at for estimate in likely if estimate is not None]
    assert len(starts) == 9
    assert starts == sorted(starts)
    assert starts[0] == starts[1] == now  # two slots are free
    assert starts[2] > now


@pytest.mark.req("Q14")
def test_nobody_promises_a_start_without_workers_or_under_a_pause(scene: Scene) -> None:
    run_id = scene.submit()
    assert place_of(scene, run_id).estimate is None
    assert scene.worker
    assert place_of(scene, run_id).estimate is not None
    scene.pause(PauseScope.ALL)
    assert place_of(scene, run_id).estimate is None


@pytest.mark.req("Q14")
def test_a_new_run_is_told_the_position_it_would_get(scene: Scene) -> None:
    scene.submit_many(2, priority=10)
    scene.submit_many(3, priority=50)
    for priority, expected in ((0, 1), (10, 3), (50, 6), (90, 6)):
        position, _ = scene.database.read(
            lambda tx, priority=priority: positions.would_be(tx, priority=priority, rules=scene.rules)  # type: ignore[misc]
        )
        probe = scene.submit(priority=priority)
        assert position == expected == place_of(scene, probe).position
        scene.cancel(probe)


@pytest.mark.req("Q15")
def test_analytics_tell_waits_runs_throughput_rejections_and_utilisation(scene: Scene) -> None:
    urgent, normal = scene.submit(priority=10), scene.submit(priority=50)
    worker = scene.add_worker("only", slots=1)
    for wait in (1, 1):
        scene.advance(wait * MINUTE)
        claim = scene.claim_one(worker=worker)
        scene.advance(10 * timedelta(seconds=1))
        scene.succeed(claim) if claim.id == urgent else scene.fail(claim)
    scene.cancel(scene.submit())
    scene.write(lambda tx: submit.record_rejection(tx, priority=50, count=4))
    scene.write(lambda tx: workers.retire_worker(tx, worker))

    told = scene.database.read(lambda tx: analytics.analyse(tx, window=timedelta(days=1)))

    assert told.wait[10][50] == MINUTE
    assert told.wait[50][99] == 2 * MINUTE + timedelta(seconds=10)
    assert told.run[10] == {50: timedelta(seconds=10), 90: timedelta(seconds=10), 99: timedelta(seconds=10)}
    [hour] = told.slices
    assert (hour.succeeded_count, hour.failed_count, hour.cancelled_count, hour.rejected_count) == (1, 1, 1, 4)
    assert hour.utilisation == pytest.approx(20 / 140)
    assert scene.status(normal) == "failed"


@pytest.mark.req("Q15")
def test_percentiles_are_those_of_the_nearest_rank(scene: Scene) -> None:
    scene.submit_many(10)
    for seconds, claim in enumerate(scene.claim(10), 1):
        scene.advance(timedelta(seconds=1))
        scene.succeed(claim)
        assert seconds <= 10

    told = scene.database.read(lambda tx: analytics.analyse(tx, window=timedelta(days=7)))

    assert told.run[50] == {50: timedelta(seconds=5), 90: timedelta(seconds=9), 99: timedelta(seconds=10)}


@pytest.mark.req("Q15")
def test_analytics_of_an_empty_queue_are_empty(scene: Scene) -> None:
    told = scene.database.read(lambda tx: analytics.analyse(tx, window=timedelta(days=1)))

    assert (told.wait, told.run, told.slices) == ({}, {}, [])

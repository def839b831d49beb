"""Submitting: all or nothing, bounded, and never executing anything."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

import calls
import rows
from ade.database.schema import builds, events, queue_control, queue_rejections, runs
from ade.database.transaction import Transaction
from ade.domain.queue import QueueRules
from ade.errors import Invalid, NotFound, QueueFull, RunFinished
from ade.operations.queue import submit, upkeep
from scene import Scene


def count(scene: Scene, table: sa.Table) -> int:
    return int(scene.read(sa.select(sa.func.count().label("number")).select_from(table))[0].number)


@pytest.mark.req("Q5")
def test_a_full_queue_refuses_and_creates_nothing(scene: Scene) -> None:
    scene.rules = QueueRules(queue_size=3)
    scene.submit_many(2)
    unbuilt = scene.new_build(status=None)
    before = count(scene, runs), count(scene, builds), count(scene, events)

    with pytest.raises(QueueFull) as refused:
        scene.submit_many(2, build=unbuilt)

    assert refused.value.code == "run_queue_full"
    assert (count(scene, runs), count(scene, builds), count(scene, events)) == before
    scene.submit()
    with pytest.raises(QueueFull):
        scene.submit()


@pytest.mark.req("Q5", "S2")
def test_a_workspace_that_fills_the_queue_leaves_places_to_others(scene: Scene) -> None:
    scene.rules = QueueRules(queue_size=100)
    other = scene.new_build(workspace_id=scene.write(rows.add_workspace))
    scene.submit_many(90)

    with pytest.raises(QueueFull, match="last 10 places"):
        scene.submit()
    assert scene.control().open_run_count == 90
    scene.submit_many(10, build=other)
    with pytest.raises(QueueFull, match="The queue can hold 100 runs"):
        scene.submit(build=other)


@pytest.mark.req("Q5", "S2")
def test_no_workspace_takes_all_the_places_that_are_kept(scene: Scene) -> None:
    scene.rules = QueueRules(queue_size=100)
    other = scene.new_build(workspace_id=scene.write(rows.add_workspace))
    scene.submit_many(85)
    scene.submit_many(5, build=other)

    with pytest.raises(QueueFull):
        scene.submit_many(6, build=other)
    scene.submit_many(5, build=other)


@pytest.mark.req("Q5")
def test_the_only_workspace_has_the_whole_queue(scene: Scene) -> None:
    scene.rules = QueueRules(queue_size=100)
    scene.submit_many(90)

    scene.submit_many(10)

    with pytest.raises(QueueFull):
        scene.submit()


@pytest.mark.req("Q5")
@pytest.mark.parametrize("how", ["succeed", "fail", "cancel", "expire"])
def test_room_comes_back_whichever_way_a_run_ends(scene: Scene, how: str) -> None:
    scene.rules = QueueRules(queue_size=1, max_claims=1)
    run_id = scene.submit()
    if how == "cancel":
        scene.cancel(run_id)
    else:
        claim = scene.claim_one()
        if how == "expire":
            scene.advance(2 * scene.rules.lease)
            scene.upkeep()
        else:
            scene.succeed(claim) if how == "succeed" else scene.fail(claim)

    scene.submit()


@pytest.mark.req("Q5", "W4")
def test_a_submission_that_is_rolled_back_leaves_no_trace(scene: Scene) -> None:
    """Case 26."""
    request = scene.request(build=scene.new_build(status=None))
    before = count(scene, runs), count(scene, builds), count(scene, events), scene.control()

    def change_ones_mind(tx: Transaction) -> None:
        calls.submit(tx, [request], rules=scene.rules)
        raise LookupError

    with pytest.raises(LookupError):
        scene.write(change_ones_mind)

    assert (count(scene, runs), count(scene, builds), count(scene, events), scene.control()) == before


@pytest.mark.req("R4")
def test_submitting_starts_nothing(scene: Scene) -> None:
    run_id = scene.submit()

    run = scene.run(run_id)

    assert (run.status, run.claim_count, run.started_at) == ("queued", 0, None)
    assert scene.events(run_id) == ["run.queued"]


@pytest.mark.req("A2")
def test_a_thousand_runs_fit_one_submission_and_more_are_refused_in_words(scene: Scene) -> None:
    request = scene.request()
    submitted = scene.submit_all([request] * 1000)

    assert [row.id for row in scene.read(sa.select(runs.c.id).order_by(runs.c.sequence))] == submitted
    with pytest.raises(Invalid, match="At most 1000"):
        scene.submit_all([request] * 1001)
    with pytest.raises(Invalid, match="at least one"):
        scene.write(lambda tx: submit.submit_runs(tx, [], rules=scene.rules))


@pytest.mark.req("Q5", "Q15")
def test_refused_submissions_are_counted_by_hour_and_priority(scene: Scene) -> None:
    for priority, number in ((50, 1), (50, 2), (10, 1)):
        scene.write(lambda tx, p=priority, n=number: submit.record_rejection(tx, priority=p, count=n))  # type: ignore[misc]
    scene.advance(timedelta(hours=1))
    scene.write(lambda tx: submit.record_rejection(tx, priority=50))

    found = scene.read(sa.select(queue_rejections).order_by(queue_rejections.c.hour_at, queue_rejections.c.priority))
    assert [(row.priority, row.rejected_count) for row in found] == [(10, 1), (50, 3), (50, 1)]


@pytest.mark.req("R6")
def test_running_again_makes_a_new_run_and_leaves_the_old_one_as_it_was(scene: Scene) -> None:
    scene.submit(priority=20, memory_mb=700)
    claim = scene.claim_one()
    scene.fail(claim)
    before = scene.run(claim.id)

    again = scene.write(lambda tx: calls.run_again(tx, claim.id, rules=scene.rules))

    run = scene.run(again)
    assert scene.run(claim.id) == before
    assert (run.input_document_id, run.priority, run.memory_mb) == (before.input_document_id, 20, 700)
    with pytest.raises(NotFound):
        scene.write(lambda tx: calls.run_again(tx, "none", rules=scene.rules))


@pytest.mark.req("R2")
def test_a_scheduled_run_waits_for_its_time_and_then_stands_where_it_became_ready(scene: Scene) -> None:
    assert scene.clock is not None
    scheduled = scene.submit(scheduled_at=scene.clock.now() + timedelta(hours=1))
    assert scene.claim() == []
    scene.advance(timedelta(minutes=59))
    before = scene.submit()
    scene.advance(timedelta(minutes=1))
    scene.upkeep()
    after = scene.submit()

    assert scene.drain() == [before, scheduled, after]


@pytest.mark.req("R5")
def test_a_cancelled_run_never_starts_and_cancelling_again_is_a_conflict(scene: Scene) -> None:
    run_id = scene.submit()
    assert scene.cancel(run_id) == "cancelled"

    assert scene.drain() == []
    with pytest.raises(RunFinished):
        scene.cancel(run_id)
    [row] = scene.audit(run_id)
    assert (row.action, row.changes) == ("run.cancel", {"status": ["queued", "cancelled"]})


@pytest.mark.req("R5")
@pytest.mark.parametrize("how", ["succeed", "fail", "return_uncounted"])
def test_a_running_run_someone_cancelled_ends_cancelled_whatever_its_worker_says(scene: Scene, how: str) -> None:
    """Case 32, one after the other."""
    run_id = scene.submit()
    claim = scene.claim_one()
    assert scene.cancel(run_id) == "running"
    beat = scene.heartbeat()
    assert beat is not None
    assert beat[0].is_cancel_requested

    assert getattr(scene, how)(claim) == "cancelled"
    assert scene.control().open_run_count == 0


def test_a_wrong_count_of_open_runs_is_corrected_once(scene: Scene) -> None:
    scene.submit_many(2)
    scene.write(lambda tx: tx.execute(sa.update(queue_control).values(open_run_count=7)))

    assert [scene.write(upkeep.reconcile), scene.write(upkeep.reconcile)] == [True, False]
    assert scene.control().open_run_count == 2

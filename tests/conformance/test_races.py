"""Things that happen at the same time: threads through a barrier, each on a connection of its own."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

import calls
import oracle
from ade.database.schema import queue_rejections, runs
from ade.database.transaction import Transaction
from ade.domain.queue import Claim, QueueRules
from ade.errors import LeaseLost, QueueFull, RunFinished, RunNotQueued
from ade.operations.queue import submit, workers
from ade.operations.queue.claiming import Room
from calls import Wanted
from race import raised, together
from scene import Scene

TIMES = 8


@pytest.mark.req("Q3", "Q4")
def test_two_claimers_of_one_document_start_one_run(scene: Scene) -> None:
    """Case 5."""
    names = [scene.add_worker("one"), scene.add_worker("two")]
    for _ in range(TIMES):
        document = scene.document()
        scene.submit(document), scene.submit(document)
        claimed = together(*(partial(scene.claim, 2, worker=name) for name in names))

        raised(claimed, LeaseLost)
        assert sorted(map(len, claimed)) == [0, 1]
        scene.drain(worker=names[0])
        [claim] = claimed[0] + claimed[1]
        scene.succeed(claim)
        scene.drain(worker=names[0])


@pytest.mark.req("Q3")
def test_eight_claimers_share_the_queue_without_taking_anything_twice(scene: Scene) -> None:
    waiting = scene.submit_many(24)
    names = [scene.add_worker(f"w{number}") for number in range(8)]

    claimed: list[list[Claim]] = together(*(partial(scene.claim, 3, worker=name) for name in names))

    raised(claimed, LeaseLost)
    assert sorted(claim.id for claims in claimed for claim in claims) == sorted(waiting)
    by_token = sorted((claim.token, waiting.index(claim.id)) for claims in claimed for claim in claims)
    assert [place for _, place in by_token] == list(range(24))


@pytest.mark.req("Q4")
def test_a_sibling_is_not_stranded_when_finishing_races_parking(scene: Scene) -> None:
    """Case 9."""
    worker, other = scene.worker, scene.add_worker("two")
    for _ in range(TIMES):
        document = scene.document()
        scene.submit(document)
        running = scene.claim_one(worker=worker)
        sibling = scene.submit(document)

        outcomes = together(partial(scene.succeed, running), partial(scene.claim, 1, worker=other))

        raised(outcomes, LeaseLost)
        claimed = outcomes[1] or scene.claim(1, worker=other)
        assert [claim.id for claim in claimed] == [sibling]
        scene.succeed(claimed[0])


@pytest.mark.req("Q6")
def test_finishing_and_sweeping_an_expired_run_has_one_winner(scene: Scene) -> None:
    """Case 14."""
    for _ in range(TIMES):
        run_id = scene.submit()
        claim = scene.claim_one()
        scene.advance(scene.rules.lease + timedelta(seconds=1))

        finished, swept = together(partial(scene.succeed, claim), scene.upkeep)

        if isinstance(finished, LeaseLost):
            assert swept.recovered_runs == [run_id]
            assert scene.drain() == [run_id]
        else:
            assert (finished, swept.recovered_runs) == ("succeeded", [])
        assert scene.events(run_id).count("run.succeeded") == 1


@pytest.mark.req("Q6")
def test_two_sweepers_recover_an_orphan_once(scene: Scene) -> None:
    """Case 15."""
    for _ in range(TIMES):
        run_id = scene.submit()
        scene.claim_one()
        scene.advance(scene.rules.lease + timedelta(seconds=1))

        swept = together(scene.upkeep, scene.upkeep)

        assert sorted(len(done.recovered_runs) for done in swept) == [0, 1]
        assert scene.events(run_id).count("run.requeued") == 1
        scene.drain()


@pytest.mark.req("Q6")
def test_a_heartbeat_and_a_sweep_agree_on_whose_the_run_is(scene: Scene) -> None:
    for _ in range(TIMES):
        run_id = scene.submit()
        claim = scene.claim_one()
        scene.advance(scene.rules.lease + timedelta(seconds=1))

        beat, swept = together(scene.heartbeat, scene.upkeep)

        is_kept = scene.status(run_id) == "running"
        assert swept.recovered_runs == ([] if is_kept else [run_id])
        if is_kept:
            assert [lease.id for lease in beat] == [run_id]
            scene.succeed(claim)
        else:
            assert scene.drain() == [run_id]


@pytest.mark.req("Q8")
def test_a_heartbeat_that_races_the_successor_keeps_nothing(scene: Scene) -> None:
    facts = workers.WorkerFacts(name="one", host="here", process_id=2, version="0", slots=2)
    for _ in range(TIMES):
        run_id = scene.submit()
        old = scene.add_worker("one")
        scene.claim_one(worker=old)

        _, new = together(
            partial(scene.heartbeat, old),
            partial(scene.write, lambda tx: workers.register_worker(tx, facts, rules=scene.rules)),
        )

        assert scene.status(run_id) == "queued"
        assert scene.drain(worker=new) == [run_id]


@pytest.mark.req("Q5")
def test_eight_claimers_never_run_more_than_the_limit(scene: Scene) -> None:
    """Case 24."""
    scene.rules = QueueRules(max_running=3)
    scene.submit_many(30)
    names = [scene.add_worker(f"w{number}") for number in range(8)]
    most: list[int] = []

    def claim_and_count(worker: str, tx: Transaction) -> list[Claim]:
        claimed = calls.claim(tx, worker, rules=scene.rules, room=Room(slots=4))
        counted = sa.select(sa.func.count()).select_from(runs).where(runs.c.status == "running")
        most.append(tx.execute(counted).scalar_one())
        return claimed

    def drain(worker: str) -> int:
        done = 0
        while scene.statuses().get("queued"):
            for claim in scene.write(partial(claim_and_count, worker)):
                scene.succeed(claim)
                done += 1
        return done

    finished = together(*(partial(drain, name) for name in names))

    raised(finished, LeaseLost)
    assert sum(finished) == 30
    assert max(most) == 3


@pytest.mark.req("Q5")
def test_fifty_submissions_for_the_last_place_get_one_in(scene: Scene) -> None:
    """Case 25; the 49 refused ones are counted too."""
    scene.rules = QueueRules(queue_size=10)
    scene.submit_many(9)
    requests = [scene.request() for _ in range(50)]

    def try_once(request: Wanted) -> list[str]:
        try:
            return scene.submit_all([request])
        except QueueFull:
            scene.write(lambda tx: submit.record_rejection(tx, priority=request.wish.priority))
            raise

    outcomes = together(*(partial(try_once, request) for request in requests))

    assert raised(outcomes, QueueFull) == 49
    assert scene.control().open_run_count == 10
    [refused] = scene.read(sa.select(queue_rejections))
    assert refused.rejected_count == 49


@pytest.mark.req("B4")
def test_a_run_submitted_while_its_build_finishes_becomes_ready(scene: Scene) -> None:
    """Case 29."""
    for _ in range(TIMES):
        unbuilt = scene.new_build(status=None)
        scene.submit(build=unbuilt)
        build = scene.claim_one()
        request = scene.request(build=unbuilt)

        outcomes = together(
            partial(scene.finish_build, build),
            partial(scene.submit_all, [request]),
        )

        raised(outcomes, LeaseLost)
        assert len(scene.drain()) == 2


@pytest.mark.req("B6")
def test_a_run_submitted_while_its_build_fails_either_fails_with_it_or_has_it_made_again(scene: Scene) -> None:
    """Case 29, the other way."""
    for _ in range(TIMES):
        unbuilt = scene.new_build(status=None)
        scene.submit(build=unbuilt)
        build = scene.claim_one()
        request = scene.request(build=unbuilt)

        _, [run_id] = together(
            partial(scene.fail_build, build),
            partial(scene.submit_all, [request]),
        )

        scene.drain()
        assert scene.status(run_id) in {"failed", "succeeded"}


@pytest.mark.req("R5")
def test_cancelling_a_run_that_its_worker_finishes_has_one_outcome(scene: Scene) -> None:
    """Case 32."""
    for _ in range(TIMES):
        run_id = scene.submit()
        claim = scene.claim_one()

        finished, cancelled = together(partial(scene.succeed, claim), partial(scene.cancel, run_id))

        if isinstance(cancelled, RunFinished):
            assert finished == scene.status(run_id) == "succeeded"
        else:
            assert finished == scene.status(run_id) == "cancelled"
        told = scene.events(run_id)
        assert told.count("run.succeeded") + told.count("run.cancelled") == 1
    assert scene.control().open_run_count == 0


@pytest.mark.req("Q10", "Q3")
def test_a_change_of_priority_that_races_a_claim_has_one_order(scene: Scene) -> None:
    """Case 34."""
    for _ in range(TIMES):
        first, second = scene.submit(), scene.submit()

        claimed, changed = together(partial(scene.claim, 1), partial(scene.reprioritise, second, 10))

        [claim] = claimed
        assert raised([changed], RunNotQueued) == 0
        [row] = scene.audit(second)
        assert row.changes == {"priority": [50, 10]}
        assert scene.run(second).priority == 10
        told = scene.events(second)
        assert claim.id == (second if told == ["run.queued", "run.priority_changed", "run.claimed"] else first)
        scene.succeed(claim)
        assert scene.drain() == [second if claim.id == first else first]


@pytest.mark.req("Q10")
def test_a_change_of_priority_that_comes_after_the_claim_leaves_no_audit_row(scene: Scene) -> None:
    """Case 34."""
    for _ in range(TIMES):
        run_id = scene.submit()

        claimed, changed = together(partial(scene.claim, 1), partial(scene.reprioritise, run_id, 10))

        assert len(scene.audit(run_id)) == (0 if isinstance(changed, RunNotQueued) else 1)
        scene.succeed(claimed[0])


@pytest.mark.req("A3")
def test_events_stay_gapless_when_many_write_about_one_run(scene: Scene) -> None:
    run_id = scene.submit()
    works: list[Any] = [partial(scene.reprioritise, run_id, priority) for priority in range(10, 18)]

    raised(together(*works), RunNotQueued)

    assert scene.events(run_id) == ["run.queued"] + ["run.priority_changed"] * 8
    assert scene.control().order_version == 8
    assert scene.database.read(oracle.problems) == []

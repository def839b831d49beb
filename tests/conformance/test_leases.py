"""Leases: who lost one can write nothing, and what a dead worker held goes back to its place, once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from ade.database.queue.workers import ask_held, extend_leases
from ade.database.schema import queue_control, workers
from ade.database.transaction import Database, Transaction
from ade.domain.queue import GENERATION, Claim, QueueRules
from ade.errors import LeaseLost
from ade.operations.queue import claiming as queue
from ade.operations.queue import upkeep
from ade.operations.queue import workers as worker_operations
from ade.operations.queue.rules import queue_rules
from ade.settings import load_settings
from race import stopped_half_way
from repeatable import FakeClock
from scene import Scene

JUST_OVER = timedelta(milliseconds=1)


def lose(scene: Scene, claim: Claim) -> None:
    """Let the lease of a claim run out and be swept."""
    scene.advance(scene.rules.lease + JUST_OVER)
    assert claim.id in scene.upkeep().recovered_runs


@pytest.mark.req("Q6", "Q7")
def test_an_orphan_goes_back_to_its_original_place(scene: Scene) -> None:
    first, second = scene.submit(), scene.submit()
    orphan = scene.claim_one()
    lose(scene, orphan)

    run = scene.run(first)

    assert (run.status, run.claimed_by, run.claim_token, run.started_at) == ("queued", None, None, None)
    assert run.claim_count == 1
    assert scene.drain() == [first, second]
    assert scene.events(first)[:3] == ["run.queued", "run.claimed", "run.requeued"]


@pytest.mark.req("Q6")
def test_a_lease_holds_to_its_last_microsecond(scene: Scene) -> None:
    scene.submit()
    scene.claim_one()
    scene.advance(scene.rules.lease)

    assert scene.upkeep().recovered_runs == []


@pytest.mark.req("Q6", "Q8", "W4")
@pytest.mark.parametrize("kind", ["run", "build"])
def test_upkeep_does_not_wait_for_a_heartbeat_that_was_stopped_half_way(scene: Scene, kind: str) -> None:
    """It would, with the queue locked, until the database ends the session of the process that was stopped."""
    if scene.database.dialect == "sqlite":
        pytest.skip("SQLite has one writer")
    scene.submit(build=scene.new_build(status=None) if kind == "build" else scene.build)
    claim = scene.claim_one()
    assert claim.kind == kind
    scene.advance(scene.rules.lease + JUST_OVER)

    def beat(tx: Transaction) -> None:
        extend_leases(tx, scene.worker, ask_held(tx, scene.worker), lease_expires_at=tx.now + scene.rules.lease)

    with stopped_half_way(Database(scene.url, clock=scene.clock), beat):
        first = scene.upkeep()
    then = scene.upkeep()

    assert (first.recovered_runs, first.recovered_builds) == ([], [])
    assert then.recovered_runs + then.recovered_builds == [claim.id]


@pytest.mark.req("Q6", "W4")
@pytest.mark.parametrize("write", [Scene.succeed, Scene.fail, Scene.return_uncounted])
def test_a_zombie_cannot_touch_the_run_its_successor_holds(
    scene: Scene, write: Callable[[Scene, Claim], object]
) -> None:
    """Cases 12 and 13."""
    scene.submit()
    zombie = scene.claim_one()
    lose(scene, zombie)
    successor = scene.claim_one(worker=scene.add_worker("two"))
    before = scene.run(zombie.id)

    with pytest.raises(LeaseLost):
        write(scene, zombie)

    assert scene.run(zombie.id) == before
    assert scene.succeed(successor, file_key="runs/second") == "succeeded"


@pytest.mark.req("Q6", "W4")
def test_a_zombie_cannot_overwrite_the_result_of_its_successor(scene: Scene) -> None:
    """Case 12: its successor has finished already."""
    scene.submit()
    zombie = scene.claim_one()
    lose(scene, zombie)
    scene.succeed(scene.claim_one(worker=scene.add_worker("two")), file_key="runs/good")
    before = scene.run(zombie.id)

    with pytest.raises(LeaseLost):
        scene.succeed(zombie, file_key="runs/zombie")

    assert scene.run(zombie.id) == before
    assert scene.control().open_run_count == 0


@pytest.mark.req("Q6")
def test_the_heartbeat_of_a_zombie_extends_nothing(scene: Scene) -> None:
    """Case 13."""
    scene.submit()
    zombie = scene.claim_one()
    lose(scene, zombie)
    scene.claim_one(worker=scene.add_worker("two"))
    before = scene.run(zombie.id)
    scene.advance(timedelta(seconds=1))

    assert scene.heartbeat() == []
    assert scene.run(zombie.id) == before


@pytest.mark.req("Q6")
def test_a_run_claimed_again_by_the_same_worker_is_told_apart_by_its_token(scene: Scene) -> None:
    scene.submit()
    old = scene.claim_one()
    lose(scene, old)
    new = scene.claim_one()

    with pytest.raises(LeaseLost):
        scene.succeed(old)
    beat = scene.heartbeat()

    assert beat is not None
    assert [(lease.id, lease.token) for lease in beat] == [(new.id, new.token)]


@pytest.mark.req("Q6")
def test_a_heartbeat_names_a_claim_whose_answer_was_lost_so_that_it_can_be_given_back(scene: Scene) -> None:
    """The commit of a claim may arrive and its answer not: the worker learns of it here."""
    scene.submit()
    forgotten = scene.claim_one()

    beat = scene.heartbeat()

    assert beat is not None
    assert [(lease.kind, lease.id, lease.token) for lease in beat] == [("run", forgotten.id, forgotten.token)]
    scene.return_uncounted(forgotten)
    assert scene.run(forgotten.id).claim_count == 0


@pytest.mark.req("Q6")
def test_a_run_longer_than_many_leases_is_kept_by_heartbeats(scene: Scene) -> None:
    scene.submit()
    claim = scene.claim_one()
    for _ in range(8):
        scene.advance(scene.rules.lease - JUST_OVER)
        scene.heartbeat()
        assert scene.upkeep().recovered_runs == []

    assert scene.succeed(claim) == "succeeded"


@pytest.mark.req("Q6", "Q17")
def test_a_queue_that_never_idles_recovers_orphans_within_a_lease_and_a_tick(scene: Scene) -> None:
    """Case 16: nobody sweeps but the claims themselves."""
    scene.submit_many(3)
    orphans = [claim.id for claim in scene.claim(3)]
    died_at = scene.write(lambda tx: tx.now)
    busy = scene.add_worker("busy")
    waited = timedelta()
    while any(scene.status(orphan) == "running" and scene.run(orphan).claimed_by != busy for orphan in orphans):
        scene.submit(priority=0)
        claim = scene.claim_one(worker=busy)
        scene.succeed(claim)
        scene.advance(timedelta(seconds=1))
        waited = scene.write(lambda tx: tx.now) - died_at
        assert waited <= scene.rules.lease + scene.rules.tick + timedelta(seconds=1)

    assert waited > scene.rules.lease


@pytest.mark.req("Q6", "W4")
def test_by_default_the_run_of_a_dead_worker_starts_again_within_thirty_seconds(scene: Scene) -> None:
    """Its last heartbeat came just before it died, and the next worker looks only once a tick, at the worst moment."""
    scene.rules = queue_rules(load_settings())
    orphan = scene.submit()
    scene.claim_one()
    scene.heartbeat()
    died_at = scene.write(lambda tx: tx.now)
    scene.advance(JUST_OVER)
    idle = scene.add_worker("idle")
    while not (claims := scene.claim(worker=idle)):
        scene.advance(scene.rules.tick)

    assert [claim.id for claim in claims] == [orphan]
    assert scene.write(lambda tx: tx.now) - died_at <= timedelta(seconds=30)


@pytest.mark.req("Q8")
def test_a_worker_that_restarts_under_its_name_recovers_its_claims_at_once(scene: Scene) -> None:
    """Case 17."""
    unbuilt = scene.new_build(status=None)
    scene.submit()
    scene.submit(build=unbuilt)
    run, build = sorted(scene.claim(2), key=lambda claim: claim.kind, reverse=True)

    scene.add_worker("one")

    assert scene.status(run.id) == "queued"
    assert scene.the_build(unbuilt).status == "queued"
    with pytest.raises(LeaseLost):
        scene.succeed(run)
    with pytest.raises(LeaseLost):
        scene.finish_build(build)


@pytest.mark.req("Q8")
def test_a_worker_of_another_name_recovers_nothing_of_a_living_one(scene: Scene) -> None:
    scene.submit()
    claim = scene.claim_one()

    scene.add_worker("two")

    assert scene.succeed(claim) == "succeeded"


@pytest.mark.req("Q6")
def test_a_run_whose_worker_row_was_deleted_is_recovered(scene: Scene) -> None:
    """Case 18."""
    run_id = scene.submit()
    claim = scene.claim_one()
    worker = scene.worker

    scene.write(lambda tx: tx.execute(sa.delete(workers).where(workers.c.id == worker)))
    lose(scene, claim)

    assert scene.drain(worker=scene.add_worker("two")) == [run_id]


@pytest.mark.req("Q6")
def test_the_clocks_of_the_hosts_do_not_matter(database_url: str) -> None:
    """Case 21: no clock is injected, so host time is never asked; leases come from the database's."""
    scene = Scene(database_url, rules=QueueRules(lease=timedelta(hours=1)))
    scene.submit()
    before = scene.write(lambda tx: tx.now)
    claim = scene.claim_one()
    after = scene.write(lambda tx: tx.now)

    assert before <= claim.lease_expires_at - scene.rules.lease <= after
    assert scene.upkeep().recovered_runs == []
    scene.close()


@pytest.mark.req("Q6", "Q2")
@pytest.mark.parametrize("hours", [-1, 1])
def test_processes_whose_host_clocks_are_an_hour_off_keep_leases_and_order(scene: Scene, hours: int) -> None:
    """Case 21: a database whose clock is what it is, and hosts that believe something else."""
    assert isinstance(scene.clock, FakeClock)
    waiting = scene.submit_many(3)
    first = scene.claim_one()
    host = FakeClock(scene.clock.now() + timedelta(hours=hours))  # what the other host's watch says; nobody asks it

    other = Scene(scene.url, clock=scene.clock)
    other._build = scene.build
    second = other.claim_one(worker=other.add_worker("two"))

    assert [first.id, second.id] == waiting[:2]
    assert other.upkeep().recovered_runs == []
    assert abs(host.now() - second.lease_expires_at) > timedelta(minutes=50)
    other.close()


@pytest.mark.req("Q6", "Q2")
def test_a_database_clock_that_steps_back_steals_nothing_and_keeps_the_order(scene: Scene) -> None:
    """Case 22."""
    first = scene.submit()
    scene.submit(scene.document())
    claim = scene.claim_one()
    scene.advance(timedelta(minutes=-10))
    third = scene.submit()
    scene.heartbeat()

    assert scene.upkeep().recovered_runs == []
    lease = scene.run(claim.id).lease_expires_at
    assert lease is not None
    assert lease >= claim.lease_expires_at
    assert scene.run(third).order_key >= scene.run(first).order_key
    assert scene.drain()[-1] == third

    scene.advance(timedelta(minutes=10) + scene.rules.lease + JUST_OVER)
    assert scene.upkeep().recovered_runs == [claim.id]


@pytest.mark.req("Q6", "Q5")
def test_recovery_is_not_gated_by_a_full_deployment(scene: Scene) -> None:
    """Case 23: dead workers fill every slot the deployment has."""
    scene.rules = QueueRules(max_running=2)
    scene.submit_many(4)
    dead = {claim.id for claim in scene.claim(2)}
    survivor = scene.add_worker("survivor")
    assert scene.claim(2, worker=survivor) == []

    scene.advance(scene.rules.lease + scene.rules.tick)

    assert {claim.id for claim in scene.claim(2, worker=survivor)} == dead


@pytest.mark.req("Q7")
@pytest.mark.parametrize("most", [1, 3])
def test_a_run_that_kills_its_workers_fails_after_so_many_claims(scene: Scene, most: int) -> None:
    scene.rules = QueueRules(max_claims=most)
    run_id = scene.submit()
    for _ in range(most):
        lose(scene, scene.claim_one())

    run = scene.run(run_id)

    assert (run.status, run.failure_code) == ("failed", "process_terminated")
    assert run.claim_count == most
    assert run.failure_message
    assert len(run.failure_message) <= 240
    assert scene.control().open_run_count == 0


@pytest.mark.req("Q7", "W3")
def test_giving_back_does_not_count_as_a_claim(scene: Scene) -> None:
    scene.rules = QueueRules(max_claims=1)
    run_id = scene.submit()
    for _ in range(3):
        scene.return_uncounted(scene.claim_one())

    assert scene.run(run_id).claim_count == 0
    assert scene.drain() == [run_id]


@pytest.mark.req("R5")
def test_an_orphan_someone_cancelled_is_cancelled_and_not_started_again(scene: Scene) -> None:
    run_id = scene.submit()
    claim = scene.claim_one()
    assert scene.cancel(run_id) == "running"

    lose(scene, claim)

    assert scene.status(run_id) == "cancelled"


@pytest.mark.req("Q8")
def test_declaring_a_worker_dead_twice_recovers_once(scene: Scene) -> None:
    """Case 15, one after the other."""
    run_id = scene.submit()
    scene.claim_one()
    worker = scene.worker
    for _ in range(2):
        scene.write(lambda tx: worker_operations.declare_dead(tx, worker, rules=scene.rules))

    assert scene.events(run_id) == ["run.queued", "run.claimed", "run.requeued"]


@pytest.mark.req("Q17")
def test_upkeep_is_done_once_a_tick_whoever_asks(scene: Scene) -> None:
    def ask() -> bool:
        return scene.write(lambda tx: upkeep.do_if_due(tx, rules=scene.rules)) is not None

    assert [ask(), ask()] == [True, False]
    scene.advance(scene.rules.tick)
    assert [ask(), ask()] == [True, False]


@pytest.mark.req("W1")
def test_a_worker_too_old_for_the_queue_ends_what_it_holds_claims_nothing_and_says_why(scene: Scene) -> None:
    scene.submit()
    held = scene.claim_one()
    second = scene.submit()

    scene.write(lambda tx: tx.execute(sa.update(queue_control).values(oldest_generation=GENERATION + 1)))
    scene.succeed(held)

    assert scene.claim() == []
    scene.heartbeat()
    assert scene.read(sa.select(workers.c.idle_reason))[0].idle_reason == queue.OUTDATED
    scene.write(lambda tx: tx.execute(sa.update(queue_control).values(oldest_generation=GENERATION)))
    assert scene.drain() == [second]

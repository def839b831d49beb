"""Ending many runs at once, and claiming for their slots in the same transaction."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

from ade.database.queue import control, finishing
from ade.database.queue.finishing import Finished
from ade.database.schema import events, runs, workspaces
from ade.database.transaction import Transaction
from ade.domain.queue import Claim, Ending, QueueRules
from ade.domain.run import RunStatus
from ade.operations.queue import claiming as queue
from ade.operations.queue.claiming import Room
from ade.operations.queue.runs import unblock_after
from postgres import wait_until
from scene import BROKEN, Scene


def turn(scene: Scene, endings: Sequence[Ending], *, slots: int) -> tuple[dict[str, RunStatus], list[Claim]]:
    worker = scene.worker
    return scene.write(
        lambda tx: queue.finish_and_claim(tx, worker, endings, rules=scene.rules, room=Room(slots=slots))
    )


def end(tx: Transaction, held: Claim) -> list[Finished]:
    """End a run and return what the database says of it."""
    lock = control.ask_lock(tx, closed=1)
    finish = finishing.ask_to_finish(tx, [Ending(claim=held, facts={})])
    lock()
    finished = finish()
    unblock_after(tx, finished, closed_count=1)
    return finished


@pytest.mark.req("Q3", "Q6")
def test_runs_that_end_together_are_ended_each_in_its_own_way(scene: Scene) -> None:
    waiting = scene.submit_many(5)
    good, bad, unwanted = scene.claim(3)
    scene.cancel(unwanted.id)
    endings = [
        Ending(claim=good, facts={"file_key": "runs/1", "metrics": {"rows": 2}}),
        Ending(claim=bad, failure=BROKEN),
        Ending(claim=unwanted, facts={"file_key": "runs/3"}),
    ]

    statuses, claims = turn(scene, endings, slots=3)

    assert statuses == {good.id: "succeeded", bad.id: "failed", unwanted.id: "cancelled"}
    assert [claim.id for claim in claims] == waiting[3:]
    assert (scene.run(good.id).file_key, scene.run(good.id).metrics) == ("runs/1", {"rows": 2})
    assert (scene.run(bad.id).failure_code, scene.run(bad.id).failure_message) == (BROKEN.code, BROKEN.message)
    assert (scene.run(unwanted.id).file_key, scene.run(unwanted.id).failure_code) == ("runs/3", None)
    assert scene.events(bad.id) == ["run.queued", "run.claimed", "run.failed"]
    assert scene.events(unwanted.id)[-2:] == ["run.cancel_requested", "run.cancelled"]


@pytest.mark.req("Q4")
def test_a_run_that_ends_tells_of_a_sibling_of_its_own_document_alone(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    scene.submit_many(2)  # of other documents
    first = scene.claim_one()
    [alone] = scene.write(lambda tx: end(tx, first))
    scene.submit(document)
    scene.submit(document)
    others = scene.claim(3)
    held = next(claim for claim in others if scene.run(claim.id).input_document_id == document)

    [with_sibling] = scene.write(lambda tx: end(tx, held))

    assert (alone.has_sibling, with_sibling.has_sibling) == (False, True)


def test_a_run_ends_at_the_time_of_its_event_though_the_clock_was_asked_again(
    live_scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "LONGEST_UNNOTICED_WAIT", timedelta(seconds=-1))
    live_scene.submit_many(1)
    held = live_scene.claim_one()

    live_scene.write(lambda tx: end(tx, held))

    told = sa.select(events.c.at).where(events.c.subject_id == held.id, events.c.type == "run.succeeded")
    [at] = live_scene.database.read(lambda tx: tx.execute(told).scalars().all())
    assert live_scene.run(held.id).finished_at == at


@pytest.mark.req("Q6", "Q8")
def test_a_run_whose_lease_was_lost_is_left_alone_and_the_others_end(scene: Scene) -> None:
    first, second = scene.submit_many(2)
    stale, held = scene.claim(2)
    scene.return_uncounted(stale)
    successor = scene.claim_one(worker=scene.add_worker("two"))
    assert successor.id == first
    own_folder = scene.run(first).file_key

    statuses, _ = turn(
        scene, [Ending(claim=stale, facts={"file_key": "zombie"}), Ending(claim=held, facts={})], slots=1
    )

    assert statuses == {second: "succeeded"}
    assert (scene.run(first).status, scene.run(first).file_key) == ("running", own_folder)
    assert scene.control().open_run_count == 1


def test_the_sibling_of_a_run_that_ends_is_claimed_in_the_same_transaction(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    sibling = scene.submit(document)
    assert scene.claim() == []  # parks it

    _, claims = turn(scene, [Ending(claim=running)], slots=1)

    assert [claim.id for claim in claims] == [sibling]


def test_the_next_phase_of_a_plan_is_claimed_in_the_transaction_that_ends_the_one_before(scene: Scene) -> None:
    plan_id, [_, second] = scene.submit_plan(2)
    running = scene.claim_one()

    _, [next_phase] = turn(scene, [Ending(claim=running)], slots=1)
    turn(scene, [Ending(claim=next_phase)], slots=1)

    assert next_phase.id == second
    assert scene.plan(plan_id).status == "succeeded"


def test_nothing_to_end_is_a_claim(scene: Scene) -> None:
    [waiting] = scene.submit_many(1)

    statuses, claims = turn(scene, [], slots=2)

    assert (statuses, [claim.id for claim in claims]) == ({}, [waiting])


def is_waking(scene: Scene, endings: Sequence[Ending], *, slots: int) -> bool:
    worker = scene.worker

    def work(tx: Transaction) -> bool:
        queue.finish_and_claim(tx, worker, endings, rules=scene.rules, room=Room(slots=slots))
        return bool(tx.wakes)

    return scene.write(work)


def test_a_worker_that_fills_the_slots_it_frees_wakes_nobody(scene: Scene) -> None:
    scene.submit_many(4)
    held = scene.claim(2)

    assert not is_waking(scene, [Ending(claim=claim) for claim in held], slots=2)


def test_a_worker_that_leaves_a_place_free_under_a_limit_wakes_the_others(scene: Scene) -> None:
    scene.rules = QueueRules(max_running=2)
    scene.submit_many(4)
    held = scene.claim(2)

    assert is_waking(scene, [Ending(claim=claim) for claim in held], slots=1)


def test_others_are_woken_for_a_sibling_that_was_let_go(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    scene.submit(priority=10)
    scene.submit(document)
    other = scene.claim_one()
    assert scene.claim() == []

    assert is_waking(scene, [Ending(claim=running), Ending(claim=other)], slots=2)


def test_others_are_woken_where_a_workspace_has_a_cap(scene: Scene) -> None:
    workspace = scene.build.workspace_id
    cap = sa.update(workspaces).where(workspaces.c.id == workspace).values(max_running=2)
    scene.write(lambda tx: tx.execute(cap).rowcount)
    scene.submit_many(3)
    held = scene.claim(2)

    assert is_waking(scene, [Ending(claim=held[0])], slots=1)


@contextmanager
def held_up_at(scene: Scene, run_id: str, act: Callable[[], object]) -> Iterator[None]:
    """Hold the row of a run, and let something go on until it waits for that."""
    # Not any lock of the server: other tests wait for locks there at the same time.
    waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE :holder = ANY(pg_blocking_pids(pid))")
    acting = threading.Thread(target=act)
    with scene.database.engine.begin() as holder:
        holder.execute(sa.select(runs.c.id).where(runs.c.id == run_id).with_for_update())
        blocked = waiting.bindparams(holder=holder.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())
        acting.start()
        wait_until(lambda: scene.database.read(lambda tx: tx.execute(blocked).scalar_one() > 0), what="it to wait")
        yield
    acting.join()


def is_locked(scene: Scene, run_id: str) -> bool:
    chosen = sa.select(runs.c.id).where(runs.c.id == run_id)
    with scene.database.engine.begin() as connection:
        return connection.execute(chosen.with_for_update(skip_locked=True)).first() is None


@contextmanager
def plans_without_indexes(scene: Scene) -> Iterator[None]:
    """Let the database join and update in the order in which rows lie on disk."""
    _switch_indexes(scene, "off")
    try:
        yield
    finally:
        _switch_indexes(scene, "on")


def _switch_indexes(scene: Scene, word: str) -> None:
    def switch(tx: Transaction) -> None:
        for way in ("nestloop", "mergejoin", "indexscan", "bitmapscan"):
            tx.execute(sa.text(f'ALTER DATABASE "{tx.url.database}" SET enable_{way} = {word}'))

    scene.write(switch)
    scene.database.close()  # new connections plan by that


@pytest.mark.req("W5")
def test_heartbeats_and_endings_lock_runs_in_one_order(live_scene: Scene) -> None:
    """In different orders each would wait for the other, and the whole queue until the database notices."""
    scene = live_scene
    if scene.database.dialect != "postgresql":
        pytest.skip("row locks of PostgreSQL")
    scene.submit_many(2)
    first, second = sorted(scene.claim(2), key=lambda claim: claim.id)
    # So that it lies behind the other one on disk, and updates go by that order.
    scene.write(lambda tx: tx.execute(sa.update(runs).where(runs.c.id == first.id).values(order_key=1)))
    with plans_without_indexes(scene):
        with held_up_at(scene, second.id, scene.heartbeat):
            beats_from_the_front = is_locked(scene, first.id)
        with held_up_at(scene, first.id, lambda: turn(scene, [Ending(claim=second), Ending(claim=first)], slots=0)):
            ends_from_the_back = is_locked(scene, second.id)

    assert (beats_from_the_front, ends_from_the_back) == (True, False)
    assert scene.statuses() == {"succeeded": 2}

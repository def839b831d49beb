"""Claiming: the order, what fits, and what a claim hands to a worker."""

import random
from datetime import timedelta
from pathlib import Path

import pytest

import calls
import databases
import oracle
from ade.database.transaction import Transaction
from ade.domain.queue import Claim, QueueRules
from ade.operations.queue import attempts, workers
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.claiming import Room
from repeatable import FakeClock
from scene import Scene

LEVELS = (0, 10, 20, 50, 50, 50, 70, 90, 100)


@pytest.mark.req("Q2", "Q3")
def test_runs_that_became_ready_together_are_claimed_in_submission_order(scene: Scene) -> None:
    """Case 3."""
    together = [scene.submit() for _ in range(5)] + scene.submit_many(5)

    assert scene.drain() == together


@pytest.mark.req("Q1", "Q2")
def test_the_lower_priority_number_goes_first_then_the_longer_wait(scene: Scene) -> None:
    late_urgent, early_low = [], []
    early_low.append(scene.submit(priority=70))
    normal = scene.submit()
    scene.advance(timedelta(seconds=1))
    late_urgent.append(scene.submit(priority=10))
    second_normal = scene.submit()

    assert scene.drain() == [*late_urgent, normal, second_normal, *early_low]


@pytest.mark.req("Q2")
def test_the_same_queue_is_claimed_in_the_same_order_on_every_database(tmp_path: Path, worker_id: str) -> None:
    """Case 2: against an order worked out in plain Python, and by each database."""
    orders = {}
    for kind in databases.available():
        folder = tmp_path / kind
        folder.mkdir()
        backend = databases.open_backend(kind, folder, worker=f"{worker_id}_same")
        scene = Scene(backend.fresh_url(folder), clock=FakeClock())
        expected = submit_a_mixture(scene, random.Random(2))
        names = {run_id: number for number, run_id in enumerate(expected)}
        orders[kind] = [names[run_id] for run_id in scene.drain(slots=3)]
        scene.close()
        backend.close()
        assert orders[kind] == list(range(len(expected))), kind
    assert len({tuple(order) for order in orders.values()}) == 1


def submit_a_mixture(scene: Scene, chance: random.Random) -> list[str]:
    """Submit singles, batches and first phases at a few instants; return them in the order the rules ask for."""
    places: list[tuple[tuple[int, float, int, int, int], str]] = []
    sequence = plan_sequence = 0
    for instant in range(12):
        for _ in range(chance.randint(1, 6)):
            priority = chance.choice(LEVELS)
            if chance.random() < 0.2:
                plan_sequence += 1
                _, submitted = scene.submit_plan(1, priority=priority)
                plan, phase = plan_sequence, 1
            else:
                submitted = scene.submit_many(chance.randint(1, 4), priority=priority)
                plan, phase = 0, 0
            for run_id in submitted:
                sequence += 1
                places.append(((priority, instant, plan, phase, sequence), run_id))
        scene.advance(timedelta(milliseconds=1))
    return [run_id for _, run_id in sorted(places)]


@pytest.mark.req("Q3", "Q5")
def test_a_claim_takes_a_run_for_every_free_slot_and_no_more(scene: Scene) -> None:
    waiting = scene.submit_many(5)

    claimed = scene.claim(3)

    assert [claim.id for claim in claimed] == waiting[:3]
    assert scene.statuses() == {"running": 3, "queued": 2}
    assert scene.claim(0) == []


@pytest.mark.req("Q6")
def test_a_claim_sets_owner_token_lease_and_deadline(scene: Scene) -> None:
    scene.submit()
    claim = scene.claim_one()

    run = scene.run(claim.id)

    assert (run.claimed_by, run.claim_token, run.claim_count) == (scene.worker, claim.token, 1)
    assert run.started_at is not None
    assert run.started_at + scene.rules.lease == run.lease_expires_at == claim.lease_expires_at
    assert run.started_at + scene.rules.run_timeout == run.deadline_at == claim.deadline_at
    assert scene.events(claim.id) == ["run.queued", "run.claimed"]


def test_every_claim_has_a_token_of_its_own_that_grows(scene: Scene) -> None:
    scene.submit_many(3)
    first = scene.claim_one()
    scene.return_uncounted(first)
    again = scene.claim_one()
    other = scene.claim_one()

    assert first.id == again.id
    assert first.token < again.token < other.token


def test_a_build_and_a_run_share_one_order(scene: Scene) -> None:
    scene.submit(priority=50)
    unbuilt = scene.new_build(status=None)
    scene.submit(build=unbuilt, priority=20)
    scene.submit(priority=10)

    assert [claim.kind for claim in scene.claim(3)] == ["run", "build", "run"]


@pytest.mark.req("Q16")
def test_a_worker_claims_only_what_fits_its_memory(scene: Scene) -> None:
    big, small = scene.submit(memory_mb=4096), scene.submit(memory_mb=512)

    assert [claim.id for claim in scene.claim(2, memory_mb=1024)] == [small]
    assert [claim.id for claim in scene.claim(2, memory_mb=4096)] == [big]


@pytest.mark.req("Q16")
def test_what_is_claimed_together_fits_the_memory_together(scene: Scene) -> None:
    first, second, third, small = (scene.submit(memory_mb=needed) for needed in (600, 600, 600, 300))

    assert [claim.id for claim in scene.claim(4, memory_mb=1000)] == [first, small]
    assert scene.drain() == [second, third]


@pytest.mark.req("Q16")
def test_a_run_too_big_for_the_worker_does_not_strand_its_siblings(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    head = scene.claim_one()
    scene.submit(document, memory_mb=4096)
    medium = scene.submit(document, memory_mb=1024)
    scene.claim()  # meets the busy document and parks both
    scene.succeed(head)

    assert [claim.id for claim in scene.claim(1, memory_mb=2048)] == [medium]


@pytest.mark.req("Q6", "Q8")
def test_a_worker_declared_dead_can_claim_nothing(scene: Scene) -> None:
    scene.submit()
    dead = scene.add_worker("same name")
    scene.add_worker("same name")

    assert scene.claim(worker=dead) == []
    assert scene.heartbeat(dead) is None


@pytest.mark.req("W3")
def test_a_worker_that_retired_claims_nothing(scene: Scene) -> None:
    scene.submit()
    retired = scene.add_worker("retired")
    scene.write(lambda tx: workers.retire_worker(tx, retired))

    assert scene.claim(worker=retired) == []


@pytest.mark.req("Q2", "Q3")
@pytest.mark.parametrize("seed", range(4))
def test_a_claim_takes_exactly_what_the_oracle_names(scene: Scene, seed: int) -> None:
    """Case 4, with one claimer: busy documents, builds, phases and limits together."""
    chance = random.Random(seed)
    scene.rules = QueueRules(max_running=7)
    documents = scene.documents(6)
    unbuilt = [scene.new_build(status=None) for _ in range(2)]
    for _ in range(60):
        _one_step(scene, chance, documents, unbuilt)


def _one_step(scene: Scene, chance: random.Random, documents: list[str], unbuilt: list[BuildRequest]) -> None:
    build = chance.choice([scene.build, scene.build, *unbuilt])
    scene.submit(chance.choice(documents), build=build, priority=chance.choice((10, 50, 90)))
    scene.advance(timedelta(seconds=chance.choice((0, 1))))
    room, worker = Room(slots=chance.randint(0, 3)), scene.worker

    def claim_and_compare(tx: Transaction) -> list[Claim]:
        calls.claim(tx, worker, rules=scene.rules, room=Room(slots=0))  # upkeep, so that both see the same
        expected = oracle.expected_claims(tx, rules=scene.rules, room=room)
        claimed = calls.claim(tx, worker, rules=scene.rules, room=room)
        assert [(claim.kind, claim.id) for claim in claimed] == expected
        return claimed

    for claim in scene.write(claim_and_compare):
        if chance.random() < 0.4:
            scene.finish_build(claim) if claim.kind == "build" else scene.succeed(claim)
        elif claim.kind == "run" and chance.random() < 0.3:
            scene.return_uncounted(claim)


def test_readers_look_into_the_folder_of_the_present_claim(scene: Scene) -> None:
    run_id = scene.submit()
    scene.claim_one()
    folder = str(scene.run(run_id).file_key)

    shown = scene.write(lambda tx: [attempts.is_shown(tx, "run", run_id, name) for name in (folder, "another")])

    assert shown == [True, False]

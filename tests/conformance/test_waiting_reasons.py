"""Every state a queued run can wait in is named exactly: the cause as a code, the details in words, no false start."""

from datetime import timedelta
from typing import Any

import pytest

from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.domain.run import WaitingFor
from ade.operations.queue import caps, workers
from ade.operations.queue import claiming as queue
from ade.operations.views import positions
from ade.operations.views.positions import Place
from calls import PERSON
from scene import Scene

MINUTE = timedelta(minutes=1)
ON = "2026-01-01 00:00 UTC"
DISK = "Only 20 MB of disk are free; it needs 1024 (ADE_MIN_FREE_DISK_MB)."
CROWDED = "Less than 2048 MB of disk are free. They are reserved for workspaces that hold little."
pytestmark = pytest.mark.req("Q14", "R2")


def place_of(scene: Scene, run_id: str) -> Place:
    run = scene.run(run_id)
    return scene.database.read(lambda tx: positions.places(tx, [run], rules=scene.rules))[run_id]


def told(scene: Scene, run_id: str) -> tuple[WaitingFor, str, bool]:
    """Return the cause, the words, and whether a start is estimated."""
    place = place_of(scene, run_id)
    return place.waiting_for, place.reason, place.estimate is not None


def idle(scene: Scene, worker: str, reason: str) -> None:
    scene.write(lambda tx: queue.heartbeat(tx, worker, rules=scene.rules, idle_reason=reason))


def test_no_live_worker(scene: Scene) -> None:
    run_id = scene.submit()
    expected = (WaitingFor.WORKER, "No worker is live. Start one with `ade worker`.", False)
    assert told(scene, run_id) == expected

    scene.add_worker("one")
    assert told(scene, run_id)[0] == WaitingFor.CAPACITY
    scene.advance(3 * scene.rules.lease)  # it was not heard of since

    assert told(scene, run_id) == expected


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ({"cpu_count": 64}, "It needs 64 processors; the largest live worker has 4 processors."),
        ({"memory_mb": 100_000}, "It needs 100000 MB of memory; the largest live worker has 8000 MB of memory."),
        (
            {"cpu_count": 64, "memory_mb": 100_000},
            "It needs 64 processors and 100000 MB of memory; the largest live worker has 4 processors "
            "and 8000 MB of memory.",
        ),
        ({"cpu_count": 4, "memory_mb": 8000}, "It needs 4 processors and 8000 MB of memory; no live worker has both."),
    ],
)
@pytest.mark.parametrize("status", ["ready", None])
def test_a_run_that_fits_no_worker(scene: Scene, needs: dict[str, Any], reason: str, status: str | None) -> None:
    scene.add_worker("wide", cpu_count=4, memory_mb=1000)
    scene.add_worker("deep", cpu_count=1, memory_mb=8000)
    run_id = scene.submit(build=scene.new_build(status=status), **needs)

    assert told(scene, run_id) == (WaitingFor.WORKER, reason, False)

    scene.add_worker("large", cpu_count=64, memory_mb=100_000)
    assert told(scene, run_id)[0] != WaitingFor.WORKER


def test_a_workspace_that_holds_much_while_disk_is_scarce(scene: Scene) -> None:
    one, two = scene.add_worker("one"), scene.add_worker("two")
    run_id = scene.submit()
    crowded = {scene.build.workspace_id: CROWDED}

    def beat(worker: str, crowded: dict[str, str]) -> None:
        scene.write(lambda tx: queue.heartbeat(tx, worker, rules=scene.rules, crowded=crowded))

    beat(one, crowded)
    assert told(scene, run_id)[0] == WaitingFor.CAPACITY, "the other worker starts it"
    beat(two, crowded)
    assert told(scene, run_id) == (WaitingFor.WORKER, CROWDED, False)
    beat(two, {scene.add_workspace(): CROWDED})
    assert told(scene, run_id)[0] == WaitingFor.CAPACITY


def test_a_worker_that_drains(scene: Scene) -> None:
    worker, run_id = scene.add_worker("one"), scene.submit()
    scene.write(lambda tx: workers.drain_worker(tx, worker, actor=PERSON))

    cause, reason, is_estimated = told(scene, run_id)

    assert (cause, is_estimated) == (WaitingFor.WORKER, False)
    assert reason.startswith("The worker that could take it claims nothing now. It is draining")


@pytest.mark.parametrize("status", ["ready", None])
@pytest.mark.parametrize("why", [DISK, "It cannot use its file store; it tries again every few seconds."])
def test_a_worker_that_is_short_of_disk_or_of_its_file_store(scene: Scene, status: str | None, why: str) -> None:
    worker = scene.add_worker("one")
    run_id = scene.submit(build=scene.new_build(status=status))
    idle(scene, worker, why)

    reason = f"The worker that could take it claims nothing now. {why}"
    assert told(scene, run_id) == (WaitingFor.WORKER, reason, False)

    scene.add_worker("two")
    assert told(scene, run_id)[0] != WaitingFor.WORKER


def test_only_the_workers_that_fit_count(scene: Scene) -> None:
    scene.add_worker("small", memory_mb=1000)
    large = [scene.add_worker(name, memory_mb=9000) for name in ("large", "larger")]
    run_id = scene.submit(memory_mb=5000)
    for worker in large:
        idle(scene, worker, DISK)

    reason = f"The 2 workers that could take it claim nothing now. {DISK}"
    assert told(scene, run_id) == (WaitingFor.WORKER, reason, False)
    assert told(scene, scene.submit())[0] == WaitingFor.CAPACITY


def test_no_worker_that_could_make_its_build(scene: Scene) -> None:
    run_id = scene.submit(build=scene.new_build(status=None))
    worker = scene.add_worker("one")
    idle(scene, worker, DISK)
    scene.add_worker("other", surroundings="another platform")

    reason = f"The worker that could build it claims nothing now. {DISK}"
    assert told(scene, run_id) == (WaitingFor.WORKER, reason, False)


def test_a_build_that_waits_then_is_made(scene: Scene) -> None:
    run_id = scene.submit(build=scene.new_build(status=None))
    assert scene.worker
    words = "Its configuration is built first, as soon as a worker has a free slot."
    assert told(scene, run_id) == (WaitingFor.BUILD, words, True)
    estimate = place_of(scene, run_id).estimate
    assert estimate is not None
    assert estimate.likely_at > scene.write(lambda tx: tx.now)  # a build takes time: not at once

    scene.claim_one()

    words = f"Its configuration has been building since {ON}; its runs start after that."
    assert told(scene, run_id) == (WaitingFor.BUILD, words, True)


def test_a_later_time(scene: Scene) -> None:
    assert scene.clock is not None
    scene.add_worker("one")
    run_id = scene.submit(scheduled_at=scene.clock.now() + MINUTE)

    assert told(scene, run_id) == (WaitingFor.SCHEDULED, "It is scheduled for 2026-01-01 00:01 UTC.", False)


def test_an_earlier_phase(scene: Scene) -> None:
    _, [_, second, third] = scene.submit_plan(3)
    assert told(scene, third) == (WaitingFor.EARLIER_PHASE, "Phase 1 of its plan is queued.", False)
    claimed = scene.claim_one()
    assert told(scene, third)[1] == "Phase 1 of its plan is running."

    scene.succeed(claimed)

    assert told(scene, third)[1] == "Phase 2 of its plan is queued."
    assert told(scene, second)[0] == WaitingFor.CAPACITY


@pytest.mark.parametrize("is_met", [False, True])
@pytest.mark.parametrize("status", ["ready", None])
def test_each_pause_that_covers_it(scene: Scene, is_met: bool, status: str | None) -> None:
    scene.add_worker("one")
    plan_id, [run_id] = scene.submit_plan([scene.request(build=scene.new_build(status=status))])
    scopes = {
        PauseScope.ALL: (None, "The queue"),
        PauseScope.PRIORITY: ("normal", "Priority 50"),
        PauseScope.WORKSPACE: (scene.run(run_id).workspace_id, "Its workspace"),
        PauseScope.PLAN: (plan_id, "Its plan"),
    }
    for scope, (value, subject) in scopes.items():
        pause_id = scene.pause(scope, value)
        if is_met and status:
            assert scene.claim() == []  # a claim that met it set it aside
        words = f"{subject} is paused by {PERSON.name} since {ON}: night."
        assert told(scene, run_id) == (WaitingFor.PAUSED, words, False)
        scene.resume(pause_id)
    first, _ = scene.pause(PauseScope.ALL), scene.pause(PauseScope.PRIORITY, "normal")
    assert told(scene, run_id)[1].count("is paused by") == 2
    scene.resume(first)
    assert told(scene, run_id)[1].startswith("Priority 50")


def test_a_pause_of_something_else_is_no_reason(scene: Scene) -> None:
    scene.add_worker("one")
    scene.pause(PauseScope.PRIORITY, "low")

    assert told(scene, scene.submit())[0] == WaitingFor.CAPACITY


def test_another_run_of_the_document(scene: Scene) -> None:
    document = scene.document()
    running = scene.submit(document)
    scene.claim_one()
    run_id = scene.submit(document)

    words = f"Run {running} of the same document is running."
    assert told(scene, run_id) == (WaitingFor.DOCUMENT_BUSY, words, True)


@pytest.mark.parametrize("is_met", [False, True])
def test_the_cap_of_its_workspace(scene: Scene, is_met: bool) -> None:
    scene.add_worker("one", slots=8)
    first, second = scene.submit_many(2)
    scene.write(lambda tx: caps.cap_workspace(tx, scene.build.workspace_id, 1, actor=PERSON))
    [claimed] = scene.claim(1)
    assert claimed.id == first
    if is_met:
        assert scene.claim(2) == []

    words = "Its workspace is at its limit of running runs: 1."
    assert told(scene, second) == (WaitingFor.WORKSPACE_CAP, words, False)
    scene.succeed(claimed)
    assert told(scene, second)[0] == WaitingFor.CAPACITY


def test_the_limit_of_the_deployment(scene: Scene) -> None:
    scene.rules = QueueRules(max_running=1)
    scene.add_worker("one", slots=8)
    _, second, third = scene.submit_many(3)
    scene.claim_one()

    words = "The deployment is at its limit of running runs: 1 (ADE_MAX_RUNNING)."
    assert told(scene, second) == (WaitingFor.CAPACITY, words, True)
    assert told(scene, third)[1] == f"{words} 1 run is before it."


def test_the_start_rate(scene: Scene) -> None:
    scene.rules = QueueRules(max_starts_per_second=0.1)
    scene.add_worker("one", slots=8)
    _, *rest = scene.submit_many(3)
    now = scene.write(lambda tx: tx.now)
    assert len(scene.claim(3)) == 1

    words = "At most 0.1 runs start within a second (ADE_MAX_STARTS_PER_SECOND)."
    assert told(scene, rest[0]) == (WaitingFor.START_RATE, words, True)
    estimate = place_of(scene, rest[1]).estimate
    assert estimate is not None
    assert estimate.likely_at == now + timedelta(seconds=10)


def test_busy_slots_and_its_turn(scene: Scene) -> None:
    worker = scene.add_worker("alone", slots=1)
    runs = scene.submit_many(4)
    assert told(scene, runs[0]) == (WaitingFor.CAPACITY, "It is next: a worker will start it in a moment.", True)
    assert told(scene, runs[1])[1] == "1 run is before it."
    assert told(scene, runs[2])[1] == "2 runs are before it."

    scene.claim_one(worker=worker)

    assert told(scene, runs[1]) == (WaitingFor.CAPACITY, "The only slot is busy.", True)
    assert told(scene, runs[3])[1] == "The only slot is busy. 2 runs are before it."


def test_a_slot_that_a_build_has_is_busy(scene: Scene) -> None:
    worker = scene.add_worker("alone", slots=1)
    scene.submit(build=scene.new_build(status=None))
    scene.claim_one(worker=worker)

    assert told(scene, scene.submit())[1] == "The only slot is busy. 1 run is before it."


def test_room_that_other_runs_have(scene: Scene) -> None:
    scene.add_worker("one", slots=4, memory_mb=8000)
    scene.submit(memory_mb=6000)
    scene.claim(1)
    run_id = scene.submit(memory_mb=4000)

    assert told(scene, run_id) == (WaitingFor.CAPACITY, "It starts when a worker has 4000 MB of memory free.", True)


def test_a_new_run_is_promised_no_start_under_a_pause_or_without_workers(scene: Scene) -> None:
    def is_promised() -> bool:
        return scene.database.read(lambda tx: positions.would_be(tx, priority=50, rules=scene.rules))[1] is not None

    assert not is_promised()
    worker = scene.add_worker("one")
    assert is_promised()
    for scope, value in ((PauseScope.ALL, None), (PauseScope.PRIORITY, "normal")):
        pause_id = scene.pause(scope, value)
        assert not is_promised()
        scene.resume(pause_id)
    scene.pause(PauseScope.PRIORITY, "low")
    assert is_promised()
    idle(scene, worker, DISK)
    assert not is_promised()

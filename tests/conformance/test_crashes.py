"""Real processes: drained by many, killed at any moment, and a database that goes away."""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

import calls
import crew
import databases
from ade.database.schema import builds, events, runs
from ade.database.transaction import Transaction
from ade.operations.queue.claiming import Room
from postgres import Postgres, wait_until
from scene import Scene

pytestmark = pytest.mark.slow
# Three hundred kills during a drain of a thousand runs take minutes: ADE_TEST_KILLS=300.
KILLS = int(os.environ.get("ADE_TEST_KILLS", "60"))


def told(path: Path) -> bool:
    return path.exists() and path.read_text() != ""


def assert_drained(scene: Scene, count: int, folder: Path) -> None:
    """Each run succeeded once, and no claim took anything but what the oracle named."""
    assert scene.statuses() == {"succeeded": count}
    ended = scene.read(sa.select(events.c.subject_id).where(events.c.type == "run.succeeded"))
    assert Counter(row.subject_id for row in ended).total() == len({row.subject_id for row in ended}) == count
    assert [path.read_text() for path in folder.glob("violation-*")] == []


def finished_count(scene: Scene) -> int:
    return scene.statuses().get("succeeded", 0)


@pytest.mark.req("Q3", "W1")
def test_eight_workers_drain_ten_thousand_runs_once_each(live_scene: Scene, tmp_path: Path) -> None:
    """Case 1."""
    live_scene.rules = crew.QUICK
    for _ in range(10):
        live_scene.submit_many(1000)

    crew.finish(
        [
            crew.start(crew.drain, live_scene.url, f"w{number}", 50, str(tmp_path), crew.QUICK, 0, 50)
            for number in range(8)
        ],
        seconds=300,
    )

    assert_drained(live_scene, 10_000, tmp_path)


@pytest.mark.req("Q3", "Q2")
def test_eight_claimers_that_sometimes_roll_back_never_pass_over_a_runnable_run(
    live_scene: Scene, tmp_path: Path
) -> None:
    """Case 4."""
    chance = random.Random(4)
    documents = live_scene.documents(60)
    unbuilt = [live_scene.new_build(status=None) for _ in range(3)]
    for _ in range(400):
        build = chance.choice([live_scene.build, *unbuilt])
        live_scene.submit(chance.choice(documents), build=build, priority=chance.choice((10, 20, 50, 90)))

    crew.finish(
        [
            crew.start(crew.drain, live_scene.url, f"w{number}", 2, str(tmp_path), crew.QUICK, 0.05)
            for number in range(8)
        ]
    )

    assert_drained(live_scene, 400, tmp_path)


@pytest.mark.req("B2", "B3", "B4", "Q2")
def test_a_thousand_submissions_from_eight_processes_share_one_build(live_scene: Scene, tmp_path: Path) -> None:
    """Case 27."""
    unbuilt = live_scene.new_build(status=None)
    live_scene.rules = crew.QUICK
    gate = crew.barrier(8)
    crew.finish(
        [
            crew.start(
                crew.submit_alone,
                live_scene.url,
                gate,
                crew.requests_for(unbuilt, live_scene.documents(125)),
                crew.QUICK,
            )
            for _ in range(8)
        ]
    )
    assert live_scene.statuses() == {"queued": 1000}
    keys = live_scene.read(sa.select(runs.c.order_key).order_by(runs.c.sequence))
    assert [row.order_key for row in keys] == sorted(row.order_key for row in keys)

    crew.finish(
        [
            crew.start(crew.drain, live_scene.url, f"w{number}", 20, str(tmp_path), crew.QUICK, 0, 20)
            for number in range(4)
        ]
    )

    assert_drained(live_scene, 1000, tmp_path)
    [build] = live_scene.read(sa.select(builds).where(builds.c.configuration_id == unbuilt.configuration_id))
    assert live_scene.events(build.id) == ["build.queued", "build.claimed", "build.ready"]


@pytest.mark.req("W4", "Q6", "Q7")
def test_a_run_whose_worker_is_killed_goes_back_to_its_place(live_scene: Scene, tmp_path: Path) -> None:
    """Case 10."""
    live_scene.rules = crew.QUICK
    first, second = live_scene.submit(), live_scene.submit()
    process = crew.start(crew.claim_and_hang, live_scene.url, "victim", str(tmp_path / "told"))
    wait_until(lambda: told(tmp_path / "told"), what="the claim")
    process.kill()
    process.join()

    assert live_scene.status(first) == "running"
    wait_until(lambda: bool(live_scene.upkeep().recovered_runs), what="the lease to run out")

    assert live_scene.run(first).claim_count == 1
    assert live_scene.drain() == [first, second]


@pytest.mark.req("W4")
def test_a_worker_killed_before_its_claim_commits_took_nothing(live_scene: Scene, tmp_path: Path) -> None:
    """Case 11."""
    live_scene.rules = crew.QUICK
    run_id = live_scene.submit()
    process = crew.start(crew.claim_without_committing, live_scene.url, "victim", str(tmp_path / "told"))
    wait_until(lambda: told(tmp_path / "told"), what="the claim")
    process.kill()
    process.join()

    run = live_scene.run(run_id)

    assert (run.status, run.claim_count) == ("queued", 0)
    assert live_scene.events(run_id) == ["run.queued"]
    assert live_scene.drain() == [run_id]


@pytest.mark.req("Q6")
def test_a_run_that_computes_for_longer_than_two_leases_is_never_stolen(live_scene: Scene, tmp_path: Path) -> None:
    """Case 19."""
    live_scene.rules = crew.QUICK
    run_id = live_scene.submit()
    process = crew.start(crew.work_hard, live_scene.url, "busy", str(tmp_path / "told"), 3)
    wait_until(lambda: told(tmp_path / "told"), what="the claim")
    while process.is_alive():
        assert live_scene.upkeep().recovered_runs == []
        process.join(0.1)

    assert process.exitcode == 0
    assert (live_scene.status(run_id), live_scene.run(run_id).claim_count) == ("succeeded", 1)


@pytest.mark.req("W3")
def test_a_worker_told_to_stop_finishes_or_gives_back_and_claims_nothing_more(
    live_scene: Scene, tmp_path: Path
) -> None:
    """Case 39, as far as the queue has a part in it."""
    live_scene.rules = crew.QUICK
    finishing, returning, waiting = (live_scene.submit() for _ in range(3))
    process = crew.start(crew.work_until_told, live_scene.url, "leaving", str(tmp_path / "told"))
    wait_until(lambda: told(tmp_path / "told"), what="the claims")
    assert process.pid is not None
    os.kill(process.pid, signal.SIGTERM)
    crew.finish([process])

    assert [live_scene.status(run_id) for run_id in (finishing, returning, waiting)] == [
        "succeeded",
        "queued",
        "queued",
    ]
    assert live_scene.run(returning).claim_count == 0
    assert live_scene.drain() == [returning, waiting]


@pytest.mark.req("W4", "Q6", "Q8")
def test_workers_killed_again_and_again_during_a_drain_lose_nothing(live_scene: Scene, tmp_path: Path) -> None:
    """Every third finished run costs a worker its life; half of them come back under their old name."""
    live_scene.rules = crew.QUICK
    chance = random.Random(300)
    count = KILLS * 10 // 3
    live_scene.submit_many(count - count // 3)
    live_scene.submit_many(count // 3, build=live_scene.new_build(status=None), priority=20)
    names = iter(range(10**6))
    crowd = {
        name: crew.start(crew.drain, live_scene.url, name, 2, str(tmp_path))
        for name in [f"w{next(names)}" for _ in range(4)]
    }
    for number in range(KILLS):
        wait_until(lambda number=number: finished_count(live_scene) >= 3 * number, what="runs to finish", seconds=60)  # type: ignore[misc]
        victim = chance.choice(sorted(crowd))
        process = crowd.pop(victim)
        process.kill()
        process.join()
        successor = victim if chance.random() < 0.5 else f"w{next(names)}"
        crowd[successor] = crew.start(crew.drain, live_scene.url, successor, 2, str(tmp_path))

    crew.finish(list(crowd.values()))

    assert_drained(live_scene, count, tmp_path)
    claimed = live_scene.read(sa.select(sa.func.sum(runs.c.claim_count).label("number")))[0].number
    assert claimed > count  # some were killed with work in hand


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Postgres]:
    server = Postgres(is_crash_safe=True)
    yield server
    server.stop()


@pytest.mark.req("W4", "W5")
def test_a_database_that_restarts_during_claims_and_finishes_loses_nothing(
    own_server: Postgres, tmp_path: Path
) -> None:
    """Case 20: stopped and crashed in turn, while workers claim, finish and sweep."""
    backend = databases.ServerBackend(own_server.url(), name="ade_restart")
    scene = Scene(backend.fresh_url(tmp_path), rules=crew.QUICK)
    scene.submit_many(300)
    processes = [crew.start(crew.drain, scene.url, f"w{number}", 2, str(tmp_path)) for number in range(3)]
    for number in range(4):
        wait_until(
            lambda number=number: crew.through(lambda: finished_count(scene)) >= 50 * (number + 1),  # type: ignore[misc]
            what="runs to finish",
        )
        own_server.restart(crash=number % 2 == 1)
    crew.finish(processes)

    assert_drained(scene, 300, tmp_path)
    scene.close()


@pytest.mark.req("W5")
def test_a_write_whose_connection_is_lost_is_done_once(own_server: Postgres, tmp_path: Path) -> None:
    """Case 20: the server goes away in the middle of a claim, and comes back while it is tried again."""
    backend = databases.ServerBackend(own_server.url(), name="ade_restart")
    scene = Scene(backend.fresh_url(tmp_path), rules=crew.QUICK)
    run_id = scene.submit()
    worker, tries = scene.worker, 0

    def claim(tx: Transaction) -> list[object]:
        nonlocal tries
        tries += 1
        claimed = calls.claim(tx, worker, rules=crew.QUICK, room=Room(slots=1))
        if tries == 1:
            own_server.restart(crash=True)
        return list(claimed)

    crew.through(lambda: scene.write(claim))

    assert tries == 2
    assert scene.run(run_id).claim_count == 1
    scene.close()

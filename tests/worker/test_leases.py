"""Leases: a worker that lost one writes nothing, and stops in time when it cannot know."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from ade.database.schema import runs, workers
from ade.operations.queue import workers as worker_operations
from ade.operations.queue.rules import queue_rules
from databases import migrated
from postgres import Postgres, wait_until
from worker import processes
from worker.conftest import OpenStage
from worker.stage import SLOW, Stage, assert_gapless, hooked


@pytest.mark.slow
@pytest.mark.req("Q6", "A3")
def test_a_worker_stopped_past_its_lease_writes_nothing_when_it_wakes(open_stage: OpenStage) -> None:
    stage = open_stage(lease_seconds=2)
    run_id = stage.submit_one(hooked("print('at work')\ntime.sleep(4)"))
    zombie = stage.start("worker")
    stage.wait_for_event(run_id, "engine.run.started")
    stage.freeze(zombie)  # its child continues and ends; nobody is there to take the result

    stage.work_off([run_id])
    before, log = stage.run(run_id), stage.file(run_id, "logs.txt")
    zombie.send_signal(signal.SIGCONT)
    wait_until(lambda: "run.lost" in stage.log(zombie), what="the worker to notice", seconds=120)
    stage.stop(zombie)

    after = stage.run(run_id)
    assert after == before
    assert stage.file(run_id, "logs.txt") == log
    assert (after.status, after.claim_count) == ("succeeded", 2)
    assert_gapless(stage.events(run_id))
    assert {name.partition("/")[0] for name in stage.file_names(run_id)} == {after.file_key.rpartition("/")[2]}


@pytest.mark.slow
@pytest.mark.req("Q6")
def test_a_busy_run_longer_than_its_lease_is_not_taken_away(open_stage: OpenStage) -> None:
    stage = open_stage(lease_seconds=2)
    run_id = stage.submit_one(hooked("end = time.monotonic() + 5\nwhile time.monotonic() < end:\n    pass"))

    with stage.worker(), stage.worker():
        stage.wait_for_end([run_id])

    assert (stage.run(run_id).status, stage.run(run_id).claim_count) == ("succeeded", 1)


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """A server of its own, that a test may take away."""
    server = Postgres()
    yield server
    server.stop()


@pytest.fixture
def own_stage(own_postgres: Postgres, tmp_path: Path) -> Iterator[Stage]:
    """A stage on that server."""
    stage = Stage(tmp_path / "data", database_url=migrated(own_postgres.url()), lease_seconds=3)
    yield stage
    stage.close()


@pytest.mark.slow
@pytest.mark.req("Q6")
def test_without_a_database_a_worker_ends_its_children_before_their_lease(
    own_stage: Stage, own_postgres: Postgres
) -> None:
    run_id = own_stage.submit_one(SLOW)
    worker = own_stage.start("worker")
    own_stage.wait_for_event(run_id, "engine.run.started")
    children = processes.below(worker.pid)
    own_postgres.pause()
    try:
        wait_until(lambda: len(processes.living(children)) < len(children), what="the run's processes to be ended")
    finally:
        own_postgres.resume()

    own_stage.wait_for_event(run_id, "run.requeued")
    wait_until(lambda: own_stage.run(run_id).claim_count == 2, what="the run to be claimed again", seconds=120)
    assert worker.poll() is None
    assert_gapless(own_stage.events(run_id))


@pytest.mark.slow
@pytest.mark.req("Q6")
def test_a_worker_that_starts_while_the_database_is_away_waits_for_it(
    own_stage: Stage, own_postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    """The worker of `ade serve` is a thread that nobody starts again."""
    run_id = own_stage.submit_one()
    own_postgres.halt()
    with own_stage.worker():
        wait_until(lambda: "worker.registration_postponed" in capsys.readouterr().out, what="a try to register")
        own_postgres.start_again()
        own_stage.wait_for(run_id, "succeeded")


@pytest.mark.slow
@pytest.mark.req("Q6")
def test_a_worker_stops_in_good_order_although_the_database_is_away(
    own_stage: Stage, own_postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    with own_stage.worker():
        wait_until(lambda: bool(own_stage.living_workers()), what="the worker to start")
        own_postgres.halt()
    assert "worker.stopped" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.req("Q6", "Q7")
def test_what_a_worker_dropped_by_a_fault_is_recovered_although_the_worker_lives(open_local: OpenStage) -> None:
    """A heartbeat keeps alive what is worked on, not all that was ever claimed."""
    local = open_local(lease_seconds=2)
    run_id = local.submit_one()

    with local.worker() as worker:
        wait_until(lambda: bool(local.living_workers()), what="the worker to start")
        (local.folder / "work" / "1").chmod(0o755)
        broken = local.folder / "work" / "1"
        moved = broken.rename(broken.with_name("away"))  # no attempt can start
        broken.touch()
        wait_until(lambda: local.build_of(run_id).claim_count >= 2, what="the build to be recovered", seconds=120)
        broken.unlink()
        moved.rename(broken)
        local.wait_for_end([run_id])
        assert worker.worker_id

    assert local.run(run_id).status == "succeeded"


@pytest.mark.slow
@pytest.mark.req("Q6")
def test_a_worker_that_was_declared_dead_enters_anew_and_works_on(stage: Stage) -> None:
    rules = queue_rules(stage.system.settings)

    with stage.worker() as worker:
        wait_until(lambda: bool(stage.living_workers()), what="the worker to start")
        first = worker.worker_id
        stage.write(lambda tx: worker_operations.declare_dead(tx, first, rules=rules))
        run_id = stage.submit_one()
        stage.wait_for_end([run_id])

    assert stage.run(run_id).status == "succeeded"
    assert stage.run(run_id).claimed_by != first
    assert len(stage.read(sa.select(workers))) == 2
    assert stage.read(sa.select(runs.c.id).where(runs.c.claimed_by == first)) == []

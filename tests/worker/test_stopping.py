"""Workers that stop, in good order."""

import signal

import pytest

from ade.database.queue.workers import request_drain
from ports import free_port
from postgres import wait_until
from worker import processes
from worker.conftest import OpenStage
from worker.stage import SIMPLE, SLOW, Stage, assert_gapless, hooked


@pytest.mark.slow
@pytest.mark.req("W3")
def test_sigterm_lets_a_run_finish_and_claims_nothing_more(stage: Stage) -> None:
    configuration = stage.configuration(hooked("time.sleep(2)"))
    run_ids = stage.submit(configuration, *[stage.document() for _ in range(3)])
    worker = stage.start("worker", "--concurrency", "1")
    stage.wait_for_event(run_ids[0], "engine.run.started")

    code = stage.stop(worker)

    assert code == 0
    assert [stage.run(run_id).status for run_id in run_ids] == ["succeeded", "queued", "queued"]
    assert stage.living_workers() == []
    assert stage.work_folders() == []


@pytest.mark.slow
@pytest.mark.req("W3")
def test_sigterm_gives_back_what_does_not_finish_within_the_grace(open_stage: OpenStage) -> None:
    stage = open_stage(shutdown_grace_seconds=0.2)
    run_id = stage.submit_one(SLOW)
    worker = stage.start("worker")
    stage.wait_for_event(run_id, "engine.run.started")
    children = processes.below(worker.pid)

    code = stage.stop(worker)

    assert code == 0
    run = stage.run(run_id)
    assert (run.status, run.claim_count, run.block_mask) == ("queued", 0, 0)
    assert processes.living(children) == set()
    assert stage.work_folders() == []
    assert_gapless(stage.events(run_id))


@pytest.mark.slow
@pytest.mark.req("W3", "W2")
def test_sigterm_to_serve_gives_back_what_its_worker_holds(open_stage: OpenStage) -> None:
    stage = open_stage(shutdown_grace_seconds=0.2)
    run_id = stage.submit_one(SLOW)
    server = stage.start("serve", port=free_port())
    stage.wait_for_event(run_id, "engine.run.started")
    children = processes.below(server.pid)

    code = stage.stop(server)

    assert code == 0
    assert (stage.run(run_id).status, stage.run(run_id).claim_count) == ("queued", 0)
    assert processes.living(children) == set()
    assert stage.living_workers() == []


@pytest.mark.slow
@pytest.mark.req("W3")
def test_a_run_that_was_given_back_runs_again_and_its_stream_goes_on(open_stage: OpenStage) -> None:
    stage = open_stage(shutdown_grace_seconds=0.2)
    run_id = stage.submit_one(hooked("time.sleep(3)"))
    first = stage.start("worker")
    stage.wait_for_event(run_id, "engine.run.started")
    stage.stop(first)
    seen = stage.events(run_id)

    stage.work_off([run_id])

    events = stage.events(run_id)
    assert stage.run(run_id).status == "succeeded"
    assert_gapless(events)
    assert events[: len(seen)] == seen
    assert len({name.partition("/")[0] for name in stage.file_names(run_id)}) == 1


@pytest.mark.slow
@pytest.mark.req("W3")
def test_a_worker_asked_to_drain_claims_nothing(stage: Stage) -> None:
    with stage.worker() as worker:
        wait_until(lambda: bool(worker.worker_id), what="the worker to start")
        assert stage.write(lambda tx: request_drain(tx, worker.worker_id))
        run_id = stage.submit_one(SIMPLE)
        stage.wait_for_heartbeats(worker.worker_id, 3)

        assert stage.run(run_id).status == "queued"


@pytest.mark.slow
def test_a_second_sigterm_changes_nothing(open_local: OpenStage) -> None:
    local = open_local(shutdown_grace_seconds=1)
    run_id = local.submit_one(SLOW)
    worker = local.start("worker")
    local.wait_for_event(run_id, "engine.run.started")
    worker.send_signal(signal.SIGTERM)

    assert local.stop(worker) == 0
    assert local.run(run_id).status == "queued"

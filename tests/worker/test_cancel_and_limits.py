"""Runs that are stopped: by a person, or by a limit that has a name."""

import os
import threading

import pytest

from postgres import wait_until
from worker import processes
from worker.conftest import OpenStage
from worker.stage import SIMPLE, SLOW, STUBBORN, Stage, assert_gapless, hooked


@pytest.mark.slow
@pytest.mark.req("R5")
def test_a_cancelled_run_that_ignores_signals_is_gone_with_its_whole_tree(stage: Stage) -> None:
    run_id = stage.submit_one(STUBBORN)

    with stage.worker():
        stage.wait_for_event(run_id, "engine.run.started")
        during = processes.below(os.getpid())
        stage.cancel(run_id)
        stage.wait_for(run_id, "cancelled")
        gone = during - processes.living(during)

    assert len(gone) >= 2  # the run's process and its keeper
    run = stage.run(run_id)
    assert (run.failure_code, run.lease_expires_at) == (None, None)
    kinds = [event["type"] for event in stage.events(run_id)]
    assert kinds[-2:] == ["run.cancel_requested", "run.cancelled"]
    assert_gapless(stage.events(run_id))
    assert stage.work_folders() == []


@pytest.mark.slow
@pytest.mark.req("R5")
def test_a_run_cancelled_while_it_waits_never_starts(local: Stage) -> None:
    run_id, other = local.submit_one(), local.submit_one()
    local.cancel(run_id)

    local.work_off([other])

    assert local.run(run_id).status == "cancelled"
    assert "run.claimed" not in [event["type"] for event in local.events(run_id)]


@pytest.mark.slow
@pytest.mark.req("R7", "R9")
def test_a_run_past_its_time_fails_with_a_message_that_names_the_limit(open_stage: OpenStage) -> None:
    stage = open_stage(run_timeout_seconds=3)
    run_id = stage.submit_one(hooked("print('here we go', flush=True)\ntime.sleep(600)"))

    stage.work_off([run_id])

    run = stage.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "timed_out")
    assert run.failure_message.startswith("The run was stopped: it may take 3 s, including the time to write its end.")
    assert "ADE_RUN_TIMEOUT_SECONDS" in run.failure_message
    assert "here we go" in stage.file(run_id, "logs.txt").decode()
    assert_gapless(stage.events(run_id))


LIMITS = {
    "cpu": ({"worker_cpu_seconds": 1}, "while True:\n    pass", "1 seconds of CPU"),
    "memory": ({"worker_mem_mb": 96}, "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * 1_000_000)", "memory"),
    "disk": ({"worker_fsize_mb": 1}, "with open('big', 'wb') as file:\n    file.write(bytes(5_000_000))", "1 MB"),
    "output": ({}, "while True:\n    print('x' * 10_000)", "printed more than"),
}


@pytest.mark.slow
@pytest.mark.req("R8", "R9")
def test_a_run_that_claims_a_full_disk_is_not_executed_again_while_there_is_room(local: Stage) -> None:
    run_id = local.submit_one(hooked("import errno\nraise OSError(errno.ENOSPC, 'No space left on device')"))

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "internal_error")
    assert "disk is full" in run.failure_message
    retried = [event["step"] for event in local.events(run_id) if event["type"] == "step.retried"]
    assert (run.claim_count, retried) == (1, [])


@pytest.mark.slow
@pytest.mark.req("S2", "R2")
@pytest.mark.parametrize("resource", sorted(LIMITS))
def test_a_limit_that_was_reached_is_a_failure_with_its_name(open_local: OpenStage, resource: str) -> None:
    settings, body, said = LIMITS[resource]
    local = open_local(**settings)
    run_id = local.submit_one(hooked(body))

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code, run.failure_resource) == ("failed", "resource_limit", resource)
    assert said in run.failure_message
    assert "step.retried" not in [event["type"] for event in local.events(run_id)]


@pytest.mark.slow
@pytest.mark.req("Q5")
def test_never_more_children_than_slots(open_local: OpenStage) -> None:
    local = open_local()
    configuration = local.configuration(SIMPLE)
    run_ids = local.submit(configuration, *local.documents(20))
    most, is_over = [0], threading.Event()

    def count() -> None:
        while not is_over.wait(0.005):
            most[0] = max(most[0], _keeper_count())

    watch = threading.Thread(target=count)
    watch.start()
    local.work_off(run_ids, slots=2)
    is_over.set()
    watch.join()

    assert local.statuses() == {"succeeded": 20}
    assert most[0] == 2


def _keeper_count() -> int:
    """Return how many children the zygotes of this process have."""
    zygotes = {pid for pid, command in _safe_names(os.getpid()).items() if "zygote" in command}
    direct = [process for pid in zygotes for process in processes.children(pid)]
    return len(processes.living(set(direct)))


def _safe_names(pid: int) -> dict[int, str]:
    return processes.names(processes.children(pid))


@pytest.mark.slow
@pytest.mark.req("S5")
def test_below_the_least_isolation_nothing_of_the_user_is_executed(open_local: OpenStage) -> None:
    from ade.sandbox.probe import probe

    if probe().level == "isolated":
        pytest.skip("this machine reaches the strongest level, so that nothing can be below the minimum")
    local = open_local(min_isolation="isolated")
    run_id = local.submit_one(hooked("print('never')"))

    local.work_off([run_id])

    assert "solation" in local.run(run_id).failure_message


@pytest.mark.slow
@pytest.mark.req("R5")
def test_cancelling_frees_the_slot_for_the_next_run(local: Stage) -> None:
    slow, quick = local.submit_one(SLOW), local.submit_one()

    with local.worker(slots=1):
        local.wait_for_event(slow, "engine.run.started")
        local.cancel(slow)
        local.wait_for(quick, "succeeded")

    assert local.run(slow).status == "cancelled"
    wait_until(lambda: local.work_folders() == [], what="the work folders to be empty")

"""kill -9 at random moments: nothing is lost, nothing ends twice, and nothing stays behind.

Five moments by default, one for each that can die; ADE_TEST_DEATHS=100 for the whole number.
"""

import os
import random
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
import sqlalchemy as sa

from ade.clock import SystemClock
from ade.database.schema import events, runs
from ade.operations.maintenance.retention import collect_orphans
from ports import free_port
from postgres import wait_until
from worker import processes
from worker.conftest import OpenStage
from worker.stage import SLOW, Stage, assert_gapless, hooked

DEATHS = int(os.environ.get("ADE_TEST_DEATHS", "5"))
BRIEF = hooked("time.sleep(0.2)")
ENDINGS = ("run.succeeded", "run.failed", "run.cancelled")


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def worker_of(process: "subprocess.Popen[str]") -> set[processes.Process]:
    """Return the worker itself."""
    identity = processes.identify(process.pid)
    return {identity} if identity else set()


def zygote_of(process: "subprocess.Popen[str]") -> set[processes.Process]:
    """Return the zygotes of a worker."""
    found = processes.children(process.pid)
    return {each for each in found if "zygote" in processes.names({each}).get(each[0], "")}


def keepers_of(process: "subprocess.Popen[str]") -> set[processes.Process]:
    """Return what watches the children of a worker."""
    return {keeper for pid, _ in zygote_of(process) for keeper in processes.children(pid)}


def payloads_of(process: "subprocess.Popen[str]") -> set[processes.Process]:
    """Return the processes that run user code: the grandchildren of keepers."""
    inits = {init for pid, _ in keepers_of(process) for init in processes.children(pid)}
    return {payload for pid, _ in inits for payload in processes.children(pid)}


VICTIMS: dict[str, Callable[["subprocess.Popen[str]"], set[processes.Process]]] = {
    "worker": worker_of,
    "zygote": zygote_of,
    "keeper": keepers_of,
    "child": payloads_of,
}


@pytest.mark.slow
@pytest.mark.req("W4", "Q7", "Q8", "A3")
@pytest.mark.parametrize("command", ["worker", "serve"])
def test_whatever_is_killed_nothing_is_lost_and_nothing_ends_twice(open_stage: OpenStage, command: str) -> None:
    stage = open_stage(run_max_claims=100, lease_seconds=5)
    chance = random.Random(command)
    configuration = stage.configuration(BRIEF)
    stage.work_off(stage.submit(configuration))  # the build is made: a child killed while it is proven fails it
    run_ids = stage.submit(configuration, *stage.documents(2 * DEATHS + 10))
    seen: set[processes.Process] = set()
    process = start(stage, command)

    for number in range(DEATHS):
        wait_for_zygote(process)
        SystemClock().sleep(timedelta(seconds=chance.uniform(0, 0.6)))
        seen |= processes.below(process.pid)
        victims = VICTIMS[["worker", "zygote", "keeper", "child", "worker"][number % 5]](process)
        for pid, _ in victims:
            kill(pid)
        if process.pid in {pid for pid, _ in victims}:
            process.wait()
            process = start(stage, command)
    stage.wait_for_end(run_ids, seconds=400)
    seen |= processes.below(process.pid)
    stage.stop(process)

    assert_all_ended_once(stage, run_ids)
    wait_until(lambda: processes.living(seen) == set(), what="every process to be gone")
    assert stage.work_folders() == []
    collect_orphans(stage.system.database, stage.system.files)
    for run_id in run_ids:
        assert_gapless(stage.events(run_id))
        assert len({name.partition("/")[0] for name in stage.file_names(run_id)}) == 1


def wait_for_zygote(process: "subprocess.Popen[str]") -> None:
    wait_until(lambda: bool(zygote_of(process)), what="the worker to start", seconds=120)


def start(stage: Stage, command: str) -> "subprocess.Popen[str]":
    return stage.start(command, port=free_port())


def assert_all_ended_once(stage: Stage, run_ids: list[str]) -> None:
    """Prove that each run has one ending, and that what failed was killed in its own process.

    Or twice while its process was made ready: after the second time it is not tried again.
    """
    for run_id in run_ids:
        run = stage.run(run_id)
        assert run.status in {"succeeded", "failed"}, run.status
        if run.status == "failed" and "could not be started" not in run.failure_message:
            assert run.failure_code == "process_terminated", run.failure_message
    told = sa.select(events.c.subject_id).where(events.c.subject_kind == "run", events.c.type.in_(ENDINGS))
    ended = [row.subject_id for row in stage.read(told) if row.subject_id in set(run_ids)]
    assert sorted(ended) == sorted(run_ids)
    failed = stage.read(sa.select(runs.c.id).where(runs.c.status == "failed"))
    assert len(failed) <= 2 * DEATHS


@pytest.mark.slow
@pytest.mark.req("Q8", "W4")
def test_a_worker_that_starts_again_recovers_at_once_what_its_predecessor_held(open_stage: OpenStage) -> None:
    stage = open_stage(lease_seconds=3600)  # no lease runs out in this test
    run_id = stage.submit_one(SLOW)
    first = stage.start("worker")
    stage.wait_for_event(run_id, "engine.run.started")
    children = processes.below(first.pid)
    kill(first.pid)
    first.wait()
    wait_until(lambda: processes.living(children) == set(), what="its processes to be gone")

    second = stage.start("worker")
    wait_until(lambda: stage.run(run_id).claim_count == 2, what="the run to be claimed again", seconds=120)
    stage.cancel(run_id)
    stage.wait_for(run_id, "cancelled")
    stage.stop(second)

    assert_gapless(stage.events(run_id))
    assert stage.work_folders() == []


@pytest.mark.slow
@pytest.mark.req("Q7")
def test_a_run_whose_workers_keep_dying_fails_in_the_end(open_stage: OpenStage) -> None:
    stage = open_stage(run_max_claims=2)
    run_id = stage.submit_one(SLOW)
    for claim_count in (1, 2):
        process = stage.start("worker")
        wait_until(
            lambda count=claim_count: stage.run(run_id).claim_count == count,  # type: ignore[misc]
            what="a claim",
            seconds=120,
        )
        kill(process.pid)
        process.wait()

    last = stage.start("worker")
    stage.wait_for(run_id, "failed")
    stage.stop(last)

    assert stage.run(run_id).failure_code == "process_terminated"
    assert_gapless(stage.events(run_id))


@pytest.mark.slow
@pytest.mark.req("W4", "B3")
def test_a_worker_killed_while_it_installs_leaves_no_installer_behind(open_stage: OpenStage) -> None:
    """An index that accepts and never answers keeps uv waiting."""
    import socket

    stage = open_stage()
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        os.environ["UV_INDEX_URL"] = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        try:
            run_id = stage.submit_one({**BRIEF, "requirements.txt": "greeting\n"})
            process = stage.start("worker")
        finally:
            del os.environ["UV_INDEX_URL"]
        wait_until(lambda: "uv" in " ".join(_names_below(process.pid)), what="uv to start", seconds=120)
        left = processes.below(process.pid)
        kill(process.pid)
        process.wait()
        wait_until(lambda: processes.living(left) == set(), what="the installer to be gone")

    assert stage.build_of(run_id).status == "building"


def _names_below(pid: int) -> list[str]:
    return [name.split(" ")[0].rpartition("/")[2] for name in processes.names(processes.below(pid)).values()]

"""A worker whose loop hangs is found from outside."""

import signal

import pytest

from postgres import wait_until
from worker.conftest import OpenStage


@pytest.mark.slow
@pytest.mark.req("W2")
def test_a_worker_is_healthy_while_its_loop_turns_and_only_then(open_local: OpenStage) -> None:
    stage = open_local(lease_seconds=1, tick_seconds=0.05)

    def is_healthy() -> bool:
        return stage.call("worker", "--check").returncode == 0

    nobody = stage.call("worker", "--check")
    worker = stage.start("worker")
    wait_until(is_healthy, what="the worker to be healthy", seconds=60)
    stage.freeze(worker)
    wait_until(lambda: not is_healthy(), what="a worker that stands still to be found", seconds=60)
    hanging = stage.call("worker", "--check")
    worker.send_signal(signal.SIGCONT)
    wait_until(is_healthy, what="the worker to be healthy again", seconds=60)
    assert stage.stop(worker) == 0

    assert (nobody.returncode, "No worker" in nobody.stderr) == (1, True)
    assert "Worker 1 hangs" in hanging.stderr
    assert not list((stage.folder / "workers").glob("*.pulse"))


def test_a_worker_that_waits_for_its_runs_to_end_is_healthy(open_local: OpenStage) -> None:
    stage = open_local(lease_seconds=1)
    with stage.worker() as worker:
        pulse = stage.folder / "workers/1.pulse"
        wait_until(pulse.is_file, what="a pulse")
        usual = float(pulse.read_text())
        worker.stop()
        wait_until(
            lambda: not pulse.is_file() or float(pulse.read_text()) > usual + 10, what="a longer one, or the end"
        )

    assert not pulse.exists()

"""Network access of runs on a worker: checked again when a run is executed, and recorded."""

import sys

import pytest
import sqlalchemy as sa

from ade.database.schema import workers
from worker.conftest import OpenStage
from worker.stage import hooked

pytestmark = [
    pytest.mark.slow,
    pytest.mark.req("S3"),
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]
ASKS = hooked(
    "import urllib.request, urllib.error\n"
    "try:\n"
    "    urllib.request.urlopen('http://10.0.0.1/', timeout=20)\n"
    "except urllib.error.HTTPError as error:\n"
    "    print('answered', error.code)"
)


def test_a_worker_that_gives_no_network_access_fails_a_run_that_was_submitted_with_it(open_local: OpenStage) -> None:
    stage = open_local()  # as after a restart with another setting, or on another host
    run_id = stage.submit_one(ASKS, runtime_network_access=True)

    stage.work_off([run_id])

    run = stage.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "network_unavailable")
    assert "ADE_RUNTIME_NETWORK_ACCESS is never" in run.failure_message
    assert "answered" not in stage.file(run_id, "logs.txt").decode()


def test_what_a_run_asks_for_is_in_its_events(open_local: OpenStage) -> None:
    stage = open_local(runtime_network_access="ask")
    run_id = stage.submit_one(ASKS, runtime_network_access=True)

    stage.work_off([run_id])

    run = stage.run(run_id)
    assert run.status == "succeeded", run.failure_message
    assert "answered 403" in stage.file(run_id, "logs.txt").decode()
    [refused] = [event for event in stage.events(run_id) if event["type"].startswith("network.")]
    assert (refused["type"], refused["host"], refused["port"]) == ("network.refused", "10.0.0.1", 80)


def test_a_run_that_was_not_submitted_with_it_has_no_network(open_local: OpenStage) -> None:
    stage = open_local(runtime_network_access="ask")
    run_id = stage.submit_one(hooked("import socket\nsocket.socket()"))

    stage.work_off([run_id])

    assert stage.run(run_id).failure_code == "configuration_error"


@pytest.mark.parametrize("setting", ["never", "ask"])
def test_a_worker_reports_which_runs_get_network_access(open_local: OpenStage, setting: str) -> None:
    stage = open_local(runtime_network_access=setting)
    run_id = stage.submit_one()

    stage.work_off([run_id])

    [worker] = stage.read(sa.select(workers))
    assert worker.details["network"] == setting

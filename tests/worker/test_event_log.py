"""A claim's stream carries on what the one before left."""

import json
from pathlib import Path

import pytest

from ade.clock import SystemClock
from ade.files import LocalFiles
from ade.worker.event_log import MOST_RELAYED, MOST_RELAYED_BYTES, EventLog
from ade_engine.protocol import Event


@pytest.mark.req("R8", "W4")
def test_a_line_that_was_cut_off_in_the_middle_of_a_stream_is_left_out_and_the_rest_goes_on(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    whole = [json.dumps({"seq": number, "type": "step.started", "lifecycle": number}) for number in (1, 2, 3)]
    files.write("runs/a/1/events.ndjson", ["\n".join([whole[0], '{"seq": 2, "ty', *whole[1:], ""]).encode()])

    log = EventLog(files, "runs/a/2", clock=SystemClock(), subject={"run_id": "a"})
    log.begin(earlier_folder="runs/a/1", lifecycle=[])
    log.record("step.started")

    lines = b"".join(files.read("runs/a/2/events.ndjson")).splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 4]


@pytest.mark.req("S6")
def test_a_run_that_sends_too_many_events_has_the_first_of_them_and_one_that_says_so(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    log = EventLog(files, "runs/a/1", clock=SystemClock(), subject={"run_id": "a"})
    for _ in range(MOST_RELAYED // 1000 + 2):
        log.relay([Event(name="a", data={}) for _ in range(999)])
    log.record("run.finishing", status="succeeded")

    kinds = [json.loads(line)["type"] for line in b"".join(files.read("runs/a/1/events.ndjson")).splitlines()]

    assert kinds == ["engine.a"] * MOST_RELAYED + ["events.left_out", "run.finishing"]


@pytest.mark.req("S6")
def test_events_of_a_run_have_a_limit_of_bytes_too(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    log = EventLog(files, "runs/a/1", clock=SystemClock(), subject={"run_id": "a"})
    for _ in range(5):
        log.relay([Event(name="a", data={"text": "x" * 1000}) for _ in range(500)])

    content = b"".join(files.read("runs/a/1/events.ndjson"))

    assert MOST_RELAYED_BYTES < len(content) < MOST_RELAYED_BYTES + 4000
    assert json.loads(content.splitlines()[-1])["type"] == "events.left_out"

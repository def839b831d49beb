"""A claim's stream carries on what the one before left."""

import json
from pathlib import Path

import pytest

from ade.clock import SystemClock
from ade.files import LocalFiles
from ade.worker.event_log import EventLog


@pytest.mark.req("R8", "W4")
def test_a_line_that_was_cut_off_in_the_middle_of_a_stream_is_left_out_and_the_rest_goes_on(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    whole = [json.dumps({"seq": number, "type": "step.started", "lifecycle": number}) for number in (1, 2, 3)]
    files.write("runs/a/1/events.ndjson", ["\n".join([whole[0], '{"seq": 2, "ty', *whole[1:], ""]).encode()])

    log = EventLog(files, "runs/a/2", clock=SystemClock(), subject={"run_id": "a"})
    log.begin(earlier_folder="runs/a/1", lifecycle=[])
    log.tell("step.started")

    lines = b"".join(files.read("runs/a/2/events.ndjson")).splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 4]

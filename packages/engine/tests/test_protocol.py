"""Messages survive the way; what is not a message is refused."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.protocol import MAX_LINE_BYTES, Event, Failure, InvalidMessage, Request, Result, read_line, write_line

TEXT = st.text(max_size=20)
DATA = st.dictionaries(TEXT, st.none() | st.booleans() | st.integers() | TEXT, max_size=4)


@given(name=st.text(min_size=1, max_size=64), data=DATA)
def test_an_event_survives_the_way(name: str, data: dict[str, object]) -> None:
    event = Event(name, data)

    line = write_line(event)

    assert line.count(b"\n") == 1
    assert read_line(line) == event


@given(outputs=st.lists(TEXT, max_size=3), summary=DATA, message=st.text(max_size=240))
def test_a_result_survives_the_way(outputs: list[str], summary: dict[str, object], message: str) -> None:
    failure = Failure(code="resource_limit", message=message, cause="memory")
    result = Result(status="failed", failure=failure, outputs=tuple(outputs), summary=summary)

    assert read_line(write_line(result)) == result


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(line: bytes) -> None:
    with suppress(InvalidMessage):
        read_line(line)


@pytest.mark.parametrize(
    "values",
    [
        [],
        1,
        {},
        {"type": "over", "cause": "timed_out"},
        {"type": "event", "name": "", "data": {}},
        {"type": "event", "name": "x" * 65, "data": {}},
        {"type": "event", "name": 1, "data": {}},
        {"type": "event", "name": "x", "data": []},
        {"type": "result", "status": "cancelled", "outputs": [], "summary": {}},
        {"type": "result", "status": "succeeded", "outputs": [1], "summary": {}},
        {"type": "result", "status": "succeeded", "outputs": [], "summary": None},
        {"type": "result", "status": "failed", "outputs": [], "summary": {}, "failure": None},
        {"type": "result", "status": "failed", "outputs": [], "summary": {}, "failure": {"code": 1}},
    ],
)
def test_other_shapes_are_refused(values: object) -> None:
    with pytest.raises(InvalidMessage):
        read_line(json.dumps(values).encode())


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(InvalidMessage):
        read_line(b'"' + b"x" * MAX_LINE_BYTES + b'"')


def test_a_child_claims_only_what_it_can_know() -> None:
    failure = {"code": "timed_out", "message": "m" * 500, "cause": "cpu"}
    line = {"type": "result", "status": "failed", "outputs": [], "summary": {}, "failure": failure}

    result = read_line(json.dumps(line).encode())

    assert isinstance(result, Result)
    assert result.failure == Failure(code="internal_error", message="m" * 240)


def test_the_engine_serves_a_request_on_standard_input(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from ade_engine.protocol import Event\nemit(Event('rows.progress', {'rows': 1}))\n")
    request = Request(entry="script", output_folder=str(tmp_path), configuration_path=str(script))

    command = [sys.executable, "-m", "ade_engine"]
    answer = subprocess.run(command, input=json.dumps(request.as_json()), capture_output=True, text=True, check=True)

    assert [read_line(line.encode()) for line in answer.stdout.splitlines()] == [
        Event("rows.progress", {"rows": 1}),
        Result(status="succeeded"),
    ]

"""Messages survive the way; what is not a message is refused."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.__main__ import run
from ade_engine.protocol import MAX_LINE_BYTES, Event, Failure, InvalidMessage, Request, Result, read_line, write_line

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(min_value=-(2**63) + 1, max_value=2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
DATA = st.dictionaries(TEXT, st.none() | st.booleans() | NUMBERS | TEXT, max_size=4)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
    max_leaves=8,
)


@given(name=st.from_regex(r"[a-z][a-z0-9_.]{0,63}", fullmatch=True), data=DATA)
def test_an_event_survives_the_way(name: str, data: dict[str, object]) -> None:
    event = Event(name, data)

    line = write_line(event)

    assert line.count(b"\n") == 1
    assert read_line(line) == event


@given(outputs=st.lists(TEXT, max_size=3), summary=DATA, message=TEXT)
def test_a_result_survives_the_way(outputs: list[str], summary: dict[str, object], message: str) -> None:
    failure = Failure(code="resource_limit", message=message, cause="memory")
    result = Result(status="failed", failure=failure, outputs=tuple(outputs), summary=summary)

    assert read_line(write_line(result)) == result


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(line: bytes) -> None:
    with suppress(InvalidMessage):
        read_line(line)


@given(ANYTHING)
def test_whatever_a_message_holds_can_be_stored_anywhere(value: object) -> None:
    message = read_line(json.dumps({"type": "event", "name": "x", "data": {"value": value}}).encode())

    assert isinstance(message, Event)
    stored = json.dumps(dict(message.data), ensure_ascii=False, allow_nan=False)
    assert "\\u0000" not in stored
    stored.encode()


def test_what_cannot_be_stored_is_replaced_and_the_rest_kept() -> None:
    data = b'{"a\\u0000": "\\ud800 \\ud83d\\ude00 \xc3\xa9", "b": [NaN, 1e999, %d, 1.5]}' % 10**400

    message = read_line(b'{"type": "event", "name": "x", "data": ' + data + b"}")

    assert message == Event("x", {"a\ufffd": "\ufffd \U0001f600 \xe9", "b": [None, None, None, 1.5]})


@pytest.mark.parametrize("line", [b'{"type": "event", "name": "x", "data": {"a": "\xed\xa0\x80"}}', b"\xff\xfe{\0}\0"])
def test_bytes_that_are_no_text_are_refused(line: bytes) -> None:
    with pytest.raises(InvalidMessage):
        read_line(line)


def test_what_is_nested_too_deep_is_refused() -> None:
    deep = b"[" * 100 + b"]" * 100

    with pytest.raises(InvalidMessage, match="too deep"):
        read_line(b'{"type": "event", "name": "x", "data": {"a": ' + deep + b"}}")


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
        {"type": "event", "name": "x\ndata: forged", "data": {}},
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


@pytest.mark.parametrize("met", ["raise full", "raise ConfigurationError('columns/a.py, line 3') from full"])
def test_a_full_disk_is_not_blamed_on_the_rules(tmp_path: Path, met: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import errno\nfrom ade_engine import ConfigurationError\n"
        f"full = OSError(errno.ENOSPC, 'No space left on device')\n{met}\n"
    )
    request = Request(entry="script", output_folder=str(tmp_path), configuration_path=str(script))

    failure = run(request, lambda _: None).failure

    assert failure is not None
    assert failure.code == "internal_error"
    assert "disk is full" in failure.message

"""What the engine does with one request, as a child process runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ade_engine.__main__ import run
from ade_engine.configuration.starter import init_configuration
from ade_engine.errors import ResourceLimitExceeded
from ade_engine.protocol import Event, Request

SAMPLES = Path(__file__).parents[3] / "samples"


def told(request):
    messages = []
    return run(request, messages.append), messages


def test_a_request_is_run_with_events_and_a_result(tmp_path):
    request = Request(entry="engine", input_path=str(SAMPLES / "offset.xlsx"), output_folder=str(tmp_path))
    command = [sys.executable, "-m", "ade_engine"]
    done = subprocess.run(command, input=json.dumps(request.as_json()), capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 3
    assert (tmp_path / "normalized.xlsx").is_file()


def test_a_document_that_cannot_be_read_is_a_failed_result(tmp_path):
    request = Request(entry="engine", input_path=str(tmp_path / "none.xlsx"), output_folder=str(tmp_path))
    result, _ = told(request)
    assert (result.status, result.failure.code) == ("failed", "input_error")


def test_a_check_tells_problems_or_the_manifest(tmp_path):
    init_configuration(tmp_path / "rules")
    request = Request(entry="check", configuration_path=str(tmp_path / "rules"), output_folder=str(tmp_path))
    good, _ = told(request)
    (tmp_path / "rules/columns/email.py").write_text(
        "from ade_engine import Field\n\nfield = Field('email', typ='x')\n"
    )
    bad, messages = told(request)
    assert (good.status, bad.status) == ("succeeded", "failed")
    assert bad.failure.message.startswith("columns/email.py, line 3: ")
    assert [message.name for message in messages if isinstance(message, Event)] == ["problem"]


@pytest.mark.parametrize("entry", ["check", "script"])
def test_what_needs_a_folder_says_so(entry, tmp_path):
    result, _ = told(Request(entry=entry, output_folder=str(tmp_path)))
    assert result.failure.code == "configuration_error"


@pytest.mark.parametrize(
    ("body", "code", "cause"),
    [
        ("raise MemoryError", "resource_limit", "memory"),
        ("raise KeyError('x')", "configuration_error", ""),
        (
            f"raise {ResourceLimitExceeded.__module__}.ResourceLimitExceeded('much', resource='disk')",
            "resource_limit",
            "disk",
        ),
    ],
)
def test_whatever_a_script_raises_becomes_a_failure(body, code, cause, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import ade_engine.errors\n{body}\n")
    result, _ = told(Request(entry="script", configuration_path=str(script), output_folder=str(tmp_path)))
    assert (result.failure.code, result.failure.cause) == (code, cause)


def test_a_script_is_given_its_options_and_can_tell(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from ade_engine.protocol import Event\nemit(Event('seen', OPTIONS))\n")
    request = Request(
        entry="script", configuration_path=str(script), output_folder=str(tmp_path), options={"answer": 42}
    )
    result, messages = told(request)
    assert result.status == "succeeded"
    assert messages == [Event("seen", {"answer": 42})]

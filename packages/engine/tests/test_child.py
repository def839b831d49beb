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


def test_the_problems_of_a_configuration_are_told_and_fail_nothing(tmp_path, capsys):
    init_configuration(tmp_path / "rules")
    (tmp_path / "rules/columns/email.py").write_text(
        "from ade_engine import Field\n\nfield = Field('email', typ='x')\n"
    )
    request = Request(entry="problems", configuration_path=str(tmp_path / "rules"), output_folder=str(tmp_path))
    result, messages = told(request)
    assert result.status == "succeeded"
    assert [(message.name, message.data["file"], message.data["line"]) for message in messages] == [
        ("problem", "columns/email.py", 3)
    ]
    assert capsys.readouterr().err == ""


def test_a_configuration_is_inferred_into_a_folder_of_the_output(tmp_path):
    document = str(SAMPLES / "offset.xlsx")
    result, _ = told(
        Request(entry="infer", input_path=document, output_folder=str(tmp_path), options={"encoding": None})
    )
    nothing, _ = told(Request(entry="infer", output_folder=str(tmp_path)))
    assert result.outputs[-1] == "settings.toml"
    assert all((tmp_path / "configuration" / name).is_file() for name in result.outputs)
    assert (nothing.status, nothing.failure.code) == ("failed", "input_error")


def test_a_configuration_is_inferred_from_a_folder_of_examples(tmp_path):
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "0000.csv").write_text("Name,City\nAda,London\nAlan,Leeds\n", encoding="utf-8")
    (tmp_path / "examples" / "0001.csv").write_text("Name,Born\nGrace,1906\nEdsger,1930\n", encoding="utf-8")
    folder = str(tmp_path / "examples")
    result, _ = told(Request(entry="infer", input_path=folder, output_folder=str(tmp_path), options={"encoding": None}))
    assert [name for name in result.outputs if name.startswith("columns/")] == [
        "columns/name.py",
        "columns/city.py",
        "columns/born.py",
    ]


SHOWS_VALUE = """from ade_engine import Field

field = Field("email")


def validate(value):
    return f"is wrong: {value}"
"""


@pytest.mark.req("B6")
def test_a_warning_fails_no_check_and_is_told_with_the_manifest(tmp_path, capsys):
    init_configuration(tmp_path / "rules")
    (tmp_path / "rules/columns/email.py").write_text(SHOWS_VALUE)
    request = Request(entry="check", configuration_path=str(tmp_path / "rules"), output_folder=str(tmp_path))

    result, messages = told(request)

    assert (result.status, result.failure) == ("succeeded", None)
    [problem] = [message.data for message in messages if isinstance(message, Event)]
    assert (problem["severity"], problem["file"], problem["line"]) == ("warning", "columns/email.py", 7)
    assert result.summary["warnings"] == [problem]
    assert capsys.readouterr().err.startswith("warning: columns/email.py, line 7: ")


def test_an_import_error_names_its_place_once(tmp_path):
    init_configuration(tmp_path / "rules")
    (tmp_path / "rules/columns/email.py").write_text("\nfield = nothing\n")
    request = Request(entry="check", configuration_path=str(tmp_path / "rules"), output_folder=str(tmp_path))

    result, _ = told(request)

    assert result.failure.message == "columns/email.py, line 2: NameError: name 'nothing' is not defined."


def test_a_warning_hides_no_error_behind_it(tmp_path):
    init_configuration(tmp_path / "rules")
    (tmp_path / "rules/columns/email.py").write_text(SHOWS_VALUE)
    (tmp_path / "rules/hooks").mkdir(exist_ok=True)
    (tmp_path / "rules/hooks/late.py").write_text("def on_the_moon():\n    pass\n")
    request = Request(entry="check", configuration_path=str(tmp_path / "rules"), output_folder=str(tmp_path))

    result, _ = told(request)

    assert result.failure.message.startswith("hooks/late.py, line 1: there is no hook on_the_moon.")


@pytest.mark.parametrize("entry", ["check", "problems", "script"])
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

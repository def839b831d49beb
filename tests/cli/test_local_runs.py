"""ade run and ade check in the sandbox: odd places of files, packages, prints, levels, and --debug."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ade.cli.doctor import check_local_commands
from ade.domain.isolation import Isolation
from ade.sandbox.probe import Reached
from sandbox.rig import NOBODY

ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs the layers of Linux")
RULE = """
from ade_engine import Field
{imports}

field = Field("name")


def transform(value):
    {body}
    return value
"""


def ade(*words: str | Path, folder: Path, program: str = "-m ade", **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *program.split(maxsplit=1), *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a document and a configuration."""
    (tmp_path / "a.csv").write_text("Name,City\nAnn,Bonn\nBen,Ulm\n")
    write_rule(tmp_path / "rules")
    return tmp_path


def write_rule(configuration: Path, *, imports: str = "", body: str = "pass") -> None:
    (configuration / "columns").mkdir(parents=True, exist_ok=True)
    (configuration / "columns/name.py").write_text(RULE.format(imports=imports, body=body))


def only_file(answer: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    (file,) = json.loads(answer.stdout)["files"]
    return dict(file)


@pytest.mark.slow
@pytest.mark.req("C1")
def test_documents_and_configurations_in_odd_places_are_read(folder: Path) -> None:
    (folder / "my files").mkdir()
    (folder / "a.csv").rename(folder / "my files/list of 'names'.csv")
    (folder / "link.csv").symlink_to("my files/list of 'names'.csv")
    (folder / "current rules").symlink_to("rules")
    words = ["--config", "current rules", "--out", "rules/results", "--json"]

    spaces = ade("run", "my files/../my files/list of 'names'.csv", *words, folder=folder)
    link = ade("run", "link.csv", *words, folder=folder)

    assert (spaces.stderr, link.stderr) == ("", "")
    assert only_file(spaces)["output"] == "rules/results/list of 'names'/normalized.xlsx"
    assert json.loads((folder / only_file(link)["artifact"]).read_text())["input"]["name"] == "link.csv"
    assert (folder / "rules/results/link/normalized.xlsx").is_file()


@pytest.mark.slow
@pytest.mark.req("C1")
def test_a_file_on_standard_input_and_a_folder_that_cannot_be_written_are_read(folder: Path) -> None:
    (folder / "rules").chmod(0o555)

    with (folder / "a.csv").open() as content:
        answer = ade("run", "/dev/stdin", "--config", "rules", "--json", folder=folder, stdin=content)

    assert only_file(answer)["tables"][0]["columns"][0]["field"] == "name"


@pytest.mark.slow
@pytest.mark.req("C1")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_reads_what_others_have_closed(folder: Path) -> None:
    for path in (folder / "rules", *(folder / "rules").rglob("*"), folder / "a.csv"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.chown(path, NOBODY, NOBODY)

    answer = ade("run", "a.csv", "--config", "rules", "--json", folder=folder)
    checked = ade("check", "rules", folder=folder)

    assert only_file(answer)["status"] == "succeeded"
    assert json.loads((folder / only_file(answer)["artifact"]).read_text())["configuration"]["name"] == "rules"
    assert (checked.returncode, checked.stdout) == (0, "no problems\n")
    assert (folder / "out/a/normalized.xlsx").stat().st_uid == 0


@pytest.mark.slow
@pytest.mark.req("C1", "E7")
def test_rules_import_the_packages_of_this_environment_and_not_the_current_folder(folder: Path) -> None:
    (folder / "beside.py").write_text("")
    (folder / "given").mkdir()
    (folder / "given/lent.py").write_text("")
    write_rule(folder / "rules", imports="import click, lent")
    environment = {**os.environ, "PYTHONPATH": str(folder / "given")}

    good = ade("check", "rules", folder=folder, env=environment)
    run = ade("run", "a.csv", "--config", "rules", "--json", folder=folder, env=environment)
    write_rule(folder / "rules", imports="import beside")
    bad = ade("check", "rules", folder=folder)

    assert (good.stdout, only_file(run)["status"]) == ("no problems\n", "succeeded")
    assert "ModuleNotFoundError: No module named 'beside'" in bad.stdout


@pytest.mark.slow
@pytest.mark.req("C1")
@pytest.mark.parametrize("documents", [["a.csv"], ["a.csv", "b.csv"]], ids=["spawned", "forked from a zygote"])
def test_prints_of_rules_go_to_standard_error_and_leave_the_json_whole(folder: Path, documents: list[str]) -> None:
    (folder / "b.csv").write_bytes((folder / "a.csv").read_bytes())
    write_rule(folder / "rules", imports="import sys", body="print('seen', len(value)); print('Ünï', file=sys.stderr)")

    answer = ade("run", *documents, "--config", "rules", "--json", folder=folder)

    assert len(json.loads(answer.stdout)["files"]) == len(documents)
    assert answer.stderr == "seen 3\nÜnï\nseen 3\nÜnï\n" * len(documents)


@pytest.mark.slow
@pytest.mark.req("C1", "S5")
def test_the_level_is_in_the_json_and_in_the_verbose_summary(folder: Path) -> None:
    quiet, verbose = (ade("run", "a.csv", *words, folder=folder).stdout for words in ([], ["-v"]))
    level = only_file(ade("run", "a.csv", "--json", folder=folder))["isolation"]

    assert level in list(Isolation)
    assert "isolation" not in quiet
    assert f"  isolation: {level}\n" in verbose


# Makes system calls disappear, as on a system that lacks them, and then is the command.
WEAK = f"""-c import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
from sandbox.runner import deny
from ade.cli import main
deny(["landlock_create_ruleset"])
main()
"""


@LINUX
@pytest.mark.slow
@pytest.mark.req("C1", "S5")
def test_a_host_that_offers_less_says_in_one_line_what_is_missing(folder: Path) -> None:
    (folder / "b.csv").write_bytes((folder / "a.csv").read_bytes())

    ran = ade("run", "a.csv", "b.csv", "--config", "rules", folder=folder, program=WEAK)
    checked = ade("check", "rules", folder=folder, program=WEAK)
    built_in = ade("run", "a.csv", folder=folder, program=WEAK)

    # Root remains itself where nobody else can read its Python.
    said = r"ade: the rules ran at isolation level guarded, without (identity, )?landlock; `ade doctor` says why\n"
    assert (ran.returncode, checked.returncode) == (0, 0)
    assert re.fullmatch(said, ran.stderr)
    assert checked.stderr == ran.stderr
    assert built_in.stderr == ""  # no rules of anybody


@LINUX
@pytest.mark.slow
@pytest.mark.req("C1", "S5")
def test_a_level_can_be_required(folder: Path) -> None:
    ran = ade("run", "a.csv", "--config", "rules", "--min-isolation", "confined", folder=folder, program=WEAK)
    checked = ade("check", "rules", "--min-isolation", "confined", folder=folder, program=WEAK)
    unknown = ade("check", "rules", "--min-isolation", "strict", folder=folder)

    assert (ran.returncode, checked.returncode, unknown.returncode) == (1, 1, 2)
    assert "failed (isolation_unavailable): Isolation is guarded, and at least confined is required" in ran.stdout
    assert "at least confined is required" in checked.stderr
    assert "the rules ran" not in ran.stderr + checked.stderr
    assert unknown.stderr == "ade: --min-isolation strict is not one of open, limits, guarded, confined, isolated\n"


@pytest.mark.slow
@pytest.mark.req("C1")
def test_debug_stops_at_a_breakpoint_and_prints_at_once(folder: Path) -> None:
    write_rule(folder / "rules", body="breakpoint()")

    words = ["run", "a.csv", "--config", "rules", "--debug"]
    answer = ade(*words, folder=folder, input="p value\nc\np 'second', value\nc\n")

    assert "(Pdb) 'Ann'" in answer.stdout
    assert "(Pdb) ('second', 'Ben')" in answer.stdout
    assert "0 issues" in answer.stdout
    assert answer.stderr == (
        "ade: --debug: the rules run in this process, without the sandbox; use it for rules you trust\n"
    )


@pytest.mark.slow
@pytest.mark.req("C1")
def test_debug_shows_what_a_rule_raised_with_its_text_and_value(folder: Path) -> None:
    write_rule(folder / "rules", body="return {'Ann': 'A'}[value]")

    answer = ade("run", "a.csv", "--config", "rules", "--debug", folder=folder)

    assert "KeyError: 'Ben'\n  value = 'Ben'\n" in answer.stderr
    assert "Ben" not in (folder / "out/a/issues.ndjson").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.req("C1")
def test_results_of_an_earlier_run_do_not_stay_beside_a_failure(folder: Path) -> None:
    ade("run", "a.csv", "--config", "rules", folder=folder)
    write_rule(folder / "rules", body="import os; os._exit(1)")

    answer = ade("run", "a.csv", "--config", "rules", folder=folder)

    assert answer.returncode == 1
    assert "failed (process_terminated)" in answer.stdout
    assert list((folder / "out/a").iterdir()) == []


@pytest.mark.req("C1", "S5")
@pytest.mark.parametrize(("level", "verdict"), [("limits", "warning"), ("confined", "ok"), ("isolated", "ok")])
def test_the_doctor_says_how_well_local_commands_isolate_rules(level: str, verdict: str) -> None:
    check = check_local_commands(Reached(level=Isolation(level), missing={}, description=""))

    assert (check.name, check.verdict) == ("local commands", verdict)
    assert check.found == f"ade run and ade check execute rules at {level}"

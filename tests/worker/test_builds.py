"""Builds: made once, proven, shared, and made again when what they left is gone or not what it was."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
import sqlalchemy as sa

from ade.database.schema import builds, configuration_files
from ade.operations.content import inspection
from ade.sandbox.removal import remove_folder
from ade.worker.uv_process import command
from worker.conftest import OpenStage
from worker.stage import NAME_RULE, PEOPLE, SIMPLE, Stage, assert_gapless, hooked
from worker.wheels import make_hostile_source, make_wheel

BROKEN = {"columns/name.py": 'from ade_engine import Field\n\nfield = Field("name"\n'}
GREETING = hooked("import greeting\nprint(greeting.WORD)")


@pytest.mark.slow
@pytest.mark.req("B4", "B8")
def test_many_runs_of_one_configuration_share_one_build_that_is_made_once(stage: Stage) -> None:
    configuration = stage.configuration(SIMPLE)
    run_ids = stage.submit(configuration, *[stage.document() for _ in range(12)])

    with stage.worker(), stage.worker():
        stage.wait_for_end(run_ids)

    assert stage.statuses() == {"succeeded": 12}
    [build] = stage.read(sa.select(builds))
    assert (build.status, build.claim_count) == ("ready", 1)
    kinds = [event["type"] for event in stage.events(build.id, kind="build")]
    assert kinds.count("build.claimed") == 1
    assert [field["name"] for field in build.manifest["fields"]] == ["name"]


@pytest.mark.slow
@pytest.mark.req("B8")
def test_fields_and_their_files_may_be_named_in_any_script(stage: Stage) -> None:
    rule = 'from ade_engine import Field\n\nfield = Field("имя", aliases=["Name"])\n'
    run_id = stage.submit_one(
        {"columns/имя.py": rule, "columns/客户.py": rule.replace("имя", "客户").replace("Name", "Age")}
    )

    stage.work_off([run_id])

    assert stage.run(run_id).status == "succeeded", stage.run(run_id).failure_message
    assert [field["name"] for field in stage.build_of(run_id).manifest["fields"]] == ["имя", "客户"]


@pytest.mark.slow
@pytest.mark.req("B6", "B8", "R9")
def test_a_broken_configuration_fails_its_build_and_its_runs_with_file_and_line(stage: Stage) -> None:
    configuration = stage.configuration(BROKEN)
    run_ids = stage.submit(configuration, *[stage.document() for _ in range(3)])

    stage.work_off(run_ids)

    build = stage.build_of(run_ids[0])
    assert (build.status, build.failure_code) == ("failed", "configuration_error")
    assert "columns/name.py, line 3" in build.failure_message
    for run_id in run_ids:
        run = stage.run(run_id)
        assert (run.status, run.failure_code) == ("failed", "build_failed")
        assert run.failure_message == build.failure_message
    assert_gapless(stage.events(build.id, kind="build"))
    problems = [event for event in stage.events(build.id, kind="build") if event["type"] == "engine.problem"]
    assert problems[0]["file"] == "columns/name.py"


SHOWS_VALUE = {"columns/name.py": f'{NAME_RULE}\n\ndef validate(value):\n    return f"is wrong: {{value}}"\n'}
NEVER_CALLED = {**SIMPLE, "row_types/data.py": "def helper(row):\n    return 1\n"}


@pytest.mark.slow
@pytest.mark.req("B6", "E7")
@pytest.mark.parametrize("files", [SHOWS_VALUE, NEVER_CALLED], ids=["a value in a message", "a function never called"])
def test_a_warning_is_shown_and_fails_neither_check_nor_build_nor_run(
    local: Stage, tmp_path: Path, files: dict[str, str]
) -> None:
    for path, text in files.items():
        (tmp_path / "rules" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "rules" / path).write_text(text)
    (tmp_path / "people.csv").write_bytes(PEOPLE)
    checked = local.call("check", str(tmp_path / "rules"), "--json")
    ran = local.call(
        "run", str(tmp_path / "people.csv"), "--config", str(tmp_path / "rules"), "--out", str(tmp_path / "out")
    )
    asked = inspection.check_of({path: text.encode() for path, text in files.items()})

    run_id = local.submit_one(files)
    local.work_off([run_id])

    [problem] = json.loads(checked.stdout)["problems"]
    assert (checked.returncode, problem["severity"], asked) == (0, "warning", json.loads(checked.stdout))
    assert local.run(run_id).status == "succeeded", local.run(run_id).failure_message
    build = local.build_of(run_id)
    assert (build.status, build.manifest["warnings"]) == ("ready", [problem])
    [told] = [event for event in local.events(build.id, kind="build") if event["type"] == "engine.problem"]
    assert (told["severity"], told["message"]) == ("warning", problem["message"])
    place = f"{problem['file']}, line {problem['line']}"
    assert f"warning: {place}: " in b"".join(local.system.files.read(f"{build.file_key}/logs.txt")).decode()
    issues = [json.loads(line) for line in local.file(run_id, "issues.ndjson").splitlines()]
    messages = [issue["message"] for issue in issues]
    assert messages == (["is wrong: \u2026"] * 2 if files is SHOWS_VALUE else [])
    assert ran.returncode == (3 if messages else 0)


@pytest.mark.slow
@pytest.mark.req("B9")
@pytest.mark.parametrize("file", ["requirements.txt", "pyproject.toml"])
def test_dependencies_are_installed_from_a_wheelhouse_without_an_index(
    open_local: OpenStage, tmp_path: Path, file: str
) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "WORD = 'good morning'\n")
    local = open_local(wheelhouse=tmp_path / "wheels")
    wanted = {
        "requirements.txt": "# what we say\ngreeting==1.0\n",
        "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["greeting>=1"]\n',
    }
    run_id = local.submit_one({**GREETING, file: wanted[file]})

    local.work_off([run_id])

    assert local.run(run_id).status == "succeeded", local.run(run_id).failure_message
    assert "good morning" in local.file(run_id, "logs.txt").decode()
    lines = [event["line"] for event in local.events(local.build_of(run_id).id, kind="build") if "line" in event]
    assert any("greeting" in line for line in lines)


@pytest.mark.slow
@pytest.mark.req("B6", "R9")
def test_a_rule_file_that_hangs_is_ended_by_the_limit_of_builds_and_says_so(open_local: OpenStage) -> None:
    local = open_local(run_timeout_seconds=1, build_timeout_seconds=4)
    run_id = local.submit_one({"columns/name.py": f"import time\ntime.sleep(600)\n{NAME_RULE}"})

    local.work_off([run_id])

    build = local.build_of(run_id)
    assert build.failure_code == "timed_out"
    assert build.failure_message.startswith("The build was stopped: it may take 4 s, ")
    assert "ADE_BUILD_TIMEOUT_SECONDS" in build.failure_message
    assert local.run(run_id).failure_message == build.failure_message


@pytest.mark.slow
@pytest.mark.req("B6", "R9")
def test_a_rule_file_that_uses_too_much_fails_the_build_and_not_a_run(open_local: OpenStage) -> None:
    local = open_local(worker_cpu_seconds=50, build_cpu_seconds=1)
    run_id = local.submit_one({"columns/name.py": f"while True:\n    pass\n{NAME_RULE}"})

    local.work_off([run_id])

    message = local.build_of(run_id).failure_message
    assert message.startswith("The build used more than its 1 seconds of CPU time. Raise ADE_BUILD_CPU_SECONDS, or ")


@pytest.mark.slow
@pytest.mark.req("B9", "R9")
def test_a_dependency_that_is_nowhere_fails_the_build_and_says_which(open_local: OpenStage, tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    local = open_local(wheelhouse=tmp_path / "wheels")
    run_id = local.submit_one({**SIMPLE, "requirements.txt": "# ours\nnowhere-to-be-found==3\n"})

    local.work_off([run_id])

    assert local.run(run_id).failure_code == "build_failed"
    message = local.run(run_id).failure_message
    place = "requirements.txt, line 2: dependencies could not be installed. "
    assert message.startswith(f"{place}Because nowhere-to-be-found was not found")
    assert message.endswith(("unsatisfiable.", " … The log has the rest."))
    assert "CPython" not in message
    build = local.build_of(run_id)
    printed = b"".join(local.system.files.read(f"{build.file_key}/logs.txt")).decode()
    assert "nowhere-to-be-found==3" in printed
    lines = [event["line"] for event in local.events(build.id, kind="build") if event["type"] == "build.log"]
    assert printed.splitlines() == lines


@pytest.mark.slow
@pytest.mark.req("B9")
def test_a_hostile_source_distribution_is_refused_and_never_executed(open_local: OpenStage, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    source = make_hostile_source(tmp_path / "wheels", "evil", mark)
    local = open_local(wheelhouse=tmp_path / "wheels")
    unpacked = tmp_path / "unpacked"
    shutil.unpack_archive(source, unpacked)
    folder = unpacked / "evil-1.0"
    ways = [
        "evil",
        f"evil @ file://{source}",
        str(source),
        str(folder),
        f"-e {folder}",
        f"--find-links {source.parent}",
    ]
    ways += ["--no-binary :all:\nevil", f"file://{source}", "-r other.txt", f"git+file://{folder}"]
    ways += ["${HOME}/evil", str(folder).lstrip("/")]
    run_ids = [local.submit_unchecked({**SIMPLE, "other.txt": f"{source}\n"}, f"{way}\n") for way in ways]

    local.work_off(run_ids)

    assert {local.run(run_id).failure_code for run_id in run_ids} == {"build_failed"}
    assert not mark.exists()


@pytest.mark.slow
@pytest.mark.req("B9")
@pytest.mark.parametrize("is_allowed", [False, True])
def test_only_the_refusal_keeps_a_source_distribution_from_running(tmp_path: Path, is_allowed: bool) -> None:
    mark = tmp_path / "executed"
    make_hostile_source(tmp_path / "wheels", "evil", mark)
    (tmp_path / "requirements.txt").write_text("evil\n")
    words = command(tmp_path / "site-packages", tmp_path / "requirements.txt", wheelhouse=tmp_path / "wheels")
    chosen = [word for word in words if word != "--only-binary=:all:"] if is_allowed else words

    done = subprocess.run(chosen, capture_output=True, check=False)

    assert done.returncode != 0  # its backend builds nothing, but it has run by then
    assert mark.exists() == is_allowed


@pytest.mark.slow
@pytest.mark.req("B3")
def test_an_environment_that_was_deleted_is_fetched_again(local: Stage) -> None:
    configuration = local.configuration(SIMPLE)
    [first] = local.submit(configuration)
    local.work_off([first])
    for path in (local.folder / "builds").iterdir():
        remove_folder(path)

    [second] = local.submit(configuration)
    local.work_off([second])

    assert local.run(second).status == "succeeded"
    assert local.build_of(second).claim_count == 1
    assert len(list((local.folder / "builds").iterdir())) == 1


@pytest.mark.slow
@pytest.mark.req("B3", "B7")
@pytest.mark.parametrize("damage", ["deleted", "tampered"])
def test_an_archive_that_is_gone_or_tampered_with_is_made_again_and_never_used(local: Stage, damage: str) -> None:
    configuration = local.configuration(SIMPLE)
    [first] = local.submit(configuration)
    local.work_off([first])
    build = local.build_of(first)
    remove_folder(local.folder / "builds")
    key = f"{build.file_key}/environment.tar"
    if damage == "deleted":
        local.system.files.delete(key)
    else:
        evil = hooked("print('tampered')")["hooks/act.py"].encode()
        local.system.files.write(key, [_archive_with(b"".join(local.system.files.read(key)), evil, local.folder)])

    [second] = local.submit(configuration)
    local.work_off([second])

    assert local.run(second).status == "succeeded"
    assert local.run(second).claim_count == 1  # given back unharmed while the build was made again
    assert b"tampered" not in local.file(second, "logs.txt")
    again = local.build_of(second)
    assert again.file_key != build.file_key
    assert_gapless(local.events(build.id, kind="build"))
    assert local.system.files.keys(build.file_key) == []


@pytest.mark.slow
@pytest.mark.req("B7")
def test_editing_a_configuration_does_not_change_what_a_waiting_run_executes(stage: Stage) -> None:
    configuration = stage.configuration(hooked("print('as it was')"))
    [run_id] = stage.submit(configuration)
    stage.edit_draft(configuration, "hooks/act.py", hooked("print('edited')")["hooks/act.py"])
    stage.publish(configuration)
    [newer] = stage.submit(configuration)

    stage.work_off([run_id, newer])

    assert "as it was" in stage.file(run_id, "logs.txt").decode()
    assert "edited" in stage.file(newer, "logs.txt").decode()
    assert stage.run(run_id).build_id != stage.run(newer).build_id


@pytest.mark.slow
@pytest.mark.req("B7")
def test_a_test_run_executes_the_draft_as_it_was_when_it_was_submitted(stage: Stage) -> None:
    configuration = stage.configuration(SIMPLE)
    stage.edit_draft(configuration, "hooks/act.py", hooked("print('first thought')")["hooks/act.py"])
    run_id = stage.submit_test_run(configuration)
    stage.edit_draft(configuration, "hooks/act.py", hooked("print('second thought')")["hooks/act.py"])

    stage.work_off([run_id])

    assert "first thought" in stage.file(run_id, "logs.txt").decode()


@pytest.mark.slow
@pytest.mark.req("B7")
def test_files_that_are_not_those_of_the_fingerprint_are_not_built(stage: Stage) -> None:
    """Nothing edits a published version; if something does, no run takes the new content for the old."""
    run_id = stage.submit_one()
    version = stage.run(run_id).version_id
    changed = sa.update(configuration_files).where(configuration_files.c.version_id == version)
    stage.write(lambda tx: tx.execute(changed.values(content=NAME_RULE.replace("Name", "Nom").encode())))

    stage.work_off([run_id])

    assert stage.run(run_id).failure_code == "build_failed"
    assert "Submit it again" in stage.run(run_id).failure_message


@pytest.mark.slow
@pytest.mark.req("B4")
def test_a_thousand_runs_share_one_build(open_local: OpenStage) -> None:
    """The whole number is submitted; a worker executes the build, and what it can in the time of a test."""
    local = open_local(queue_size=2000)
    configuration = local.configuration(SIMPLE)
    documents = local.documents(1000)

    run_ids = local.submit(configuration, *documents)
    with local.worker():
        local.wait_for_end(run_ids[:10])

    [build] = local.read(sa.select(builds))
    assert (build.status, build.claim_count) == ("ready", 1)
    assert sum(local.statuses().values()) == 1000


def _archive_with(archive: bytes, hook: bytes, folder: Path) -> bytes:
    """Return an archive that runs other code."""
    import io

    changed = io.BytesIO(archive)
    with tarfile.open(fileobj=changed, mode="a") as tar:
        entry = tarfile.TarInfo("configuration/hooks/evil.py")
        entry.size = len(hook)
        tar.addfile(entry, io.BytesIO(hook))
    return changed.getvalue()

"""ade backup and ade restore: what the database names is in the backup, whatever happens meanwhile."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ade.clock import SystemClock
from ade.database.schema import documents, runs
from ade.errors import BackupRefused, BackupRunning
from ade.files import LocalFiles
from ade.operations.maintenance.backup import make_backup
from ade.operations.maintenance.backup_format import Places, embedded_places
from ade.operations.maintenance.restore import restore_backup, verify_backup
from ade.operations.maintenance.retention import collect_garbage, retention_rules
from ade.settings import load_settings
from postgres import wait_until
from worker.conftest import OpenStage
from worker.stage import PEOPLE, SIMPLE, SLOW, Stage

SOON = 0.000_001  # of a day: whatever has ended is old
CLOCK = SystemClock()


def quiet(_count: int, _size: int) -> None:
    """Show no progress."""


def places(stage: Stage) -> Places:
    return embedded_places(stage.system.settings)


def back_up(stage: Stage, target: Path) -> Any:
    return make_backup(places(stage), target, clock=CLOCK, progress=quiet)


def restore(target: Path, folder: Path) -> Stage:
    """Restore to a folder and open a stage on it."""
    there = embedded_places(load_settings(data_dir=folder))
    restore_backup(there, target, clock=CLOCK, progress=quiet, is_replacing=False)
    return Stage(folder)


def lost_files(stage: Stage) -> list[str]:
    """Return what the database names and the file store does not have."""
    files = stage.system.files
    named = [row.file_key for row in stage.read(sa.select(documents.c.file_key).where(documents.c.sha256 != ""))]
    done = sa.select(runs.c.file_key).where(runs.c.status == "succeeded", runs.c.file_key.is_not(None))
    named += [f"{row.file_key}/artifact.json" for row in stage.read(done)]
    return [key for key in named if key and not files.exists(key)]


@pytest.mark.slow
@pytest.mark.req("W6", "W7")
def test_backups_of_a_busy_server_whose_files_go_have_all_that_their_database_names(
    open_local: OpenStage, tmp_path: Path
) -> None:
    stage = open_local(retention_run_days=SOON, retention_build_days=SOON, retention_every_seconds=0.05)
    configuration = stage.configuration(SIMPLE)
    worker = stage.start("worker")
    backups = []
    for number in range(6):
        stage.submit(configuration, *[stage.document(PEOPLE + b"%d;1\n" % number) for _ in range(5)])
        target = tmp_path / f"{number}.tar"
        made = stage.call("backup", str(target), "--json")
        assert made.returncode == 0, made.stderr
        assert json.loads(made.stdout)["missing"] == []
        backups.append(target)
    assert stage.stop(worker) == 0

    for number, target in enumerate(backups):
        restored = restore(target, tmp_path / f"restored-{number}")
        assert lost_files(restored) == []
        restored.close()


@pytest.mark.slow
@pytest.mark.req("W6", "Q4")
def test_a_restored_server_finishes_what_ran_and_has_the_results_of_what_ended(
    open_local: OpenStage, tmp_path: Path
) -> None:
    stage = open_local()
    ended = stage.submit_one()
    stage.work_off([ended])
    running = stage.submit_one(SLOW)
    worker = stage.start("worker")
    stage.wait_for(running, "running")
    waiting = stage.submit_one()

    assert stage.call("backup", str(tmp_path / "b.tar")).returncode == 0
    stage.stop(worker, signal.SIGKILL)
    restored = restore(tmp_path / "b.tar", tmp_path / "restored")
    try:
        assert restored.run(running).status == "running"
        with restored.worker():
            restored.wait_for_event(running, "run.requeued")
            restored.cancel(running)
            restored.wait_for_end([ended, running, waiting])
            again = restored.submit(restored.run(ended).configuration_id, restored.run(ended).input_document_id)
            restored.wait_for_end(again)
        assert [restored.run(run_id).status for run_id in (ended, waiting, *again)] == ["succeeded"] * 3
        assert restored.file(ended, "normalized.xlsx") == stage.file(ended, "normalized.xlsx")
    finally:
        restored.close()


@pytest.mark.req("W6")
def test_nothing_is_removed_while_a_backup_is_made_and_everything_after(open_local: OpenStage) -> None:
    stage = open_local(retention_run_days=SOON)
    run_id = stage.submit_one()
    stage.work_off([run_id])
    files, rules = stage.system.files, retention_rules(stage.system.settings)
    assert isinstance(files, LocalFiles)

    with files.keeping():
        with pytest.raises(BackupRunning):
            collect_garbage(stage.system.database, files, rules=rules)
        with pytest.raises(BackupRunning):
            files.delete_folder(f"runs/{run_id}")
        by_hand = stage.call("gc")
        assert collect_garbage(stage.system.database, files, rules=rules, is_dry_run=True).counts["run"] == 1
        assert stage.file_names(run_id)
        assert stage.run(run_id).file_key

    assert (by_hand.returncode, "A backup is being made" in by_hand.stderr) == (1, True)
    assert collect_garbage(stage.system.database, files, rules=rules).counts["run"] == 1
    assert stage.file_names(run_id) == set()


@pytest.mark.slow
@pytest.mark.req("W6")
def test_retention_of_a_worker_waits_for_a_backup_that_has_begun(local: Stage, tmp_path: Path) -> None:
    ended = local.submit_one()
    local.work_off([ended])
    fifo = replace_by_fifo(local, local.document())
    backup = local.start("backup", str(tmp_path / "b.tar"), "--json")
    wait_until(lambda: any(one.stat().st_size for one in tmp_path.glob(".*/archive")), what="the backup to begin")

    worker = local.start("worker", retention_run_days=SOON, retention_every_seconds=0.05)
    wait_until(lambda: "round.postponed" in local.log(worker), what="retention to be postponed", seconds=60)
    with fifo.open("wb"):  # lets the backup go on
        backup.wait(timeout=60)
    wait_until(lambda: local.file_names(ended) == set(), what="retention", seconds=60)
    local.stop(worker)

    assert json.loads(local.log(backup).partition("ade:")[0])["missing"] == [key_of(local, fifo)]
    restored = restore(tmp_path / "b.tar", tmp_path / "restored")
    assert restored.file(ended, "artifact.json")
    restored.close()


def replace_by_fifo(stage: Stage, document: str) -> Path:
    """Make every reader of a document wait for a writer."""
    path: Path = stage.folder / "files" / stage.row_of_document(document).file_key
    path.unlink()
    os.mkfifo(path)
    return path


def key_of(stage: Stage, path: Path) -> str:
    return path.relative_to(stage.folder / "files").as_posix()


@pytest.mark.req("W6")
def test_a_killed_backup_leaves_no_file_and_holds_nothing_back(local: Stage, tmp_path: Path) -> None:
    path = replace_by_fifo(local, local.document())
    (folder := tmp_path / "backups").mkdir()
    backup = local.start("backup", str(folder / "b.tar"))
    wait_until(lambda: any(one.stat().st_size for one in folder.glob(".*/archive")), what="the backup to begin")
    local.stop(backup, signal.SIGKILL)

    assert [one.suffix for one in folder.iterdir()] == [""]  # what is unfinished, by its own name
    path.unlink()
    path.write_bytes(PEOPLE)
    made = local.call("backup", str(folder / "b.tar"))
    assert made.returncode == 0, made.stderr
    assert [one.name for one in folder.iterdir()] == ["b.tar"]
    assert stat_mode(folder / "b.tar") == 0o600
    local.system.files.delete_folder("runs/none")


def stat_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("room", [100_000, 600_000])
def test_a_full_disk_is_reported_and_leaves_nothing(local: Stage, tmp_path: Path, room: int) -> None:
    for _ in range(10):
        local.document(os.urandom(100_000))
    (folder := tmp_path / "backups").mkdir()
    limited = f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); "
    code = limited + f"sys.argv = ['ade', 'backup', '{folder}/b.tar']; runpy.run_module('ade', run_name='__main__')"
    answer = subprocess.run(
        [sys.executable, "-c", code], env=local.environment(), capture_output=True, text=True, check=False
    )

    assert answer.returncode == 1, answer.stderr
    assert "The backup cannot be made or restored here." in answer.stderr
    assert "Traceback" not in answer.stderr
    assert list(folder.iterdir()) == []


def test_a_file_that_was_lost_before_is_named_and_the_rest_is_backed_up(local: Stage, tmp_path: Path) -> None:
    kept, lost, changed = local.document(), local.document(b"a;b\n"), local.document(b"c;d\n")
    keys = {one: local.row_of_document(one).file_key for one in (kept, lost, changed)}
    (local.folder / "files" / keys[lost]).unlink()
    (local.folder / "files" / keys[changed]).write_bytes(b"c;e\n")

    made = local.call("backup", str(tmp_path / "b.tar"), "--json")

    assert made.returncode == 1
    assert set(json.loads(made.stdout)["missing"]) == {keys[lost], keys[changed]}
    assert keys[lost] in made.stderr
    assert verify_backup(tmp_path / "b.tar", progress=quiet).file_count == 3  # the database and two documents


def test_data_that_is_there_is_kept_unless_asked_otherwise_and_then_put_aside(local: Stage, tmp_path: Path) -> None:
    document = local.document()
    back_up(local, tmp_path / "b.tar")
    later = local.document(b"x;y\n")
    in_use = local.call("restore", str(tmp_path / "b.tar"), "--replace")
    local.system.close()
    refused = local.call("restore", str(tmp_path / "b.tar"))
    replaced = local.call("restore", str(tmp_path / "b.tar"), "--replace", "--json")

    assert (in_use.returncode, "Stop it first" in in_use.stderr) == (1, True)
    assert (refused.returncode, "--replace" in refused.stderr) == (1, True)
    assert replaced.returncode == 0, replaced.stderr
    aside = Path(json.loads(replaced.stdout)["replaced"])
    assert {"ade.db", "files"} <= {one.name for one in aside.iterdir()}
    assert (aside / "files" / f"documents/{later}").is_dir()
    reopened = Stage(local.folder)
    assert reopened.row_of_document(document)
    assert reopened.read(sa.select(documents).where(documents.c.id == later)) == []
    reopened.close()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"ADE_DATABASE_URL": "postgresql://db.example.org/ade"}, "pg_dump"),
        ({"ADE_FILES_URL": "s3://bucket"}, "ADE_FILES_URL"),
    ],
)
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_other_stores_are_refused_with_what_to_do(
    local: Stage, tmp_path: Path, variables: dict[str, str], said: str, command: str
) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "ade", command, str(tmp_path / "b.tar")],
        env={**local.environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == 1
    assert said in answer.stderr
    assert "docs/how-to/backup-and-restore.md" in answer.stderr


def test_an_existing_file_is_never_written_over(local: Stage, tmp_path: Path) -> None:
    (tmp_path / "b.tar").write_text("precious")

    with pytest.raises(BackupRefused):
        back_up(local, tmp_path / "b.tar")

    assert (tmp_path / "b.tar").read_text() == "precious"

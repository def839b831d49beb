"""Retention: what is old, large or forgotten goes; what is in use never does."""

import json
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ade.database.schema import builds, documents, events, idempotency_keys, runs, workers, workspaces
from ade.database.views.gauges import finished_runs
from ade.domain.retention import RetentionRules
from ade.errors import FileRemoved
from ade.operations.maintenance.retention import Collected, collect_garbage, collect_orphans
from ade.operations.queue.rules import queue_rules
from ade.operations.queue.workers import WorkerFacts, register_worker
from ade.operations.views.run_files import artifact_key, issues_key, log_key, output_key
from ade.worker.retention import clean_host
from postgres import wait_until
from worker.conftest import OpenStage
from worker.stage import SIMPLE, SLOW, Stage

DAY = timedelta(days=1)


def collect(stage: Stage, *, is_dry_run: bool = False, **rules: Any) -> dict[str, int]:
    collected = collect_garbage(
        stage.system.database, stage.system.files, rules=RetentionRules(**rules), is_dry_run=is_dry_run
    )
    return {kind: count for kind, count in collected.counts.items() if count}


def age(stage: Stage, table: sa.Table, row_id: str, days: int, *columns: str) -> None:
    """Move instants of a row into the past."""
    column = {name: table.c[name] for name in columns}

    def change(tx: Any) -> None:
        row = tx.execute(sa.select(table).where(table.c.id == row_id)).one()
        values = {name: getattr(row, name) - timedelta(days=days) for name in column}
        tx.execute(sa.update(table).where(table.c.id == row_id).values(**values))

    stage.write(change)


def count_finished(stage: Stage) -> dict[str, int]:
    """Return how many runs monitoring counts as ended, by status."""
    return stage.system.database.read(finished_runs)


@pytest.fixture
def finished(stage: Stage) -> list[str]:
    """Three runs that ended: two well, the last badly."""
    bad = stage.document(b"PK\x03\x04 broken", "broken.xlsx")
    run_ids = stage.submit(stage.configuration(SIMPLE), stage.document(), stage.document(), bad)
    stage.work_off(run_ids)
    return run_ids


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("W6")
def test_folders_and_events_of_old_runs_go_and_the_runs_stay(stage: Stage, finished: list[str]) -> None:
    old, young, failed = finished
    age(stage, runs, old, 10, "finished_at")
    age(stage, runs, failed, 3, "finished_at")
    before = stage.file_names(young)
    counted = count_finished(stage)

    would = collect(stage, runs=5 * DAY, failed_runs=2 * DAY, is_dry_run=True)
    assert stage.file_names(old)
    did = collect(stage, runs=5 * DAY, failed_runs=2 * DAY)

    assert would == did == {"run": 2}
    assert stage.file_names(old) == stage.file_names(failed) == set()
    assert stage.file_names(young) == before
    assert (stage.run(old).status, stage.run(old).file_key) == ("succeeded", None)
    left = {row.subject_id for row in stage.read(sa.select(events.c.subject_id))}
    assert not left & {old, failed}
    assert count_finished(stage) == counted == {"succeeded": 2, "failed": 1}, "Prometheus takes a fall for a restart"
    assert collect(stage, runs=5 * DAY, failed_runs=2 * DAY) == {}
    today = stage.system.database.read(lambda tx: tx.now).date()
    assert stage.run(old).files_removed_at.date() == today
    for find in (output_key, artifact_key, issues_key):
        with pytest.raises(FileRemoved, match=f"of this run were removed by retention on {today}; the records remain"):
            stage.system.database.read(lambda tx, find=find: find(tx, old))  # type: ignore[misc]
    with pytest.raises(FileRemoved, match="removed by retention"):
        stage.system.database.read(lambda tx: log_key(tx, "run", old))
    with pytest.raises(FileRemoved, match="removed by retention"):
        stage.events(old)


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("W6")
def test_a_workspace_may_keep_things_for_another_time_than_the_deployment(stage: Stage, finished: list[str]) -> None:
    old = finished[0]
    for run_id in finished:
        age(stage, runs, run_id, 10, "finished_at", "created_at")
    document_id = stage.run(old).input_document_id
    age(stage, documents, document_id, 10, "created_at")

    def keep(**days: int) -> None:
        values = {"preferences": {"retention": days}}
        stage.write(lambda tx: tx.execute(sa.update(workspaces).values(**values)))

    keep(runs_days=20, documents_days=20)
    assert collect(stage, runs=5 * DAY, documents=5 * DAY) == {}
    keep(runs_days=8, documents_days=8)
    assert collect(stage) == {"run": 3, "expired document": 1}


def test_keys_of_requests_that_nobody_will_send_again_go(stage: Stage) -> None:
    def add(tx: Any) -> None:
        for key, ends in (("old", tx.now - DAY), ("new", tx.now + DAY)):
            row = {"scope": "s", "key": key, "request_digest": "d", "created_at": tx.now, "expires_at": ends}
            tx.execute(sa.insert(idempotency_keys).values(**row))

    stage.write(add)

    assert collect(stage) == {}
    assert [row.key for row in stage.read(sa.select(idempotency_keys.c.key))] == ["new"]


@pytest.mark.req("W6")
def test_a_worker_that_died_long_ago_is_no_longer_told_of(stage: Stage) -> None:
    rules = queue_rules(stage.system.settings)
    dead, silent = (
        stage.write(lambda tx, facts=facts: register_worker(tx, facts, rules=rules))
        for facts in (
            WorkerFacts(name=name, host="here", process_id=1, version="0", slots=2) for name in ("dead", "silent")
        )
    )
    age(stage, workers, dead, 2, "heartbeat_at")

    assert collect(stage, is_dry_run=True) == collect(stage) == {"silent worker": 1}
    assert collect(stage) == {}
    left = stage.read(sa.select(workers.c.id).where(workers.c.stopped_at.is_(None)))
    assert [row.id for row in left] == [silent]


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("W6")
def test_beyond_a_total_size_the_oldest_runs_go_first(stage: Stage, finished: list[str]) -> None:
    oldest, middle, newest = finished
    age(stage, runs, oldest, 2, "finished_at")
    age(stage, runs, middle, 1, "finished_at")
    sizes = {run_id: stage.run(run_id).metrics["output_bytes"] for run_id in finished}

    did = collect(stage, run_bytes=sizes[newest] + sizes[middle])

    assert did == {"run": 1}
    assert stage.file_names(oldest) == set()
    assert stage.file_names(middle)
    assert stage.file_names(newest)


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("B10", "W6")
def test_an_unused_build_goes_and_is_made_again_when_it_is_needed(stage: Stage, finished: list[str]) -> None:
    build = stage.build_of(finished[0])
    age(stage, builds, build.id, 40, "created_at", "finished_at", "last_used_at")
    [waiting] = stage.submit(build.configuration_id)
    assert collect(stage, builds=30 * DAY) == {}, "a run waits for it"
    stage.cancel(waiting)

    did = collect(stage, builds=30 * DAY)
    host = Collected()
    clean_host(stage.system, host)
    assert did == {"build": 1}
    assert host.counts["environment"] == 1
    assert stage.system.files.keys(f"builds/{build.id}") == []
    assert list((stage.folder / "builds").iterdir()) == []
    removed = stage.build_of(finished[0])
    assert (removed.status, removed.file_key, removed.files_removed_at is not None) == ("removed", None, True)
    assert stage.events(build.id, kind="build")[-1]["type"] == "build.removed"
    with pytest.raises(FileRemoved, match="of this build were removed by retention"):
        stage.system.database.read(lambda tx: log_key(tx, "build", build.id))

    [again] = stage.submit(build.configuration_id)
    assert (stage.build_of(again).id, stage.build_of(again).status) == (build.id, "queued")
    stage.work_off([again])
    assert stage.run(again).status == "succeeded"
    assert (stage.build_of(again).status, stage.build_of(again).files_removed_at) == ("ready", None)


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("B10", "W6")
def test_the_log_of_a_build_that_failed_long_ago_goes_and_the_build_stays_failed(stage: Stage) -> None:
    run_id = stage.submit_one({"columns/name.py": "raise RuntimeError\n"})
    stage.work_off([run_id])
    build = stage.build_of(run_id)
    assert (build.status, build.file_key is None) == ("failed", False)
    age(stage, builds, build.id, 40, "created_at", "finished_at")

    assert collect(stage, builds=30 * DAY) == {"build": 1}

    removed = stage.build_of(run_id)
    assert (removed.status, removed.failure_message) == ("failed", build.failure_message)
    with pytest.raises(FileRemoved, match="of this build were removed by retention"):
        stage.system.database.read(lambda tx: log_key(tx, "build", build.id))
    assert collect(stage, builds=30 * DAY) == {}


@pytest.mark.slow
@pytest.mark.req("B10")
def test_the_environment_of_a_running_run_is_never_removed(local: Stage) -> None:
    run_id = local.submit_one(SLOW)

    with local.worker():
        local.wait_for_event(run_id, "engine.run.started")
        age(local, builds, local.build_of(run_id).id, 40, "created_at", "finished_at", "last_used_at")
        assert collect(local, runs=DAY, builds=DAY, documents=DAY, deleted_documents=DAY) == {}
        host = Collected()
        clean_host(local.system, host)
        assert host.counts.total() == 0
        assert collect_orphans(local.system.database, local.system.files).counts.total() == 0
        local.cancel(run_id)
        local.wait_for(run_id, "cancelled")


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("W6")
def test_documents_go_when_they_were_deleted_long_ago_or_nobody_used_them(stage: Stage) -> None:
    deleted, needed, expired, fresh = (stage.document() for _ in range(4))
    now = stage.system.database.read(lambda tx: tx.now)
    for document, days in ((deleted, 40), (needed, 40), (expired, 0)):
        values = {"deleted_at": now - days * DAY} if days else {"created_at": now - 100 * DAY}
        change = sa.update(documents).where(documents.c.id == document).values(**values)
        stage.write(lambda tx, change=change: tx.execute(change))
    [run_id] = stage.submit(stage.configuration(SIMPLE), fresh)
    stage.write(lambda tx: tx.execute(sa.update(runs).values(input_document_id=needed)))

    would = collect(stage, documents=90 * DAY, deleted_documents=30 * DAY, is_dry_run=True)
    did = collect(stage, documents=90 * DAY, deleted_documents=30 * DAY)

    assert would == did == {"document": 1, "expired document": 1}
    assert not stage.system.files.exists(f"documents/{deleted}/content")
    assert stage.system.files.exists(f"documents/{needed}/content")  # its run waits
    assert stage.system.files.exists(f"documents/{expired}/content")  # deleted now, its bytes go later
    assert stage.row_of_document(expired).deleted_at is not None
    assert stage.row_of_document(fresh).deleted_at is None
    assert stage.run(run_id).status == "queued"


@pytest.mark.slow
@pytest.mark.req("W6", "C1")
@pytest.mark.parametrize("is_mounted", [False, True])
def test_gc_removes_the_empty_folders_of_dead_attempts(open_local: OpenStage, tmp_path: Path, is_mounted: bool) -> None:
    store = tmp_path / "mounted"
    store.mkdir()
    local = open_local(files_url=store.as_uri()) if is_mounted else open_local()
    top = store if is_mounted else local.system.settings.files_folder
    run_id = local.submit_one()
    local.work_off([run_id])
    assert not [path for path in top.rglob("*") if path.is_dir() and not any(path.iterdir())]
    before = local.file_names(run_id)
    (top / f"runs/{run_id}/999").mkdir()
    (top / "runs/00000000-0000-7000-8000-000000000000/1").mkdir(parents=True)

    would = run_gc(local, "--dry-run")
    assert would["counts"] == {"empty folder": 2}
    assert run_gc(local)["counts"] == {"empty folder": 2}

    assert [path.name for path in (top / "runs").iterdir()] == [run_id]
    assert local.file_names(run_id) == before
    age(local, runs, run_id, 10, "finished_at")
    assert collect(local, runs=5 * DAY) == {"run": 1}
    assert not (top / "runs").exists()


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("W6", "C1")
def test_gc_tells_what_would_go_and_then_removes_what_dead_workers_left(stage: Stage, finished: list[str]) -> None:
    stage.system.files.write(f"runs/{finished[0]}/999/normalized.xlsx", [b"of a worker that was late"])
    (stage.folder / "work/7/run-x-1/output").mkdir(parents=True)

    would = run_gc(stage, "--dry-run")
    assert would["counts"] == {"orphan": 1, "work folder": 1}
    assert (stage.folder / "work/7").exists()
    did = run_gc(stage)

    assert did["counts"] == would["counts"]
    assert f"{stage.run(finished[0]).file_key}/artifact.json" in stage.system.files.keys(f"runs/{finished[0]}")
    assert not any("999" in name for name in stage.file_names(finished[0]))
    assert not (stage.folder / "work/7").exists()
    assert run_gc(stage)["counts"] == {}


def run_gc(stage: Stage, *words: str) -> dict[str, Any]:
    answer: subprocess.CompletedProcess[str] = stage.call("gc", "--json", *words)
    assert answer.returncode == 0, answer.stderr
    told: dict[str, Any] = json.loads(answer.stdout)
    return told


@pytest.mark.slow
@pytest.mark.req("W6", "C1")
def test_gc_with_zero_days_keeps_no_files_of_finished_runs_and_no_unused_build(
    stage: Stage, finished: list[str]
) -> None:
    assert run_gc(stage)["counts"] == {}, "without the option 0 means for ever"

    assert run_gc(stage, "--run-days", "0", "--dry-run")["counts"] == {"run": 3}
    did = run_gc(stage, "--run-days", "0", "--build-days", "0")

    assert (did["counts"]["run"], did["counts"]["build"]) == (3, 1)
    assert [stage.file_names(run_id) for run_id in finished] == [set()] * 3


@pytest.mark.slow
@pytest.mark.req("W6")
def test_a_worker_removes_what_may_go_by_itself(open_local: OpenStage) -> None:
    local = open_local(retention_run_days=5, retention_every_seconds=0.1)
    run_id = local.submit_one()

    with local.worker():
        local.wait_for_end([run_id])
        age(local, runs, run_id, 6, "finished_at")
        wait_until(lambda: local.run(run_id).file_key is None, what="the run's files to go", seconds=120)

    assert local.file_names(run_id) == set()

"""Removes what is no longer needed: by age, by total size, by status; never what is in use.

Files of finished runs go first and the note of it after, so that a crash between the two is simply tried again. Builds
and documents may be asked for at any moment: there the note goes first, while the queue is locked.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta

from ade.database.access import idempotency
from ade.database.maintenance import retention
from ade.database.maintenance.retention import Kept, Where
from ade.database.queue import workers
from ade.database.queue.control import lock_dispatch, queue_time
from ade.database.transaction import Database, Transaction
from ade.domain.retention import RetentionRules
from ade.domain.run import RunStatus
from ade.files import FileStore
from ade.settings import Settings

MOST_AT_ONCE = 200
MIB = 1024 * 1024
SILENT_FOR = timedelta(days=1)  # a worker that comes back after that registers again
_GOOD = (RunStatus.SUCCEEDED.value,)
_BAD = (RunStatus.FAILED.value, RunStatus.CANCELLED.value)


@dataclass(frozen=True, slots=True)
class Collected:
    """How many things of each kind went, or would go, and how many bytes that frees."""

    counts: Counter[str] = field(default_factory=Counter)
    bytes: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, size_bytes: int | None) -> None:
        """Count one thing."""
        self.counts[kind] += 1
        self.bytes[kind] += size_bytes or 0


def retention_rules(settings: Settings) -> RetentionRules:
    """Return the rules the settings ask for."""
    return RetentionRules(
        runs=_days(settings.retention_run_days),
        failed_runs=_days(settings.retention_failed_run_days),
        run_bytes=settings.retention_runs_mb * MIB or None,
        documents=_days(settings.retention_document_days),
        deleted_documents=_days(settings.retention_deleted_document_days),
        builds=_days(settings.retention_build_days),
    )


def _days(days: float) -> timedelta | None:
    return timedelta(days=days) if days else None


def collect_garbage(
    database: Database, files: FileStore, *, rules: RetentionRules, is_dry_run: bool = False
) -> Collected:
    """Remove, or with `is_dry_run` only count, what the rules say may go; raise BackupRunning during a backup."""
    collected = Collected()
    # A backup between the removal of a file and its note would name files that are gone.
    with nullcontext() if is_dry_run else files.removing():
        _collect_runs(database, files, rules, collected, is_dry_run=is_dry_run)
        _collect_documents(database, files, rules, collected, is_dry_run=is_dry_run)
        _collect_builds(database, files, rules, collected, is_dry_run=is_dry_run)
    _collect_workers(database, collected, is_dry_run=is_dry_run)
    if not is_dry_run:
        database.write(idempotency.forget_expired)
    return collected


def _collect_workers(database: Database, collected: Collected, *, is_dry_run: bool) -> None:
    """Count those that died long ago as stopped: on temporary hosts, no other worker takes over their names."""

    def give_up(tx: Transaction) -> int:
        silent = workers.silent_since(tx, tx.now - SILENT_FOR)
        for worker_id in silent if not is_dry_run else []:
            workers.stop(tx, worker_id)
        return len(silent)

    for _ in range((database.read if is_dry_run else database.write)(give_up)):
        collected.add("silent worker", None)


def _collect_runs(
    database: Database, files: FileStore, rules: RetentionRules, collected: Collected, *, is_dry_run: bool
) -> None:
    condemned = database.read(lambda tx: list(_condemned_runs(tx, rules)))
    for start in range(0, len(condemned), MOST_AT_ONCE):
        batch = condemned[start : start + MOST_AT_ONCE]
        for run_id, size_bytes in batch:
            collected.add("run", size_bytes)
            if not is_dry_run:
                files.delete_folder(f"runs/{run_id}")
        if not is_dry_run:
            ids = [run_id for run_id, _ in batch]
            database.write(lambda tx, ids=ids: retention.forget_runs(tx, ids))  # type: ignore[misc]


def _condemned_runs(tx: Transaction, rules: RetentionRules) -> Iterator[Kept]:
    """Yield each run whose files may go, once."""
    seen: set[str] = set()
    failed = rules.failed_runs or rules.runs
    now = queue_time(tx)
    for statuses, usual in ((_GOOD, rules.runs), (_BAD, failed)):
        for age, where in _ages(tx, "runs_days", usual):
            for run in retention.expired_runs(tx, statuses, before=now - age, most=100 * MOST_AT_ONCE, where=where):
                seen.add(run[0])
                yield run
    total = 0
    for run_id, size_bytes in retention.runs_with_files(tx) if rules.run_bytes is not None else ():
        total += size_bytes
        if rules.run_bytes is not None and total > rules.run_bytes and run_id not in seen:
            yield run_id, size_bytes


def _ages(tx: Transaction, what: str, usual: timedelta | None) -> Iterator[tuple[timedelta, Where]]:
    """Yield how long things are kept and where: as the deployment says, but where a workspace decided itself."""
    own = retention.own_days(tx, what)
    if usual is not None:
        yield usual, Where(workspace_ids=own.keys())
    for days in sorted(set(own.values())):
        ids = [workspace_id for workspace_id, wanted in own.items() if wanted == days]
        yield timedelta(days=days), Where(workspace_ids=ids, is_all_but=False)


def _collect_documents(
    database: Database, files: FileStore, rules: RetentionRules, collected: Collected, *, is_dry_run: bool
) -> None:
    expire = lambda tx: _expire_documents(tx, rules, is_dry_run=is_dry_run)  # noqa: E731
    if count := (database.read if is_dry_run else database.write)(expire):
        collected.counts["expired document"] += count
    if (kept := rules.deleted_documents) is None:
        return
    found = database.read(lambda tx: retention.deleted_documents(tx, before=queue_time(tx) - kept, most=10_000))
    for document_id, file_key, size_bytes in found:
        if is_dry_run or database.write(lambda tx, id=document_id: _forget_document(tx, id)):  # type: ignore[misc]
            collected.add("document", size_bytes)
            if not is_dry_run:
                files.delete_folder(file_key.rpartition("/")[0])


def _expire_documents(tx: Transaction, rules: RetentionRules, *, is_dry_run: bool) -> int:
    return sum(
        retention.expire_documents(tx, before=queue_time(tx) - age, is_dry_run=is_dry_run, where=where)
        for age, where in _ages(tx, "documents_days", rules.documents)
    )


def _forget_document(tx: Transaction, document_id: str) -> bool:
    lock_dispatch(tx)  # or a run of it could be submitted while we look
    return retention.forget_document(tx, document_id)


def _collect_builds(
    database: Database, files: FileStore, rules: RetentionRules, collected: Collected, *, is_dry_run: bool
) -> None:
    if (age := rules.builds) is None:
        return
    found = database.read(lambda tx: retention.unused_builds(tx, before=queue_time(tx) - age, most=10_000))
    for build_id, size_bytes in found:
        if is_dry_run or database.write(lambda tx, id=build_id: _forget_build(tx, id)):  # type: ignore[misc]
            collected.add("build", size_bytes)
            if not is_dry_run:
                files.delete_folder(f"builds/{build_id}")


def _forget_build(tx: Transaction, build_id: str) -> bool:
    lock_dispatch(tx)
    return retention.forget_build(tx, build_id)


def collect_orphans(database: Database, files: FileStore, *, is_dry_run: bool = False) -> Collected:
    """Remove folders of claims that no run or build names: their worker died, or was late, or they are empty.

    Reads the name of every file there is: for `ade gc`, not for every hour.
    """
    collected = Collected()
    for kind, top in (("run", "runs"), ("build", "builds")):
        empty = set(files.empty_folders(top))
        folders = sorted({"/".join(key.split("/")[:3]) for key in files.keys(top) if key.count("/") >= 3} | empty)
        for start in range(0, len(folders), MOST_AT_ONCE):
            batch = folders[start : start + MOST_AT_ONCE]
            ids = sorted({folder.split("/")[1] for folder in batch})
            known = database.read(lambda tx, ids=ids, kind=kind: retention.folders_in_use(tx, kind, ids))  # type: ignore[misc]
            for folder in batch:
                present, is_at_work = known.get(folder.split("/")[1], (None, False))
                if not is_at_work and folder != present:
                    size_bytes = sum(files.size(key) for key in files.keys(folder))
                    collected.add("empty folder" if folder in empty else "orphan", size_bytes)
                    if not is_dry_run:
                        files.delete_folder(folder)
    return collected


def is_environment_needed(kept: dict[str, tuple[str, bool]], folder_name: str) -> bool:
    """Return whether the local environment of a build may still be used; its folder is named `<build>-<digest>`."""
    build_id, _, digest = folder_name.rpartition("-")
    archive, in_use = kept.get(build_id, ("", False))
    return in_use or bool(digest and archive.startswith(digest))


def kept_builds(database: Database) -> dict[str, tuple[str, bool]]:
    """Return what decides which local environments are needed."""
    return database.read(retention.kept_builds)

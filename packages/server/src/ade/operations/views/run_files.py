"""Where the files of a run or a build are."""

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePosixPath

from ade.database.queue.builds import FullBuild
from ade.database.transaction import Transaction
from ade.database.views.run_lists import ListedRun
from ade.domain.run import FINISHED, RunStatus
from ade.errors import FileMissing, FileRemoved, RunNotFinished, removed_by_retention
from ade.operations.views.run_views import get_run_row, require_build
from ade_engine.protocol import ARTIFACT, ISSUES

# As the engine names them: normalized.csv for one table, normalized-2-Leeds.csv for the second of several.
_OUTPUT = re.compile(r"normalized(?:-(?P<number>[1-9][0-9]{0,8})(?:-[A-Za-z0-9_]+)?)?\.(?:xlsx|csv|parquet)")


def artifact_key(tx: Transaction, run_id: str) -> str:
    """Return the key of a finished run's artifact."""
    return f"{_folder(get_run_row(tx, run_id))}/{ARTIFACT}"


def issues_key(tx: Transaction, run_id: str) -> str:
    """Return the key of a finished run's issues."""
    return f"{_folder(get_run_row(tx, run_id))}/{ISSUES}"


def output_key(tx: Transaction, run_id: str) -> tuple[str, str]:
    """Return the folder of a run that succeeded, and the name of its document without the ending."""
    row = get_run_row(tx, run_id)
    return output_folder(row), PurePosixPath(row.document_name).stem or "document"


def output_folder(row: ListedRun) -> str:
    """Return the folder of a run that succeeded."""
    if row.status in FINISHED and row.status != RunStatus.SUCCEEDED:
        raise FileMissing(f"The run {row.status}, so it has no output.")
    return _folder(row)


def output_names(keys: Iterable[str]) -> list[str]:
    """Return the outputs among the files of a run: a workbook, or a file for each table in their order."""
    found = [match for key in keys if (match := _OUTPUT.fullmatch(key.rpartition("/")[2]))]
    return [match.group() for match in sorted(found, key=lambda match: int(match["number"] or 1))]


def log_key(tx: Transaction, kind: str, subject_id: str) -> str | None:
    """Return the key of a log, or None before any worker began one."""
    row: ListedRun | FullBuild = get_run_row(tx, subject_id) if kind == "run" else require_build(tx, subject_id)
    refuse_removed(kind, row.files_removed_at)
    return f"{row.file_key.rstrip('/')}/logs.txt" if row.file_key else None


def refuse_removed(kind: str, removed_at: datetime | None) -> None:
    """Raise FileRemoved for a run or a build whose files retention removed."""
    if removed_at is not None:
        then = "Run it again to get new ones." if kind == "run" else "The next run that needs it has it built again."
        raise FileRemoved(removed_by_retention(f"The files of this {kind} were", removed_at, then))


def _folder(row: ListedRun) -> str:
    if row.status not in FINISHED:
        raise RunNotFinished(f"The run is {row.status}. Ask again when it has finished.")
    refuse_removed("run", row.files_removed_at)
    if row.file_key is None:
        raise FileMissing("The run ended before a worker claimed it, so it has no files.")
    return row.file_key.rstrip("/")

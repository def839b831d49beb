"""Where the files of a run or a build are."""

from pathlib import PurePosixPath

from ade.database.transaction import Transaction
from ade.domain.run import RunStatus
from ade.errors import FileMissing
from ade.operations.run_views import finished_run, get_run_row, require_build


def artifact_key(tx: Transaction, run_id: str) -> str:
    """Return the key of a finished run's artifact."""
    return f"{_folder(tx, run_id)}/artifact.json"


def issues_key(tx: Transaction, run_id: str) -> str:
    """Return the key of a finished run's issues."""
    return f"{_folder(tx, run_id)}/issues.ndjson"


def output_key(tx: Transaction, run_id: str) -> tuple[str, str]:
    """Return the folder of a run that succeeded, and the name of its document without the ending."""
    row = finished_run(tx, run_id)
    if row.status != RunStatus.SUCCEEDED:
        raise FileMissing(f"The run {row.status}, so it has no output.")
    return _folder(tx, run_id), PurePosixPath(row.document_name).stem or "document"


def log_key(tx: Transaction, kind: str, subject_id: str) -> str | None:
    """Return the key of a log, or None before any worker began one."""
    row = get_run_row(tx, subject_id) if kind == "run" else require_build(tx, subject_id)
    return f"{row.file_key.rstrip('/')}/logs.txt" if row.file_key else None


def _folder(tx: Transaction, run_id: str) -> str:
    row = finished_run(tx, run_id)
    if row.file_key is None:
        raise FileMissing("The run ended before a worker had it, so it left no files.")
    return str(row.file_key.rstrip("/"))

"""What a run leaves behind: its files, its artifact, and why it failed if it did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run failed: a stable code, and a short message that says what to do."""

    code: str
    message: str

    def as_json(self) -> dict[str, str]:
        """Return the failure as the artifact and events hold it."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A finished run. Formats without sheets write one file per table."""

    status: str  # succeeded, failed
    artifact: dict[str, Any]
    artifact_path: Path
    issues_path: Path
    output_paths: tuple[Path, ...]
    failure: Failure | None = None

    @property
    def output_path(self) -> Path | None:
        """Return the clean workbook, or None when there is none."""
        return self.output_paths[0] if self.output_paths else None

    @property
    def verdict(self) -> str | None:
        """Return ready, check or not_usable; None when the run failed."""
        found = self.artifact["verdict"]
        return None if found is None else str(found["verdict"])

    @property
    def issue_count(self) -> int:
        """Return how many issues were found in all tables."""
        return int(self.artifact["summary"]["issues"]["total"])

    @property
    def tables(self) -> list[dict[str, Any]]:
        """Return the tables of all sheets, as the artifact describes them, each with its sheet's name."""
        return [{"sheet": sheet["name"], **table} for sheet in self.artifact["sheets"] for table in sheet["tables"]]

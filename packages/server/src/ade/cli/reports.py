"""What `ade run` knows of a document in the end, however the engine ran: status, results, tables, failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ade_engine.protocol import ARTIFACT

OnEvent = Callable[[str, Mapping[str, Any]], None]  # the event's name and its data
Report = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One document to normalise."""

    path: Path
    out: Path
    configuration: Path | None
    sheets: list[str] | None
    output_format: str | None
    encoding: str | None = None


def report_of(
    artifact: Mapping[str, Any],
    folder: Path,
    *,
    outputs: Sequence[str],
    failure: Mapping[str, str] | None,
    isolation: str | None,
) -> Report:
    """Return the report of a document whose results lie in a folder."""
    paths = [str(folder / name) for name in outputs]
    return {
        "status": "failed" if failure else "succeeded",
        "artifact": str(folder / ARTIFACT),
        "output": paths[0] if paths else None,
        "outputs": paths,
        "sheets": [_sheet(sheet) for sheet in artifact["sheets"]],
        "tables": [{"sheet": sheet["name"], **table} for sheet in artifact["sheets"] for table in sheet["tables"]],
        "verdict": None if failure else artifact["verdict"],
        "issues": artifact["summary"]["issues"]["total"],
        "infos": artifact["summary"]["issues"]["info"],
        "failure": dict(failure) if failure else None,
        "isolation": isolation,
    }


def failed(code: str, message: str, *, isolation: str | None = None) -> Report:
    """Return the report of a document without results."""
    failure = {"code": code, "message": message}
    nothing: dict[str, Any] = {"artifact": None, "output": None, "outputs": [], "sheets": [], "tables": []}
    nothing |= {"verdict": None, "issues": 0, "infos": 0}
    return {"status": "failed", "failure": failure, **nothing, "isolation": isolation}


def unwritable(error: OSError) -> Report:
    """Return the report of a document whose results could not be written."""
    reason = error.strerror or type(error).__name__
    message = f"The results could not be written: {reason}. Make room, or name another folder with --out."
    return failed("resource_limit", message)


def _sheet(sheet: Mapping[str, Any]) -> dict[str, Any]:
    """Return what became of a sheet; its tables are listed elsewhere, issues of the whole sheet are in words."""
    issues = [{"rule": issue["rule"], "message": issue["message"]} for issue in sheet["issues"]]
    kept = {key: sheet[key] for key in ("name", "visibility", "skipped")}
    return {**kept, "tables": len(sheet["tables"]), "issues": issues}

"""Builds artifact.json: every decision of a run and why it was made, without a single cell value.

Keys keep a fixed order and numbers a fixed precision, so that the same run gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ade_engine.cells import column_letters
from ade_engine.configuration.model import Configuration
from ade_engine.evidence import DIGITS, Contribution
from ade_engine.issues import SEVERITIES, IssueLog
from ade_engine.mapping.table import MappedColumn, TableMapping
from ade_engine.readers.base import SheetInfo
from ade_engine.structure import FoundTable

VERSION = 1


def configuration_entry(configuration: Configuration) -> dict[str, Any]:
    """Return which configuration a run followed."""
    return {"name": configuration.name, "fingerprint": configuration.fingerprint, "fields": len(configuration.fields)}


def sheet_entry(info: SheetInfo) -> dict[str, Any]:
    """Return a sheet of which nothing is known yet but its name.

    A formula whose result was never stored reads as an empty cell; how many there are is told, for nobody would notice.
    """
    return {
        "name": info.name,
        "visibility": info.visibility,
        "skipped": None,
        "formulas_without_value": 0,
        "tables": [],
    }


def table_entry(
    found: FoundTable,
    mapping: TableMapping,
    *,
    output: str,
    changes: Mapping[str, Mapping[str, int]],
    issues: IssueLog,
    written: int,
) -> dict[str, Any]:
    """Return what was decided about one table."""
    skipped = len(found.totals_rows) + len(found.group_rows) + len(found.repeated_header_rows)
    return {
        "output": output,
        "range": found.range.a1,
        "header": header_entry(found),
        "title_rows": list(found.title_rows),
        "note_rows": list(found.note_rows),
        "totals_rows": list(found.totals_rows),
        "group_rows": list(found.group_rows),
        "repeated_header_rows": list(found.repeated_header_rows),
        "columns": [column_entry(column) for column in mapping.columns],
        "transform": {
            field: {"changed": sum(rules.values()), "rules": dict(rules)} for field, rules in changes.items()
        },
        "issues": [issue.as_json() for issue in issues.kept],
        "issue_counts": issue_counts(issues),
        "rows": {"read": written + skipped, "written": written, "skipped": skipped},
    }


def header_entry(found: FoundTable) -> dict[str, Any]:
    """Return why these rows are the header."""
    runner_up = found.runner_up
    return {
        "rows": list(found.header_rows),
        "score": rounded(found.score),
        "margin": rounded(found.margin),
        "contributions": contribution_entries(found.contributions),
        "runner_up": None
        if runner_up is None
        else {"rows": list(runner_up.header_rows), "score": rounded(runner_up.score)},
    }


def column_entry(column: MappedColumn) -> dict[str, Any]:
    """Return what became of a column, and why."""
    return {
        "source": column_letters(column.position),
        "header": column.header,
        "target": column.field,
        "score": rounded(column.score),
        "margin": rounded(column.margin),
        "contributions": contribution_entries(column.contributions),
        "runner_up": None
        if column.runner_up is None
        else {"field": column.runner_up.field, "score": rounded(column.runner_up.score)},
        "reason": column.reason,
        "lost_to": column.lost_to,
    }


def contribution_entries(contributions: Iterable[Contribution]) -> list[dict[str, Any]]:
    """Return contributions in the order they were made."""
    return [{"rule": found.rule, "delta": rounded(found.delta)} for found in contributions]


def issue_counts(log: IssueLog) -> dict[str, Any]:
    """Return how many issues there are, kept or not."""
    severities = {severity: log.severities[severity] for severity in SEVERITIES}
    return {"total": log.count, **severities, "rules": dict(sorted(log.rules.items()))}


def summary(sheets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of all tables."""
    tables = [table for sheet in sheets for table in sheet["tables"]]
    columns = [column for table in tables for column in table["columns"]]
    mapped = sum(column["target"] is not None for column in columns)
    counts = [table["issue_counts"] for table in tables]
    return {
        "sheets": len(sheets),
        "tables": len(tables),
        "columns": {"total": len(columns), "mapped": mapped, "unmapped": len(columns) - mapped},
        "rows": {key: sum(table["rows"][key] for table in tables) for key in ("read", "written", "skipped")},
        "formulas_without_value": sum(sheet["formulas_without_value"] for sheet in sheets),
        "values_changed": sum(entry["changed"] for table in tables for entry in table["transform"].values()),
        "issues": {key: sum(count[key] for count in counts) for key in ("total", *SEVERITIES)},
    }


def rounded(number: float | None) -> float | None:
    """Return the number with the precision every machine agrees on; -0.0 is 0.0."""
    return None if number is None else round(float(number), DIGITS) + 0.0


def as_bytes(artifact: Mapping[str, Any]) -> bytes:
    """Return the artifact as the bytes that are stored."""
    return (json.dumps(artifact, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()

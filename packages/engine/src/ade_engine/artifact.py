"""Builds artifact.json: every decision of a run and why it was made, without a single cell value.

Keys keep a fixed order and numbers a fixed precision, so that the same run gives the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ade_engine.axes import Axes
from ade_engine.cells import column_letters
from ade_engine.configuration.model import Configuration
from ade_engine.evidence import DIGITS, Contribution
from ade_engine.issues import SEVERITIES, IssueLog
from ade_engine.mapping.outcome import MappedColumn, Suggestion, TableMapping
from ade_engine.readers.base import SheetInfo
from ade_engine.structure import FoundTable
from ade_engine.structure.outline import Total
from ade_engine.transposed_entry import transposed_entry, turned_parts

VERSION = 1
NOT_RESHAPED: Mapping[str, Any] = {"dropped": {}, "added": {}, "totals": {"checked": 0, "wrong": 0}}


def configuration_entry(configuration: Configuration) -> dict[str, Any]:
    """Return which configuration a run followed."""
    optional = configuration.settings.verdict_optional
    return {
        "name": configuration.name,
        "fingerprint": configuration.fingerprint,
        "fields": len(configuration.fields),
        "expected": [
            {"field": rules.field.name, "label": rules.field.title, "is_required": rules.field.required}
            for rules in configuration.columns
            if not rules.is_computed and rules.field.name not in optional
        ],
        "corrections": _corrections(configuration),
    }


def _corrections(configuration: Configuration) -> list[dict[str, Any]]:
    if not configuration.corrections:
        return []
    from ade_engine.corrections import used

    return list(used(configuration.corrections, {field.name: field.title for field in configuration.fields}))


def sheet_entry(info: SheetInfo, *, skipped: str | None = None) -> dict[str, Any]:
    """Return a sheet of which nothing is known yet but its name."""
    return {
        "name": info.name,
        "visibility": info.visibility,
        "skipped": skipped,
        "is_complete": False,
        "formulas_without_value": 0,
        **issue_entries(IssueLog(None)),
        "tables": [],
    }


def issue_entries(issues: IssueLog) -> dict[str, Any]:
    """Return the first issues of a sheet or a table, and how many there are of each kind."""
    return {"issues": [issue.as_json() for issue in issues.kept], "issue_counts": issue_counts(issues)}


def with_issues(entry: Mapping[str, Any], more: IssueLog) -> dict[str, Any]:
    """Return the issues of a sheet, and how many there are, with some more."""
    added = issue_entries(more)
    counts, new = entry["issue_counts"], added["issue_counts"]
    rules = Counter(counts["rules"]) + Counter(new["rules"])
    fields = Counter(counts["fields"]) + Counter(new["fields"])
    summed = {key: counts[key] + new[key] for key in ("total", *SEVERITIES, "cells", "whole")}
    return {
        "issues": [*entry["issues"], *added["issues"]],
        "issue_counts": {**summed, "fields": dict(sorted(fields.items())), "rules": dict(sorted(rules.items()))},
    }


def table_entry(
    found: FoundTable,
    mapping: TableMapping,
    *,
    output: str,
    hidden: Mapping[str, Any],
    changes: Mapping[str, Mapping[str, Any]],
    issues: IssueLog,
    data_rows: int,
    written: int,
    reshaped: Mapping[str, Any],
    corrected_cells: int = 0,
    row_numbers: Sequence[Sequence[int]] | None = None,
    output_columns: Sequence[Mapping[str, Any]] = (),
    is_complete: bool = True,
) -> dict[str, Any]:
    """Return what was decided about one table."""
    skipped = len(found.totals_rows) + len(found.group_rows) + len(found.repeated_header_rows)
    transposed = found.transposed
    entry: dict[str, Any] = {
        "output": output,
        "is_complete": is_complete,
        "file": None,
        "range": found.range.a1,
        "confidence": rounded(found.confidence),
        "transposed": None if transposed is None else transposed_entry(found, transposed),
        "header": header_entry(found),
        "title_rows": list(found.title_rows),
        "note_rows": list(found.note_rows),
        "totals_rows": list(found.totals_rows),
        "group_rows": list(found.group_rows),
        "groups": [{"row": group.row, "level": group.level} for group in found.groups],
        "totals": [{"row": total.row, "sums": _span(total)} for total in found.totals],
        "repeated_header_rows": list(found.repeated_header_rows),
        "hidden": dict(hidden),
        "columns": [column_entry(column, mapping.axes) for column in mapping.columns],
        "transform": dict(changes),
        "reshaped": dict(reshaped),
        "corrected_cells": corrected_cells,
        **issue_entries(issues),
        "rows": {"read": data_rows + skipped, "written": written, "skipped": skipped},
        "row_numbers": row_numbers,
        "output_columns": list(output_columns),
    }
    if transposed is not None and transposed.is_turned:
        entry |= turned_parts(entry["header"], transposed)
    return entry


def unfinished_table_entry(found: FoundTable, mapping: TableMapping, *, issues: IssueLog) -> dict[str, Any]:
    """Return what is known of the table in which a run failed."""
    name, hidden = found.sheet or "Table", hidden_entry(0, (), mapping)
    return table_entry(
        found,
        mapping,
        output=name,
        hidden=hidden,
        changes={},
        issues=issues,
        data_rows=0,
        written=0,
        reshaped=NOT_RESHAPED,
        is_complete=False,
    )


def hidden_entry(row_count: int, columns: Collection[int], mapping: TableMapping) -> dict[str, Any]:
    """Return how much of a table's data is hidden in the document: hidden rows and columns are read like others."""
    positions = sorted(column.position for column in mapping.columns if column.position in columns)
    return {"rows": row_count, "columns": [column_letters(position) for position in positions]}


def header_entry(found: FoundTable) -> dict[str, Any]:
    """Return why these rows are the header."""
    runner_up = found.runner_up
    return {
        "rows": list(found.header_rows),
        "score": rounded(found.score),
        "margin": rounded(found.margin),
        "confidence": rounded(found.header_confidence),
        "contributions": contribution_entries(found.contributions),
        "runner_up": None
        if runner_up is None
        else {"rows": list(runner_up.header_rows), "score": rounded(runner_up.score)},
    }


def _span(total: Total) -> list[int] | None:
    """Return the first and the last row that a total sums."""
    return None if total.first_row is None or total.last_row is None else [total.first_row, total.last_row]


def column_entry(column: MappedColumn, axes: Axes) -> dict[str, Any]:
    """Return what became of a column, and why."""
    return {
        "source": axes.column(column.position),
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
        "confidence": rounded(column.confidence),
        "suggestions": [suggestion_entry(suggestion) for suggestion in column.suggestions],
        "learned_from": column.learned_from,
    }


def suggestion_entry(suggestion: Suggestion) -> dict[str, Any]:
    """Return a field that a person may choose for a column."""
    return {
        "field": suggestion.field,
        "confidence": rounded(suggestion.confidence),
        "contributions": contribution_entries(suggestion.contributions),
    }


def contribution_entries(contributions: Iterable[Contribution]) -> list[dict[str, Any]]:
    """Return contributions in the order they were made."""
    return [{"rule": found.rule, "delta": rounded(found.delta)} for found in contributions]


def issue_counts(log: IssueLog) -> dict[str, Any]:
    """Return how many issues there are, kept or not."""
    severities = {severity: log.severities[severity] for severity in SEVERITIES}
    return {
        "total": log.count,
        **severities,
        "cells": log.cells,
        "whole": log.whole,
        "fields": dict(sorted(log.fields.items())),
        "rules": dict(sorted(log.rules.items())),
    }


def summary(sheets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of all sheets and tables."""
    tables = [table for sheet in sheets for table in sheet["tables"]]
    columns = [column for table in tables for column in table["columns"]]
    mapped = sum(column["target"] is not None for column in columns)
    counts = [entry["issue_counts"] for entry in (*sheets, *tables)]
    return {
        "sheets": _sheet_counts(sheets),
        "tables": len(tables),
        "columns": {"total": len(columns), "mapped": mapped, "unmapped": len(columns) - mapped},
        "rows": {key: sum(table["rows"][key] for table in tables) for key in ("read", "written", "skipped")},
        "formulas_without_value": sum(sheet["formulas_without_value"] for sheet in sheets),
        "values_changed": sum(entry["changed"] for table in tables for entry in table["transform"].values()),
        "hidden": {
            "rows": sum(table["hidden"]["rows"] for table in tables),
            "columns": sum(len(table["hidden"]["columns"]) for table in tables),
        },
        "issues": {key: sum(count[key] for count in counts) for key in ("total", *SEVERITIES)},
    }


def _sheet_counts(sheets: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many sheets there are, how many of them were read or left out, and how many are hidden."""
    skipped = sum(sheet["skipped"] is not None for sheet in sheets)
    hidden = sum(sheet["visibility"] != "visible" for sheet in sheets)
    without_table = sum("structure.no_table" in sheet["issue_counts"]["rules"] for sheet in sheets)
    return {
        "total": len(sheets),
        "read": len(sheets) - skipped,
        "skipped": skipped,
        "hidden": hidden,
        "without_table": without_table,
    }


def rounded(number: float | None) -> float | None:
    """Return the number with the precision every machine agrees on; -0.0 is 0.0."""
    return None if number is None else round(float(number), DIGITS) + 0.0


def as_bytes(artifact: Mapping[str, Any]) -> bytes:
    """Return the artifact as the bytes that are stored."""
    return (json.dumps(artifact, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()

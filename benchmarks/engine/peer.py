"""The usual way to do the same work: openpyxl reads and writes, polars transforms and validates whole columns.

Written to be fair: every step vectorised where polars can, six columns found by their header, issues collected with
their cell. It has no explanation, no structure but "the first row is the header", and it trusts each column to be of
one type. Twice: with the workbook in memory, as most programs use openpyxl, and in its streaming modes.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

FIELDS = {
    "member_id": ("Member ID", ("member #", "member id")),
    "name": ("Name", ("given name", "name")),
    "email": ("Email", ("e-mail", "email")),
    "joined_on": ("Joined on", ("joined", "joined on")),
    "amount": ("Amount", ("amount due", "amount")),
    "status": ("Status", ("state", "status")),
}


def normalize(source: Path, output: Path, *, is_streaming: bool) -> int:
    """Read, map, transform, validate, write; return the number of issues."""
    import openpyxl
    import polars as pl

    workbook = openpyxl.load_workbook(source, read_only=is_streaming, data_only=True)
    rows = workbook.worksheets[0].iter_rows(values_only=True)
    headers = [str(header) for header in next(rows)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    frame = pl.DataFrame({header: _series(header, column) for header, column in zip(headers, columns, strict=True)})
    del columns
    frame = _transformed(frame.rename(_mapping(headers)))
    issues = _issues(frame)
    _write(frame, output, is_streaming=is_streaming)
    return len(issues)


def _series(header: str, values: list[Any]) -> Any:
    import polars as pl

    return pl.Series(header, values, strict=False)


def _mapping(headers: list[str]) -> dict[str, str]:
    known = {alias: name for name, (_, aliases) in FIELDS.items() for alias in aliases}
    return {header: known[header.lower()] for header in headers if header.lower() in known}


def _transformed(frame: Any) -> Any:
    import polars as pl

    frame = frame.with_columns(
        pl.col("member_id").str.strip_chars().str.to_uppercase(),
        pl.col("name").str.strip_chars().str.to_titlecase(),
        pl.col("email").str.strip_chars().str.to_lowercase(),
        pl.col("joined_on").str.to_date("%d.%m.%Y", strict=False),
        pl.col("amount").cast(pl.Float64, strict=False),
        pl.col("status").str.strip_chars().str.to_lowercase(),
    )
    return frame.select(*FIELDS, pl.all().exclude(*FIELDS))


def _issues(frame: Any) -> list[tuple[str, int, str]]:
    import polars as pl

    checks = {
        ("member_id", "required"): pl.col("member_id").is_null(),
        ("member_id", "must have 9 characters"): pl.col("member_id").str.len_chars() != 9,
        ("name", "required"): pl.col("name").is_null(),
        ("email", "pattern"): ~pl.col("email").str.contains(r"^[^@\s]+@[^@\s]+\.[^@\s]+$"),
        ("joined_on", "type"): pl.col("joined_on").is_null(),
        ("amount", "minimum"): pl.col("amount") < 0,
        ("status", "choices"): ~pl.col("status").is_in(["open", "closed"]),
    }
    indexed = frame.with_row_index("row", offset=2)
    return [
        (field, row, message)
        for (field, message), wrong in checks.items()
        for row in indexed.filter(wrong)["row"].to_list()
    ]


def _write(frame: Any, output: Path, *, is_streaming: bool) -> None:
    import openpyxl

    workbook = openpyxl.Workbook(write_only=is_streaming)
    sheet = workbook.create_sheet("Members", 0)
    sheet.append([FIELDS[name][0] if name in FIELDS else name for name in frame.columns])
    rows = frame.iter_rows()
    while chunk := list(islice(rows, 1000)):
        for row in chunk:
            sheet.append(row)
    workbook.save(output)

"""Cases of column mapping: an example that a configuration is inferred from, another table, and which columns match."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ade_engine import example_tables, infer_configuration, load_configuration
from ade_engine.configuration.model import Configuration, Context
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.table import Mapper
from ade_engine.readers import open_workbook
from ade_engine.sheets_run import source_table
from ade_engine.structure import find_tables


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case as it is stored; `gold` names the target of each source column, None where it has none."""

    id: str
    family: str
    kind: str
    target: Sequence[tuple[str, Sequence[str]]]
    source: Sequence[tuple[str, Sequence[str]]]
    gold: Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A case as the engine sees it."""

    case: Case
    configuration: Configuration
    table: SourceTable | None
    titles: Sequence[str | None]  # the target column of each field
    headers: Sequence[str]  # the source column of each column of the table


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        return [_case(json.loads(line)) for line in lines if line.strip()]


def _case(stored: Mapping[str, Any]) -> Case:
    sides = {
        side: [(column["name"], column["values"]) for column in stored[side]["columns"]]
        for side in ("target", "source")
    }
    return Case(
        id=stored["id"], family=stored["source_family"], kind=stored["kind"], gold=stored["gold"],
        target=sides["target"], source=sides["source"],
    )  # fmt: skip


def prepare(case: Case) -> Prepared | None:
    """Take a case through the engine up to the mapping; None when no configuration can be inferred."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _write(folder / "target.csv", case.target)
        _write(folder / "source.csv", case.source)
        tables = example_tables(folder / "target.csv")
        if not any(tables):
            return None
        infer_configuration(folder / "rules", tables)
        configuration = load_configuration(folder / "rules")
        with closing(open_workbook(folder / "source.csv")) as workbook:
            sheet = workbook.open_sheet(workbook.sheets[0])
            table = next((source_table(found) for found in find_tables(sheet)), None)
    heads = [name for name, _ in case.target]
    headers = [case.source[column.position - 1][0] for column in table.columns] if table else []
    titles = [_target(field.title, heads) for field in configuration.fields]
    return Prepared(case=case, configuration=configuration, table=table, titles=titles, headers=headers)


def _write(path: Path, columns: Sequence[tuple[str, Sequence[str]]]) -> None:
    count = max([len(values) for _, values in columns], default=0)
    with path.open("w", newline="", encoding="utf-8") as handle:
        out = csv.writer(handle)
        out.writerow([name for name, _ in columns])
        for number in range(count):
            out.writerow([values[number] if number < len(values) else "" for _, values in columns])


def _target(title: str, heads: Sequence[str]) -> str | None:
    """Return the column a field was made of: a second header row may have been joined to it."""
    plain = " ".join(title.split()).lower()
    equal = [head for head in heads if " ".join(head.split()).lower() == plain]
    longer = [
        head for head in sorted(heads, key=len, reverse=True) if plain.startswith(" ".join(head.split()).lower() + " ")
    ]
    return next(iter([*(head for head in heads if head == title), *equal, *longer]), None)


def without_profiles(prepared: Prepared) -> Prepared:
    """Return a case as a configuration written by hand sees it."""
    return replace(prepared, configuration=replace(prepared.configuration, profiles={}))


def described(prepared: Prepared) -> Iterator[tuple[int, int, list[int], bool | None]]:
    """Yield column, field, features and whether the pair is right, or None where that is not known."""
    if prepared.table is None:
        return
    rows = Mapper(prepared.configuration, Context()).open_pairs(prepared.table)
    for (column, field), row in rows.items():
        header = prepared.headers[column]
        known = header in prepared.case.gold
        yield column, field, row, prepared.case.gold[header] == prepared.titles[field] if known else None

"""Writes what rules receive: every object with every attribute, from the classes themselves."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from ade_engine.configuration.model import Context
from ade_engine.hooks import Output
from ade_engine.mapping.outcome import MappedColumn, SourceTable, TableMapping
from ade_engine.mapping.profile import Column
from ade_engine.readers.base import SheetInfo, Workbook
from ade_engine.row_rules import RowView as SheetRow

_CELLS = "None, text, int, float, bool, date, datetime, time or timedelta"


@dataclass(frozen=True)
class _Told:
    """An object that rules receive. `attributes` are those without a docstring: name → type, meaning."""

    title: str
    intro: str
    kind: type | None
    attributes: dict[str, tuple[str, str]]
    hidden: frozenset[str] = field(default_factory=frozenset)


OBJECTS = (
    _Told(
        "row, source",
        "A mapping that cannot be changed, in `transform`, `validate`, `keep` and `expand`. `row` has clean values, "
        f"`source` cells as they were read: {_CELLS}.",
        None,
        {
            'row["name"]': ("value", "the value of a field; `ade check` finds a name that is no field"),
            'row.get("name")': ("value", "the same: every row has every field, and an empty one is None"),
            '"name" in row': ("bool", "whether the configuration has such a field"),
            "list(row)": ("list of text", "the names of all fields"),
            "dict(row)": ("dict", "all values by name"),
        },
    ),
    _Told(
        "row of a sheet",
        "In `row_types/`, where rows are judged before there are fields.",
        SheetRow,
        {
            "number": ("int", "the number of the row in the sheet"),
            "values": ("list of values", "all cells from column A on"),
            "above": ("list of values", "the cells of the row above"),
            "below": ("list of values", "the cells of the row below"),
            "blank_rows_above": ("int", "how many blank rows are right above it"),
        },
    ),
    _Told(
        "column",
        "A column of the document. The shares are of a sample of the values that are not empty.",
        Column,
        {
            "header": ("text", "its header; several header rows are joined by a space"),
            "lowest_header": ("text", "the text of the lowest header row, where there are several"),
            "position": ("int", "1 is column A; in a table that was turned, its first field"),
            "values": ("list of values", "a sample, without empty cells"),
        },
    ),
    _Told(
        "table",
        "A table of the document, before its rows are read.",
        SourceTable,
        {
            "sheet": ("text or None", "the name of the sheet; csv has none"),
            "columns": ("list of column", "from left to right; of a table that was turned, from top to bottom"),
            "header_rows": ("list of int", "the numbers of its header rows; none of a table that was turned"),
            "first_row": ("int", "the first row of header or data"),
        },
        frozenset({"title_rows", "axes"}),
    ),
    _Told(
        "mapping",
        "In `on_table_mapped`: which column feeds which field.",
        TableMapping,
        {"columns": ("list of mapped column", "from left to right")},
        frozenset({"axes"}),
    ),
    _Told(
        "mapped column",
        "An entry of `mapping.columns`.",
        MappedColumn,
        {
            "position": ("int", "1 is column A"),
            "header": ("text", "its header"),
            "field": ("text or None", "the field it feeds"),
            "reason": ("text", "best, likely, combined or hook; no_candidate, below_threshold, unsure, lost, "
                       "ignored or unpivoted"),
            "score": ("float or None", "of the field, or of the best candidate"),
            "margin": ("float or None", "the lead over what comes next"),
            "contributions": ("list", "`rule` and `delta` of everything that was added up"),
            "runner_up": ("object or None", "`field` and `score` of the second choice"),
            "lost_to": ("text or None", "the letters of the column that is the field instead"),
            "confidence": ("float or None", "the probability that the field is right"),
            "suggestions": ("list", "`field`, `confidence` and `contributions`, for a person to choose from"),
            "learned_from": ("str or None", "the accepted document that was the best evidence"),
        },
    ),
    _Told(
        "output",
        "In `before_write`: what is about to be written for a table.",
        Output,
        {
            "name": ("text", "the name of the sheet or file; it may be set"),
            "columns": ("list of text", "the headers"),
            "fields": ("list of text", "the names of the fields among them"),
        },
        frozenset({"probable_mistakes", "dropped"}),
    ),
    _Told(
        "workbook",
        "In `on_workbook_start` and `on_workbook_end`: the document.",
        Workbook,
        {},
        frozenset({"close", "open_sheet"}),
    ),
    _Told(
        "sheet",
        "In `on_sheet_start`, and in `workbook.sheets`. In `row_types/`, `sheet` is the name alone.",
        SheetInfo,
        {
            "index": ("int", "0 is the first"),
            "name": ("text or None", "csv has none"),
            "visibility": ("text", "visible, hidden or very_hidden"),
            "is_active": ("bool", "whether it is the one that opens first"),
        },
    ),
    _Told(
        "context",
        "One for a whole run.",
        Context,
        {
            "settings": ("dict", "the `[rules]` table of `settings.toml`"),
            "document": ("text", "the name of the file"),
            "state": ("dict", "anything that rules want to remember until the run ends"),
        },
    ),
    _Told(
        "summary",
        "A dict. In `on_table_end`: `rows`, how many were written, and `changes`, by field how many values each rule "
        "changed. In `on_workbook_end`: the `summary` of the [artifact](artifact.md#summary).",
        None,
        {},
    ),
)  # fmt: skip


def objects_section() -> list[str]:
    """Return the lines about all objects; fail where one has an attribute that nobody described."""
    lines = ["", "## What rules receive", "", "Every object that a function can ask for, with all it has."]
    for told in OBJECTS:
        rows = rows_of(told)
        lines += ["", f"### {told.title}", "", told.intro]
        if told.kind is not None and (missing := _attributes(told.kind) - set(rows) - told.hidden):
            raise SystemExit(f"{told.title}: nothing describes {', '.join(sorted(missing))}")
        if rows:
            lines += ["", "| attribute | type | meaning |", "| --- | --- | --- |"]
            lines += [f"| `{name}` | {kind} | {meaning} |" for name, (kind, meaning) in rows.items()]
    return lines


def rows_of(told: _Told) -> dict[str, tuple[str, str]]:
    """Return what an object has: name → type, meaning."""
    rows = {**told.attributes, **(_described(told.kind) if told.kind else {})}
    return {name: row for name, row in rows.items() if name.partition("(")[0] not in told.hidden}


def _attributes(kind: type) -> set[str]:
    """Return the names of public attributes that the class itself does not describe."""
    return {name for name in inspect.get_annotations(kind) if not name.startswith("_")}


def _described(kind: type) -> dict[str, tuple[str, str]]:
    """Return methods and properties with the first sentence of what they say of themselves."""
    found = {}
    for name, member in inspect.getmembers(kind):
        if name.startswith("_") or not (callable(member) or isinstance(member, property) or hasattr(member, "func")):
            continue
        text = (inspect.getdoc(member) or "").split("\n")[0].removeprefix("Return ")
        found[_called(name, member)] = (_type(member), text[:1].lower() + text[1:].removesuffix("."))
    return found


def _called(name: str, member: Any) -> str:
    if not inspect.isfunction(member):
        return name
    given = [
        f"*{one.name}" if one.kind is inspect.Parameter.VAR_POSITIONAL else one.name
        for one in inspect.signature(member).parameters.values()
        if one.name != "self"
    ]
    return f"{name}({', '.join(given)})"


_TYPES = {"str": "text", "list[str]": "list of text", "list[Value]": "list of values", "Sequence[str]": "list of text",
          "tuple[str, ...]": "list of text", "None": "", "list[int]": "list of int",
          "Sequence[SheetInfo]": "list of sheet"}  # fmt: skip


def _type(member: Any) -> str:
    function = member if inspect.isfunction(member) else getattr(member, "fget", None) or getattr(member, "func", None)
    told = str(inspect.get_annotations(function).get("return", "")) if function is not None else ""
    return _TYPES.get(told, told)

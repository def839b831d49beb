"""Corrections: what a person decided about documents, as data. They are applied after the rules, and win.

Each is a plain object with a kind and what it is about. A later correction of the same thing replaces an earlier one,
so that two of them cannot contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ade_engine.cells import Range, parse_range
from ade_engine.configuration.model import ColumnRules, Configuration
from ade_engine.fields import Field
from ade_engine.mapping.headers import comparable
from ade_engine.mapping.outcome import SourceTable, TableMapping
from ade_engine.structure.rectangle import FixedRange
from ade_engine.words import as_key

# By kind: what says which thing is corrected, and what it becomes.
KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "header": (("header", "sheet"), ("field", "kept")),
    "column": (("column", "sheet"), ("field", "kept")),
    "value": (("field", "value"), ("new", "outcome")),
    "sheet": (("sheet",), ("ignored",)),
    "row": (("row", "sheet"), ("label",)),
    "cell": (("cell", "row", "field", "sheet"), ("new", "found")),
    "range": (("range", "sheet"), ("header_rows", "transposed")),  # which then counts columns of names
    "field": (("field",), ("type", "day_first")),
    "new_field": (("field",), ("label", "type")),
}
# What becomes of cells with a value that is not replaced: they are right as they are, or their rows are left out.
OUTCOMES = ("accept", "drop")
ABOUT = ("id", "kind", "by", "at", "document")
Entry = Mapping[str, Any]


def subject_of(entry: Entry) -> tuple[Any, ...]:
    """Return what a correction is about; of two about the same, the later holds."""
    keys, _ = KINDS[entry["kind"]]
    given = [entry.get(key) for key in keys]
    if entry["kind"] == "header":
        given[0] = comparable(str(given[0]))
    return (entry["kind"], *given)


def in_force(entries: Iterable[Entry]) -> list[Entry]:
    """Return the corrections that hold, in the order they were made."""
    found: dict[tuple[Any, ...], Entry] = {}
    for entry in entries:
        found.pop(subject_of(entry), None)
        if entry["kind"] == "range":
            for other in [key for key, earlier in found.items() if _is_same_table(entry, earlier)]:
                del found[other]
        found[subject_of(entry)] = entry
    return list(found.values())


def _is_same_table(later: Entry, earlier: Entry) -> bool:
    """Return whether both say where a table is, and cannot both be right: their rectangles overlap."""
    if earlier["kind"] != "range" or earlier.get("sheet") != later.get("sheet"):
        return False
    return parse_range(earlier["range"]).overlaps(parse_range(later["range"]))


def corrected(configuration: Configuration, entries: Iterable[Entry]) -> Configuration:
    """Return the configuration with further corrections, which hold before its own."""
    all_of_them = tuple(in_force((*configuration.corrections, *entries)))
    if not all_of_them:
        return configuration
    present = (*configuration.columns, *_new_fields(configuration, all_of_them))
    plain = (_without_values(rules, configuration.corrections) for rules in present)
    columns = tuple(_corrected_field(rules, all_of_them) for rules in plain)
    return replace(configuration, columns=columns, corrections=all_of_them)


def _new_fields(configuration: Configuration, entries: Sequence[Entry]) -> Iterator[ColumnRules]:
    """Yield the fields that people added; one that has rules by now is no longer theirs."""
    names = {field.name for field in configuration.fields}
    for entry in entries:
        if entry["kind"] == "new_field" and entry["field"] not in names:
            yield ColumnRules(field=Field(entry["field"], label=entry["label"], type=entry.get("type")))


def _without_values(rules: ColumnRules, earlier: Sequence[Entry]) -> ColumnRules:
    """Return the rules of a field without what earlier corrections made of its values: those in force say it again."""
    mine = [entry for entry in earlier if entry["kind"] == "value" and entry["field"] == rules.field.name]
    if not mine:
        return rules
    replaced = {entry["value"] for entry in mine}
    return replace(
        rules,
        replacements={old: new for old, new in (rules.replacements or {}).items() if old not in replaced},
        accepted=rules.accepted - _words(rules, mine, "accept"),
        unwanted=rules.unwanted - _words(rules, mine, "drop"),
    )


def _corrected_field(rules: ColumnRules, entries: Sequence[Entry]) -> ColumnRules:
    mine = [entry for entry in entries if entry.get("field") == rules.field.name]
    about_values = [entry for entry in mine if entry["kind"] == "value"]
    if values := {entry["value"]: entry["new"] for entry in about_values if "outcome" not in entry}:
        rules = replace(rules, replacements={**(rules.replacements or {}), **values})
    accepted, unwanted = (_words(rules, about_values, outcome) for outcome in OUTCOMES)
    rules = replace(rules, accepted=rules.accepted | accepted, unwanted=rules.unwanted | unwanted)
    for entry in mine:
        if entry["kind"] == "field":
            given = {key: entry[key] for key in ("type", "day_first") if key in entry}
            rules = replace(rules, field=replace(rules.field, **given))
    return rules


def _words(rules: ColumnRules, entries: Sequence[Entry], outcome: str) -> frozenset[str]:
    """Return the values of an outcome as cells are compared with them."""
    ignores_case = rules.field.ignore_case
    keys = (as_key(entry["value"], ignores_case=ignores_case) for entry in entries if entry.get("outcome") == outcome)
    return frozenset(key for key in keys if key is not None)


def without_cells_of_others(configuration: Configuration, document: str) -> Configuration:
    """Return a configuration without the corrections of cells of other documents than the one of this name."""
    kept = tuple(one for one in configuration.corrections if one["kind"] != "cell" or one.get("document") == document)
    return configuration if len(kept) == len(configuration.corrections) else replace(configuration, corrections=kept)


def correct_mapping(entries: Sequence[Entry], table: SourceTable, mapping: TableMapping) -> None:
    """Map the columns of a table as people decided; the position of a column counts more than its header."""
    for kind in ("header", "column"):
        for entry in entries:
            if entry["kind"] == kind and entry.get("sheet") in (None, table.sheet):
                for position in _positions(entry, mapping):
                    mapping.assign(position, entry["field"], reason=_reason(entry))


def _reason(entry: Entry) -> str:
    if entry["field"] is not None:
        return "corrected"
    return "kept" if entry.get("kept") else "ignored"


def _positions(entry: Entry, mapping: TableMapping) -> list[int]:
    """Return the columns that a correction is about: one, unless it leaves out all of a header."""
    if entry["kind"] == "column":
        return [
            column.position for column in mapping.columns if mapping.axes.column(column.position) == entry["column"]
        ]
    wanted = comparable(entry["header"])
    found = [column.position for column in mapping.columns if column.header and comparable(column.header) == wanted]
    return found if entry["field"] is None else found[:1]


def is_sheet_ignored(entries: Sequence[Entry], sheet: str | None) -> bool:
    """Return whether people decided that a sheet is not read."""
    return any(entry["kind"] == "sheet" and entry["sheet"] == sheet and entry["ignored"] for entry in entries)


def row_labels(entries: Sequence[Entry], sheet: str | None) -> dict[int, str]:
    """Return what people decided that rows of a sheet are."""
    return {
        entry["row"]: entry["label"]
        for entry in entries
        if entry["kind"] == "row" and entry.get("sheet") in (None, sheet)
    }


def fixed_ranges(entries: Sequence[Entry], sheet: str | None, document: str | None = None) -> list[FixedRange]:
    """Return the rectangles of a sheet that people called tables, with all that they said of their rows.

    What was said of a row before the rectangle was drawn holds no longer where it is about the header.
    """
    found: list[tuple[Range, dict[int, str], int | None, bool]] = []
    labels: dict[int, str] = {}
    for entry in entries:
        if entry["kind"] not in ("row", "range") or entry.get("sheet") not in (None, sheet):
            continue
        if entry["kind"] == "row":
            labels[entry["row"]] = entry["label"]
            for place, own, *_ in found:
                if place.first_row <= entry["row"] <= place.last_row:
                    own[entry["row"]] = entry["label"]
            continue
        place = parse_range(entry["range"])
        names = entry["header_rows"] if entry.get("transposed") else None
        header = range(place.first_row, place.first_row + entry["header_rows"]) if names is None else ()
        own = {row: label for row, label in labels.items() if label not in ("header", "title")}
        found = [other for other in found if not other[0].overlaps(place)]
        is_here = document is not None and entry.get("document") == document
        found.append((place, own | dict.fromkeys(header, "header"), names, is_here))
    return [FixedRange(place, own, names, is_of_document=is_here) for place, own, names, is_here in found]


def in_words(entry: Entry, labels: Mapping[str, str] | None = None) -> str:
    """Return a correction as a sentence, without who made it."""
    label = (labels or {}).get(entry.get("field") or "", entry.get("field"))
    where = f' of sheet "{entry["sheet"]}"' if entry.get("sheet") and entry["kind"] != "sheet" else ""
    if entry["kind"] in ("header", "column"):
        what = f'"{entry["header"]}"' if entry["kind"] == "header" else f"column {entry['column']}"
        unmapped = "kept as it is" if entry.get("kept") else "no field and left out"
        return f"{what}{where} is {unmapped if entry['field'] is None else label}"
    if entry["kind"] == "value":
        if "outcome" in entry:
            is_accepted = entry["outcome"] == "accept"
            return (
                f"a value of {label} is right as it is" if is_accepted else f"rows with a value of {label} are left out"
            )
        return f"a value of {label} is {'made empty' if entry['new'] is None else 'replaced'}"
    if entry["kind"] == "sheet":
        return f'sheet "{entry["sheet"]}" is {"not read" if entry["ignored"] else "read"}'
    if entry["kind"] == "row":
        return f"row {entry['row']}{where} is of type {entry['label']}"
    if entry["kind"] == "cell":
        place = entry.get("cell") or f"{label} in row {entry['row']}"
        return f"{place}{where} is {'made empty' if entry['new'] is None else 'replaced'}"
    if entry["kind"] == "range":
        count = entry["header_rows"]
        if entry.get("transposed"):
            columns = f"{count} column{'' if count == 1 else 's'}" if count else "no column"
            return f"{entry['range']}{where} is a table whose fields are rows, with {columns} of names"
        header = f"{count} header row{'' if count == 1 else 's'}" if count else "no header row"
        return f"{entry['range']}{where} is a table with {header}"
    if entry["kind"] == "new_field":
        return f"{entry['label']} is a field"
    return f"{label}: " + ", ".join(f"{key} = {entry[key]}" for key in ("type", "day_first") if key in entry)


def used(entries: Sequence[Entry], labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield corrections as the artifact lists them: without values of cells."""
    for entry in entries:
        about = {key: entry.get(key) for key in ABOUT}
        place = {key: entry[key] for key in ("sheet", "cell", "row", "field") if entry.get(key) is not None}
        yield {**about, "message": in_words(entry, labels), **({"place": place} if entry["kind"] == "cell" else {})}

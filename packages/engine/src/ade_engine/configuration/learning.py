"""Learns from an accepted document: what its columns were called and looked like becomes evidence for the next ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ade_engine.cells import column_letters
from ade_engine.configuration.infer_profiles import salt_of
from ade_engine.configuration.learned import LONGEST_TEXT, MOST_ENTRIES, Entry, Learned, LearnedColumn, as_text
from ade_engine.configuration.load import load_configuration
from ade_engine.configuration.model import Configuration, Context
from ade_engine.errors import ConfigurationError, InputError
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import Column
from ade_engine.mapping.value_profile import as_json, profile_values
from ade_engine.pipeline import normalize
from ade_engine.readers import open_workbook
from ade_engine.row_rules import row_evidence
from ade_engine.sheets_run import source_table
from ade_engine.structure import find_tables

_REFUSED = {"configuration_error": ConfigurationError, "input_error": InputError}


def learn(
    folder: str | Path, document: str | Path, scratch: str | Path, *, sender: str | None = None,
    encoding: str | None = None,
) -> str:  # fmt: skip
    """Return the learned.json of a configuration with what a document adds, by the mappings of a run.

    The run writes into `scratch`. What was learned from a document of this name before is replaced.
    """
    document = Path(document)
    configuration = load_configuration(folder)
    done = normalize(document, scratch, configuration=configuration, encoding=encoding)
    if done.failure is not None:
        raise _REFUSED.get(done.failure.code, InputError)(done.failure.message)
    found = _fields(configuration, document, done.artifact, encoding)
    if not found:
        raise InputError(f"No column of {document.name} was mapped, so there is nothing to learn.", cause="no_table")
    learned = configuration.learned
    salt = learned.salt or configuration.profiles.get("salt") or salt_of([_counted(found)]).hex()
    origin = document.name[:LONGEST_TEXT]
    others = [other for other in learned.entries if other.origin != origin]
    sketched = _sketched(configuration, others)
    fields = {
        name: _learned(columns, None if name in sketched else bytes.fromhex(salt)) for name, columns in found.items()
    }
    entry = Entry(origin=origin, sender=sender, fields=fields)
    return as_text(Learned(salt, (*others, entry)[-MOST_ENTRIES:]))


def _sketched(configuration: Configuration, entries: Sequence[Entry]) -> set[str]:
    """Return the fields that have a sketch of values. Another one would tell which values came again."""
    profiles = list(configuration.profiles.get("fields", {}).items())
    profiles += [(name, column.profile or {}) for entry in entries for name, column in entry.fields.items()]
    return {name for name, profile in profiles if "values" in profile or "words" in profile}


def _fields(
    configuration: Configuration, document: Path, artifact: Mapping[str, Any], encoding: str | None
) -> dict[str, list[Column]]:
    """Return the columns that fed each field in a run."""
    own = configuration.of_document(document.name)
    context = Context(settings=own.settings.rules, document=document.name)
    found: dict[str, list[Column]] = {}
    with closing(
        open_workbook(document, encoding=encoding or own.settings.encoding, delimiter=own.settings.delimiter)
    ) as workbook:
        for info, entry in zip(workbook.sheets, _in_order(workbook.sheets, artifact["sheets"]), strict=True):
            tables = find_tables(workbook.open_sheet(info), evidence=row_evidence(own, context, {}))
            for known, table in zip(entry["tables"], _read(tables), strict=False):
                if tuple(known["header"]["rows"]) == tuple(table.header_rows):
                    _add(found, table.columns, known["columns"])
    return found


def _in_order(sheets: Sequence[Any], entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return what a run found in each sheet; nothing in those it did not read."""
    known = {entry["name"]: entry for entry in entries}
    return [known.get(info.name, {"tables": []}) for info in sheets]


def _read(tables: Any) -> Iterator[SourceTable]:
    for table in tables:
        source = source_table(table)
        for _ in table.data():
            pass  # the next table is found only after this one was read
        yield source


def _add(found: dict[str, list[Column]], columns: Sequence[Column], entries: Sequence[Mapping[str, Any]]) -> None:
    targets = {entry["source"]: entry["target"] for entry in entries}
    for column in columns:
        if target := targets.get(column_letters(column.position)):
            found.setdefault(target, []).append(column)


def _counted(found: Mapping[str, Sequence[Column]]) -> dict[str, list[Any]]:
    return {column.header: list(column.values) for columns in found.values() for column in columns}


def _learned(columns: Sequence[Column], salt: bytes | None) -> LearnedColumn:
    """Return what the columns of one field were called and looked like, with a sketch where a salt is given."""
    values = [value for column in columns for value in column.values]
    profile, _ = profile_values(values, salt, row_count=sum(column.row_count for column in columns))
    headers = dict.fromkeys(column.header[:LONGEST_TEXT] for column in columns if column.header)
    return LearnedColumn(tuple(headers), as_json(profile) if profile else None)

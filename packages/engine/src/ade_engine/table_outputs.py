"""Decides where the rows of a table go: to a sheet of their own, or to outputs that several tables share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.model import Settings
from ade_engine.configuration.settings_shape import NamedOutput
from ade_engine.records import record
from ade_engine.row_choice import SeenKeys
from ade_engine.table_run import TableRun
from ade_engine.write import Writer
from ade_engine.writers.look import Look
from ade_engine.writers.spool import Spool, SpooledTable

ONE = "Data"  # the output of all tables
_Cells = Collection[tuple[int, int]]


@record(frozen=False)
class _Part:
    """A table's part of an output: which of its columns are written."""

    output: SpooledTable
    places: Sequence[int] | None  # None means all

    def write(self, rows: Sequence[Sequence[Value]], highlighted: _Cells) -> None:
        if self.places is None:
            self.output.write_rows(rows, highlighted)
            return
        new = {place: number for number, place in enumerate(self.places)}
        picked = [[row[place] for place in self.places] for row in rows]
        self.output.write_rows(picked, [(row, new[cell]) for row, cell in highlighted if cell in new])


@record(frozen=False)
class Target:
    """Where the rows of one table go."""

    name: str
    number: int = 0  # which table of the writer it is, from 0
    parts: list[_Part] = field(default_factory=list)


class TableOutputs:
    """The outputs of a run. Rows go to the writer at once, or wait on disk where tables share an output."""

    def __init__(self, writer: Writer, settings: Settings) -> None:
        self._writer = writer
        self._settings = settings
        shares = settings.tables != "separate" or bool(settings.outputs)
        self._spool = Spool() if shares else None
        self._seen: dict[str, SeenKeys] = {}
        self._written: list[str] = []  # names of the writer's tables, in order
        self._entries: list[tuple[dict[str, Any], Target]] = []

    def seen(self, name: str) -> SeenKeys:
        """Return the keys of the output that tables of this name go to; without sharing, each table has its own."""
        if self._settings.tables == "separate":
            return SeenKeys()
        return self._seen.setdefault("" if self._settings.tables == "one" else name.casefold(), SeenKeys())

    def begin(self, name: str, run: TableRun) -> Target:
        """Start a table."""
        look = run.output.look
        if self._spool is None:
            return Target(self._begin(name, run.output.titles, look), len(self._written) - 1)
        matching = [output for output in self._settings.outputs if set(output.has) <= set(run.found_fields)]
        parts = [self._part(self._spool, output, run, look) for output in matching]
        if not parts:
            shared = self._spool.table(ONE if self._settings.tables == "one" else self._unshared(name))
            shared.begin(run.output.titles, look)
            parts = [_Part(shared, None)]
        return Target(parts[0].output.name, parts=parts)

    def _begin(self, name: str, titles: Sequence[str], look: Look) -> str:
        self._written.append(self._writer.begin_table(name, titles, look=look))
        return self._written[-1]

    def _unshared(self, name: str) -> str:
        """Return the name of an output: of one that there is, where equal names are appended; otherwise a new one."""
        if self._spool is None or self._settings.tables == "by_name":
            return name
        number, unused = 1, name
        while unused.casefold() in self._spool.tables:
            number += 1
            unused = f"{name} ({number})"
        return unused

    @staticmethod
    def _part(spool: Spool, output: NamedOutput, run: TableRun, look: Look) -> _Part:
        table = spool.table(output.name)
        titles = run.output.titles
        if not output.fields:
            table.begin(titles, look)
            return _Part(table, None)
        own = run.output.places
        places = [*(own[name] for name in output.fields if name in own), *run.output.origin_places]
        new = {place: number for number, place in enumerate(places)}
        table.begin([titles[place] for place in places], look.moved([new.get(n, -1) for n in range(len(titles))]))
        return _Part(table, places)

    def write(self, target: Target, rows: Sequence[Sequence[Value]], highlighted: _Cells = ()) -> None:
        """Write rows of the table that was begun last."""
        if self._spool is None:
            self._writer.write_rows(rows, highlighted=highlighted)
        for part in target.parts:
            part.write(rows, highlighted)

    def end(self, run: TableRun, target: Target) -> None:
        """Finish a table, with its totals if they are kept."""
        if self._spool is None:
            self._writer.end_table()
        if run.totals_kept is None or not run.totals_kept.rows:
            return
        name, rows = f"{target.name} totals", run.totals_kept.padded(len(run.output.titles))
        if self._spool is None:
            self._begin(name, run.output.titles, run.output.look)
            self._writer.write_rows(rows)
            self._writer.end_table()
        else:
            table = self._spool.table(name)
            table.begin(run.output.titles, run.output.look)
            table.write_rows(rows)

    def note(self, entry: dict[str, Any], target: Target) -> None:
        """Remember what the artifact says of a table, to name its file in the end."""
        self._entries.append((entry, target))

    def finish(self) -> list[dict[str, str]]:
        """Write what waited, tell the artifact where the tables went, and return all outputs: name and file."""
        written = self._write_spooled()
        paths: list[Path] = self._writer.paths
        tables = Counter(id(part.output) for _, target in self._entries for part in target.parts)
        for entry, target in self._entries:
            self._say_what_is_there(entry, target, is_alone=all(tables[id(part.output)] == 1 for part in target.parts))
            name, number = written.get(target.name.casefold(), (target.name, target.number))
            entry["output"] = name
            entry["file"] = paths[number if len(paths) > 1 else 0].name
        files = paths if len(paths) > 1 else paths * len(self._written)
        return [{"name": name, "file": path.name} for name, path in zip(self._written, files, strict=False)]

    @staticmethod
    def _say_what_is_there(entry: dict[str, Any], target: Target, *, is_alone: bool) -> None:
        """Correct what the artifact says of a table's rows and columns, which outputs choose and share."""
        if not is_alone:
            entry["row_numbers"] = None  # other rows stand among them
        if target.parts and (places := target.parts[0].places) is not None:
            entry["output_columns"] = [entry["output_columns"][place] for place in places]

    def _write_spooled(self) -> dict[str, tuple[str, int]]:
        """Return the name and number of each output that waited."""
        if self._spool is None:
            return {}
        written: dict[str, tuple[str, int]] = {}
        for key, table in self._spool.tables.items():
            name = self._begin(table.name, table.columns, table.look)
            written[key] = (name, len(written))
            for rows, highlighted in table.chunks():
                self._writer.write_rows(rows, highlighted=highlighted)
            self._writer.end_table()
        self._spool.close()
        return written

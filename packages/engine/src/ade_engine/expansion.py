"""Makes several rows of one, as the hook `expand` says, and computes again what is made from the fields it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ade_engine.cells import Value
from ade_engine.chunk import ROW, Chunk
from ade_engine.configuration.model import Configuration, Context, Function
from ade_engine.convert import CannotConvert, converter
from ade_engine.errors import ConfigurationError
from ade_engine.field_run import FieldRun
from ade_engine.fields import Field
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row
from ade_engine.row_choice import bound, unknown_values
from ade_engine.row_view import UnreadableField, clean_only
from ade_engine.rules import are_cells, raised
from ade_engine.table_facts import ChunkFacts
from ade_engine.transform import Transformed

Changes = Sequence[Mapping[str, Value]]  # what was yielded for each row of a chunk


class Corrected(Protocol):
    """Puts what people decided about cells into the values of a field."""

    def __call__(
        self, field: FieldRun, rows: Sequence[Row], before: Sequence[Value], result: Transformed, /
    ) -> Transformed:
        """Return the values of a field with those that people gave it."""


class Expansion:
    """The rows that one table's rows become. `dropped` and `added` count rows by rule."""

    def __init__(
        self,
        configuration: Configuration,
        table: SourceTable,
        context: Context,
        *,
        fields: Sequence[FieldRun],
        runs: Callable[[ChunkFacts], list[FieldRun]],
    ) -> None:
        """`runs` makes the fields once more: what they keep from row to row is of the rows that are computed again."""
        self._functions = bound(configuration.hooks.get("expand", ()), {"table": table, "context": context})
        self._fields = fields
        self._numbers = {field.name: number for number, field in enumerate(fields)}
        self._made_from = configuration.made_from if self._functions else {}
        self._order = [name for name in configuration.computation_order if name in self._numbers]
        self._facts = ChunkFacts()
        self._again = runs(self._facts) if self._functions else []
        self._computed: set[str] = set()
        self.dropped: Counter[str] = Counter()
        self.added: Counter[str] = Counter()

    @property
    def is_needed(self) -> bool:
        """Return whether any row could become several, or none."""
        return bool(self._functions)

    def run_of(self, field: FieldRun) -> FieldRun:
        """Return the run that made the values of a field which are written."""
        return self._again[self._numbers[field.name]] if field.name in self._computed else field

    def apply(self, chunk: Chunk, headings: Sequence[Any], corrected: Corrected | None) -> None:
        """Make several rows of one, and compute again the fields that are made from those that it changed.

        `headings` are those above each row of the chunk.
        """
        above = {row.number: path for row, path in zip(chunk.rows, headings, strict=False)}
        for function, call in self._functions:
            changes = self._expanded(chunk, function, call)
            self._change(chunk, changes)
            for name in self._order:
                made_from = self._made_from[name]
                places = [
                    place
                    for place, changed in enumerate(changes)
                    if name not in changed and not made_from.isdisjoint(changed)
                ]
                if places:
                    self._facts.headings = [above.get(chunk.rows[place].number, ()) for place in places]
                    self._compute(chunk, self._numbers[name], places, corrected)

    def _expanded(self, chunk: Chunk, function: Function, call: Callable[..., Any]) -> Changes:
        places: list[int] = []
        changes: list[Mapping[str, Value]] = []
        for place in range(len(chunk.rows)):
            before = len(places)
            try:
                for changed in call(row=chunk.views["row"][place]):
                    changes.append(self._checked(function, changed))
                    places.append(place)
            except UnreadableField:
                places[before:], changes[before:] = [place], [{}]  # that cell has an issue of its own
            except ConfigurationError:
                raise
            except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of this row, not of the run
                places[before:], changes[before:] = [place], [{}]
                chunk.found.append((place, ROW, raised(function, error)))
            made = len(places) - before
            self.dropped[function.rule] += made == 0
            self.added[function.rule] += max(0, made - 1)
        chunk.take(places)
        return changes

    def _checked(self, function: Function, changed: Any) -> Mapping[str, Value]:
        wrong = None
        if not isinstance(changed, Mapping):
            wrong = f"must yield dicts, not {type(changed).__name__}"
        elif unknown := [name for name in changed if name not in self._numbers]:
            wrong = f"yields {str(unknown[0])[:60]}, which is not a field"
        elif type(changed) is dict and not are_cells(changed.values()):
            wrong = "yields a value that no cell can hold"
        if wrong:
            message = f"{function.place}: expand {wrong}"
            raise ConfigurationError(message, file=function.file, line=function.line)
        return changed if type(changed) is dict else {}  # the row itself: nothing changes

    def _change(self, chunk: Chunk, changes: Changes) -> None:
        for name in {name for changed in changes for name in changed}:
            places = [place for place, changed in enumerate(changes) if name in changed]
            field = self._fields[self._numbers[name]].rules.field
            values = [_converted(field, changes[place][name]) for place in places]
            self._put(chunk, self._numbers[name], places, values, failed=())

    def _compute(self, chunk: Chunk, number: int, places: Sequence[int], corrected: Corrected | None) -> None:
        """Compute a field again for some rows of a chunk."""
        part = replace(chunk, found=[])
        part.take(places)
        self._facts.clean = dict(part.values)
        field, again = self._fields[number], self._again[number]
        empty: list[Sequence[Value]] = [[None] * len(places)]
        start = again.transform.start([part.source[position] for position in field.sources] or empty)
        before = start.values
        result = again.transform.apply(start, part.views)
        if corrected is not None:
            result = corrected(again, part.rows, before, result)
        self._computed.add(field.name)
        failed = {place for place, _ in result.findings}
        self._put(chunk, number, places, result.values, failed)
        findings = [*result.findings, *field.marks.findings(result.values, result.marks)]
        chunk.found += [(places[place], number, finding) for place, finding in findings]

    def _put(
        self,
        chunk: Chunk,
        number: int,
        places: Sequence[int],
        values: Sequence[Value],
        failed: Collection[int],
    ) -> None:
        """Give a field values at some places of a chunk, and forget what was found there before."""
        field = self._fields[number].rules.field
        all_values, seen = list(chunk.values[field.name]), list(chunk.views["row"].columns[field.name])
        for place, value, clean in zip(places, values, clean_only(field, values, failed), strict=True):
            all_values[place], seen[place] = value, clean
        chunk.values[field.name] = all_values
        chunk.views["row"].put(field.name, seen)
        if field.name in chunk.unknown:
            unknown = list(chunk.unknown[field.name])
            known = unknown_values(field, values, failed, [False] * len(values))
            for place, is_unknown in zip(places, known, strict=True):
                unknown[place] = is_unknown
            chunk.unknown[field.name] = unknown
        replaced = set(places)
        chunk.found = [one for one in chunk.found if one[1] != number or one[0] not in replaced]


def _converted(field: Field, value: Value) -> Value:
    """Convert what was yielded to the type of its field; what cannot be is left for validation."""
    if (convert := converter(field)) is None or is_empty(value):
        return value
    try:
        return convert(value)
    except CannotConvert:
        return value

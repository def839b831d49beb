"""Applies a function of one value to a column, once per distinct value where values repeat, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, time

from ade_engine.cells import CellError, Value
from ade_engine.issues import Finding

LIMIT = 16_384  # distinct values remembered per column and type
_TELLING = 256  # fewer values say little about how often values repeat
_PLAIN_CHUNKS = 15  # where values hardly repeat, this many chunks are not looked up before the memo is tried again
_ZONED = frozenset({datetime, time})
Call = Callable[[Value], Value]
Rescue = Callable[[Exception], Finding | None]


class _Memo(dict[Value, Value]):
    """A dict that computes what it does not hold yet, so that hits cost no Python call. Empty cells stay empty."""

    def __init__(self, call: Call, rescue: Rescue) -> None:
        super().__init__({None: None, "": ""})
        self._call = call
        self._rescue = rescue
        self.findings: dict[Value, Finding] = {}

    def __missing__(self, value: Value) -> Value:
        try:
            result = self._call(value)
        except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of its cells, not of the run
            result = value
            if (finding := self._rescue(error)) is not None:
                self.findings[value] = finding
        self[value] = result
        return result


class PerDistinctValue:
    """A function of one value. Where it raises, the value stays and `rescue` says what to report.

    An error left by a formula stays as it is: a function such as str would turn it into a text like any other.
    """

    def __init__(self, call: Call, rescue: Rescue) -> None:
        self._memos: defaultdict[object, _Memo] = defaultdict(lambda: _Memo(call, rescue))
        self._memos[CellError] = _Memo(lambda value: value, rescue)
        self._call = call
        self._plain_chunks = 0

    def __call__(self, values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        """Return the results in the order of the values, and what to report by place."""
        if self._plain_chunks:
            self._plain_chunks -= 1
            if (answers := self._each(values)) is not None:
                return answers, []
        types = set(map(type, values)) - {type(None)}
        self._forget()
        has_zones = have_zones(values, types)
        if len(types) <= 1 and not has_zones:
            return self._of_one_type(types.pop() if types else type(None), values)
        memos, kind = self._memos, kind_of if has_zones else type
        results = [memos[kind(value)][value] for value in values]
        findings = [
            (place, finding)
            for place, value in enumerate(values)
            if (finding := memos[kind(value)].findings.get(value)) is not None
        ]
        return results, findings

    def _each(self, values: Sequence[Value]) -> list[Value] | None:
        """Return the results without looking anything up, or None when a value asks for more care."""
        if None in values or "" in values or CellError in set(map(type, values)):
            return None
        try:
            return list(map(self._call, values))
        except Exception:  # noqa: BLE001 - asked again value by value, where it becomes an issue of its cells
            return None

    def _of_one_type(self, type_: type, values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        memo = self._memos[type_]
        known_count = len(memo)
        results = [memo[value] for value in values]
        if len(values) >= _TELLING and len(memo) - known_count > len(values) // 2:
            self._plain_chunks = _PLAIN_CHUNKS
        return results, _places(memo, values) if memo.findings else []

    def _forget(self) -> None:
        for kind, memo in list(self._memos.items()):
            if len(memo) > LIMIT:
                del self._memos[kind]


def kind_of(value: Value) -> object:
    """Return what tells values apart that are equal to Python: 1, 1.0 and True, or one instant in two time zones."""
    if isinstance(value, datetime | time) and value.tzinfo is not None:
        return type(value), value.tzinfo
    return type(value)


def have_zones(values: Sequence[Value], types: Collection[type]) -> bool:
    """Return whether any value of these types has a time zone."""
    return not _ZONED.isdisjoint(types) and any(getattr(value, "tzinfo", None) for value in values)


def _places(memo: _Memo, values: Sequence[Value]) -> list[tuple[int, Finding]]:
    findings = memo.findings
    return [(place, findings[value]) for place, value in enumerate(values) if value in findings]

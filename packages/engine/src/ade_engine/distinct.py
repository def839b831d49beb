"""Does the work for a column once per distinct value, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ade_engine.cells import Value

_LIMIT = 16_384  # distinct values remembered per column and type
Result = TypeVar("Result")


class _Memo(dict[Value, Result]):
    """A dict that computes what it does not hold yet, so that hits cost no Python call."""

    def __init__(self, step: Callable[[Value], Result]) -> None:
        super().__init__()
        self._step = step

    def __missing__(self, value: Value) -> Result:
        result = self[value] = self._step(value)
        return result


class PerDistinctValue(Generic[Result]):
    """A function of one value, applied to chunks of a column."""

    def __init__(self, step: Callable[[Value], Result]) -> None:
        # One memo per type: 1, 1.0 and True are equal to Python and different in a cell.
        self._memos: defaultdict[type, _Memo[Result]] = defaultdict(lambda: _Memo(step))

    def __call__(self, values: Sequence[Value]) -> list[Result]:
        """Return the function's results for the values, in their order."""
        types = set(map(type, values)) - {type(None)}
        if len(types) <= 1:
            memo = self._memos[types.pop() if types else type(None)]
            results = [memo[value] for value in values]
        else:
            memos = self._memos
            results = [memos[type(value)][value] for value in values]
        self._forget()
        return results

    def _forget(self) -> None:
        for memo in self._memos.values():
            if len(memo) > _LIMIT:
                memo.clear()

"""What columns that are looked for are called: a row with such names is likely to be their header."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ade_engine.cells import Value
from ade_engine.records import record


@record
class HeaderNames:
    """Names of columns in small letters, and what tells headers that are known by their kind, such as months."""

    texts: frozenset[str] = frozenset()
    is_of_kind: Callable[[Value], bool] | None = None

    def count_in(self, values: Sequence[Value]) -> int:
        """Return how many different names stand in a row; headers known by their kind count beside a name alone.

        By themselves they prove nothing: numbers that are headers of days look like any others.
        """
        named = {text for value in values if isinstance(value, str) and (text := value.strip().lower()) in self.texts}
        if not named or self.is_of_kind is None:
            return len(named)
        return len(named | {str(value).strip().lower() for value in values if self.is_of_kind(value)})


NO_NAMES = HeaderNames()

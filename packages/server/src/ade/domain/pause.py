"""A pause: what may not start for now. Pauses overlap; each is lifted on its own."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class PauseScope(StrEnum):
    """What a pause holds back."""

    ALL = "all"
    PRIORITY = "priority"
    WORKSPACE = "workspace"
    PLAN = "plan"


# What of a run a pause names: the one place that says which runs a pause covers, here and in SQL.
COVERED_BY = {PauseScope.PRIORITY: "priority", PauseScope.WORKSPACE: "workspace_id", PauseScope.PLAN: "plan_id"}


@dataclass(frozen=True, slots=True)
class Pause:
    """What is held back: everything, or the runs of one priority, workspace or plan."""

    scope: PauseScope
    value: str

    def covers(self, run: Any) -> bool:
        """Return whether a run is held back: anything that has a priority, a workspace and perhaps a plan."""
        return self.scope == PauseScope.ALL or str(getattr(run, COVERED_BY[self.scope])) == self.value

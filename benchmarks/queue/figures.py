"""What was measured: numbers with a name, told as a table and as JSON."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    subject: str  # what was measured, the row of the table
    contestant: str
    value: float
    unit: str
    note: str = ""


@dataclass(frozen=True)
class Pickup:
    """When a submission was called, when that returned, and when an idle worker had claimed the run; in seconds."""

    called_at: float
    returned_at: float
    claimed_at: float

    @property
    def milliseconds(self) -> float:
        """Return the whole time that a submitter waits."""
        return (self.claimed_at - self.called_at) * 1000

    @property
    def queued_milliseconds(self) -> float:
        """Return how long the run was queued; nothing where it was claimed before the submission returned."""
        return max(0.0, self.claimed_at - self.returned_at) * 1000


@dataclass
class Report:
    """All figures of one run."""

    machine: dict[str, str]
    figures: list[Figure] = field(default_factory=list)
    _rounds: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def add(self, subject: str, contestant: str, value: float, unit: str, note: str = "") -> None:
        """Keep a number and show it at once."""
        figure = Figure(subject, contestant, round(value, 3), unit, note)
        self.figures.append(figure)
        print(_line(figure), flush=True)

    def add_rounds(self, subject: str, contestant: str, values: list[float], unit: str, note: str = "") -> None:
        """Keep the median of what was measured once in each round."""
        self._rounds[subject, contestant] = values
        self.add(subject, contestant, median(values), unit, note)

    def value(self, subject: str, contestant: str) -> float | None:
        """Return a number measured earlier in this run."""
        found = (item.value for item in self.figures if (item.subject, item.contestant) == (subject, contestant))
        return next(found, None)

    def add_ratio(self, subject: str, ours: tuple[str, str], theirs: tuple[str, str], note: str = "") -> None:
        """Divide two numbers of this run, round by round where there are rounds; nothing when either is missing."""
        if ours in self._rounds and theirs in self._rounds:
            each = [mine / other for mine, other in zip(self._rounds[ours], self._rounds[theirs], strict=True)]
            spread = f"{min(each):.2f} to {max(each):.2f}" + (f"; {note}" if note else "")
            self.add(subject, ours[1], median(each), "x", spread)
            return
        numerator, denominator = self.value(*ours), self.value(*theirs)
        if numerator and denominator:
            self.add(subject, ours[1], numerator / denominator, "x", note)

    def save(self, path: Path) -> None:
        """Write everything as JSON."""
        told = {"machine": self.machine, "figures": [asdict(figure) for figure in self.figures]}
        path.write_text(json.dumps(told, indent=1) + "\n")


def _line(figure: Figure) -> str:
    return f"{figure.subject:<58} {figure.contestant:<22} {figure.value:>12,.3f} {figure.unit:<6} {figure.note}"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so large a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(values: Iterable[float]) -> float:
    """Return the middle value."""
    return statistics.median(values)


def inversions(numbers: Iterable[int]) -> int:
    """Count the claims that came after one submitted later."""
    highest, count = -1, 0
    for number in numbers:
        count += number < highest
        highest = max(highest, number)
    return count

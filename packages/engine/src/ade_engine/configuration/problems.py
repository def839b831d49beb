"""A problem of a configuration, for the person who fixes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong, where, and what to do. A warning does not keep the configuration from running."""

    file: str
    line: int
    code: str
    message: str
    suggestion: str | None = None
    severity: str = "error"

    def as_json(self) -> dict[str, Any]:
        """Return the problem as a plain dict."""
        return asdict(self)

    def __str__(self) -> str:
        advice = f" {self.suggestion}" if self.suggestion else ""
        end = "" if self.message.endswith("?") else "."
        return f"{self.file}, line {self.line}: {self.message}{end}{advice}"


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that keep a configuration from running: all but the warnings."""
    return [problem for problem in problems if problem.severity == "error"]


def closest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known word that was probably meant, or None."""
    from difflib import get_close_matches  # only where something is wrong

    found = get_close_matches(word, sorted(known), n=1, cutoff=cutoff)
    return found[0] if found else None


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return "Did you mean transform?", or None."""
    meant = closest(word, known, cutoff=cutoff)
    return f"Did you mean {meant}?" if meant else None

"""Finds the problems of a configuration, which imports its rules: in the sandbox, or in this process for --debug."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ade.cli.artifact_shape import Malformed, Optional, conform
from ade.cli.local_sandbox import LocalSandbox, SandboxChoice
from ade.cli.reports import OnEvent
from ade.sandbox.outcome import OutcomeKind

if TYPE_CHECKING:
    from ade_engine import Problem

_MOST_PROBLEMS = 10_000
_PROBLEM = {
    "file": str, "line": int, "code": str, "message": str, "suggestion": Optional(str), "severity": str,
}  # fmt: skip


class CheckFailed(Exception):
    """The check did not come to its end."""


def problems_of(folder: Path, choice: SandboxChoice) -> list[Problem]:
    """Return the problems that a child finds, or raise CheckFailed."""
    found: list[Mapping[str, Any]] = []

    def note(event: str, data: Mapping[str, Any]) -> None:
        if event == "problem" and len(found) < _MOST_PROBLEMS:
            found.append(data)

    try:
        _check(folder, choice, note)
    except OSError as error:
        raise CheckFailed(f"The sandbox could not be prepared: {error.strerror or error}") from None
    return [_problem(data) for data in found]


def _check(folder: Path, choice: SandboxChoice, on_event: OnEvent) -> None:
    with LocalSandbox(choice) as sandbox, sandbox.execute("problems", configuration=folder, on_event=on_event) as ended:
        if ended.failure is None:
            return
        is_own_word = ended.outcome.kind is OutcomeKind.FAILED
        message = ended.failure["message"]
        raise CheckFailed(message if is_own_word else message.replace("The run", "The check", 1))


def _problem(data: Mapping[str, Any]) -> Problem:
    from ade_engine import Problem

    try:
        return Problem(**conform(dict(data), _PROBLEM, "a problem"))
    except Malformed as error:
        raise CheckFailed(f"The rules sent what is no problem: {error}") from None


def problems_here(folder: Path) -> list[Problem]:
    """Return the problems that this process finds by importing the rules."""
    from ade_engine import EngineError, check_configuration

    try:
        return check_configuration(folder)
    except EngineError as error:
        raise CheckFailed(str(error)) from None

"""Calls a configuration's functions on values, and turns what goes wrong in them into findings."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.configuration.model import Function
from ade_engine.errors import ConfigurationError
from ade_engine.evidence import DIGITS
from ade_engine.issues import SEVERITIES, Finding, mask

CELL_TYPES = {str, int, float, bool, date, datetime, time, timedelta, CellError, type(None)}


def evidence(function: Function, most: float, **given: Any) -> float:
    """Ask a detect_ function; return its answer within ±`most`, or 0. A mistake in it stops the run."""
    try:
        answer = function.bind(**given)()
    except Exception as error:
        line = line_of(function, error)
        message = f"{function.file}, line {line}: {function.rule} raised {type(error).__name__}"
        raise ConfigurationError(message, file=function.file, line=line) from error
    if answer is not None and not isinstance(answer, int | float):
        message = f"{function.place}: {function.rule} must return a number or None, not {type(answer).__name__}"
        raise ConfigurationError(message, file=function.file, line=function.line)
    return round(max(-most, min(most, float(answer or 0))), DIGITS)


def raised(function: Function, error: Exception) -> Finding:
    """Return the finding for an exception: its type and place, but not its text, which may hold a value."""
    message = f"the rule raised {type(error).__name__} ({function.file}, line {line_of(function, error)})"
    return Finding(function.rule, "error", message)


def line_of(function: Function, error: Exception) -> int:
    """Return the line of the function's file where an exception came from."""
    import traceback  # only where a rule failed

    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.endswith(function.file)]
    return lines[-1] if lines and lines[-1] else function.line


def cannot_hold(function: Function, result: object) -> Finding | None:
    """Return the finding for a result that no cell can hold, or None when it is fine."""
    if isinstance(result, tuple(CELL_TYPES)):
        return None
    return Finding(function.rule, "error", f"the rule returned {type(result).__name__}, which no cell can hold")


def findings(function: Function, answer: Any, values: Iterable[Value]) -> list[Finding]:
    """Read what a validate function said: None, a message, (severity, message), or a list of those."""
    if answer is None or answer in ("", [], ()):
        return []
    if isinstance(answer, list):
        return [finding for part in answer for finding in findings(function, part, values)]
    severity, message = answer if isinstance(answer, tuple) and len(answer) == 2 else ("error", answer)
    if not isinstance(message, str) or severity not in SEVERITIES:
        text = f"{function.place}: {function.rule} must return None, a message or (severity, message)"
        raise ConfigurationError(text, file=function.file, line=function.line)
    return [Finding(function.rule, severity, mask(message, values))]


def aligned(function: Function, answer: Any, count: int) -> list[Any]:
    """Return a whole-column answer as a list; raise when it does not have one entry for each value."""
    entries = list(answer) if isinstance(answer, Iterable) and not isinstance(answer, str) else None
    if entries is None or len(entries) != count:
        message = f"{function.place}: {function.rule} must return one entry for each value given"
        raise ConfigurationError(message, file=function.file, line=function.line)
    return entries

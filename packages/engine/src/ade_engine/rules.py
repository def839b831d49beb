"""Calls a configuration's functions on values, and turns what goes wrong in them into findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from math import isfinite
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.configuration.model import Function
from ade_engine.errors import ConfigurationError
from ade_engine.evidence import DIGITS
from ade_engine.issues import SEVERITIES, Finding, mask
from ade_engine.row_view import FieldNotComputed, UnknownField

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


def asked_of_rows(function: Function) -> tuple[str, ...]:
    """Return which views of a row a function asks for."""
    return tuple(name for name in ("row", "source") if name in function.parameters)


def unreadable(function: Function, field: str) -> Finding:
    """Return the finding for a cell that could not be computed, because the row lacks a clean value."""
    return Finding(function.rule, "error", f"was not computed, because {field} has no valid value in this row")


def not_computed(function: Function, error: FieldNotComputed) -> ConfigurationError:
    """Return the error for a rule that reads a field before it is computed."""
    line = line_of(function, error)
    own = function.rule.split(".")[1]
    message = f"{function.file}, line {line}: {own} reads {error.field}, which is computed later"
    advice = f'Name it in the field: Field("{own}", reads=["{error.field}"]).'
    return ConfigurationError(f"{message}. {advice}", file=function.file, line=line)


# Called with every exception of a rule, for a person who debugs it. A finding tells its type and place alone.
watchers: list[Callable[[Function, Exception], None]] = []


def raised(function: Function, error: Exception) -> Finding:
    """Return the finding for an exception: its type and place, but not its text, which may hold a value."""
    for watch in watchers:
        watch(function, error)
    if isinstance(error, UnknownField):
        place = f"{function.file}, line {line_of(function, error)}"
        return Finding(function.rule, "error", f"the rule asks for a field that does not exist ({place})")
    message = f"the rule raised {type(error).__name__} ({function.file}, line {line_of(function, error)})"
    return Finding(function.rule, "error", message)


def line_of(function: Function, error: Exception) -> int:
    """Return the line of the function's file where an exception came from."""
    import traceback  # only where a rule failed

    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.endswith(function.file)]
    return lines[-1] if lines and lines[-1] else function.line


def are_cells(results: Iterable[Any]) -> bool:
    """Return whether all results are values that cells hold as they are."""
    types = set(map(type, results))
    return types <= CELL_TYPES and (float not in types or all(isfinite(x) for x in results if type(x) is float))


def as_cell(function: Function, result: Any) -> tuple[Value, Finding | None]:
    """Return a result as the value that a cell holds, or the finding that no cell can hold it."""
    if isinstance(result, float) and not isfinite(result):
        return None, _cannot_hold(function, "a number that is not finite")
    try:
        return (result if type(result) in CELL_TYPES else _plain(result)), None
    except (TypeError, ValueError):
        return None, _cannot_hold(function, type(result).__name__)


def _plain(result: Any) -> Value:
    """Return the value of a derived type, such as an enum of texts, a float of numpy or a date of pandas."""
    match result:
        case str():
            return str.__str__(result)
        case int():
            return int.__int__(result)
        case float():
            return float.__float__(result)
        case datetime():  # raises for the date of pandas that stands for none
            day = (result.year, result.month, result.day)
            return datetime(*day, *_time_parts(result), tzinfo=result.tzinfo, fold=result.fold)
        case date():
            return date(result.year, result.month, result.day)
        case time():
            return time(*_time_parts(result), tzinfo=result.tzinfo, fold=result.fold)
        case timedelta():
            return timedelta(result.days, result.seconds, result.microseconds)
        case _:
            raise TypeError


def _time_parts(found: datetime | time) -> tuple[int, int, int, int]:
    return found.hour, found.minute, found.second, found.microsecond


def _cannot_hold(function: Function, what: str) -> Finding:
    return Finding(function.rule, "error", f"the rule returned {what}, which no cell can hold")


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

"""Calls the hooks of a configuration at their moments."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ade_engine.configuration.model import Configuration, Context, Function
from ade_engine.errors import ConfigurationError
from ade_engine.records import record
from ade_engine.rules import line_of


@record(frozen=False)
class Output:
    """What is about to be written for a table. A `before_write` hook may rename it or drop columns."""

    name: str
    columns: list[str]
    dropped: list[str] = field(default_factory=list)

    def drop(self, column: str) -> None:
        """Leave a column, named by its header in the output, out."""
        if column not in self.columns:
            raise ConfigurationError("A hook dropped a column that is not in the output.")
        self.dropped.append(column)


class Hooks:
    """The hooks of one run."""

    def __init__(self, configuration: Configuration, context: Context) -> None:
        self._functions = configuration.hooks
        self._context = context

    def call(self, moment: str, **given: Any) -> list[tuple[Function, Any]]:
        """Call every function of a moment in the order of the files, and return what each said."""
        return [(function, self._ask(function, given)) for function in self._functions.get(moment, ())]

    def allow(self, moment: str, **given: Any) -> bool:
        """Tell whether no hook returned False."""
        return all(answer is not False for _, answer in self.call(moment, **given))

    def _ask(self, function: Function, given: dict[str, Any]) -> Any:
        try:
            return function.bind(**given, context=self._context)()
        except ConfigurationError as error:
            message = f"{function.place}: {error}"
            raise ConfigurationError(message, file=function.file, line=function.line) from error
        except Exception as error:
            line = line_of(function, error)
            message = f"{function.file}, line {line}: the hook raised {type(error).__name__}"
            raise ConfigurationError(message, file=function.file, line=line) from error

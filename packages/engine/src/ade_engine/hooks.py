"""Calls the hooks of a configuration at their moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ade_engine.configuration.model import Configuration, Context, Function
from ade_engine.configuration.problems import did_you_mean
from ade_engine.errors import ConfigurationError
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.layout import OutputColumn
from ade_engine.rules import line_of


class Output:
    """What is about to be written for a table. A `before_write` hook may rename it or drop columns.

    `columns` are the headers of the output, `fields` the names of the fields among them.
    """

    def __init__(self, name: str, columns: Sequence[OutputColumn], fields: Sequence[Field]) -> None:
        self.name = name
        self.columns = [column.title for column in columns]
        self.fields = [column.rules.field.name for column in columns if column.rules is not None]
        self.dropped: set[str] = set()
        self.unknown: list[str] = []
        titles = {column.rules.field.name: column.title for column in columns if column.rules is not None}
        self._titles = {title.casefold(): title for title in self.columns}
        self._titles |= {name.casefold(): title for name, title in titles.items()}
        self._absent = {word for field in fields for word in (field.name, field.title)}

    def drop(self, column: str) -> None:
        """Leave a column out, given by the name of its field or by its header. One that is not there is no error."""
        if title := self._titles.get(column.casefold()):
            self.dropped.add(title)
        elif column not in self._absent:
            self.unknown.append(column)

    def probable_mistakes(self) -> Iterator[Finding]:
        """Yield a warning for each column that was dropped by nearly the name of one that there is."""
        known = {*self.columns, *self.fields, *self._absent}
        for name in dict.fromkeys(self.unknown):
            if advice := did_you_mean(name, known, cutoff=0.75):
                yield Finding("output.drop", "warning", f'there is no column "{name[:60]}" to drop. {advice}')


class Hooks:
    """The hooks of one run."""

    def __init__(self, configuration: Configuration, context: Context) -> None:
        self._functions = configuration.hooks
        self._context = context

    def call(self, moment: str, **given: Any) -> list[tuple[Function, Any]]:
        """Call every function of a moment in the order of the files, and return what each said."""
        return [(function, self._ask(function, given)) for function in self._functions.get(moment, ())]

    def allow(self, moment: str, **given: Any) -> bool:
        """Return whether no hook returned False."""
        return all(answer is not False for _, answer in self.call(moment, **given))

    def _ask(self, function: Function, given: dict[str, Any]) -> Any:
        try:
            return function.bind(**given, context=self._context)()
        except Exception as error:
            line = line_of(function, error)
            # The text of an error that is not ours may hold a value.
            said = str(error) if isinstance(error, ConfigurationError) else f"the hook raised {type(error).__name__}"
            raise ConfigurationError(f"{function.file}, line {line}: {said}", file=function.file, line=line) from error

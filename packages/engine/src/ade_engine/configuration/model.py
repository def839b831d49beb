"""A loaded configuration: fields with their rules, row rules, hooks and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from ade_engine.configuration.learned import NOTHING, Learned
from ade_engine.configuration.settings_shape import NamedOutput, Unpivot
from ade_engine.configuration.sources import Source
from ade_engine.fields import Field
from ade_engine.records import record

if TYPE_CHECKING:
    from ade_engine.templates.template import Template


@record
class Function:
    """A function of a configuration: what it asks for, and where it is, for messages."""

    rule: str
    parameters: tuple[str, ...]
    call: Callable[..., Any]
    file: str
    line: int

    @property
    def place(self) -> str:
        """Return "columns/member_id.py, line 9"."""
        return f"{self.file}, line {self.line}"

    def bind(self, **given: Any) -> Callable[..., Any]:
        """Return a callable of what varies, with everything else it asked for fixed.

        What is asked for is looked up here, once, and never again per value.
        """
        fixed = {name: given[name] for name in self.parameters if name in given}
        return partial(self.call, **fixed) if fixed else self.call

    def takes_only(self, *names: str) -> bool:
        """Return whether it asks for nothing but these."""
        return set(self.parameters) <= set(names)


@record(kw_only=True)
class ColumnRules:
    """A field and the functions of its file."""

    field: Field
    file: str | None = None
    detectors: tuple[Function, ...] = ()
    combine: Function | None = None
    transform: Function | None = None
    transform_column: Function | None = None
    validators: tuple[Function, ...] = ()
    validate_column: Function | None = None
    lookup: Mapping[str, Any] | None = None  # what the field's file says, by key
    replacements: Mapping[str, Any] | None = None
    accepted: frozenset[str] = frozenset()  # values that people found right as they are
    unwanted: frozenset[str] = frozenset()  # values whose rows people left out

    @property
    def is_computed(self) -> bool:
        """Return whether its values can be made without a source column."""
        if self.field.source is not None:
            return True
        return self.transform is not None and "value" not in self.transform.parameters


@record
class RowRule:
    """A function that gives evidence for or against a row being of one type."""

    label: str
    function: Function


@record(kw_only=True)
class Settings:
    """What settings.toml says; every key is optional."""

    threshold: float = 0.5
    automatic: float = 0.965
    suggest: float = 0.4
    unmapped: Literal["keep", "drop"] = "keep"
    ignore: tuple[str, ...] = ()
    sheets: Literal["all", "active"] | tuple[str, ...] = "all"
    hidden_sheets: Literal["read", "skip"] = "skip"
    format: Literal["xlsx", "csv", "parquet"] = "xlsx"
    order: tuple[str, ...] = ()
    missing_fields: Literal["omit", "empty"] = "omit"
    issues_sheet: bool = False
    highlight: bool = False
    escape_formulas: bool = False
    row_key: tuple[str, ...] = ()
    duplicates: Literal["report", "first", "last"] = "report"
    totals: Literal["drop", "separate", "keep"] = "drop"
    verify_totals: bool = False
    headings: Literal["found", "alone", "without_values"] = "found"
    total_names: tuple[str, ...] = ()
    unpivot: Unpivot | None = None
    transposed: Literal["report", "turn", "always", "never"] = "report"
    tables: Literal["separate", "by_name", "one"] = "separate"
    origin: tuple[str, ...] = ()
    has_filter: bool = False
    freeze: bool = True
    excel_tables: bool = False
    template: str | None = None
    outputs: tuple[NamedOutput, ...] = ()
    sources: tuple[Source, ...] = ()
    encoding: str | None = None
    delimiter: str | None = None
    verdict_optional: tuple[str, ...] = ()
    verdict_header: float = 0.8
    verdict_range: float = 0.5
    verdict_mapping: float = 0.98
    verdict_unknown: float = 0.5
    verdict_issues: float = 0.0
    verdict_invalid: float = 0.5
    rules: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """Everything a run follows. `fingerprint` is the same for the same files, wherever they lie."""

    name: str
    fingerprint: str
    columns: tuple[ColumnRules, ...]
    row_rules: tuple[RowRule, ...] = ()
    hooks: Mapping[str, tuple[Function, ...]] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    requirements: tuple[str, ...] = ()
    profiles: Mapping[str, Any] = field(default_factory=dict)  # what profiles.json holds
    learned: Learned = NOTHING
    corrections: tuple[Mapping[str, Any], ...] = ()  # what people decided, of corrections.json and of the run
    templates: Mapping[str, Template] = field(default_factory=dict)  # by file
    guesses: bool = True  # whether columns that no rule names are compared with the fields

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields in the order of the output."""
        return tuple(rules.field for rules in self.columns)

    @cached_property
    def names_of_fields(self) -> frozenset[str]:
        """Return what columns of its fields are called, in small letters: names, labels and aliases of all sources."""
        if not self.guesses:
            return frozenset()  # common names are no reason to look at a row in another way
        fields = [text for field in self.fields for text in (field.name, field.label, *field.aliases) if text]
        others = [alias for source in self.settings.sources for names in source.aliases.values() for alias in names]
        return frozenset(
            text.strip().lower() for text in (*fields, *(name.replace("_", " ") for name in fields), *others)
        )

    def of_document(self, name: str) -> Configuration:
        """Return what holds for a document: the first [[source]] that is selected by its name alone."""
        sources = (source for source in self.settings.sources if source.is_of_documents)
        return self._with(next((source for source in sources if source.matches(name, None, ())), None))

    def of_table(self, document: str, sheet: str | None, texts: Sequence[str]) -> Configuration:
        """Return what holds for a table: the first [[source]] that matches it; `texts` are its titles and headers."""
        found = (source for source in self.settings.sources if source.matches(document, sheet, texts))
        return self._with(next(found, None))

    def _with(self, source: Source | None) -> Configuration:
        if source is None:
            return self
        columns = tuple(
            replace(
                rules, field=replace(rules.field, aliases=(*rules.field.aliases, *source.aliases[rules.field.name]))
            )
            if rules.field.name in source.aliases
            else rules
            for rules in self.columns
        )
        # The sources stay: what holds for a document may be another one's for a table of it.
        return replace(self, columns=columns, settings=replace(source.settings, sources=self.settings.sources))

    @cached_property
    def computation_order(self) -> tuple[str, ...]:
        """Return the names of the fields, each after those it reads; raise ConfigurationError when there is none."""
        from ade_engine.configuration.computation import in_computation_order

        return in_computation_order(self.columns)

    @cached_property
    def made_from(self) -> dict[str, frozenset[str]]:
        """Return by field the fields that its values are made from, directly or not."""
        from ade_engine.configuration.computation import made_from

        return made_from(self.columns)


@record(frozen=False)
class Context:
    """What a rule may keep during one run.

    `settings` is the [rules] table of settings.toml, `document` the name of the file.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    document: str = ""

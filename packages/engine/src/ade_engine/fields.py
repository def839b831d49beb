"""A field: one column of the clean table, what it is called elsewhere and what its values must be."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from ade_engine.field_sources import check_sources, compiles, require, sources_named

TYPES = ("text", "integer", "number", "money", "percent", "date", "datetime", "time", "boolean")
KINDS = (
    "email", "url", "phone", "date", "number", "integer", "money", "percent", "boolean", "postal_code", "country",
    "currency", "person_name", "full_name", "code", "words",
)  # fmt: skip
_NAME_RULE = "small letters of any script, digits and _, with a letter first"
_YEARS = ("%Y", "%y", "%G", "%c", "%x")
_KIND_OF_TYPE = {name: name for name in ("integer", "number", "money", "percent", "date", "boolean")} | {
    "datetime": "date"
}

Bound = int | float | date | datetime


@dataclass(frozen=True, kw_only=True)
class Field:
    """One column of the clean table.

    `aliases` are other headers it goes by; `hints` are headers that suggest it, but need support from the values.
    `type` is converted to; what cannot be converted stays and becomes an issue. None leaves values alone.
    `kind` names the built-in detector that looks at values (email, phone, ...); by default it follows from the type.
    `currency` names the field that gets the currency of amounts of money.
    `combine` lets several source columns feed the field, joined by this text; otherwise one column does.
    `join_lines` joins rows in which nothing else is filled to the row above, with this text in between.
    `reads` names fields that its transform reads where the code does not show it: they are computed first.

    Cells that no column fills take their value from somewhere else: `from_group`, `from_title`, `from_label`,
    `from_sheet`, `from_document`, `from_field`, `lookup` or `constant`. `extract`, or `split` and `part`, take a part
    of the text; `fill_down` repeats the cell above; `replace` maps values; `default` fills what is empty in the end.
    `keep` and `drop` select rows by the clean value. `output=False` makes a helper field that is not written.
    """

    name: str = field(kw_only=False)
    label: str | None = None
    type: str | None = None
    required: bool = False
    unique: bool = False
    aliases: Sequence[str] = ()
    hints: Sequence[str] = ()
    kind: str | None = None
    threshold: float | None = None
    formats: Sequence[str] = ()
    day_first: bool | None = None
    decimal: str | None = None
    currency: str | None = None
    pattern: str | None = None
    choices: Sequence[Any] | None = None
    minimum: Bound | None = None
    maximum: Bound | None = None
    combine: str | None = None
    join_lines: str | None = None
    reads: Sequence[str] = ()
    from_group: bool | str = False
    group_level: int | None = None
    from_title: str | None = None
    from_label: str | Sequence[str] | None = None
    from_sheet: bool | str = False
    from_document: bool | str = False
    from_field: str | None = None
    lookup: str | None = None
    lookup_by: str | None = None
    lookup_key: str | None = None
    lookup_value: str | None = None
    constant: Any = None
    extract: str | None = None
    split: str | None = None
    part: int | None = None
    fill_down: bool = False
    replace: Mapping[str, Any] | str | None = None
    ignore_case: bool = False
    default: Any = None
    keep: Sequence[Any] | None = None
    drop: Sequence[Any] | None = None
    output: bool = True
    format: str | None = None
    width: int | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        require(is_field_name(self.name), f"field name {self.name!r} must be like member_id: {_NAME_RULE}")
        require(self.type is None or self.type in TYPES, f"type {self.type!r} is not one of {', '.join(TYPES)}")
        require(self.kind is None or self.kind in KINDS, f"kind {self.kind!r} is not one of {', '.join(KINDS)}")
        require(self.threshold is None or 0 < self.threshold <= 1, "threshold must be above 0 and at most 1")
        require(self.decimal in {None, ".", ","}, "decimal must be '.' or ','")
        require(self.currency is None or self.type == "money", "currency is for a field of type money")
        require(self.currency != self.name, "currency must name another field")
        for name in ("aliases", "hints", "formats", "reads"):
            texts = getattr(self, name)
            require(not isinstance(texts, str), f"{name} must be a list of texts, not one text")
            object.__setattr__(self, name, tuple(texts))
        for form in self.formats:
            require(any(year in form for year in _YEARS), f"format {form!r} has no year, such as %Y")
        if self.pattern is not None:
            compiles("pattern", self.pattern)
        check_sources(self)

    @property
    def source(self) -> str | None:
        """Return the argument that says where its values come from when no column has them, or None."""
        return next(iter(sources_named(self)), None)

    @property
    def base(self) -> str | None:
        """Return the field whose clean values it is made from, or None."""
        return self.from_field or self.lookup_by

    @property
    def title(self) -> str:
        """Return the header the field gets in the output."""
        return self.label or self.name

    @property
    def value_kind(self) -> str | None:
        """Return the detector that judges its values, or None."""
        return self.kind or _KIND_OF_TYPE.get(self.type or "")


def is_field_name(text: str) -> bool:
    """Return whether a text can name a field: an identifier of Python, in any script, without capitals."""
    is_settled = unicodedata.normalize("NFKC", text) == text == text.lower()
    return text.isidentifier() and is_settled and not text.startswith("_")

"""Infers fields from example tables: one for each different header, with the type its values have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from ade_engine.cells import Value
from ade_engine.configuration.field_names import different_names
from ade_engine.configuration.infer_types import infer_type
from ade_engine.fields import Field
from ade_engine.mapping.headers import joined, precise
from ade_engine.mapping.profile import Column, is_empty

Table = Mapping[str, Sequence[Value]]  # header → values; the second "Total" of a table is "Total (2)"
_KINDS = ("email", "url")
# An example is as messy as the rest: what does not fit in a few of its cells is what the rules are there to find.
_MOST = 0.8


def infer_fields(tables: Iterable[Table]) -> list[Field]:
    """Return one field per distinct header; other spellings and usual other names of it become aliases of the first."""
    tables = [{header.strip(): values for header, values in table.items() if header.strip()} for table in tables]
    groups = _grouped(tables)
    names = different_names(groups)
    fields = [_infer(name, headers, tables) for name, headers in zip(names, groups, strict=True)]
    return list(_with_companions(fields))


def _grouped(tables: Sequence[Table]) -> list[list[str]]:
    """Return the headers of the tables, those of one meaning together, in the order they come."""
    written = _spelled_apart(tables, _spelling)
    usual = _spelled_apart(tables, _usual_name)
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for header in (header for table in tables for header in table):
        spelling, name = _spelling(header), _usual_name(header)
        if spelling in written:
            key = ("written", header)
        else:
            key = ("spelling", spelling) if name is None or name in usual else ("usual", name)
        groups.setdefault(key, {})[header] = None
    return [list(group) for group in groups.values()]


def _spelled_apart(tables: Sequence[Table], key: Callable[[str], str | None]) -> set[str | None]:
    """Return what several headers of one table have in common: there, the difference between them matters."""
    counts = (Counter(map(key, table)) for table in tables)
    return {common for count in counts for common, times in count.items() if times > 1}


def _spelling(header: str) -> str:
    return joined(precise(header)) or header


def _usual_name(header: str) -> str | None:
    return _usual_names().get(_spelling(header))


@cache
def _usual_names() -> dict[str, str]:
    """Return which common field a header names, in several languages."""
    from ade_engine.mapping.common_fields import common_configuration

    found: dict[str, str] = {}
    for field in common_configuration().fields:
        for text in (field.name, field.title, *field.aliases):
            found.setdefault(_spelling(text), field.name)
    return found


def _infer(name: str, headers: list[str], tables: Sequence[Table]) -> Field:
    found = [table[header] for table in tables for header in headers if header in table]
    values = [value for column in found for value in column]
    column = Column(1, headers[0], values)
    has_values = bool(column.values)
    kinds = [kind for kind in _KINDS if has_values and column.share_of_kind(kind) >= _MOST]
    return Field(
        name,
        label=headers[0],
        aliases=headers[1:],
        kind=kinds[0] if kinds else None,
        required=has_values and len(found) == len(tables) and not any(map(is_empty, values)),
        unique=len(column.values) >= 10 and column.distinct_share == 1.0 and _is_key(name),
        **infer_type(column.values),
    )


def _is_key(name: str) -> bool:
    return name == "id" or name.endswith(("_id", "_number", "_code"))


def _with_companions(fields: Sequence[Field]) -> Iterator[Field]:
    """Yield the fields; a money field that asks for a companion is followed by one."""
    taken = {text for field in fields for text in (field.name, field.title, *field.aliases)}
    for field in fields:
        if field.currency is None:
            yield field
            continue
        name, label = _unused(f"{field.name}_currency", taken), _unused(f"{field.title} currency", taken)
        yield replace(field, currency=name)
        yield Field(name, label=label)


def _unused(wanted: str, taken: set[str]) -> str:
    text, number = wanted, 1
    while text in taken:
        number += 1
        text = f"{wanted}_{number}" if wanted.isidentifier() else f"{wanted} ({number})"
    taken.add(text)
    return text

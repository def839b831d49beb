"""Orders fields so that each is computed after those it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ade_engine.configuration.model import ColumnRules
from ade_engine.configuration.problems import did_you_mean
from ade_engine.configuration.row_uses import fields_read
from ade_engine.errors import ConfigurationError


def in_computation_order(columns: Sequence[ColumnRules]) -> tuple[str, ...]:
    """Return the names of the fields: those that read no other first, then each after those it reads."""
    for rules in columns:
        _check_companion(rules, columns)
        _check_base(rules, columns)
    reads = {rules.field.name: _reads(rules, columns) for rules in columns}
    order = [name for name, read in reads.items() if not read]
    for name in reads:
        _place(name, reads, order, path=(), columns=columns)
    return tuple(order)


def made_from(columns: Sequence[ColumnRules]) -> dict[str, frozenset[str]]:
    """Return by field the fields that its values are made from, directly or not.

    The currency of amounts is none of these: it is taken off them when they are converted.
    """
    companions = {rules.field.currency for rules in columns}
    direct = {
        rules.field.name: [] if rules.field.name in companions else [*_base(rules), *_read_by_transform(rules, columns)]
        for rules in columns
    }
    found: dict[str, frozenset[str]] = {}
    for name in in_computation_order(columns):
        found[name] = frozenset(direct[name]).union(*(found.get(other, ()) for other in direct[name]))
    return found


def _base(rules: ColumnRules) -> list[str]:
    return [rules.field.base] if rules.field.base is not None else []


def _check_companion(rules: ColumnRules, columns: Sequence[ColumnRules]) -> None:
    """Raise when the currency of a money field has nowhere to go."""
    fields = {other.field.name: other.field for other in columns}
    wanted = rules.field.currency
    if wanted is None or (wanted in fields and fields[wanted].type in (None, "text")):
        return
    message = f"{rules.file}, line 1: the currency of {rules.field.name} goes to {wanted}, "
    if wanted in fields:
        message += "which must have type text, or none"
    else:
        message += f"which is not a field. {did_you_mean(wanted, fields) or 'Add a file for it to columns/.'}"
    raise ConfigurationError(message, file=rules.file, line=1)


def _check_base(rules: ColumnRules, columns: Sequence[ColumnRules]) -> None:
    """Raise when a field is made from one that the configuration does not have."""
    names = [other.field.name for other in columns]
    base = rules.field.base
    if base is None or base in names:
        return
    message = f"{rules.file}, line 1: {rules.field.name} is made from {base}, which is not a field"
    advice = did_you_mean(base, names) or "Add a file for it to columns/."
    raise ConfigurationError(f"{message}. {advice}", file=rules.file, line=1)


def _reads(rules: ColumnRules, columns: Sequence[ColumnRules]) -> list[str]:
    """Return the other fields that a field is made of, in the order of the output."""
    amounts = [other.field.name for other in columns if other.field.currency == rules.field.name]
    read = {*amounts, *_base(rules), *_read_by_transform(rules, columns)}
    return [other.field.name for other in columns if other.field.name in read]


def _read_by_transform(rules: ColumnRules, columns: Sequence[ColumnRules]) -> list[str]:
    function = rules.transform
    if function is None or "row" not in function.parameters:
        return []
    found = fields_read(function.call)
    names = [other.field.name for other in columns]
    for name in (*rules.field.reads, *sorted(found or ())):
        if name not in names:
            advice = did_you_mean(name, names)
            message = f"{function.place}: {rules.field.name} reads {name}, which is not a field"
            message += f". {advice}" if advice else ""
            raise ConfigurationError(message, file=function.file, line=function.line)
    if found is None and not rules.field.reads:
        return [name for name in names if name != rules.field.name]
    read = {*rules.field.reads, *(found or ())}
    return [name for name in names if name in read and name != rules.field.name]


def _place(
    name: str,
    reads: Mapping[str, list[str]],
    order: list[str],
    *,
    path: tuple[str, ...],
    columns: Sequence[ColumnRules],
) -> None:
    if name in order:
        return
    if name in path:
        raise _cycle(path[path.index(name) :], columns)
    for other in reads[name]:
        _place(other, reads, order, path=(*path, name), columns=columns)
    order.append(name)


def _cycle(path: tuple[str, ...], columns: Sequence[ColumnRules]) -> ConfigurationError:
    by_name = {rules.field.name: rules for rules in columns}
    steps = [f"{name} reads {following}" for name, following in zip(path, (*path[1:], path[0]), strict=True)]
    message = f"fields cannot be computed from each other: {', '.join(steps)}"
    if open_ones := list(_that_read_all(path, by_name)):
        message += f". The code of {open_ones[0]} does not show which fields it reads"
        message += f': name them in Field("{open_ones[0]}", reads=[...])'
    function = next((found for name in path if (found := by_name[name].transform) is not None), None)
    file, line = (function.file, function.line) if function else (None, None)
    return ConfigurationError(f"{file}, line {line}: {message}", file=file, line=line)


def _that_read_all(path: tuple[str, ...], by_name: Mapping[str, ColumnRules]) -> Iterator[str]:
    for name in path:
        rules = by_name[name]
        if rules.transform is not None and not rules.field.reads and fields_read(rules.transform.call) is None:
            yield name

"""Infers a type from values, by converting them: a type is chosen only where nearly all values have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ade_engine.cells import Value
from ade_engine.convert import CannotConvert, converter
from ade_engine.currencies import agreed
from ade_engine.fields import Field
from ade_engine.marks import mark_of
from ade_engine.notation import decimal_marks, written
from ade_engine.patterns import Pattern

_NEARLY_ALL, _MOST, _ENOUGH = 0.98, 0.8, 5
_LONGEST_NUMBER = 15  # longer ones are codes, which a number would round
# Codes of currencies that also number things: RM 101 is a room, TOP 10 a rank. A money field would drop the word.
_NUMBERED = Pattern(r"(?:ALL|COP|CUP|MAD|MOP|PEN|RM|SOS|TOP|TRY) ?\d+")
COMPANION = "?"  # stands for a companion whose name is not known yet
Counts = Counter[tuple[type, Value]]


def infer_type(values: Sequence[Value]) -> dict[str, Any]:
    """Return the arguments of a field that say what its values are: type, and how to read them."""
    if not values:
        return {}
    counts: Counts = Counter((type(value), value) for value in values)
    texts = [value.strip() for _, value in counts if isinstance(value, str)]
    if any(_is_code(text) for text in texts):
        return {"type": "text"}
    for options in chain(_numeric(texts), _dates(counts)):
        # A few cells that are no dates do not hide that a column holds dates, which are hardly anything else.
        is_date = options["type"] in ("date", "datetime") and len(values) >= _ENOUGH
        if _share(counts, options) >= (_MOST if is_date else _NEARLY_ALL):
            return options
    return {}


def _is_code(text: str) -> bool:
    """Return whether a text is digits that a number would not keep: with leading zeros, or too many."""
    return text.isdecimal() and ((len(text) > 1 and text[0] == "0") or len(text) > _LONGEST_NUMBER)


def _share(counts: Counts, options: dict[str, Any]) -> float:
    """Return the share of values that a field converts, and that have the mark its type is for."""
    convert = converter(Field("x", **options))
    is_fine = [count for (_, value), count in counts.items() if _converts(convert, value, options["type"])]
    return sum(is_fine) / sum(counts.values())


def _converts(convert: Any, value: Value, type_: str) -> bool:
    if type_ == "boolean" and not isinstance(value, bool) and (not isinstance(value, str) or value.strip().isdecimal()):
        return False  # 0 and 1 are numbers first
    try:
        found = convert(value)
    except CannotConvert:
        return False
    return type_ != "percent" or isinstance(value, str) or abs(found) <= 1


def _numeric(texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield boolean, and the types of numbers that the marks of the texts allow."""
    yield {"type": "boolean"}
    marks = [mark for text in texts if (mark := mark_of(text)) is not None]
    decimal = _decimal(texts)
    if not marks:
        yield {"type": "integer", **decimal}
        yield {"type": "number", **decimal}
    elif "%" in marks:
        yield {"type": "percent", **decimal}
    elif not all(map(_NUMBERED.fullmatch, texts)):
        yield {"type": "money", **decimal, **({"currency": COMPANION} if _are_several(marks) else {})}


def _decimal(texts: Sequence[str]) -> dict[str, str]:
    """Return the decimal mark, if the texts use only one, and some can be read with no other."""
    found = {decimal_marks(number) for text in texts if (number := written(text)) is not None}
    decided = {mark for marks in found if len(marks) == 1 for mark in marks}
    return {"decimal": decided.pop()} if len(decided) == 1 else {}


def _are_several(currencies: Sequence[str]) -> bool:
    known: str | None = currencies[0]
    for currency in currencies:
        known = agreed(known, currency) if known else None
    return known is None


def _dates(counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield the types of dates, with the order of day and month if that alone makes more of the texts dates."""
    for type_ in ("date", "datetime"):
        shares = {order: _share(counts, {"type": type_, "day_first": order}) for order in (None, True, False)}
        best = max(shares.values())
        if shares[None] == best:
            yield {"type": type_}
        elif shares[True] != shares[False]:
            yield {"type": type_, "day_first": shares[True] == best}

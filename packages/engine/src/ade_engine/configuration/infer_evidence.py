"""Says what the examples showed of a field, and which checks could be added: comments in the file that defines it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ade_engine.configuration.infer import Table
from ade_engine.fields import Field
from ade_engine.mapping.profile import is_empty

_FEWEST_CODES = 10  # different values
_FEWEST_FOR_CHOICES, _MOST_CHOICES, _EACH = 30, 8, 5
_LONGEST_CHOICE, _LONGEST_CODE, _MOST_PARTS = 30, 40, 9
_PART = re.compile(r"\d+|[A-Z]+|[a-z]+|[^\dA-Za-z]")
_SEPARATORS = frozenset(" -/._:#")  # anything else, such as the end of a line, has no place in a comment
_KEYS = frozenset("id uid guid uuid key no nr number code sku".split())  # noqa: SIM905
_CLASSES = (("\\d", str.isdecimal), ("[A-Z]", str.isupper), ("[a-z]", str.islower))


def evidence_of(field: Field, tables: Sequence[Table]) -> list[str]:
    """Return what is known of the values of a field as lines; the last ones propose checks that are not in force."""
    columns = [table[header] for table in tables for header in (field.title, *field.aliases) if header in table]
    values = [value for column in columns for value in column]
    filled = [value for value in values if not is_empty(value)]
    if not filled:
        return []
    counts = Counter(str(value).strip() for value in filled)
    places = f"{len(columns)} tables" if len(columns) > 1 else "1 table"
    told = f"In the examples ({places}): {len(filled):,} of {len(values):,} cells filled, {len(counts):,} different."
    return [told, *_proposed(field, counts)]


def _proposed(field: Field, counts: Counter[str]) -> Iterator[str]:
    is_text = field.type in (None, "text") and field.kind is None
    pattern = _pattern(list(counts)) if is_text else ""
    if not field.unique and (pattern or field.name.split("_")[-1] in _KEYS) and _are_different(counts):
        yield f"Could be added: unique=True, because all {len(counts):,} values are different."
    if pattern:
        yield f'Could be added: pattern=r"{pattern}", which fits all of them.'
    if is_text and (choices := _choices(counts)):
        yield f"Could be added: choices={json.dumps(choices, ensure_ascii=False)}, each of which occurs often."


def _are_different(counts: Counter[str]) -> bool:
    return len(counts) >= _FEWEST_CODES and max(counts.values()) == 1


def _choices(counts: Counter[str]) -> list[str]:
    """Return the few words that a column is made of; a word that came rarely may be about one person."""
    is_known = sum(counts.values()) >= _FEWEST_FOR_CHOICES and 2 <= len(counts) <= _MOST_CHOICES
    is_plain = all(len(text) <= _LONGEST_CHOICE and not any(map(str.isdigit, text)) for text in counts)
    return sorted(counts) if is_known and is_plain and min(counts.values()) >= _EACH else []


def _pattern(texts: Sequence[str]) -> str:
    """Return the pattern of codes that are all made of the same parts, such as AB-1234; empty when there is none."""
    has_digits, has_words = any(map(str.isdecimal, texts[0])), " " in texts[0] and any(map(str.islower, texts[0]))
    is_code = has_digits and not has_words and not texts[0].isdecimal()  # "12 Main St." is none
    if len(texts) < _FEWEST_CODES or not is_code or max(map(len, texts)) > _LONGEST_CODE:
        return ""
    parts = [_PART.findall(text) for text in texts]
    made_of = {tuple(map(_class, found)) for found in parts}
    if len(made_of) != 1 or len(parts[0]) > _MOST_PARTS or None in made_of.pop():
        return ""
    return "".join(_written(column) for column in zip(*parts, strict=True))


def _class(part: str) -> str | None:
    """Return the class of a run of digits or letters, a separator as it is written in a pattern, or None."""
    if part in _SEPARATORS:
        return "\\." if part == "." else part
    return next((name for name, test in _CLASSES if part.isascii() and test(part)), None)


def _written(column: Sequence[str]) -> str:
    name = str(_class(column[0]))
    if column[0] in _SEPARATORS:
        return name
    low, high = min(map(len, column)), max(map(len, column))
    if low == high:
        return name if low == 1 else f"{name}{{{low}}}"
    return f"{name}{{{low},{high}}}"

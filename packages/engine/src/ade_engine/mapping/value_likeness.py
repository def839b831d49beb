"""Compares the values of a column with what is known of a field's: whole numbers that a model weighs; -1 is unknown."""

from __future__ import annotations

from ade_engine.mapping.value_profile import Seen, ValueProfile, shared

UNKNOWN = {
    "kinds": -1, "shapes": -1, "lengths": -1, "word_count": -1, "sizes": -1, "size_spread": -1, "negative": -1,
    "decimals": -1, "years": -1, "distinct": -1, "top": -1, "filled": -1, "letter_pairs": -1, "same_values": -30,
    "same_words": -30, "looked_up": -1, "looked_up_words": -1, "kind": -1, "variety": -1,
    "seen": -1,
}  # fmt: skip
_MANY = 20  # values; from here on, more say little more
_KIND_NUMBERS = {
    name: number
    for number, name in enumerate(
        ("number", "date", "time", "boolean", "email", "url", "code", "word", "words", "prose")
    )
}


VALUE_FEATURES = tuple(UNKNOWN)


def compare_values(column: ValueProfile | None, seen: Seen, field: ValueProfile | None, salt: bytes) -> tuple[int, ...]:
    """Return how alike the values are, in the order of VALUE_FEATURES."""
    found = dict(UNKNOWN)
    if column is None or field is None:
        return tuple(found.values())
    found["kinds"] = (
        sum(abs(column.kinds.get(kind, 0) - field.kinds.get(kind, 0)) for kind in {*column.kinds, *field.kinds}) // 2
    )
    found["shapes"] = (
        sum(min(share, field.shapes.get(shape, 0)) for shape, share in column.shapes.items())
        if column.shapes and field.shapes
        else -1
    )
    found["lengths"] = max(_apart(one, other) for one, other in zip(column.lengths, field.lengths, strict=True))
    found["word_count"] = _apart(column.word_count, field.word_count)
    if column.sizes and field.sizes:
        steps = [abs(one - other) for one, other in zip(column.sizes, field.sizes, strict=True)]
        found["sizes"], found["size_spread"] = sorted(steps)[2], min(max(steps), 60)
        found["negative"] = abs(column.negative - field.negative)
        found["decimals"] = abs(column.decimals - field.decimals)
    if column.years and field.years:
        found["years"] = min(60, max(abs(one - other) for one, other in zip(column.years, field.years, strict=True)))
    for part in ("distinct", "top", "filled"):
        found[part] = abs(getattr(column, part) - getattr(field, part))
    if column.letters and field.letters:
        found["letter_pairs"] = (
            sum(abs(one - other) for one, other in zip(column.letters, field.letters, strict=True)) // 2
        )
    if field.values:
        found["same_values"], count = shared(field.values, field.value_limit, seen.hashes(salt, "values"))
        found["looked_up"] = min(count, 100)
    if field.words:
        found["same_words"], count = shared(field.words, field.word_limit, seen.hashes(salt, "words"))
        found["looked_up_words"] = min(count, 100)
    found["kind"] = _KIND_NUMBERS[max(field.kinds, key=lambda kind: field.kinds[kind])] if field.kinds else -1
    found["variety"] = field.distinct
    found["seen"] = min(seen.filled, _MANY)
    return tuple(found.values())


def _apart(one: int, other: int) -> int:
    """Return how far apart two sizes are, in percent of the larger."""
    larger = max(one, other)
    return 100 * abs(one - other) // larger if larger else 0

"""Compares two names as read: numbers from 0 to 100 that a model weighs. All are whole, so every machine agrees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ade_engine.mapping.reading import LITTLE, Name, _stem, read_names, skeleton
from ade_engine.mapping.spelling import alike

_EXCLUSIVE = """
start/end minimum/maximum minimum/average maximum/average debit/credit purchase/sell purchase/sales budget/actual
gross/net created/updated first_name/last_name first_name/full_name last_name/full_name first_name/middle_name
middle_name/last_name customer/supplier home/work phone/fax mobile/fax phone/email address/email street/city city/state
city/country state/country county/state county/country postal_code/city postal_code/country latitude/longitude
width/height width/length height/length weight/height quantity/price percent/amount year/month month/day id/name
code/name number/name name/date id/date date/amount summer/winter import/export previous/current counterparty/account
foreign/account foreign/posted regular_price/sale_price purchase_price/sale_price executed/posted value_date/posted
counter_account/account counter_account/iban
"""
_NARROWING_WORDS = """
foreign other counterparty counter_account previous tax discount fee average minimum maximum parent assistant spouse
child manager delivery budget difference percent rate balance original
"""
_NARROWING = frozenset(_NARROWING_WORDS.split())
OTHERS = 3  # both names have numbers, or words in brackets, and none of them is the same
_ONE = frozenset("1")  # "Address" of one table is "Address 1" of another
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _EXCLUSIVE.split())


@lru_cache(maxsize=65536)
def word_likeness(one: str, other: str) -> int:
    """Return how sure two words are the same one, written out, shortened or misspelled."""
    if one == other:
        return 100
    if one.isdecimal() or other.isdecimal():
        return 0
    if _stem(one) == _stem(other):
        return 95
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if short[0] != long[0]:
        if len(short) >= 3 and skeleton(long) == short:
            return 80
        return _spelling(one, other) if len(short) >= 6 else 0
    if long.startswith(short):
        return 50 + min(40, 10 * len(short)) if len(short) > 1 else 30
    bare = skeleton(long)
    if len(short) >= 3 and bare in (short, short[0] + skeleton(short[1:])):
        return 85
    if len(short) >= 3 and skeleton(short) == bare and len(bare) >= 2:
        return 80
    if len(short) >= 5 and (found := _spelling(one, other)):
        return found
    return 60 if 3 <= len(short) <= 5 and _is_within(short, long) else 0


def _spelling(one: str, other: str) -> int:
    """Return 100 for equal words, less for each letter that differs; 0 where they are not alike."""
    found = alike(one, other)
    return found if found >= 75 else 0


def _is_within(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


NAME_FEATURES = (
    "covers_header", "covers_field", "rest_header", "rest_field", "rest_both", "shared_weight", "last_word",
    "first_word", "in_order", "letters", "skeleton", "within", "shortened", "numbers", "brackets", "concepts",
    "opposite", "length", "words", "telling_word", "meaning", "near_header", "near_field", "narrowed",
)  # fmt: skip


def compare_names(source: Name, field: Name) -> tuple[int, ...]:
    """Return what the two names have in common, in the order of NAME_FEATURES."""
    pairs = _aligned(source, field)
    total_s, total_f = sum(source.weights) or 1, sum(field.weights) or 1
    shared_s = sum(source.weights[i] * likeness for i, _, likeness in pairs)
    shared_f = sum(field.weights[j] * likeness for _, j, likeness in pairs)
    left_s = [i for i in range(len(source.words)) if all(i != pair[0] for pair in pairs)]
    left_f = [j for j in range(len(field.words)) if all(j != pair[1] for pair in pairs)]
    rest_s, rest_f = sum(source.weights[i] for i in left_s), sum(field.weights[j] for j in left_f)
    return (
        shared_s // total_s,
        shared_f // total_f,
        min(rest_s, 400),
        min(rest_f, 400),
        min(rest_s, rest_f, 300),
        min(sum(min(source.weights[i], field.weights[j]) * n for i, j, n in pairs) // 100, 400),
        _at(pairs, len(source.words) - 1, len(field.words) - 1),
        _at(pairs, 0, 0),
        int(all(a[1] < b[1] for a, b in zip(sorted(pairs), sorted(pairs)[1:], strict=False))) if pairs else 0,
        _ratio(source.joined, field.joined),
        _ratio(source.skeleton, field.skeleton) if source.skeleton and field.skeleton else -1,
        _within(source.joined, field.joined),
        max(_shortened(source, field), _shortened(field, source)),
        1 if source.numbers | field.numbers == _ONE else _agreement(source.numbers, field.numbers),
        _agreement(source.bracketed, field.bracketed),
        _concepts(source, field),
        _opposite(source, field),
        min(len(source.joined), len(field.joined), 40),
        min(len(source.words), len(field.words)),
        max((min(source.weights[i], field.weights[j]) * likeness // 100 for i, j, likeness in pairs), default=0),
        _meaning(source, field, rest_s, rest_f),
        (shared_s + 100 * _near(source, field, left_s)) // total_s,
        (shared_f + 100 * _near(field, source, left_f)) // total_f,
        int(_narrows(source, left_s)) + 2 * int(_narrows(field, left_f)),
    )


def _near(name: Name, other: Name, left: list[int]) -> int:
    """Return the weight of the words left over whose meaning is near to a word of the other name."""
    return sum(name.weights[i] for i in left if any(not name.near[i].isdisjoint(its) for its in other.concepts))


def _narrows(name: Name, left: list[int]) -> bool:
    """Return whether a word is left over that makes the name one of something else: "tax", "foreign", "parent"."""
    return any(not name.concepts[i].isdisjoint(_NARROWING) for i in left)


def _aligned(source: Name, field: Name) -> list[tuple[int, int, int]]:
    """Pair words off, the most similar first."""
    found = []
    for i, word in enumerate(source.words):
        for j, other in enumerate(field.words):
            likeness = word_likeness(word, other)
            if likeness < 90 and not source.concepts[i].isdisjoint(field.concepts[j]):
                likeness = 90
            if likeness:
                found.append((-likeness, abs(i - j), i, j))
    found.sort()
    used_s: set[int] = set()
    used_f: set[int] = set()
    pairs = []
    for likeness, _, i, j in found:
        if i not in used_s and j not in used_f:
            used_s.add(i)
            used_f.add(j)
            pairs.append((i, j, -likeness))
    return pairs


def words_in_common(header: str, field: str) -> Iterator[tuple[str, str, str]]:
    """Yield words of a header and a field that were matched, and how: equal, meaning, spelling or near."""
    source, target = read_names([header])[0], read_names([field])[0]
    pairs = {i: j for i, j, _ in _aligned(source, target)}
    told = set(pairs.values())
    for i, one in enumerate(source.words):
        j = pairs[i] if i in pairs else _nearest(source, i, target, told)
        if j is None or not _says_something(one, target.words[j], source.weights[i], target.weights[j]):
            continue
        told.add(j)
        other = target.words[j]
        is_meant = word_likeness(one, other) < 90 and not source.concepts[i].isdisjoint(target.concepts[j])
        how = "near" if i not in pairs else "equal" if one == other else "meaning" if is_meant else "spelling"
        yield source.told[i], target.told[j], how


def _says_something(one: str, other: str, *weights: int) -> bool:
    """Return whether a person sees why two words are alike: "ext" and "extension", but not "in" and "installed"."""
    return max(weights) > LITTLE and (min(weights) > LITTLE or one == other or min(len(one), len(other)) > 2)


def _nearest(source: Name, word: int, target: Name, told: set[int]) -> int | None:
    """Return the first word left over in a name that tables use in place of this one."""
    free = (j for j in range(len(target.words)) if j not in told)
    return next((j for j in free if not source.near[word].isdisjoint(target.concepts[j])), None)


def _at(pairs: list[tuple[int, int, int]], i: int, j: int) -> int:
    return next((likeness for a, b, likeness in pairs if (a, b) == (i, j)), 0)


@lru_cache(maxsize=16384)
def _ratio(one: str, other: str) -> int:
    return alike(one, other) if one and other else 0


def _within(one: str, other: str) -> int:
    """Return the share of the longer name that the shorter one is, if it is contained in it unchanged."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return 100 * len(short) // len(long) if len(short) >= 3 and short in long else 0


def _shortened(short: Name, long: Name) -> int:
    """Return how much of a name the letters of another explain, each from the start of a word: BrID, Branch ID."""
    letters, words = (
        short.joined,
        [word for word, weight in zip(long.words, long.weights, strict=True) if weight > LITTLE],
    )
    if not letters or not words or len(letters) > len(long.joined):
        return 0
    reached = _explained(letters, tuple(words))
    return 100 * reached // len(words) if reached else 0


@lru_cache(maxsize=16384)
def _explained(letters: str, words: tuple[str, ...]) -> int:
    """Return how many words begin a run of the letters, if all letters are explained in order; else 0."""
    best = 0

    def step(place: int, word: int, used: int) -> None:
        nonlocal best
        if place == len(letters):
            best = max(best, used)
            return
        if word == len(words) or best == len(words):
            return
        length = 0
        while (
            place + length < len(letters)
            and length < len(words[word])
            and letters[place + length] == words[word][length]
        ):
            length += 1
        for taken in range(length, 0, -1):
            step(place + taken, word + 1, used + 1)
        if used and word > 0:
            step(place, word + 1, used)

    if len(letters) <= 24 and len(words) <= 8:
        step(0, 0, 0)
    return best


def _agreement(ours: frozenset[str], theirs: frozenset[str]) -> int:
    """Return 1 for the same numbers or words in brackets, 0 for none, 2 for one side's or some, and OTHERS."""
    if not ours and not theirs:
        return 0
    if ours == theirs:
        return 1
    return 2 if not ours or not theirs or ours & theirs else OTHERS


def _concepts(source: Name, field: Name) -> int:
    """Return how many of the meanings are the same, or -1 where one side has none that is known."""
    if not source.phrases or not field.phrases:
        return -1
    return 100 * len(source.phrases & field.phrases) // len(source.phrases | field.phrases)


def _meaning(source: Name, field: Name, rest_source: int, rest_field: int) -> int:
    """Return 2 where the words of both are known and mean the same, 1 where little else is there, and 0 otherwise."""
    if not source.phrases or source.phrases != field.phrases:
        return 0
    return 2 if max(rest_source, rest_field) <= LITTLE else 1


def _opposite(source: Name, field: Name) -> int:
    """Return 1 where what differs are meanings that exclude each other, such as start and end."""
    ours, theirs = source.phrases - field.phrases, field.phrases - source.phrases
    return int(any(frozenset((one, other)) in _OPPOSITES for one in ours for other in theirs))

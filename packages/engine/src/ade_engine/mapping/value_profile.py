"""What the values of a column look like, without any of them: kinds, shapes, lengths, ranges and blurred sketches.

Every number is a whole one: shares in percent, sizes in quarters of a power of ten. A sketch is a row of bits in which
at least every third is set, whatever is in it: it can show that many values of two columns are the same, and cannot
show whether a certain value was there.
"""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any

from ade_engine.cells import Value
from ade_engine.records import record

SAMPLE = 400  # values that are looked at
_SKETCHED = 256  # distinct values, those with the lowest hashes
_FEWEST = 8  # a sketch of fewer distinct values would say which they are
_SPACE = 1 << 32
_MOST_DIGITS = 300  # a number of more may have no size
_NUMBER = re.compile(r"[-+(]?\s*[$€£¥]?\s*[-+]?(\d[\d,.' \u00a0]*|\.\d+)\s*(?:[%€$£]|[eE][-+]?\d+)?\s*\)?")
_DATE = re.compile(
    r"(\d{4})[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d.*)?|\d{1,2}[-/.](?:\d{1,2}|[A-Za-z]{3})[-/.](\d{4}|\d{2})([ ,T]+\d.*)?"
    r"|(?:[A-Za-z]{3,9},? )?[A-Za-z]{3,9}\.? \d{1,2},? (\d{4})(.*)"
)
_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2})?( ?[AaPp]\.?[Mm]\.?)?")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+\.[^@\s]+")
_URL = re.compile(r"(?i)(https?://|www\.)\S+")
_BOOLEANS = frozenset(["true", "false", "yes", "no", "y", "n", "t", "f", "ja", "nein", "oui", "non", "si", "x"])
_WORD = re.compile(r"[^\W\d_]{3,}")

_SIGNS = frozenset("-/.,:;@#%$()+_&'*")


def _mark(sign: str) -> str:
    """Return the symbol of a letter, a digit or a blank in a shape."""
    if sign.isdigit():
        return "9"
    if sign.isalpha():
        return "A" if sign.isupper() else "a"
    return " " if sign.isspace() else sign if sign in _SIGNS else "?"


_MARKS = {code: _mark(chr(code)) for code in range(128)}
KINDS = ("number", "date", "time", "boolean", "email", "url", "code", "word", "words", "prose")


@record
class ValueProfile:
    """What the values of a field or a column look like; None where they have none."""

    filled: int
    distinct: int
    top: int
    kinds: Mapping[str, int]
    shapes: Mapping[str, int]
    lengths: tuple[int, int, int]
    word_count: int
    sizes: tuple[int, ...] | None = None
    negative: int = 0
    decimals: int = 0
    years: tuple[int, ...] | None = None
    letters: tuple[int, ...] | None = None
    values: str | None = None
    value_limit: int = 0
    words: str | None = None
    word_limit: int = 0


class Seen:
    """The distinct values of a source column as texts with counts, from which profiles and hashes are made."""

    def __init__(self, values: Sequence[Value], *, row_count: int, most: int = SAMPLE) -> None:
        step = max(1, len(values) // most)
        sample = values[::step][:most] if step > 1 else values
        self.share = 100 * len(values) // max(1, row_count)
        self.counts: Counter[str] = Counter(text for value in sample if (text := _text(value)))
        self.filled = sum(self.counts.values())
        self._hashes: dict[tuple[bytes, str], list[int]] = {}

    def hashes(self, salt: bytes, part: str) -> list[int]:
        """Return the hashes of the distinct values, or of their words."""
        if (salt, part) not in self._hashes:
            texts: Iterable[str] = self.counts if part == "values" else _words(self.counts)
            self._hashes[salt, part] = sorted({_hash(salt, key) for text in texts if (key := _key(text))})
        return self._hashes[salt, part]


def profile_values(
    values: Sequence[Value], salt: bytes | None = None, *, row_count: int | None = None, most: int = SAMPLE
) -> tuple[ValueProfile | None, Seen]:
    """Return what values that are not empty look like, with sketches where a salt is given; None when there is none."""
    seen = Seen(values, row_count=len(values) if row_count is None else row_count, most=most)
    if not seen.filled:
        return None, seen
    counts, filled = seen.counts, seen.filled
    kinds: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    numbers: list[tuple[float, str]] = []
    years: list[int] = []
    for text, times in counts.items():
        kind, number, year = _classify(text)
        kinds[kind] += times
        shapes[_shape(text)] += times
        if number is not None:
            numbers += [(number, text)] * times
        if year is not None:
            years += [year] * times
    lengths = sorted(min(len(text), 99) for text in counts.elements())
    sketches = _sketches(seen, salt) if salt is not None else {}
    return ValueProfile(
        filled=seen.share,
        distinct=100 * len(counts) // filled,
        top=100 * max(counts.values()) // filled,
        kinds={kind: share for kind in KINDS if (share := (100 * kinds[kind] + filled // 2) // filled)},
        shapes=_frequent(shapes, filled),
        lengths=(_at(lengths, 10), _at(lengths, 50), _at(lengths, 90)),
        word_count=10 * sum(len(text.split()) * times for text, times in counts.items()) // filled,
        **_numeric(numbers, filled),
        years=tuple(5 * (_at(sorted(years), q) // 5) for q in (10, 50, 90)) if 2 * len(years) > filled else None,
        letters=_letters(counts) if len(counts) >= _FEWEST else None,
        **sketches,
    ), seen


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(round(value, 9))
    return str(value)


def _classify(text: str) -> tuple[str, float | None, int | None]:
    """Return the kind of a value, its number, and its year."""
    digits = text.replace(".", "", 1)
    if digits.isascii() and digits.isdecimal() and len(digits) < _MOST_DIGITS:
        return "number", float(text), None
    if text[0] in "0123456789-+.($€£¥" and _NUMBER.fullmatch(text):
        return "number", _number(text), None
    if any(map(str.isdigit, text)):
        if found := _DATE.fullmatch(text):
            year = next(
                (int(group) for group in found.groups() if group and group.isdecimal() and len(group) in (2, 4)), None
            )
            return "date", None, (year + (1900 if year > 68 else 2000)) if year is not None and year < 100 else year
        if _TIME.fullmatch(text):
            return "time", None, None
    if "@" in text and _EMAIL.fullmatch(text):
        return "email", None, None
    if ("/" in text or "www" in text) and _URL.fullmatch(text):
        return "url", None, None
    if text.casefold() in _BOOLEANS:
        return "boolean", None, None
    blanks = text.count(" ")
    if blanks == 0:
        return ("code" if any(map(str.isdigit, text)) or "_" in text else "word"), None, None
    return ("prose" if blanks > 5 else "words"), None, None


def _number(text: str) -> float | None:
    digits = re.sub(r"[^\d.,]", "", text.split("e")[0].split("E")[0])
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma >= 0 and (point > comma or (point < 0 and len(digits) - comma == 4) or digits.count(",") > 1):
        digits = digits.replace(",", "")
    elif comma >= 0:
        digits = digits.replace(".", "").replace(",", ".")
    if digits.count(".") > 1:
        digits = digits.replace(".", "")
    try:
        found = float(digits)
    except ValueError:
        return None
    if math.isinf(found):  # hundreds of digits are no size of anything
        return None
    return -found if text[0] in "-(" else found


def _shape(text: str) -> str:
    """Return a text with letters and digits blurred: "AB-1234" is "A-9", "Main Street" is "Aa Aa"."""
    marks = text[:40].translate(_MARKS) if text.isascii() else map(_mark, text[:40])
    return "".join([mark for mark, _ in groupby(marks)])[:12]


def _frequent(shapes: Counter[str], filled: int) -> dict[str, int]:
    """Return the most usual shapes; a shape of a few values is left out."""
    kept = [(shape, times) for shape, times in shapes.items() if times >= 3 and 20 * times >= filled]
    kept.sort(key=lambda item: (-item[1], item[0]))
    return {shape: 100 * times // filled for shape, times in kept[:6]}


def _numeric(numbers: list[tuple[float, str]], filled: int) -> dict[str, Any]:
    if 2 * len(numbers) <= filled:
        return {}
    found = sorted(number for number, _ in numbers)
    places = [len(text.rpartition(".")[2]) if "." in text else 0 for _, text in numbers]
    return {
        "sizes": tuple(_size(_at(found, q)) for q in (5, 25, 50, 75, 95)),
        "negative": 100 * sum(number < 0 for number in found) // len(found),
        "decimals": min(10 * sum(places) // len(places), 99),
    }


def _size(number: float) -> int:
    """Return the order of a number in quarters of a power of ten, with its sign."""
    if not number:
        return 0
    order = math.floor(4 * math.log10(abs(number)) + 1e-9) + 17
    return max(order, 1) if number > 0 else -max(order, 1)


def _at(ordered: Sequence[Any], percent: int) -> Any:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _letters(counts: Counter[str]) -> tuple[int, ...]:
    """Return how often pairs of letters come, in 32 groups of pairs: names of towns and of people differ in them."""
    groups = [0] * 32
    for text in counts:
        low = [*map(ord, text[:40].lower())]
        for one, other in pairwise(low):
            groups[7 * other - one & 31] += 1  # 31 times one, except for a multiple of 32
    total = sum(groups) or 1
    return tuple(100 * count // total for count in groups)


def _key(text: str) -> str:
    """Return what two writings of one value have in common."""
    if text[0].isdigit() and text.replace(".", "", 1).isdecimal():
        return text.rstrip("0").rstrip(".") if "." in text else text
    return " ".join(text.casefold().split())


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())[:8]}


def _hash(salt: bytes, key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4, key=salt).digest(), "big")


def _sketches(seen: Seen, salt: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part, limit in (("values", "value_limit"), ("words", "word_limit")):
        hashes = seen.hashes(salt, part)[:_SKETCHED]
        if len(hashes) < _FEWEST:
            continue
        size = 2 * len(hashes)
        bits = 0
        for value in hashes:
            bits |= 1 << (value % size)
        found[part] = f"{size}:{bits:x}"
        # Beyond the last hash nothing is known, unless all are in.
        found[limit] = hashes[-1] if len(hashes) == _SKETCHED else _SPACE
    return found


def shared(sketch: str, limit: int, hashes: Sequence[int]) -> tuple[int, int]:
    """Return the share of hashes that a sketch holds, beyond chance and in percent, and how many were looked up."""
    size, by_chance, is_set = _unpacked(sketch)
    known = hashes[: min(bisect_right(hashes, limit), _SKETCHED)]
    if not known:
        return 0, 0
    hits = sum([is_set[value % size] for value in known])
    # (hits/n - chance) / (1 - chance), in whole numbers
    above = 100 * (hits * size - by_chance * len(known))
    return max(-20, above // ((size - by_chance) * len(known) or 1)), len(known)


@lru_cache(maxsize=1024)
def _unpacked(sketch: str) -> tuple[int, int, bytes]:
    """Return the size of a sketch, how many of its bits are set, and each bit as a byte."""
    size_text, _, bits_text = sketch.partition(":")
    size, bits = int(size_text), int(bits_text, 16)
    return size, bits.bit_count(), bytes(map(int, reversed(f"{bits:0{size}b}")))


def as_json(profile: ValueProfile) -> dict[str, Any]:
    """Return a profile as it is stored; what is not known is left out."""
    kept = {name: getattr(profile, name) for name in ValueProfile.__dataclass_fields__}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}
    return {name: value for name, value in plain.items() if value not in (None, {}, 0)}


def from_json(content: Mapping[str, Any] | None) -> ValueProfile | None:
    """Return a stored profile that was found to be sound."""
    if content is None:
        return None
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
    missing: dict[str, Any] = {
        "filled": 0,
        "distinct": 0,
        "top": 0,
        "kinds": {},
        "shapes": {},
        "lengths": (0, 0, 0),
        "word_count": 0,
    }
    return ValueProfile(**{**missing, **listed})

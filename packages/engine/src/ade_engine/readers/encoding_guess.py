"""Ranks the encodings that a text in an old encoding may be written in.

chardet ranks them by statistics of letter pairs. A table often contains a few accented words only, where these say
little. So the ranking is weighted by how common an encoding is, and by how plausible the words look that it makes. Each
weight counts in proportion to its share of the evidence: the first matters for one word and not for a hundred.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ade_engine.readers.alphabets import foreign_share
from ade_engine.readers.encoding_rivals import find_rival
from ade_engine.records import record

_WORDS_BYTES = 16 * 1024
_MOST_WORDS = 300
# Encodings whose text decodes to the same in a larger one of Windows, which real files are written in. Where these have
# no character either, a file contains a broken byte, which is reported; the smaller ones make a control of it.
_LARGER = {"iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874"}
# One encoding for Windows and for others. Its texts differ in a few signs only, such as the wave dash.
_WINDOWS_JAPANESE, _OTHER_JAPANESE = "cp932", "shift_jis"
_JAPANESE = frozenset({_WINDOWS_JAPANESE, _OTHER_JAPANESE, "shift_jis_2004"})
_USUAL = {"cp1252": 1.0, "cp1250": 0.5, "cp1251": 0.6, "cp932": 0.6, "shift_jis": 0.6, "gb18030": 0.6}
_COMMON = frozenset(
    {
        *("cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "cp949"),
        *("big5hkscs", "euc_jis_2004"),
    }
)
_RARE = frozenset(
    {
        *("iso8859-3", "iso8859-4", "iso8859-10", "iso8859-14", "iso8859-16", "hp-roman8"),
        *("kz1048", "ptcp154", "koi8-t", "cp1006", "cp1125", "cp720", "cp737", "cp775", "cp855", "cp856", "cp857"),
        *("cp860", "cp861", "cp862", "cp863", "cp864", "cp865", "cp869"),
        *("mac-greek", "mac-iceland", "mac-latin2", "mac-turkish"),
    }
)
_COMMONNESS, _REST, _RARITY = 0.4, 0.3, 0.1
_ODD_WEIGHT = 0.1  # of one odd place in one word
_FOREIGN_POWER = 3
_LEAST_SHARE = 0.03  # of the best score; nothing makes up for less
# One word says nothing against the most common encoding, several do.
_DEFAULT, _DEFAULT_SHARE = "cp1252", 0.7
_CERTAIN = 0.9
_CLOSE, _CLOSE_FOR_ONE_WORD, _CLOSE_IF_MORE_USUAL = 0.97, 0.55, 0.25
_FEW_WORDS = 12
_MOST_OTHERS = 8
_OF_TWO_BYTES = frozenset({"gb18030", "big5hkscs", "cp949", "euc_kr", "johab", "euc_jis_2004", *_JAPANESE})
_FEW_CHARACTERS = 4

_WORD = re.compile(rb'[^\x00-\x20,;|"]++')
# Controls, private characters and box drawing next to a letter: one place is enough.
_IN_NO_WORD = re.compile(
    r"[^\W\d_][\x80-\x84\x86-\x9f\ue000-\uf8ff\u2500-\u259f]|[\x80-\x84\x86-\x9f\ue000-\uf8ff\u2500-\u259f][^\W\d_]"
)
_ODD = re.compile(
    r"""
    [\x80-\x9f\ue000-\uf8ff\ufffd\u2500-\u259f¤]          # controls, private characters, box drawing
    # a symbol between two letters, except those that words contain
    | (?<=[^\W\d_])
      (?![\u0300-\u036f\u0590-\u05c7\u064b-\u0652\u0e31-\u0e4e\u200c-\u200f’ʼ·‧‐–—\xad\u30fb\u30fc])
      [^\w\s\x00-\x7f](?=[^\W\d_])
    | (?<!\w)[£¥¢©®±¶¬¦¨¸´¯¼½¾¹²³°×÷˝˛ˇ˘§µ](?=[^\W\d_])    # a symbol at the start of a word
    | (?<=[^\W\d_])[±¶¬¦¸¯¤¼½¾](?!\w)                     # or behind one
    | [\u0e03\u0e05]                                     # letters that Thai gave up
    | [A-Za-z](?=[\u0370-\u052f\u0590-\u06ff\u0e00-\u0e7f])  # two scripts in one word
    | [\u0370-\u052f\u0590-\u06ff\u0e00-\u0e7f](?=[A-Za-z])
    | [a-z][\u3400-\u9fff\uac00-\ud7a3](?=[a-z\s]|$)
    | (?<!\w)’(?=[\u0370-\u03ff])
    | (?<!\w)(?![àáäåæèéêíòóôöøùúÀÁÄÅÆÈÉÊÍÒÓÔÖØÙÚªº])[\xc0-\u024f](?!\w)  # a letter that is no word by itself
    | (?<=[\xc0-\u024f]{3})[\xc0-\u024f]                   # four accented letters in a row
    """,  # noqa: RUF001 - these are the characters themselves
    re.VERBOSE,
)


@record(kw_only=True)
class Guess:
    """The likeliest encoding; with `is_close`, it may as well be another one: the `second`, if there is one."""

    encoding: str
    is_close: bool = False
    second: str | None = None


def guess_encoding(sample: bytes) -> Guess | None:
    """Return the encoding of lines of text that are not UTF-8; None when no encoding is likely."""
    ranked = _ranked_by_letters(sample)
    if not ranked:
        return None
    if len(ranked) == 1 and min(ranked.values()) > _CERTAIN:
        return _with_twin(Guess(encoding=next(iter(ranked))), sample)
    # Looking for the bytes in the pattern would take quadratic time where a long word has none of them.
    words = sorted({word for word in _WORD.findall(sample[:_WORDS_BYTES]) if not word.isascii()})[:_MOST_WORDS]
    scores = _weighted(ranked, sample, words)
    best = max(scores, key=scores.__getitem__)
    others = _others(best, scores, sample)
    second = next((name for name in others if _is_close(best, name, scores, words)), None)
    if second := second or find_rival(words, best):
        return Guess(encoding=best, is_close=True, second=second)
    if _looks_wrong(words, best) or _is_short(words, best):
        return Guess(encoding=best, is_close=True, second=next(iter(others), None))
    return _with_twin(Guess(encoding=best), sample)


def _with_twin(guess: Guess, sample: bytes) -> Guess:
    """Return the guess as a close one where Windows would read the same bytes as another text."""
    if guess.is_close or guess.encoding != _OTHER_JAPANESE or not is_decodable(sample, _WINDOWS_JAPANESE):
        return guess
    if sample.decode(_WINDOWS_JAPANESE, "replace") == sample.decode(_OTHER_JAPANESE, "replace"):
        return guess
    return Guess(encoding=guess.encoding, is_close=True, second=_WINDOWS_JAPANESE)


def _ranked_by_letters(sample: bytes) -> dict[str, float]:
    """Return chardet's encodings that decode the sample, with their scores."""
    from chardet import detect_all  # 40 MB and 0.1 s, for the few files that need it

    found: dict[str, float] = {}
    for result in detect_all(sample, ignore_threshold=True, compat_names=False, max_bytes=max(len(sample), 1)):
        name = result["encoding"]
        if name is None or not is_decodable(sample, name):
            continue
        name = _japanese(sample) if name in _JAPANESE else _LARGER.get(name, name)
        found[name] = max(result["confidence"], found.get(name, 0.0))
    return found


def _japanese(sample: bytes) -> str:
    """Return the encoding that Windows or others write Japanese in; the ends of lines show which."""
    by_line_end = [_WINDOWS_JAPANESE, _OTHER_JAPANESE] if b"\r\n" in sample else [_OTHER_JAPANESE, _WINDOWS_JAPANESE]
    return next((name for name in by_line_end if is_decodable(sample, name)), "shift_jis_2004")


def _weighted(ranked: Mapping[str, float], sample: bytes, words: Sequence[bytes]) -> dict[str, float]:
    best = max(ranked.values())
    count = max(len(words), 1)
    candidates = {name: score for name, score in ranked.items() if score >= best * _LEAST_SHARE}
    if is_decodable(sample, _DEFAULT):
        candidates[_DEFAULT] = max(ranked.get(_DEFAULT, 0.0), best * _DEFAULT_SHARE**count)
    text = b"\n".join(words)
    return {
        name: score * (_usualness(name) * _ODD_WEIGHT ** _odd_count(decoded)) ** (1 / count) * _fit(decoded)
        for name, score in candidates.items()
        for decoded in [text.decode(name, "replace")]
    }


def _usualness(name: str) -> float:
    if name in _RARE:
        return _RARITY
    return _USUAL.get(name, _COMMONNESS if name in _COMMON else _REST)


def _fit(text: str) -> float:
    return float((1 - foreign_share(text)) ** _FOREIGN_POWER)


def _odd_count(text: str) -> int:
    """Count the places that a word hardly has: they come from a wrong encoding."""
    capitals = sum(
        left.islower() and right.isupper() for left, right in pairwise(text) if left > "\x7f" or right > "\x7f"
    )
    return capitals + sum(1 for _ in _ODD.finditer(text))


def _others(best: str, scores: Mapping[str, float], sample: bytes) -> list[str]:
    """Return the encodings that make another text, the likeliest first."""
    text = sample.decode(best, "replace")
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    return [name for name in ranked[:_MOST_OTHERS] if name != best and sample.decode(name, "replace") != text]


def _is_close(best: str, other: str, scores: Mapping[str, float], words: Sequence[bytes]) -> bool:
    """Return whether the other one is nearly as likely; a more usual one is, unless there is evidence against it."""
    least = _CLOSE - _CLOSE_FOR_ONE_WORD / max(len(words), 1)
    if _usualness(other) > _usualness(best) and not _odd_count(b"\n".join(words).decode(other, "replace")):
        least -= _CLOSE_IF_MORE_USUAL * min(_FEW_WORDS / max(len(words), 1), 1.0)
    return scores[other] > scores[best] * least


def _is_short(words: Sequence[bytes], encoding: str) -> bool:
    """Return whether there is too little of a script of thousands of characters: any bytes make some of them."""
    text = b"\n".join(words).decode(encoding, "replace")
    return encoding in _OF_TWO_BYTES and len({letter for letter in text if letter > "\x7f"}) < _FEW_CHARACTERS


def _looks_wrong(words: Sequence[bytes], encoding: str) -> bool:
    text = b"\n".join(words).decode(encoding, "replace")
    return _IN_NO_WORD.search(text) is not None or 2 * _odd_count(text) > len(words)


def is_decodable(data: bytes, encoding: str) -> bool:
    """Return whether all bytes are characters of the encoding; the last one may be cut off."""
    try:
        codec = codecs.lookup(encoding)
        codecs.getincrementaldecoder(encoding)().decode(data)
    except (UnicodeDecodeError, LookupError):
        return False
    return codec._is_text_encoding  # noqa: SLF001

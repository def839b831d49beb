"""Finds the encoding that a decision cannot exclude although its score is low.

Mac OS and DOS wrote letters with the bytes that Windows uses for quotes and dashes. An encoding of Windows that puts
such signs where no writer does may be the wrong one, even if letter statistics prefer it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ade_engine.readers.alphabets import foreign_share

_RIVALS = ("mac-roman", "cp850", "cp852", "cp437", "cp775", "mac-latin2")
_SUSPECT_SHARE = 1 / 3
_MOST_FOREIGN = 0.2
_MISPLACED = re.compile(
    r"""
    (?<=[^\W\d_])[‘‚„‹†‡ˆ‰•ƒ˜¨¸´¯¤§¶¦¬±¼½¾£¥¢¿¡]     # a sign that does not follow a letter
    | (?<!\w)[”›‰†‡–—·ˆ˜](?=[^\W\d_])                  # a sign that does not begin a word
    | (?<=[^\W\d_])–(?=[a-zß-ÿ])                       # a dash inside of a word; a long one separates two words
    | (?<=[a-zß-ÿ])[–—](?!\S)                          # or behind one
    | (?<=[a-zß-ÿ])—(?=[a-zß-ÿ]\b) | (?<=\b[a-zß-ÿ])—(?=[a-zß-ÿ])
    | (?<=[^\W\d_])\xa0(?![\w€$£(])                    # a space behind the last word
    | (?<=[A-Z])[ŠŒŽŸÀ-Þ](?=[a-z])                     # a capital inside of a word
    | [šŠžŽŸÿ] | (?<=\w)œ(?![uit]) | (?<!\w)[œç](?![aeioudsnct])  # letters where Western languages hardly have them
    """,  # noqa: RUF001 - these are the characters themselves
    re.VERBOSE,
)


def find_rival(words: Sequence[bytes], encoding: str) -> str | None:
    """Return an encoding that makes letters of the signs that `encoding` puts into odd places, or None."""
    if encoding not in ("cp1252", "iso8859-15"):
        return None
    suspects = [word for word in words if _MISPLACED.search(word.decode(encoding, "replace"))]
    if not suspects or len(suspects) < _SUSPECT_SHARE * len(words):
        return None
    return next((name for name in _RIVALS if _makes_words(b"\n".join(suspects), name)), None)


def _makes_words(suspects: bytes, encoding: str) -> bool:
    text = suspects.decode(encoding, "replace")
    letters = [letter for letter in text if letter > "\x7f"]
    return (
        all(letter.isalpha() for letter in letters)
        and foreign_share(text) <= _MOST_FOREIGN
        and not _has_odd_capital(text)
    )


def _has_odd_capital(text: str) -> bool:
    return any(left.islower() and right.isupper() and not (left + right).isascii() for left, right in pairwise(text))

"""The texts of the encodings benchmark: words and prose in many languages, written in the encodings common for them.

A file of texts/ holds a header, names, towns, goods and remarks, separated by semicolons, then a paragraph of prose.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
_WESTERN = ("cp1252", "iso-8859-15", "mac-roman", "cp850")
_CENTRAL = ("cp1250", "iso-8859-2", "cp852", "mac-latin2")
_BALTIC = ("cp1257", "iso-8859-13", "cp775")
_GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "Western": dict.fromkeys(
        ("ca", "da", "de", "en", "es", "fi", "fr", "is", "it", "nl", "no", "pt", "sq", "sv"), _WESTERN
    ),
    "Central European": dict.fromkeys(["cs", "hr", "hu", "pl", "ro", "sk", "sl"], _CENTRAL),
    "Turkish": {"tr": ("cp1254", "iso-8859-9", "cp857", "mac-turkish")},
    "Baltic": dict.fromkeys(("et", "lt", "lv"), _BALTIC),
    "Cyrillic": {
        "ru": ("cp1251", "koi8-r", "cp866", "iso-8859-5", "mac-cyrillic"),
        "uk": ("cp1251", "koi8-u", "iso-8859-5"),
        "bg": ("cp1251", "iso-8859-5", "mac-cyrillic"),
        "sr": ("cp1251", "iso-8859-5", "cp855"),
    },
    "Greek": {"el": ("cp1253", "iso-8859-7", "cp737", "mac-greek")},
    "Hebrew, Arabic, Persian": {
        "he": ("cp1255", "iso-8859-8", "cp862"),
        "ar": ("cp1256", "iso-8859-6", "cp720"),
        "fa": ("cp1256",),
    },
    "Thai, Vietnamese": {"th": ("cp874", "tis-620"), "vi": ("cp1258",)},
    "Chinese, Japanese, Korean": {
        "ja": ("cp932", "euc-jp", "iso-2022-jp"),
        "ko": ("cp949", "johab", "iso-2022-kr"),
        "zh-hans": ("gb18030", "hz"),
        "zh-hant": ("big5", "big5hkscs"),
    },
}
_LEAST_KEPT = 0.97
_TONES = "\u0300\u0301\u0303\u0309\u0323"
_PLAIN = ("Smith", "Invoice", "London", "Paid", "12.50", "2024-01-03", "A-1043", "Box", "Total", "Berlin")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text, and the bytes it is written as."""

    group: str
    kind: str
    encoding: str
    text: str
    data: bytes


def encoded_texts() -> Iterator[Encoded]:
    """Yield every text in every encoding of its language."""
    for group, languages in _GROUPS.items():
        for language, encodings in languages.items():
            for encoding in encodings:
                for kind, text in _texts(language).items():
                    written = _writable(text, encoding)
                    if written and not written.isascii():
                        yield Encoded(group, kind, encoding, written, written.encode(encoding))


@cache
def _texts(language: str) -> dict[str, str]:
    lines = (FOLDER / f"{language}.txt").read_text(encoding="utf-8").split("\n")
    header, *columns = (line.split(";") for line in lines[:5])
    return {
        "table of 3 rows": _table(header, columns, 3),
        "table of 20 rows": _table(header, columns, 20),
        "table of 200 rows": _table(header, columns, 200),
        "prose": lines[6] + "\n",
        "1 such word in a plain table": _plain(columns, 1),
        "3 such words in a plain table": _plain(columns, 3),
    }


def _table(header: list[str], columns: list[list[str]], count: int) -> str:
    rows = [["id", *header]]
    for number in range(count):
        places = (number, number * 5 + number // 12, number * 7 + number // 12 * 5, number * 3 + number // 6)
        cells = [column[place % len(column)] for column, place in zip(columns, places, strict=True)]
        rows.append([str(1000 + number), *cells])
    return "".join(";".join(row) + "\r\n" for row in rows)


def _plain(columns: list[list[str]], count: int) -> str:
    """Return a table of ASCII words, and a few that are not."""
    words = [word for column in columns for word in column if not word.isascii()][:: 7 if count > 1 else 5][:count]
    rows = [["id", "name", "town", "note"]]
    for number in range(2 * count + 4):
        cells = [_PLAIN[(number * 3 + place) % len(_PLAIN)] for place in range(3)]
        if number % 2 and number // 2 < len(words):
            cells[number % 3] = words[number // 2]
        rows.append([str(number), *cells])
    return "".join(";".join(row) + "\r\n" for row in rows)


def _writable(text: str, encoding: str) -> str | None:
    """Return the text as the encoding can write it, or None when too much of it is missing there."""
    if encoding == "cp1258":
        text = "".join(_decomposed(letter) for letter in text)
    if encoding not in ("cp1258", "iso-8859-16"):
        text = text.translate(str.maketrans("șțȘȚ", "şţŞŢ"))  # what Romanian was written with before
    kept = text.encode(encoding, "ignore").decode(encoding)
    return kept if len(kept) >= _LEAST_KEPT * len(text) else None


def _decomposed(letter: str) -> str:
    """Return a Vietnamese letter as cp1258 writes it: a letter, and its tone as a mark behind it."""
    try:
        letter.encode("cp1258")
    except UnicodeEncodeError:
        parts = unicodedata.normalize("NFD", letter)
        tone = next((mark for mark in _TONES if mark in parts), "")
        return unicodedata.normalize("NFC", parts.replace(tone, "")) + tone
    return letter

"""Finds out in which encoding a text file is written.

A byte order mark decides. Else the whole file is tried as UTF-8, which almost never fits by chance; then UTF-16 is told
by its zero bytes, and the old eight-bit encodings by which of them makes the most likely letters of the high bytes.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from ade_engine.errors import InputError

SAMPLE_BYTES = 256 * 1024

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CYRILLIC = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ№«»"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ"
# What the high bytes of a text in this encoding mostly mean. Earlier wins when two explain the bytes equally well.
_EIGHT_BIT = (
    ("cp1252", "äöüßÄÖÜéèêëàâçîïôùûñáíóúãõåøæÉÀÅØ’‘“”–—…€£°·«»®©™½²³´µº§¿¡\xa0"),  # noqa: RUF001
    ("cp1250", "ąćęłńóśźżĄĆĘŁŃŚŹŻčěřšťůžýáíéúďňČŘŠŽőűÁÉÍăâîșşţöüäß–„”"),  # noqa: RUF001
    ("cp1251", _CYRILLIC),
    ("koi8-r", _CYRILLIC),
    ("cp866", _CYRILLIC),
    ("cp1253", _GREEK),
    ("cp1254", "ışğçöüİŞĞÇÖÜâîû"),
    ("mac-roman", "äöüßÄÖÜéèêëàâçîïôùûñáíóúåøæ’‘“”–…"),  # noqa: RUF001
    ("cp850", "äöüßÄÖÜéèêëàâçîïôùûñáíóúåøæ"),
)
_MULTI_BYTE = (
    ("cp932", re.compile(r"[ぁ-んァ-ヶー一-龠、。々]")),
    ("gb18030", re.compile(r"[\u4e00-\u9fa5，。、：；（）]")),  # noqa: RUF001
    ("cp949", re.compile(r"[가-힣]")),
    ("big5", re.compile(r"[\u4e00-\u9fa5，。、：；（）]")),  # noqa: RUF001
    ("euc-jp", re.compile(r"[ぁ-んァ-ヶー一-龠、。々]")),
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_MIXED = "ade-mixed-utf-8"


def find_encoding(path: Path) -> tuple[str, str]:
    """Return (encoding, error handler) to open a text file with."""
    with path.open("rb") as file:
        sample = file.read(SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding, "replace"
    if zero_encoding := _utf_16_without_mark(sample):
        return zero_encoding, "replace"
    if _is_utf_8(path):
        return "utf-8", "strict"
    if _is_mostly_utf_8(sample):
        codecs.register_error(_MIXED, _as_cp1252)
        return "utf-8", _MIXED
    return _old_encoding(sample), "replace"


def _utf_16_without_mark(sample: bytes) -> str | None:
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = max(len(sample) // 2, 1)
    if odd > 0.3 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.3 * half and odd < 0.05 * half:
        return "utf-16-be"
    if sample.count(0) > 0.3 * len(sample):
        raise InputError(
            "The file is neither a workbook nor text. Save it as xlsx or csv from the program it comes from.",
            cause="unsupported",
        )
    return None


def _is_utf_8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while chunk := file.read(1024 * 1024):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_mostly_utf_8(sample: bytes) -> bool:
    """Tell a UTF-8 file with a few foreign bytes, such as two files put together, from another encoding."""
    runs = _HIGH_RUN.findall(sample)
    valid = sum(_decodes(run, "utf-8") for run in runs)
    return valid > 0.8 * len(runs) and valid > 2


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    foreign = error.object[error.start : error.end]
    return foreign.decode("cp1252", "replace"), error.end


def _old_encoding(sample: bytes) -> str:
    high = b" ".join(_HIGH_RUN.findall(sample))
    if encoding := _multi_byte(sample):
        return encoding
    best, best_score = "cp1252", -1.0
    for encoding, likely in _EIGHT_BIT:
        text = high.decode(encoding, "replace").replace(" ", "")
        score = sum(letter in likely for letter in text) / max(len(text), 1)
        # A clear gain only: the first in the list is the most common by far.
        if score > best_score + 0.1:
            best, best_score = encoding, score
    return best


def _multi_byte(sample: bytes) -> str | None:
    # The sample may end inside a character.
    body = sample[: sample.rfind(b"\n") + 1] or sample
    best, best_score = None, 0.75
    for encoding, likely in _MULTI_BYTE:
        if not _decodes(body, encoding):
            continue
        text = [letter for letter in body.decode(encoding) if ord(letter) > 0x7F]
        score = sum(bool(likely.match(letter)) for letter in text) / max(len(text), 1)
        if score > best_score + 0.02 and len(text) > 3:
            best, best_score = encoding, score
    return best

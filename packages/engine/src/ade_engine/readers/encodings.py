"""Finds out in which encoding a text file is written.

A byte order mark decides. Else the whole file is tried as UTF-8, which almost never fits by chance; then UTF-16 is told
by its zero bytes, and the old eight-bit encodings by which of them makes the most likely letters of the high bytes.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
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
# What the high bytes of a text in this encoding mostly mean, the common letters first. Of two encodings that explain
# the bytes about equally well the earlier one wins, because it is the more common one.
_CYRILLIC = ("оеаинтсрвлкмдпуя", "ыьгзбчйхжшюцщэфъёіїєґ№АБВГДЕЖЗИКЛМНОПРСТУФ")
_GREEK = ("αοιετσνηυρπκμλςάέήίόύώ", "βγδζθξφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ")
_WESTERN = "äöüßÄÖÜéèêëàâçîïôùûñáíóúãõåøæ"
_EIGHT_BIT = (
    ("cp1252", _WESTERN, "ÉÈÊËÀÂÇÎÏÔÙÛÑÁÍÓÚÃÕÅØÆœŒ’‘“”–—…€£°·«»®©™½²³´µº§¿¡ž\xa0"),  # noqa: RUF001
    ("cp1250", "ąćęłńóśźżčěřšťůžýáíéúőűă", "ĄĆĘŁŃŚŹŻďňČŘŠŽÁÉÍâîşţöüäß–„”"),  # noqa: RUF001
    ("cp1251", *_CYRILLIC),
    ("koi8-r", *_CYRILLIC),
    ("cp866", *_CYRILLIC),
    ("cp1253", *_GREEK),
    ("cp1254", "ışğçöüİ", "ŞĞÇÖÜâîû"),
    ("mac-roman", _WESTERN, "’‘“”–…"),  # noqa: RUF001
    ("cp850", _WESTERN, ""),
)
_CHINESE = re.compile(r"[\u4e00-\u9fa5，。、：；（）]")  # noqa: RUF001
_JAPANESE = re.compile(r"[ぁ-んァ-ヶー一-龠、。々]")
# Korean before Chinese: its bytes are Chinese characters, too, but not the other way round.
_MULTI_BYTE = (
    ("cp932", _JAPANESE),
    ("cp949", re.compile(r"[가-힣]")),
    ("gb18030", _CHINESE),
    ("big5", _CHINESE),
    ("euc-jp", _JAPANESE),
)
_CONTROL = bytes(set(range(0x20)) - set(b"\x00\t\n\x0b\x0c\r\x1a\x1b\x1c\x1d\x1e\x1f")) + b"\x7f"
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


def find_encoding(path: Path) -> tuple[str, str]:
    """Return (encoding, error handler) to open a text file with."""
    with path.open("rb") as file:
        sample = file.read(SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding, _handler(_as_cp1252) if mark == codecs.BOM_UTF8 else "replace"
    if zero_encoding := _utf_16_without_mark(sample):
        return zero_encoding, "replace"
    if _is_utf_8(path):
        return "utf-8", "strict"
    sample = _lines_with_high_bytes(path)
    if _is_mostly_utf_8(sample):
        return "utf-8", _handler(_as_cp1252)
    return _old_encoding(sample), _handler(_as_latin_1)


def _utf_16_without_mark(sample: bytes) -> str | None:
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = max(len(sample) // 2, 1)
    if odd > 0.3 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.3 * half and odd < 0.05 * half:
        return "utf-16-be"
    if sample.count(0) > 0.1 * len(sample) or _share(sample, _CONTROL) > 0.03:
        raise InputError(
            "The file is neither a workbook nor text. Save it as xlsx or csv from the program it comes from.",
            cause="unsupported",
        )
    return None


def _share(sample: bytes, among: bytes) -> float:
    return (len(sample) - len(sample.translate(None, among))) / max(len(sample), 1)


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


def _lines_with_high_bytes(path: Path) -> bytes:
    """Return lines that tell the encoding: a long file may begin with a hundred thousand lines that do not."""
    found: list[bytes] = []
    left = SAMPLE_BYTES
    with path.open("rb") as file:
        while left > 0 and (line := file.readline(SAMPLE_BYTES)):
            if not line.isascii():
                found.append(line)
                left -= len(line)
    return b"".join(found)


def _is_mostly_utf_8(sample: bytes) -> bool:
    """Tell a UTF-8 file with a few foreign bytes, such as two files put together, from another encoding."""
    runs = _HIGH_RUN.findall(sample)
    valid = sum(_decodes(run, "utf-8") for run in runs)
    return valid > 0.6 * len(runs) and valid > 2


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _handler(rescue: Callable[[UnicodeError], tuple[str, int]]) -> str:
    """Return the name of an error handler that keeps bytes which do not fit: a replacement hides what they were."""
    name = f"ade{rescue.__name__}"
    codecs.register_error(name, rescue)
    return name


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    return _foreign(error).decode("cp1252", _handler(_as_latin_1)), error.end  # type: ignore[attr-defined]


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    return _foreign(error).decode("latin-1"), error.end  # type: ignore[attr-defined]


def _foreign(error: UnicodeError) -> bytes:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end]


def _old_encoding(sample: bytes) -> str:
    runs = _HIGH_RUN.findall(sample)
    # Accents in western text stand alone; letters of other scripts, and those of two bytes, stand side by side.
    is_dense = sum(map(len, runs)) >= 2 * len(runs)
    encoding, score = _eight_bit(b"".join(runs), is_dense=is_dense)
    if is_dense and score < 0.8:
        return _multi_byte(sample) or encoding
    return encoding


def _eight_bit(high: bytes, *, is_dense: bool) -> tuple[str, float]:
    """Return the encoding that makes the likeliest letters of the high bytes, and how likely they are."""
    best, best_score = "cp1252", -1.0
    for encoding, common, likely in _EIGHT_BIT:
        text = high.decode(encoding, "replace")
        score = sum(1.0 if letter in common else 0.6 if letter in likely else 0.0 for letter in text)
        score *= (0.5 if is_dense and common == _WESTERN else 1.0) / max(len(text), 1)
        if score > best_score + 0.1:
            best, best_score = encoding, score
    return best, best_score


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

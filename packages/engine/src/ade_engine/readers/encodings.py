"""Finds out in which encoding a text file is written.

An encoding that the user names decides, then a byte order mark. Otherwise the whole file is tried as UTF-8, which
almost never fits by chance. UTF-16 shows by its zero bytes, and for the old encodings `encoding_guess` ranks the
candidates on the lines that contain something else than ASCII, however far down they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ade_engine.encoding_names import public_name
from ade_engine.errors import InputError
from ade_engine.issues import Finding
from ade_engine.readers.encoding_guess import guess_encoding
from ade_engine.records import record

HEAD_BYTES = 256 * 1024
SAMPLE_BYTES = 64 * 1024
_CHUNK_BYTES = 1024 * 1024

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = bytes(set(range(0x20)) - set(b"\x00\t\n\x0b\x0c\r\x1a\x1b\x1c\x1d\x1e\x1f")) + b"\x7f"
_LAST_PLANE = 0x10
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
# Encodings that write every character with ASCII bytes, between marks like these.
_ESCAPE = re.compile(rb"\x1b[$(]|~\{")
_ESCAPED = ("iso2022", "hz")
_NAMES_ITSELF = re.compile(rb"(?:charset|encoding)\s*[=:]", re.IGNORECASE)
# Stands for a byte that cannot be decoded while such bytes are counted; no text contains it.
_BAD = "\ufdd0"


@record(kw_only=True)
class Decoding:
    """How to decode a text file, and what is doubtful about it."""

    encoding: str
    errors: str = "strict"
    is_close: bool = False
    """Another encoding is almost as likely: `second`, where it is known."""
    second: str | None = None
    bad_count: int = 0
    first_bad_line: int | None = None

    def findings(self) -> Iterator[Finding]:
        """Yield what a reader of the text must know."""
        if self.is_close:
            other = f"{public_name(self.second)} is almost as likely" if self.second else "no encoding fits well"
            message = (
                f"the text was read as {public_name(self.encoding)}, but {other}; choose the encoding if it is wrong"
            )
            yield Finding("encoding.uncertain", "warning", message)
        if self.bad_count:
            bytes_are = "1 place is" if self.bad_count == 1 else f"{self.bad_count} places are"
            message = f"{bytes_are} not {public_name(self.encoding)}; the first one is in line {self.first_bad_line}"
            yield Finding("encoding.undecodable", "warning", message)


def find_decoding(path: Path, *, encoding: str | None = None) -> Decoding:
    """Return how to decode a text file; `encoding` is the user's choice."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    mark, marked = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", None))
    if encoding is not None:
        is_marked = marked == "utf-8-sig" and codecs.lookup(encoding).name == "utf-8"
        return _checked(path, Decoding(encoding="utf-8-sig" if is_marked else encoding, errors=_handler(_as_latin_1)))
    if marked is not None:
        return _checked(
            path, Decoding(encoding=marked, errors=_handler(_as_cp1252) if mark == codecs.BOM_UTF8 else "replace")
        )
    if wide := _wide_without_mark(head):
        return _checked(path, Decoding(encoding=wide, errors="replace"))
    if _is_utf_8(path):
        return _escaped(path) or Decoding(encoding="utf-8")
    return _checked(path, _not_utf_8(path, head))


def _not_utf_8(path: Path, head: bytes) -> Decoding:
    sample = b"".join(_lines(path, lambda line: not line.isascii()))
    if _is_mostly_utf_8(sample):
        return Decoding(encoding="utf-8", errors=_handler(_as_cp1252))
    guess = guess_encoding(head[:SAMPLE_BYTES] if _NAMES_ITSELF.search(head[:1024]) else sample)
    if guess is None:
        return Decoding(encoding="cp1252", errors=_handler(_as_latin_1), is_close=True)
    return Decoding(encoding=guess.encoding, errors=_handler(_as_latin_1), is_close=guess.is_close, second=guess.second)


def _wide_without_mark(head: bytes) -> str | None:
    """Return the encoding of a text whose bytes are not those of characters one by one, or refuse what is no text."""
    if head.count(0) <= 0.1 * len(head) and _share(head, _CONTROL) <= 0.03:
        return None
    if wide := _by_zero_bytes(head):
        return wide
    guess = guess_encoding(head[: SAMPLE_BYTES - SAMPLE_BYTES % 4])
    if guess is None or not guess.encoding.startswith(("utf-16", "utf-32", *_ESCAPED)):
        raise InputError(
            "The file is neither a workbook nor text. Save it as xlsx or csv in its original program.",
            cause="unsupported",
        )
    return guess.encoding


def _by_zero_bytes(head: bytes) -> str | None:
    """Return the encoding that makes ASCII characters of the zero bytes: every table has digits and separators."""
    for name, highest, next_one in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
        if not any(head[highest::4]) and max(head[next_one::4], default=0xFF) <= _LAST_PLANE:
            return name
    half = max(len(head) // 2, 1)
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.02 * half and even < 0.1 * odd:
        return "utf-16-le"
    if even > 0.02 * half and odd < 0.1 * even:
        return "utf-16-be"
    return None


def _share(sample: bytes, among: bytes) -> float:
    return (len(sample) - len(sample.translate(None, among))) / max(len(sample), 1)


def _is_utf_8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _escaped(path: Path) -> Decoding | None:
    """Return the encoding of a file of ASCII bytes alone that are not all ASCII characters."""
    if not _contains(path, b"\x1b", b"~{"):
        return None  # at once, for nearly every file
    sample = b"".join(_lines(path, lambda line: _ESCAPE.search(line) is not None))
    guess = guess_encoding(sample) if sample and sample.isascii() else None
    if guess is None or not guess.encoding.startswith(_ESCAPED):
        return None
    return _checked(path, Decoding(encoding=guess.encoding, errors=_handler(_as_latin_1)))


def _contains(path: Path, *marks: bytes) -> bool:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            if any(mark in chunk for mark in marks):
                return True
    return False


def _lines(path: Path, is_telling: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Yield the first lines that tell the encoding: a long file may begin with a hundred thousand that do not."""
    left = SAMPLE_BYTES
    with path.open("rb") as file:
        while left > 0 and (line := file.readline(SAMPLE_BYTES)):
            if is_telling(line):
                yield line
                left -= len(line)


def _is_mostly_utf_8(sample: bytes) -> bool:
    """Tell a UTF-8 file with a few foreign bytes, such as two files put together, from another encoding."""
    runs = _HIGH_RUN.findall(sample)
    valid = sum(_is_utf_8_run(run) for run in runs)
    return valid > 0.6 * len(runs) and valid > 2


def _is_utf_8_run(run: bytes) -> bool:
    try:
        run.decode()
    except UnicodeDecodeError:
        return False
    return True


def _checked(path: Path, decoding: Decoding) -> Decoding:
    """Return the decoding with the number of places in the whole file that it cannot decode."""
    decoder = codecs.getincrementaldecoder(decoding.encoding)(_handler(_as_bad))
    count, line, first = 0, 1, None
    with path.open("rb") as file:
        is_end = False
        while not is_end:
            chunk = file.read(_CHUNK_BYTES)
            is_end = not chunk
            text = decoder.decode(chunk, final=is_end)
            place = text.find(_BAD)
            if first is None:
                line += text.count("\n", 0, place if place >= 0 else len(text))
                first = line if place >= 0 else None
            count += text.count(_BAD)
    if not count:
        return decoding
    return Decoding(
        encoding=decoding.encoding, errors=decoding.errors, is_close=decoding.is_close, second=decoding.second,
        bad_count=count, first_bad_line=first,
    )  # fmt: skip


def _handler(rescue: Callable[[UnicodeError], tuple[str, int]]) -> str:
    """Return the name of an error handler that keeps bytes which do not fit: a replacement hides what they were."""
    name = f"ade{rescue.__name__}"
    codecs.register_error(name, rescue)
    return name


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    return _foreign(error).decode("cp1252", _handler(_as_latin_1)), error.end  # type: ignore[attr-defined]


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    return _foreign(error).decode("latin-1"), error.end  # type: ignore[attr-defined]


def _as_bad(error: UnicodeError) -> tuple[str, int]:
    _foreign(error)
    return _BAD, error.end  # type: ignore[attr-defined]


def _foreign(error: UnicodeError) -> bytes:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end]

"""Reads the shared strings of a workbook; what does not fit in memory waits in a temporary file."""

from __future__ import annotations

import os
import re
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

from ade_engine.errors import InputError
from ade_engine.readers.limits import MIB, ReadLimits
from ade_engine.readers.xml_parts import declares_entities, unescape

# An object of a short text weighs about this much beside its characters.
_TEXT_BYTES = 57
_RECENT_COUNT = 65_536

_ITEM = re.compile(r"<si(?:\s[^>]*)?(?:/>|>(.*?)</si>)", re.DOTALL)
_PLAIN_ITEM = re.compile(r"<t(?: xml:space=\"preserve\")?>([^<]*)</t>")
_PHONETIC = re.compile(r"<rPh[\s>].*?</rPh>", re.DOTALL)
_TEXT = re.compile(r"<t(?:\s[^>]*)?(?:/>|>([^<]*)</t>)")
_CHARACTER_DATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>|<!--.*?-->", re.DOTALL)
_CODE_UNITS = re.compile(r"(?:_x[0-9A-Fa-f]{4}_)+")


class Strings(Protocol):
    """Texts by index; an empty text is None, like an empty cell."""

    def __getitem__(self, index: int, /) -> str | None: ...

    def __len__(self) -> int: ...


def read_strings(chunks: Iterable[bytes], *, limits: ReadLimits) -> list[str | None] | SpilledStrings:
    """Return all shared strings of a sharedStrings part."""
    kept: list[str | None] = []
    memory = limits.string_memory_bytes
    texts = _texts(chunks, limits=limits)
    for text in texts:
        kept.append(text or None)
        memory -= len(text) + _TEXT_BYTES
        if memory < 0:
            return SpilledStrings(kept, texts)
    return kept


class SpilledStrings:
    """The first strings in memory, the others in a file that has no name."""

    def __init__(self, kept: list[str | None], texts: Iterator[str]) -> None:
        self._kept = kept
        self._kept_count = len(kept)
        self._ends = array("Q", [0])
        self._file = tempfile.TemporaryFile(buffering=MIB)  # noqa: SIM115 - lives as long as the strings
        end = 0
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            self._file.write(data)
            end += len(data)
            self._ends.append(end)
        self._file.flush()
        # Texts come in the order of their first use, so what was just read is what is asked for next.
        self._load = lru_cache(_RECENT_COUNT)(self._read)

    def __len__(self) -> int:
        return self._kept_count + len(self._ends) - 1

    def __getitem__(self, index: int) -> str | None:
        return self._kept[index] if index < self._kept_count else self._load(index - self._kept_count)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _read(self, index: int) -> str | None:
        start, end = self._ends[index], self._ends[index + 1]
        return os.pread(self._file.fileno(), end - start, start).decode("utf-8", "surrogatepass") or None


def _texts(chunks: Iterable[bytes], *, limits: ReadLimits) -> Iterator[str]:
    bytes_left = limits.string_bytes
    for batch in _batches(chunks, limits=limits):
        bytes_left -= len(batch)
        if bytes_left < 0:
            raise InputError(
                f"The texts of the workbook take more than {limits.string_bytes // MIB} MB. Split the file.",
                cause="too_large",
            )
        for item in _ITEM.findall(batch):
            plain = _PLAIN_ITEM.fullmatch(item)
            yield decode_text(plain.group(1)) if plain else joined_text(item)


def _batches(chunks: Iterable[bytes], *, limits: ReadLimits) -> Iterator[str]:
    """Yield the part in pieces that end after an item, without prefixes and character data sections."""
    rest = b""
    prefix: bytes | None = None
    for chunk in chunks:
        rest += chunk
        if prefix is None:
            prefix = root_prefix(rest, b"sst")
            if prefix is None:
                continue
        end = rest.rfind(b"</" + prefix + b"si>")
        if end >= 0:
            yield plain_markup(rest[:end] + b"</si>", prefix)
            rest = rest[end + len(prefix) + 5 :]
        if len(rest) > limits.row_bytes:
            raise InputError("A text of the workbook is too long to be read. Save it again as xlsx.", cause="too_large")
    if prefix is not None:
        yield plain_markup(rest, prefix)


def root_prefix(head: bytes, root: bytes) -> bytes | None:
    """Return the namespace prefix ("x:" or "") of the root element, or None when it is not there yet."""
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise declares_entities()
    found = re.search(rb"<((?:[A-Za-z_][\w.-]*:)?)" + root + rb"[\s/>]", head)
    return found.group(1) if found else None


def plain_markup(data: bytes, prefix: bytes) -> str:
    """Return UTF-8 XML as text: line ends as XML reads them, no prefix, no comments, no character data sections."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            "The workbook holds bytes that are not valid UTF-8. Open it in a spreadsheet program and save it again.",
            cause="malformed",
        ) from error
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<!" in text:
        text = _CHARACTER_DATA.sub(_escaped_section, text)
    if prefix:
        name = prefix.decode()
        text = text.replace("</" + name, "</").replace("<" + name, "<")
    return text


def _escaped_section(found: re.Match[str]) -> str:
    return (found.group(1) or "").replace("&", "&amp;").replace("<", "&lt;")


def joined_text(markup: str) -> str:
    """Return the text of a rich string: its runs joined, without reading aids."""
    if "<rPh" in markup:
        markup = _PHONETIC.sub("", markup)
    return "".join([decode_text(text) for text in _TEXT.findall(markup)])


def decode_text(text: str) -> str:
    """Replace XML entities and the `_x000D_` escapes of characters that XML cannot hold."""
    if "&" in text:
        text = unescape(text)
    if "_x" in text:
        text = _CODE_UNITS.sub(_characters, text)
    return text


def _characters(found: re.Match[str]) -> str:
    # Code units of UTF-16: a character beyond U+FFFF is a pair. Half a pair is no text and stays as it is written.
    try:
        return bytes.fromhex(found.group().replace("_x", "").replace("_", "")).decode("utf-16-be")
    except UnicodeDecodeError:
        return found.group()

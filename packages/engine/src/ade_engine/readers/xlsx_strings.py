"""Reads the shared strings of a workbook; what does not fit in memory waits in a temporary file."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from ade_engine.errors import InputError
from ade_engine.patterns import sound
from ade_engine.readers.limits import MIB, ReadLimits
from ade_engine.readers.xml_parts import declares_entities, unescape

# An object of a short text weighs about this much beside its characters.
_TEXT_BYTES = 57
_BLOCK_TEXTS = 32
_RECENT_BLOCKS = 4096

# No pattern here may look further than the next tag of its own kind: markup made to hurt would be searched to its end
# again and again.
_ITEM = re.compile(sound(r"<si(?:\s[^<>]*)?(?:/>|>([^<]*+(?:<(?!/?si[\s/>])[^<]*+)*+)</si>)"))
_PLAIN_ITEM = re.compile(r"<si><t(?: xml:space=\"preserve\")?>([^<]*)</t></si>")
_PHONETIC = re.compile(sound(r"<rPh[\s>][^<]*+(?:<(?!/?rPh[\s/>])[^<]*+)*+</rPh>"))
_TEXT = re.compile(r"<t(?:\s[^<>]*)?(?:/>|>([^<]*)</t>)")
_CODE_UNITS = re.compile(r"(?:_x[0-9A-Fa-f]{4}_)+")


class Strings(Protocol):
    """Texts by index; an empty text is None, like an empty cell."""

    def __getitem__(self, index: int, /) -> str | None: ...

    def __len__(self) -> int: ...


def read_strings(chunks: Iterable[bytes], *, limits: ReadLimits) -> list[str | None] | SpilledStrings:
    """Return all shared strings of a sharedStrings part."""
    return kept_strings(_texts(chunks, limits=limits), limits=limits)


def kept_strings(batches: Iterator[list[str]], *, limits: ReadLimits) -> list[str | None] | SpilledStrings:
    """Return the strings by index: in memory as far as they fit there, the others in a temporary file."""
    kept: list[str | None] = []
    memory = limits.string_memory_bytes
    for texts in batches:
        kept += [text or None for text in texts] if "" in texts else texts
        memory -= sum(map(len, texts)) + _TEXT_BYTES * len(texts)
        if memory < 0:
            return SpilledStrings(kept, batches)
    return kept


class SpilledStrings:
    """The first strings in memory, the others in a file that has no name."""

    def __init__(self, kept: list[str | None], batches: Iterator[list[str]]) -> None:
        self._kept = kept
        self._kept_count = len(kept)
        self._ends = array("I", [0])
        import tempfile  # rare: most workbooks hold less text

        self._file = tempfile.TemporaryFile(buffering=MIB)  # noqa: SIM115 - lives as long as the strings
        end = 0
        for texts in batches:
            encoded = [text.encode() for text in texts]
            self._file.write(b"".join(encoded))
            for data in encoded:
                end += len(data)
                self._ends.append(end)
        self._file.flush()
        # Texts stand mostly in the order of their first use, so the neighbours are asked for next.
        self._block = lru_cache(_RECENT_BLOCKS)(self._read_block)

    def __len__(self) -> int:
        return self._kept_count + len(self._ends) - 1

    def __getitem__(self, index: int) -> str | None:
        if index < self._kept_count:
            return self._kept[index]
        block, position = divmod(index - self._kept_count, _BLOCK_TEXTS)
        return self._block(block)[position]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read_block(self, block: int) -> list[str | None]:
        ends = self._ends[block * _BLOCK_TEXTS : (block + 1) * _BLOCK_TEXTS + 1]
        if not ends:
            raise IndexError(block)
        first = ends[0]
        data = os.pread(self._file.fileno(), ends[-1] - first, first)
        return [data[start - first : end - first].decode() or None for start, end in pairwise(ends)]


def _texts(chunks: Iterable[bytes], *, limits: ReadLimits) -> Iterator[list[str]]:
    bytes_left = limits.string_bytes
    for batch in _batches(chunks, limits=limits):
        bytes_left -= len(batch)
        if bytes_left < 0:
            raise InputError(
                f"The texts of the workbook take more than {limits.string_bytes // MIB} MB. Split the file.",
                cause="too_large",
            )
        texts = _PLAIN_ITEM.findall(batch)
        if len(texts) != batch.count("<si"):
            texts = [joined_text(item) for item in _ITEM.findall(batch)]
        elif "&" in batch or "_x" in batch:
            texts = list(map(decode_text, texts))
        yield texts


def _batches(chunks: Iterable[bytes], *, limits: ReadLimits) -> Iterator[str]:
    """Yield the part in pieces that end after an item, without prefixes and character data sections."""
    rest = b""
    prefix: bytes | None = None
    for chunk in chunks:
        rest += chunk
        if prefix is None:
            prefix = root_prefix(rest[:MIB], b"sst")
        end = rest.rfind(b"</" + prefix + b"si>") if prefix is not None else -1
        if prefix is not None and end >= 0:
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
        text = "".join(_without_sections(text))
    if prefix:
        name = prefix.decode()
        text = text.replace("</" + name, "</").replace("<" + name, "<")
    return text


def _without_sections(text: str) -> Iterator[str]:
    """Yield the markup without comments, and with the text of character data sections escaped."""
    position = 0
    while (start := text.find("<!", position)) >= 0:
        yield text[position:start]
        is_comment = text.startswith("<!--", start)
        closing = "-->" if is_comment else "]]>"
        end = text.find(closing, start)
        if end < 0 or not (is_comment or text.startswith("<![CDATA[", start)):
            raise InputError(
                "The workbook holds markup that does not end. Open it in a spreadsheet program and save it again.",
                cause="malformed",
            )
        if not is_comment:
            yield text[start + 9 : end].replace("&", "&amp;").replace("<", "&lt;")
        position = end + 3
    yield text[position:]


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

"""Reads the members of a zip container, however they are spelled, inside the limits."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ade_engine.encoding_names import known_encoding
from ade_engine.errors import InputError
from ade_engine.readers.limits import DEFAULT_LIMITS, MIB, ReadLimits

CHUNK_BYTES = 256 * 1024

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error, UnicodeDecodeError, ValueError)
_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


class Archive:
    """A zip container. Names are compared without case, and a backslash counts as a slash."""

    def __init__(self, path: Path, *, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        try:
            self._zip = zipfile.ZipFile(path)
        except (*_DAMAGED, NotImplementedError) as error:
            raise _truncated() from error
        infos = self._zip.infolist()
        try:
            _check_all(infos, limits)
        except InputError:
            self._zip.close()
            raise
        self._infos = {_key(info.filename): info for info in infos}
        self._open_members: set[IO[bytes]] = set()

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._infos

    @property
    def names(self) -> list[str]:
        """Return the names of all members, in lower case and with slashes."""
        return list(self._infos)

    @property
    def original_names(self) -> list[str]:
        """Return the names of all members as they are spelled."""
        return [info.filename for info in self._infos.values() if not info.is_dir()]

    def bytes_of(self, name: str) -> bytes:
        """Return a whole member as it is: XML as UTF-8, anything else unchanged."""
        return b"".join(self.stream(name) if name.lower().endswith((".xml", ".rels", ".vml")) else self._inflate(name))

    def size(self, name: str) -> int:
        """Return the inflated size of a member, which reading it never exceeds; 0 when it is not there."""
        info = self._infos.get(_key(name))
        return info.file_size if info else 0

    def read(self, name: str, *, at_most: int | None = None) -> bytes:
        """Return a whole member of small size."""
        bound = self.limits.small_part_bytes if at_most is None else at_most
        if self.size(name) > bound:
            raise InputError(
                f"A part of the file unpacks to more than {bound // MIB} MB. Save it again as xlsx.", cause="too_large"
            )
        return b"".join(self.stream(name))

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield a member in chunks, as UTF-8 whatever its XML declaration says."""
        chunks = self._inflate(name)
        first = next(chunks, b"")
        encoding = _encoding(first)
        if encoding == "utf-8":
            yield first.removeprefix(b"\xef\xbb\xbf")
            yield from chunks
        else:
            yield from _recoded(first, chunks, encoding)

    def close(self) -> None:
        """Close the file, and with it the streams that were not read to the end."""
        for member in self._open_members:
            member.close()
        self._zip.close()

    def _inflate(self, name: str) -> Iterator[bytes]:
        info = self._infos.get(_key(name))
        if info is None:
            raise InputError(
                "The workbook names a missing part. Open it in a spreadsheet program and save it again.",
                cause="malformed",
            )
        self._check(info)
        try:
            with self._zip.open(info) as member:
                self._open_members.add(member)
                while chunk := member.read(CHUNK_BYTES):
                    yield chunk
                self._open_members.discard(member)
        except NotImplementedError as error:
            raise InputError(
                "The file is packed in an unusual way. Save it again as xlsx.", cause="unsupported"
            ) from error
        except _DAMAGED as error:
            raise _truncated() from error

    def _check(self, info: zipfile.ZipInfo) -> None:
        if info.flag_bits & 1:
            raise InputError(
                "The file is protected with a password. Remove the password and save it.", cause="encrypted"
            )
        if info.file_size > self.limits.part_bytes:
            raise InputError(
                f"A part of the file unpacks to more than {self.limits.part_bytes // MIB} MB. Split the file.",
                cause="too_large",
            )
        is_large = info.file_size > self.limits.ratio_free_bytes
        if is_large and info.file_size > self.limits.ratio * max(info.compress_size, 1):
            raise _bomb("A part of the file", self.limits)


def _check_all(infos: list[zipfile.ZipInfo], limits: ReadLimits) -> None:
    """Refuse a container by what it states about its members; reading one counts what it really unpacks to."""
    if len(infos) > limits.entries:
        raise InputError(
            f"The file holds {len(infos)} parts, more than the {limits.entries} allowed. Save it again as xlsx.",
            cause="too_large",
        )
    unpacked = sum(info.file_size for info in infos)
    if unpacked > limits.unpacked_bytes:
        raise InputError(
            f"The file unpacks to {unpacked // MIB} MB, more than the {limits.unpacked_bytes // MIB} MB allowed. "
            "Split it into several files.",
            cause="too_large",
        )
    if unpacked > limits.ratio_free_bytes and unpacked > limits.ratio * max(sum(i.compress_size for i in infos), 1):
        raise _bomb("The file", limits)


def _bomb(what: str, limits: ReadLimits) -> InputError:
    return InputError(
        f"{what} unpacks to more than {limits.ratio} times its size, as a zip bomb does. Save it again as xlsx.",
        cause="too_large",
    )


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _truncated() -> InputError:
    return InputError("The file is damaged or incomplete. Get it again from its source.", cause="truncated")


def _encoding(head: bytes) -> str:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    declared = _DECLARED_ENCODING.match(head.removeprefix(b"\xef\xbb\xbf"))
    if declared is None or declared.group(1).lower() in (b"utf-8", b"utf8", b"us-ascii", b"ascii"):
        return "utf-8"
    return declared.group(1).decode("ascii")


def _recoded(first: bytes, chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    import codecs  # rare: nearly every part is UTF-8

    try:
        # Python has decoders under other names too, such as those that decompress.
        decoder = codecs.getincrementaldecoder(known_encoding(encoding) or "")()
        # The declaration no longer holds, and a parser would believe it.
        yield re.sub(r"^<\?xml.*?\?>", "", decoder.decode(first)).encode()
        for chunk in chunks:
            yield decoder.decode(chunk).encode()
        yield decoder.decode(b"", final=True).encode()
    except (LookupError, UnicodeError) as error:
        raise InputError(
            "A part of the file is not written in the encoding it declares. Save it again as xlsx.", cause="malformed"
        ) from error

"""Which files are documents: told by the first bytes and, in a zip, by the list of its parts. Nothing is unpacked."""

import zipfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO

from ade.domain.archives import TooManyParts, open_archive
from ade.errors import DocumentTooLarge, UnreadableDocument, UnsupportedType

MIB = 1024 * 1024
LONGEST_NAME = 255
_HEAD_BYTES = 4096
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")
_OPEN_XML = "application/vnd.openxmlformats-officedocument.spreadsheetml"


class MediaType(StrEnum):
    """The kinds of documents that are read, by their media type."""

    XLSX = f"{_OPEN_XML}.sheet"
    XLSM = "application/vnd.ms-excel.sheet.macroEnabled.12"
    XLSB = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
    XLS = "application/vnd.ms-excel"
    ODS = "application/vnd.oasis.opendocument.spreadsheet"
    CSV = "text/csv"
    TSV = "text/tab-separated-values"


_TEXT = {".csv": MediaType.CSV, ".txt": MediaType.CSV, ".tsv": MediaType.TSV, ".tab": MediaType.TSV}
_ZIPPED = {".xlsx": MediaType.XLSX, ".xlsm": MediaType.XLSM, ".xltx": MediaType.XLSX, ".xltm": MediaType.XLSM}
KNOWN = (*_TEXT, *_ZIPPED, ".xlsb", ".xls", ".ods")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLimits:
    """How much a document may ask for."""

    file_bytes: int = 100 * MIB
    unpacked_bytes: int = 4096 * MIB
    parts: int = 20_000
    directory_bytes: int = 4 * MIB  # of the list of parts
    ratio: int = 400
    ratio_free_bytes: int = 32 * MIB


def clean_name(name: str) -> str:
    """Return the last part of a file name, without what a screen or a header cannot show."""
    last = PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name
    shown = "".join(letter for letter in last if letter.isprintable()).strip().strip(".")
    stem, dot, suffix = shown.rpartition(".")
    if len(shown) > LONGEST_NAME and dot:
        return f"{stem[: LONGEST_NAME - len(suffix) - 1]}.{suffix}"
    return shown[:LONGEST_NAME] or "document"


def recognise(file: BinaryIO, name: str, *, limits: UploadLimits) -> MediaType:
    """Return what kind of document a file is, by its content and its name; raise when it is none, or too large."""
    suffix = PurePosixPath(name.lower()).suffix
    if suffix not in KNOWN:
        raise UnsupportedType(f"{name}: a document is one of {', '.join(KNOWN)}. Save it as xlsx, then upload it.")
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    if not head:
        raise UnreadableDocument(f"{name} is empty. Check that it was saved and sent completely.")
    if head.startswith(b"PK"):
        return _recognise_zip(file, name, suffix, limits=limits)
    if head.startswith(_COMPOUND):
        if suffix in _TEXT:
            raise UnsupportedType(f"{name} is an Excel workbook, whatever its name says. Name it .xls or .xlsx.")
        return MediaType.XLS
    if suffix == ".xls":
        return MediaType.XLS  # Excel 2 to 4 wrote no container; the reader judges
    if suffix not in _TEXT:
        raise UnsupportedType(f"{name} is not a workbook, whatever its name says. Open it and save it as xlsx.")
    return _TEXT[suffix]


def _recognise_zip(file: BinaryIO, name: str, suffix: str, *, limits: UploadLimits) -> MediaType:
    try:
        with open_archive(file, directory_bytes=limits.directory_bytes) as archive:
            parts = archive.infolist()
    except TooManyParts:
        raise DocumentTooLarge(f"{name} has too many parts. Split it into several documents.") from None
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise UnreadableDocument(f"{name} is damaged or incomplete. Save it anew and upload it again.") from None
    _check_size(parts, name, limits=limits)
    names = {part.filename.lower() for part in parts}
    if "xl/workbook.bin" in names:
        return MediaType.XLSB
    if "content.xml" in names and ("mimetype" in names or "meta-inf/manifest.xml" in names):
        return MediaType.ODS
    if "[content_types].xml" in names or any(part.startswith("xl/") for part in names):
        return _ZIPPED.get(suffix, MediaType.XLSX)
    raise UnsupportedType(f"{name} is a zip archive without a workbook in it. Upload the workbook itself.")


def _check_size(parts: list[zipfile.ZipInfo], name: str, *, limits: UploadLimits) -> None:
    """Refuse a zip bomb by what the archive says of itself; the reader counts again what it really unpacks."""
    unpacked = sum(part.file_size for part in parts)
    packed = sum(part.compress_size for part in parts)
    if len(parts) > limits.parts or unpacked > limits.unpacked_bytes:
        raise DocumentTooLarge(f"{name} would be {unpacked // MIB} MB unpacked. Split it into several documents.")
    if unpacked > limits.ratio_free_bytes and unpacked > limits.ratio * max(packed, 1):
        raise DocumentTooLarge(f"{name} unpacks to over {limits.ratio} times its size, as only a zip bomb does.")

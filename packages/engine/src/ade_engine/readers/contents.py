"""Finds out by its content what a file is; its name does not count."""

from __future__ import annotations

import re
from pathlib import Path

from ade_engine.errors import InputError
from ade_engine.readers.archive import Archive
from ade_engine.readers.compound import MAGIC as COMPOUND
from ade_engine.readers.limits import ReadLimits

_HEAD_BYTES = 4096
_LOCK_BYTES = 165
# A BIFF stream without a container: Excel 2, 3 and 4, and some exports.
_BARE_BIFF = re.compile(rb"\x09[\x00\x02\x04\x08][\x04-\x10]\x00", re.DOTALL)
_REFUSED = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"BM", "an image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"{\\rtf", "an RTF document"),
    (b"PAR1", "a parquet file"),
    (b"SQLite format 3", "a database"),
)
_MARKUP = re.compile(rb"^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|table|meta)\b", re.IGNORECASE)
_XML = re.compile(rb"^(?:\xef\xbb\xbf)?\s*<\?xml\b|^(?:\xef\xbb\xbf)?\s*<\??mso-application", re.IGNORECASE)
_JSON = re.compile(rb'^(?:\xef\xbb\xbf)?\s*(?:\{\s*"[^"]*"\s*:|\[\s*[\[{])')


def find_format(path: Path, *, limits: ReadLimits) -> str:
    """Return xlsx (which includes xlsm), xlsb, ods, xls or text; refuse everything else by its name."""
    head = _read_head(path, limits=limits)
    if head.startswith(COMPOUND):
        return "xls"
    if head.startswith(b"PK"):
        return _find_zip_format(path, limits=limits)
    if _BARE_BIFF.match(head):
        return "xls"
    _refuse_known(head)
    if _is_lock(head):
        raise InputError(
            "The file is the lock file of a workbook that is open in a spreadsheet program (~$...). "
            "Close the program and send the workbook itself.",
            cause="unsupported",
        )
    return "text"


def _is_lock(head: bytes) -> bool:
    # One byte with the length of the user's name, the name in a field of 54 bytes, then the same in UTF-16: the second
    # length has a zero byte, which no text has there.
    return len(head) == _LOCK_BYTES and head[0] <= 54 and head[55:57] == bytes((head[0], 0))


def _read_head(path: Path, *, limits: ReadLimits) -> bytes:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError(
            f"The file cannot be opened: {error.strerror}. Check that it exists and can be read.", cause="not_found"
        ) from error
    if not head:
        raise InputError("The file is empty. Check that it was saved and sent completely.", cause="empty")
    if size > limits.file_bytes:
        raise InputError(
            f"The file is larger than {limits.file_bytes // (1024 * 1024)} MB. Split it into several files.",
            cause="too_large",
        )
    return head


def _find_zip_format(path: Path, *, limits: ReadLimits) -> str:
    archive = Archive(path, limits=limits)
    try:
        return _zip_format(archive)
    finally:
        archive.close()


def _zip_format(archive: Archive) -> str:
    names = archive.names
    if "xl/workbook.bin" in archive:
        return "xlsb"
    if "mimetype" in archive:
        return _open_document_format(archive.read("mimetype", at_most=_HEAD_BYTES))
    if "content.xml" in archive and "meta-inf/manifest.xml" in archive:
        return "ods"
    folders = {name.partition("/")[0] for name in names}
    for folder, what in (("word", "a text document"), ("ppt", "a presentation"), ("index", "a Numbers document")):
        if folder in folders and "xl" not in folders:
            raise refusal(what)
    if "index.zip" in archive or any(name.endswith(".iwa") for name in names):
        raise refusal("a Numbers document")
    if "[content_types].xml" in archive or "_rels/.rels" in archive or "xl/workbook.xml" in archive:
        return "xlsx"
    raise refusal("a zip archive")


def _open_document_format(mimetype: bytes) -> str:
    if b"opendocument.spreadsheet" in mimetype:
        return "ods"
    raise refusal("an OpenDocument file that is not a spreadsheet")


def _refuse_known(head: bytes) -> None:
    for magic, what in _REFUSED:
        if head.startswith(magic):
            raise refusal(what)
    if _MARKUP.match(head):
        raise refusal("a web page, whatever its name")
    if _XML.match(head):
        raise refusal("an XML document, perhaps of Excel 2003")
    if _JSON.match(head):
        raise refusal("a JSON document")


def refusal(what: str) -> InputError:
    """Return the error for a file of a kind that is not read."""
    return InputError(f"The file is {what}. {_advice(what)}", cause="unsupported")


def _advice(what: str) -> str:
    if "archive" in what:
        return "Unpack it and take the spreadsheet inside."
    if what in ("an image", "a PDF document"):
        return "Ask the sender for the table itself, saved as xlsx or csv."
    return "Open it in a spreadsheet program and save it as xlsx."

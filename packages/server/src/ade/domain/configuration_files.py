"""The files of a configuration: which paths they may have, how large they may be, and zip archives of them."""

import hashlib
import io
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Mapping
from typing import Any

from ade.domain.archives import TooManyParts, open_archive
from ade.errors import Invalid, TooLarge

LARGEST_FILE_BYTES = 1024 * 1024
MOST_FILES = 500
LARGEST_TOTAL_BYTES = 10 * 1024 * 1024
LONGEST_PATH = 255
LONGEST_PART_BYTES = 255  # as file systems have it
_LONGEST_NEW_PART_BYTES = 150  # leaves room for a suffix and the folders above
LARGEST_DIRECTORY_BYTES = 1024 * 1024  # of a zip archive: its list of parts
_IGNORED_FOLDERS = frozenset({"__pycache__", ".git", "__MACOSX"})
_IGNORED_NAMES = (".DS_Store", ".pyc")
# What Python unpacks in pieces as small as asked for; of the other methods it unpacks all it has read at once.
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, OSError,
    ValueError, IndexError, OverflowError,
)  # fmt: skip
_MOST = f"A configuration has at most {MOST_FILES} files and {LARGEST_TOTAL_BYTES // 1024 // 1024} MB."
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the same files give the same archive


def checked_path(path: str) -> str:
    """Return a path such as columns/member_id.py; raise Invalid for one that leads elsewhere.

    Names may be in any script, as those of fields may.
    """
    if len(path) > LONGEST_PATH or not all(map(_is_part, path.split("/"))):
        raise Invalid(f"{path[:80]!r} is not a path of a configuration. Use names such as columns/member_id.py.")
    return path


def as_part(text: str) -> str:
    """Return a text as the name of a file or folder: as it is if it may be one, else with _ for what none may have."""
    plain = "".join(sign if _is_sign(sign) else "_" for sign in unicodedata.normalize("NFC", text))
    cut = plain.encode()[:_LONGEST_NEW_PART_BYTES].decode(errors="ignore")
    return cut.lstrip(". -").rstrip(". ") or "_"


def _is_part(part: str) -> bool:
    if not part or part[0] in ". -" or part[-1] in ". ":
        return False
    if not all(map(_is_sign, part)):
        return False
    # Composed, so that a name has one spelling.
    return unicodedata.is_normalized("NFC", part) and len(part.encode()) <= LONGEST_PART_BYTES


def _is_sign(sign: str) -> bool:
    return sign in ". -" or f"_{sign}".isidentifier()


def check_folders(paths: Collection[str]) -> None:
    """Refuse paths of which one is a file and a folder at once."""
    for path in paths:
        parents = path.split("/")[:-1]
        for depth in range(1, len(parents) + 1):
            if (folder := "/".join(parents[:depth])) in paths:
                raise Invalid(f"{folder} cannot be a file and a folder at once.")


def checked_content(content: bytes) -> bytes:
    """Return a file's content, unless it is too large."""
    if len(content) > LARGEST_FILE_BYTES:
        raise TooLarge(f"A file of a configuration has at most {LARGEST_FILE_BYTES // 1024} KB.")
    return content


def digest(content: bytes) -> str:
    """Return the sha256 of a file, which is also its ETag."""
    return hashlib.sha256(content).hexdigest()


def file_values(content: bytes) -> dict[str, Any]:
    """Return what is kept of a file."""
    return {"content": checked_content(content), "size_bytes": len(content), "sha256": digest(content)}


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of files; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path, _ZIP_TIME), files[path], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpack(packed: bytes) -> dict[str, bytes]:
    """Return the files of a zip archive, without a folder around them all; refuse bad paths and bombs."""
    try:
        with open_archive(io.BytesIO(packed), directory_bytes=LARGEST_DIRECTORY_BYTES) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and not _is_ignored(one.filename)]
            _check_members(members)
            # Archives of macOS hold names whose accents are signs of their own.
            files = {unicodedata.normalize("NFC", member.filename): _read(archive, member) for member in members}
    except TooManyParts:
        raise TooLarge(_MOST) from None
    except _UNREADABLE as error:
        raise Invalid(f"This is not a readable zip archive: {error}.") from None
    if not files:
        raise Invalid("The archive has no file of a configuration.")
    for path in files:
        checked_path(path)
    check_folders(files.keys())
    return _without_common_folder(files)


def _is_ignored(name: str) -> bool:
    """Return whether a part is a by-product of other programs."""
    return name.endswith(_IGNORED_NAMES) or not _IGNORED_FOLDERS.isdisjoint(name.split("/"))


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_FILES or sum(member.file_size for member in members) > LARGEST_TOTAL_BYTES:
        raise TooLarge(_MOST)
    if any(member.compress_type not in _METHODS for member in members):
        raise Invalid("The archive is packed in an unsupported way. Pack it as a plain zip archive.")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    # An archive may lie about sizes: read no more than one file may have.
    with archive.open(member) as file:
        return checked_content(file.read(LARGEST_FILE_BYTES + 1))


def _without_common_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    tops = {path.partition("/")[0] for path in files}
    top = next(iter(tops))
    known = {"columns", "row_types", "hooks"}
    if len(tops) == 1 and top not in known and all("/" in path for path in files):
        return {path.removeprefix(f"{top}/"): content for path, content in files.items()}
    return dict(files)

"""Names and limits of documents. What kind of file one is, the engine decides by its content."""

from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

MIB = 1024 * 1024
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLimits:
    """How much a document may ask for."""

    file_bytes: int = 100 * MIB
    unpacked_bytes: int = 4096 * MIB


def clean_name(name: str) -> str:
    """Return the last part of a file name, without what a screen or a header cannot show."""
    last = PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name
    shown = "".join(letter for letter in last if letter.isprintable()).strip().strip(".")
    stem, dot, suffix = shown.rpartition(".")
    if len(shown) > LONGEST_NAME and dot:
        return f"{stem[: LONGEST_NAME - len(suffix) - 1]}.{suffix}"
    return shown[:LONGEST_NAME] or "document"

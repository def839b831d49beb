"""Where bytes live: uploads, and what runs and builds leave behind. One interface, local disk or an object store."""

from pathlib import Path

from ade.errors import InvalidSettings
from ade.files.base import FileStore, chunks_of, no_address, save
from ade.files.local import LocalFiles

__all__ = ["FileStore", "LocalFiles", "chunks_of", "open_files", "save"]


def open_files(url: str, *, folder: Path, is_patient: bool = True) -> FileStore:
    """Return the store an address names; without one, files in a folder. The impatient give up within seconds."""
    if not url:
        return LocalFiles(folder)
    if "://" not in url:
        raise no_address(url)
    try:
        from ade.files.objects import ObjectFiles
    except ImportError:
        raise InvalidSettings(
            "ADE_FILES_URL: object stores need an extra. Install ade-server[objects], or leave it empty."
        ) from None
    return ObjectFiles.from_url(url, is_patient=is_patient)

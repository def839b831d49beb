"""Tries a file store: a tiny file goes there, comes back and is removed."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from ade.errors import FilesUnreachable
from ade.files.base import FileStore
from ade.ids import new_id

CONTENT = b"ADE was here.\n"


def try_files(open_store: Callable[[], FileStore], *, seconds: float) -> None:
    """Open a store, write, read and remove a file; raise what went wrong, FilesUnreachable when it takes too long."""
    faults: list[Exception] = []

    def work() -> None:
        try:
            _there_and_back(open_store())
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            faults.append(error)

    # Neither a mount that hangs nor a library that is still trying can be called back: nobody waits for this thread.
    thread = Thread(target=work, name="file-trial", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise FilesUnreachable(f"The file store did not answer within {seconds:g} seconds.")
    if faults:
        raise faults[0]


def _there_and_back(files: FileStore) -> None:
    key = f"doctor-{new_id()}"
    files.write(key, [CONTENT])
    try:
        returned = b"".join(files.read(key))
    finally:
        files.delete(key)
    if returned != CONTENT:
        raise FilesUnreachable("The file store returned other bytes than were written.")


def shown_address(url: str, *, folder: Path) -> str:
    """Return where files are, for people: no user, no password, no signature."""
    if not url:
        return str(folder)
    parts = urlsplit(url)
    # abfss://container@account names the container where others have a password.
    host = parts.netloc if parts.scheme.startswith("abfs") else parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def without_secrets(text: str, url: str) -> str:
    """Return the first line of what a store said, without what its address has of secrets."""
    parts = urlsplit(url)
    said = text.strip().partition("\n")[0]
    for secret in (parts.netloc.rpartition("@")[0], parts.query):
        said = said.replace(secret, "***") if secret else said
    return said

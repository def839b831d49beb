"""Wakes idle workers: LISTEN/NOTIFY on PostgreSQL, a signal between the processes of one host on SQLite.

Nothing depends on a wakeup arriving: the tick finds what it missed.
"""

import select
import socket
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from ade.database.transaction import Database, Transaction

CHANNEL = "ade_queue"
LONGEST_SOCKET_PATH = 100


def notify(tx: Transaction) -> None:
    """Wake the listeners when this transaction commits; once, however often it is asked."""
    if tx.is_waking:
        return
    tx.is_waking = True
    if tx.dialect == "postgresql":
        tx.send(f"NOTIFY {CHANNEL}", None)
    elif (folder := socket_folder(tx.url)) is not None:
        tx.after_commit(lambda: _signal(folder))


class Listener(Protocol):
    """Waits for a wakeup."""

    def wait(self, timeout: timedelta) -> bool:
        """Return True when woken, False when the time is over."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


def listen(database: Database) -> Listener:
    """Return the listener that fits the database."""
    if database.dialect == "postgresql":
        from ade.database.postgres_listener import PostgresListener  # loads a driver that others do without

        return PostgresListener(database, CHANNEL)
    return SocketListener(socket_folder(database.url))


class SocketListener:
    """A datagram socket in a folder beside the database; whoever commits sends one byte to each socket there."""

    def __init__(self, folder: Path | None) -> None:
        self._path: Path | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._path = Path(tempfile.mktemp(prefix="w", dir=folder))  # noqa: S306 - bind fails if it exists
            self._socket.bind(str(self._path))

    def wait(self, timeout: timedelta) -> bool:
        """Wait for a byte, and read all that came."""
        readable, _, _ = select.select([self._socket], [], [], timeout.total_seconds())
        with suppress(BlockingIOError):
            while readable:
                self._socket.recv(16)
        return bool(readable)

    def close(self) -> None:
        """Close the socket and take it out of the folder."""
        self._socket.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def socket_folder(url: sa.URL) -> Path | None:
    """Return where the processes of this host meet, or None when there is no such place."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    folder = Path(url.database).absolute().parent / "wake"
    return folder if len(str(folder)) < LONGEST_SOCKET_PATH - 12 else None


def _signal(folder: Path) -> None:
    """Send a byte to each socket. Whatever goes wrong, what was committed is: the tick finds it."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        for path in folder.iterdir():
            with suppress(OSError):  # full: it has enough to wake up from; or not ours
                _send(sender, path)


def _send(sender: socket.socket, path: Path) -> None:
    try:
        sender.sendto(b"!", str(path))
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)  # its process is gone

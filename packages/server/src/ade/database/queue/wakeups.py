"""Wakes idle workers: LISTEN/NOTIFY on PostgreSQL, a signal between the processes of one host on SQLite.

A message names a worker, or none: then it is for all of them. A run that any worker can take wakes one (idle.py picks
it); what only some can take wakes all, and each reads without a lock whether there is something for it. SQL Server has
no messages: workers look at each tick, without a lock.

Nothing depends on a wakeup arriving: the tick finds what it missed.
"""

import select
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from ade.database.queue import idle
from ade.database.transaction import Database, Transaction

CHANNEL = "ade_queue"
LONGEST_SOCKET_PATH = 100
ALL = 2**31 - 1  # workers
FOR_ALL = "*"
MOST_BYTES = 2**16  # of a message: names of workers


class Wake(Enum):
    """Which workers a wakeup was for."""

    NONE = "none"  # no worker: the time is over
    ALL = "all"
    NAMED = "named"  # this worker was picked


def wake_workers(tx: Transaction, *, count: int = ALL) -> None:
    """Wake this many more idle workers when this transaction commits, or all of them.

    One for each run that any worker can take is enough; it must hold the queue's lock. All, when only some may be able
    to take what became ready.
    """
    if not tx.wakes:
        tx.before_commit(lambda: _send(tx))
    tx.wakes = min(tx.wakes + count, ALL)


def _send(tx: Transaction) -> None:
    if tx.dialect == "postgresql":
        if tx.wakes < ALL:
            idle.pick_and_notify(tx, CHANNEL, most=tx.wakes)
        else:
            tx.send(f"NOTIFY {CHANNEL}, '{FOR_ALL}'", None)
    elif tx.dialect == "sqlite":
        tx.woken = [FOR_ALL] if tx.wakes >= ALL else idle.pick(tx, most=tx.wakes)
        if tx.woken and (folder := socket_folder(tx.url)) is not None:
            tx.after_commit(lambda: _signal(folder, " ".join(tx.woken)))


def meaning(message: str, worker_id: str) -> Wake:
    """Return what a message means to a worker."""
    if message == FOR_ALL:
        return Wake.ALL
    return Wake.NAMED if worker_id in message.split() else Wake.NONE


class Listener(Protocol):
    """Waits for a wakeup."""

    def wait(self, timeout: timedelta, worker_id: str) -> Wake:
        """Return as soon as a message is for this worker, or NONE when the time is over."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


def listen(database: Database) -> Listener:
    """Return the listener that fits the database."""
    if database.dialect == "postgresql":
        from ade.database.queue.postgres_listener import PostgresListener  # loads a driver that others do without

        return PostgresListener(database, CHANNEL)
    return SocketListener(socket_folder(database.url))


class SocketListener:
    """A datagram socket in a folder next to the database; a commit sends a message to each socket there."""

    def __init__(self, folder: Path | None) -> None:
        self._path: Path | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._path = Path(tempfile.mktemp(prefix="w", dir=folder))  # noqa: S306 - bind fails if it exists
            self._socket.bind(str(self._path))

    def wait(self, timeout: timedelta, worker_id: str) -> Wake:
        """Wait for a message for this worker, and read all that came."""
        deadline = time.monotonic() + timeout.total_seconds()
        while (left := deadline - time.monotonic()) > 0:
            readable, _, _ = select.select([self._socket], [], [], left)
            found = {meaning(message, worker_id) for message in self._messages()} if readable else set()
            for wake in (Wake.NAMED, Wake.ALL):
                if wake in found:
                    return wake
        return Wake.NONE

    def _messages(self) -> Iterator[str]:
        with suppress(BlockingIOError):
            while True:
                yield self._socket.recv(MOST_BYTES).decode()

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


def _signal(folder: Path, message: str) -> None:
    """Send a message to each socket. Whatever goes wrong, what was committed is: the tick finds it."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        for path in folder.iterdir():
            with suppress(OSError):  # full: it has enough to wake up from; or not ours
                _send_to(sender, path, message)


def _send_to(sender: socket.socket, path: Path, message: str) -> None:
    try:
        sender.sendto(message.encode(), str(path))
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)  # its process is gone

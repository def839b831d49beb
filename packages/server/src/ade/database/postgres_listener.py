"""Listens on PostgreSQL: a connection that is told when something was committed."""

import select
from contextlib import suppress
from datetime import timedelta

import psycopg

from ade.database.dialects import connect_arguments
from ade.database.transaction import Database


class PostgresListener:
    """A connection of its own that listens; when it is lost it is opened again, and that counts as a wakeup."""

    def __init__(self, database: Database, channel: str) -> None:
        self._channel = channel
        self._address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._arguments = connect_arguments(database.url)
        self._connection: psycopg.Connection | None = None
        with suppress(psycopg.OperationalError):  # waiting tries again
            self._open()

    def wait(self, timeout: timedelta) -> bool:
        """Wait for a notification."""
        try:
            if self._connection is None:
                self._open()
                return True  # something may have happened while nobody listened
            return any(True for _ in self._connection.notifies(timeout=timeout.total_seconds(), stop_after=1))
        except psycopg.OperationalError:
            self.close()
            select.select([], [], [], timeout.total_seconds())  # whoever waits must not spin while there is no server
            return False

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> None:
        connection = psycopg.connect(self._address, autocommit=True, **self._arguments)
        try:
            connection.execute(f"LISTEN {self._channel}")
        except psycopg.OperationalError:
            connection.close()  # kept, it would be taken for one that listens
            raise
        self._connection = connection

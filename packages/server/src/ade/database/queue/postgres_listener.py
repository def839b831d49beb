"""Listens on PostgreSQL: a connection that is notified when something was committed."""

import select
from contextlib import suppress
from datetime import timedelta

import psycopg

from ade.database.dialects import connect_arguments
from ade.database.queue.wakeups import Wake, meaning
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

    def wait(self, timeout: timedelta, worker_id: str) -> Wake:
        """Wait for a notification for this worker."""
        try:
            if self._connection is None:
                self._open()
                return Wake.NAMED  # something may have happened while nobody listened
            for notification in self._connection.notifies(timeout=timeout.total_seconds()):
                if (wake := meaning(notification.payload, worker_id)) is not Wake.NONE:
                    return wake
        except psycopg.OperationalError:
            self.close()
            select.select([], [], [], timeout.total_seconds())  # do not spin while there is no server
        return Wake.NONE

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

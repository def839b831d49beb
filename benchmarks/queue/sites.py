"""Where contestants meet: one durable PostgreSQL with a fresh database for each, and fresh SQLite files."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import psycopg
import world
from world import World

from postgres import Postgres


class Sites:
    """Hands out empty databases."""

    def __init__(self, folder: Path, kind: str | None) -> None:
        self.folder = folder
        self.kinds = [kind] if kind else ["postgresql", "sqlite"]
        self._server = Postgres(is_durable=True) if "postgresql" in self.kinds else None
        self._numbers = count(1)
        self._last = ""

    def __enter__(self) -> Sites:
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.stop()

    @property
    def has_postgres(self) -> bool:
        """Return whether PostgreSQL is measured."""
        return self._server is not None

    def postgres_url(self) -> str:
        """Create an empty database and drop the one before it."""
        if self._server is None:
            raise LookupError("PostgreSQL was left out")
        name = f"bench_{next(self._numbers)}"
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            if self._last:
                connection.execute(f"DROP DATABASE {self._last} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {name}".encode())
            connection.execute("CHECKPOINT")  # what the one before wrote is not this one's burden
        self._last = name
        return self._server.url(name)

    def sqlite_path(self) -> Path:
        """Name a file in a folder of its own, since the wakeup's socket lies beside it."""
        folder = self.folder / str(next(self._numbers))
        folder.mkdir()
        return folder / "bench.db"

    def world(self, kind: str) -> World:
        """Make an empty world of ADE."""
        return world.create(self.postgres_url() if kind == "postgresql" else f"sqlite:///{self.sqlite_path()}")

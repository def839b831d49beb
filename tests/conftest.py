"""Fixtures for every test: each database, fresh; a clock that stands still."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import databases
from ade.database.transaction import Database
from postgres import Postgres
from repeatable import FakeClock

_SERVER = pytest.StashKey[object]()

# A busy machine is not a bug, so nothing is timed; and CI asks the same questions each time, so that a red run is red
# for a reason. ADE_TEST_RANDOM=1 asks others.
settings.register_profile(
    "ade",
    deadline=None,
    max_examples=20 if os.environ.get("ADE_TEST_FAST") else 100,
    derandomize=not os.environ.get("ADE_TEST_RANDOM"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ade")


def pytest_configure(config: pytest.Config) -> None:
    """Start PostgreSQL once, in the process that hands out the tests."""
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not config.option.collectonly:
        config.stash[_SERVER] = databases.provide_postgres()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the PostgreSQL we started."""
    server = config.stash.get(_SERVER, None)
    if isinstance(server, Postgres):
        server.stop()


@pytest.fixture(scope="session", params=databases.available())
def backend(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[databases.Backend]:
    """Yield each kind of database in turn."""
    opened = databases.open_backend(request.param, tmp_path_factory.mktemp(request.param), worker=worker_id)
    yield opened
    opened.close()


@pytest.fixture
def database_url(backend: databases.Backend, tmp_path: Path) -> str:
    """Return the address of a migrated database without rows."""
    return backend.fresh_url(tmp_path)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Yield a migrated database without rows, on its own clock."""
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Undo what a command of the server does to this process: it keeps files to their owner."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture
def clock() -> FakeClock:
    """Return a clock that moves only when told to."""
    return FakeClock()

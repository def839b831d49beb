"""A scene in every database: a queue whose time moves when told to, checked for soundness when the test is over."""

from collections.abc import Iterator

import pytest

import oracle
from repeatable import FakeClock
from scene import Scene


@pytest.fixture
def scene(database_url: str, clock: FakeClock) -> Iterator[Scene]:
    """Yield a scene on an injected clock."""
    opened = Scene(database_url, clock=clock)
    yield opened
    found = opened.database.read(oracle.problems)
    opened.close()
    assert found == []


@pytest.fixture
def live_scene(database_url: str) -> Iterator[Scene]:
    """Yield a scene on the database's own clock."""
    opened = Scene(database_url)
    yield opened
    found = opened.database.read(oracle.problems)
    opened.close()
    assert found == []

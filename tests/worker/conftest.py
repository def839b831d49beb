"""A stage on each database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from worker.stage import Stage

OpenStage = Callable[..., Stage]


@pytest.fixture
def open_local(tmp_path: Path) -> Iterator[OpenStage]:
    """Return a function that opens a stage on SQLite alone: for what has nothing to do with the database."""
    opened: list[Stage] = []

    def open_one(**changes: Any) -> Stage:
        stage = Stage(tmp_path / "data", **changes)
        opened.append(stage)
        return stage

    yield open_one
    for stage in opened:
        stage.close()


@pytest.fixture
def open_stage(database_url: str, open_local: OpenStage) -> OpenStage:
    """Return a function that opens a stage with settings of its own, on each database in turn."""
    return lambda **changes: open_local(**{"database_url": database_url, **changes})


@pytest.fixture
def stage(open_stage: OpenStage) -> Stage:
    """Return a stage with quick settings, on each database in turn."""
    return open_stage()


@pytest.fixture
def local(open_local: OpenStage) -> Stage:
    """Return a stage with quick settings on SQLite."""
    return open_local()

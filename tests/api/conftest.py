"""A client of the application on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ade.api.app import create_app
from ade.clock import SystemClock
from ade.database.transaction import Database
from ade.files import LocalFiles
from ade.ids import new_id
from ade.settings import load_settings
from ade.system import System


@pytest.fixture
def system(database: Database, tmp_path: Path) -> System:
    settings = load_settings(data_dir=tmp_path)
    return System(
        settings=settings, clock=SystemClock(), new_id=new_id, database=database, files=LocalFiles(tmp_path / "files")
    )


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with TestClient(create_app(system), raise_server_exceptions=False) as opened:
        yield opened

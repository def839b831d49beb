"""A client of the application on a real database, and things to ask about."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

import rows
from ade.api.app import create_app
from ade.clock import SystemClock
from ade.database.schema import runs
from ade.database.transaction import Database, Transaction
from ade.domain.access import SYSTEM
from ade.files import LocalFiles
from ade.ids import new_id
from ade.operations.content.configurations import create_configuration, publish
from ade.operations.queue.rules import queue_rules
from ade.operations.queue.workers import WorkerFacts, register_worker
from ade.settings import load_settings
from ade.system import System
from ade_engine import normalize

ROOT = Path(__file__).resolve().parents[2]
HERE = "http://127.0.0.1:8000"
RULES = {"columns/name.py": b'from ade_engine import Field\n\nfield = Field("name", label="Name")\n'}


def make_system(database: Database, folder: Path, **settings: Any) -> System:
    """Return a system on a database, its files in a folder."""
    return System(
        settings=load_settings(data_dir=folder, **settings),
        clock=SystemClock(),
        new_id=new_id,
        database=database,
        files=LocalFiles(folder / "files"),
    )


def open_client(system: System) -> TestClient:
    """Return a client that reaches the application as a browser on this machine does."""
    return TestClient(create_app(system), base_url=HERE, raise_server_exceptions=False)


@pytest.fixture
def system(database: Database, tmp_path: Path) -> System:
    return make_system(database, tmp_path)


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with open_client(system) as opened:
        yield opened


@dataclass(frozen=True)
class Place:
    """A workspace with a document and a published configuration."""

    workspace_id: str
    document_id: str
    configuration_id: str


def furnish(system: System) -> Place:
    """Make a workspace with something in it."""

    def work(tx: Transaction) -> Place:
        workspace_id = rows.add_workspace(tx)
        document_id = new_id()
        key = f"documents/{document_id}/content"
        rows.add_document(tx, id=document_id, workspace_id=workspace_id, file_key=key, name="members.csv")
        made = create_configuration(tx, workspace_id=workspace_id, name="Members", files=RULES, actor=SYSTEM)
        publish(tx, made.row.id, note=None, actor=SYSTEM)
        return Place(workspace_id, document_id, made.row.id)

    place = system.database.write(work)
    system.files.write(f"documents/{place.document_id}/content", [b"Name,Age\nAda,36\nBob,41\n"])
    return place


@pytest.fixture
def place(system: System) -> Place:
    return furnish(system)


def add_worker(system: System, **facts: Any) -> str:
    """Register a worker, which claims nothing by itself, and return its id."""
    given = WorkerFacts(name="one", host="here", process_id=1, version="0", slots=2, **facts)
    return system.database.write(lambda tx: register_worker(tx, given, rules=queue_rules(system.settings)))


def add_documents(system: System, place: Place, count: int) -> list[str]:
    """Add documents to a workspace."""

    def work(tx: Transaction) -> list[str]:
        return [rows.add_document(tx, workspace_id=place.workspace_id) for _ in range(count)]

    return system.database.write(work)


def submit(client: TestClient, place: Place, **order: Any) -> dict[str, Any]:
    """Queue a run and return it."""
    body = {"input_document_id": place.document_id, **order}
    answer = client.post(f"/api/v1/configurations/{place.configuration_id}/runs", json=body)
    assert answer.status_code == 202, answer.text
    run: dict[str, Any] = answer.json()
    return run


def finish_normalized(system: System, run_id: str, folder: Path, text: str, *, output_format: str = "xlsx") -> None:
    """Let a queued run have succeeded with what the engine makes of a csv text."""
    source, out = folder / "in", folder / "out"
    source.mkdir(parents=True)
    (source / "in.csv").write_text(text, encoding="utf-8")
    for name, content in RULES.items():
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_bytes(content)
    result = normalize(source / "in.csv", out, format=output_format, configuration=source)
    assert result.failure is None
    key = f"runs/{run_id}/7"
    for file in (result.artifact_path, result.issues_path, *result.output_paths):
        system.files.write(f"{key}/{file.name}", [file.read_bytes()])
    finished = {"status": "succeeded", "file_key": key}
    system.database.write(
        lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run_id).values(**finished, finished_at=tx.now))
    )

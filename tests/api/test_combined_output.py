"""The outputs of several runs as one document, over HTTP; and runs that become cases of a configuration."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.operations.reading.scratch import scratch
from ade.system import System
from ade_engine.cells import Value
from ade_engine.readers import open_workbook
from api.conftest import Place, add_documents, finish_normalized, furnish, submit

MakeRun = Callable[..., str]


@pytest.fixture
def make_run(client: TestClient, system: System, place: Place, tmp_path: Path) -> MakeRun:
    """Return what makes a finished run of a csv text, with the files that the engine writes, and returns its id."""

    def make(text: str, *, output_format: str = "xlsx", of: Place = place) -> str:
        run_id = str(submit(client, of, input_document_id=add_documents(system, of, 1)[0])["id"])
        finish_normalized(system, run_id, tmp_path / run_id, text, output_format=output_format)
        return run_id

    return make


def cells_of(content: bytes, tmp_path: Path) -> list[list[Value]]:
    path = tmp_path / "got.xlsx"
    path.write_bytes(content)
    workbook = open_workbook(path)
    [info] = workbook.sheets
    found = [list(row.values) for row in workbook.open_sheet(info).rows()]
    workbook.close()
    return found


@pytest.mark.req("A2")
def test_the_outputs_of_runs_are_one_document_in_any_format(
    client: TestClient, place: Place, make_run: MakeRun, tmp_path: Path
) -> None:
    run_ids = [make_run("Name,Age\nAda,36\nBob,41\n"), make_run("Name,Age\nCy,7\nDee,8\n", output_format="csv")]
    address = f"/api/v1/workspaces/{place.workspace_id}/combined-output"

    answer = client.post(address, json={"run_ids": run_ids})
    assert answer.status_code == 200, answer.text
    assert len(answer.content) == int(answer.headers["content-length"])
    names = [row[0] for row in cells_of(answer.content, tmp_path)]
    assert names[1:] == ["Ada", "Bob", "Cy", "Dee"]

    answer = client.post(address, json={"run_ids": run_ids[::-1], "format": "csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert [line.split(",")[0] for line in answer.text.splitlines()[1:]] == ["Cy", "Dee", "Ada", "Bob"]
    assert not any(path.is_dir() and (path / "given").exists() for path in scratch.home.iterdir())


def test_several_tables_of_a_format_without_sheets_come_as_an_archive(
    client: TestClient, place: Place, make_run: MakeRun
) -> None:
    run_id = make_run("Name,Age\nAda,36\nBob,41\n,\n,\n,\nItem,Price\npen,1\ncup,2\n")
    answer = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/combined-output", json={"run_ids": [run_id], "format": "csv"}
    )
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert len(archive.namelist()) == 2
        assert all(name.startswith("combined-") for name in archive.namelist())


def test_runs_of_other_workspaces_and_unfinished_ones_are_not_combined(
    client: TestClient, system: System, place: Place, make_run: MakeRun
) -> None:
    other = furnish(system)
    address = f"/api/v1/workspaces/{place.workspace_id}/combined-output"
    strange = make_run("Name,Age\nAda,36\n", of=other)
    assert client.post(address, json={"run_ids": [strange]}).status_code == 404
    unfinished = submit(client, place)["id"]
    answer = client.post(address, json={"run_ids": [unfinished]})
    assert (answer.status_code, answer.json()["code"]) == (409, "run_not_finished")


def test_an_output_that_is_not_what_the_artifact_says_is_a_sentence(
    client: TestClient, system: System, place: Place, make_run: MakeRun
) -> None:
    run_id = make_run("Name,Age\nAda,36\n")
    system.files.write(f"runs/{run_id}/7/normalized.xlsx", [b"no workbook"])
    answer = client.post(f"/api/v1/workspaces/{place.workspace_id}/combined-output", json={"run_ids": [run_id]})
    assert answer.status_code == 422, answer.text
    assert "could not be combined" in answer.json()["detail"]


def test_a_run_becomes_a_case_of_the_draft(client: TestClient, system: System, place: Place, make_run: MakeRun) -> None:
    run_id = make_run("Name,Age\nAda,36\nBob,41\n")
    key = client.get(f"/api/v1/runs/{run_id}").json()["input_document_id"]
    row = system.database.read(
        lambda tx: tx.execute(sa.text("SELECT file_key FROM documents WHERE id = :id"), {"id": key}).scalar_one()
    )
    system.files.write(row, [b"Name,Age\nAda,36\nBob,41\n"])
    address = f"/api/v1/configurations/{place.configuration_id}"

    saved = client.post(f"{address}/cases", json={"run_id": run_id, "name": "two people"})
    assert saved.status_code == 201, saved.text
    assert saved.json()["name"] == "two_people"
    audited = client.get("/api/v1/audit?limit=1").json()["items"][0]
    assert (audited["subject_id"], audited["trace_id"]) == (place.configuration_id, saved.headers["x-trace-id"])
    expected = client.get(f"{address}/files/tests/two_people/expected.csv")
    assert [line.split(",")[0] for line in expected.text.splitlines()[1:]] == ["Ada", "Bob"]
    again = client.post(f"{address}/cases", json={"run_id": run_id, "name": "two people"})
    assert again.json() == saved.json()

    refused = client.post(f"{address}/publish")
    assert (refused.status_code, refused.json()["code"]) == (409, "cases_not_passed")
    assert client.get(f"{address}/tests").json()["status"] == "not_run"
    assert client.post(f"{address}/tests").json()["status"] == "queued"
    assert client.post(f"{address}/publish", json={"skip_tests": True}).json()["status"] == "published"

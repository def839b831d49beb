"""The outputs of several runs as one document, over HTTP; and runs that become cases of a configuration."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.database.schema import builds
from ade.domain.configuration_files import checked_path
from ade.errors import Unavailable
from ade.operations.content.combining import Combined, combined_output, output_folders
from ade.operations.queue.case_tests import case_document_name
from ade.operations.reading.scratch import scratch
from ade.operations.reading.turns import Owner
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


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("budget 2026-02.CSV", "budget 2026-02.csv"),  # rules may read the name
        ("märz.csv", "märz.csv"),
        ("..a:b?.csv", "a_b_.csv"),
        ("expected.csv", "document_expected.csv"),
        ("people.dat", "people.dat.csv"),  # its content says what it is; a case knows its document by the suffix
        ("?" * 300 + ".csv", "_" * 150 + ".csv"),
        ("???.csv", "___.csv"),
        (" -.csv", "_.csv"),
    ],
)
def test_the_document_of_a_case_keeps_its_name_as_far_as_a_file_may_have_it(name: str, kept: str) -> None:
    assert case_document_name(name, "text/csv") == kept
    assert checked_path(f"tests/one/{kept}")


@pytest.mark.req("S7")
def test_a_run_that_is_named_often_is_not_copied_often(client: TestClient, place: Place, make_run: MakeRun) -> None:
    run_id = make_run("Name,Age\nAda,36\n")
    address = f"/api/v1/workspaces/{place.workspace_id}/combined-output"
    answer = client.post(address, json={"run_ids": [run_id] * 1000})
    assert (answer.status_code, answer.json()["detail"]) == (422, "Name each run once.")
    assert client.post(address, json={"run_ids": [run_id]}).status_code == 200


@pytest.mark.req("S7")
def test_outputs_are_combined_within_what_the_disk_has(
    client: TestClient, system: System, place: Place, make_run: MakeRun
) -> None:
    run_id = make_run("Name,Age\nAda,36\n")
    folders = system.database.read(lambda tx: output_folders(tx, [run_id], workspace_id=place.workspace_id))
    owner = Owner(place.workspace_id, "ada")
    with pytest.raises(Unavailable, match="ADE_MIN_FREE_DISK_MB"):
        combined_output(system.files, folders, output_format="csv", owner=owner, kept_free_bytes=2**60)
    assert left_behind() == []


@pytest.mark.req("S7")
def test_a_document_nobody_waits_for_is_removed_and_until_then_few_others_are_made(
    system: System, place: Place, make_run: MakeRun
) -> None:
    run_id = make_run("Name,Age\nAda,36\n")
    folders = system.database.read(lambda tx: output_folders(tx, [run_id], workspace_id=place.workspace_id))

    def ask(person: str, *, workspace_id: str = place.workspace_id) -> Combined:
        owner = Owner(workspace_id, person)
        return combined_output(system.files, folders, output_format="csv", owner=owner, kept_free_bytes=0)

    held = [ask("ada"), ask("ada")]
    for person, workspace_id in (("ada", "another"), ("bob", place.workspace_id)):
        with pytest.raises(Unavailable, match="Try again"):
            ask(person, workspace_id=workspace_id)
    held += [ask("bob", workspace_id="another"), ask("bob", workspace_id="another")]
    with pytest.raises(Unavailable, match="Try again"):
        ask("cy", workspace_id="a third")
    assert len(left_behind()) == 4
    body = held.pop().read()  # the client hung up before the first byte: nothing of it is ever read
    body.close()  # type: ignore[attr-defined]
    del body
    held.clear()
    assert left_behind() == []
    assert b"".join(ask("ada").read()).startswith(b"Name")
    assert left_behind() == []


def left_behind() -> list[Path]:
    """Return the folders in which outputs are combined."""
    return [
        path
        for path in scratch.home.iterdir()
        if path.is_dir() and (any(path.glob("kept-*")) or (path / "given").exists())
    ]


@pytest.mark.req("S2", "S7")
@pytest.mark.parametrize(
    "cases",
    [
        5, "abc", {"name": "x"}, [5, None, "passed"], [{"name": {"a": 1}, "status": ["passed"]}],
        [{"name": "n" * 200_000, "status": "failed", "differences": ["d" * 200_000] * 50}],
        [{"name": "x", "status": "failed", "difference_count": 1e400, "differences": 7, "failure": [1]}],
        [{"name": "x", "status": "failed", "difference_count": "many"}] * 5000,
    ],
)  # fmt: skip
def test_forged_reports_of_cases_are_failed_cases(
    client: TestClient, system: System, place: Place, cases: object
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    client.put(f"{address}/files/tests/one/expected.csv", content=b"a\n", headers={"If-None-Match": "*"})
    build_id = client.post(f"{address}/tests").json()["build_id"]
    made = sa.update(builds).where(builds.c.id == build_id).values(status="ready", manifest={"cases": cases})
    system.database.write(lambda tx: tx.execute(made))

    told, refused = client.get(f"{address}/tests"), client.post(f"{address}/publish")

    assert told.status_code == 200, told.text
    assert {case["status"] for case in told.json()["cases"]} == {"failed"}
    assert (refused.status_code, refused.json()["code"]) == (409, "cases_not_passed")
    assert len(told.content) < 300_000
    assert len(refused.content) < 5000

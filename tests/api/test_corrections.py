"""Corrections over the API: for one document, or from now on; one call records them and starts the run."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ade.database.queue import runs
from ade.database.transaction import Database
from ade.system import System
from api.conftest import Place, submit

MAIL = {"kind": "header", "header": "Mail address", "field": "email"}


def again(client: TestClient, run: dict[str, Any], *corrections: dict[str, Any]) -> Any:
    return client.post(f"/api/v1/runs/{run['id']}/run-again", json={"corrections": list(corrections)})


@pytest.mark.req("A2")
def test_corrections_of_one_document_go_with_its_next_runs_and_carry_who_made_them(
    client: TestClient, database: Database, place: Place
) -> None:
    first = submit(client, place)
    second = again(client, first, MAIL).json()
    third = again(client, second, {"kind": "sheet", "sheet": "Old"}).json()

    assert (first["corrections"], len(second["corrections"])) == (None, 1)
    kept, new = third["corrections"]
    assert kept == second["corrections"][0]
    assert {key: kept[key] for key in MAIL} == MAIL
    assert (bool(kept["by"]), kept["at"][-1], kept["document"]) == (True, "Z", first["document_name"])
    assert (new["sheet"], new["ignored"]) == ("Old", True)
    row = database.read(lambda tx: runs.get(tx, third["id"]))
    assert row is not None
    assert row.corrections == third["corrections"]


@pytest.mark.req("A2")
def test_corrections_from_now_on_become_a_published_version_and_can_be_undone(
    client: TestClient, system: System, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    order = {"input_document_id": place.document_id, "corrections": [MAIL], "note": "October renamed a column."}
    run = client.post(f"{address}/corrections", json=order)
    text = client.get(f"{address}/files/corrections.json").text
    (made,) = json.loads(text)["corrections"]

    assert run.status_code == 202, run.text
    assert {key: made[key] for key in MAIL} == MAIL
    configuration = client.get(address).json()
    assert (configuration["published_version"], configuration["draft_version"]) == (run.json()["version"], None)

    undo = client.post(f"{address}/corrections", json={**order, "corrections": [], "undone": [made["id"]]})
    assert json.loads(client.get(f"{address}/files/corrections.json").text)["corrections"] == []
    assert undo.json()["version"] == run.json()["version"] + 1
    unknown = client.post(f"{address}/corrections", json={**order, "corrections": [], "undone": [made["id"]]})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    assert client.get(address).json()["draft_version"] is None  # nothing is left of what was refused


@pytest.mark.req("A2")
@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "heading", "header": "x", "field": None},
        {"kind": "column", "column": "c", "field": None},
        {"kind": "field", "field": "email"},
        {"kind": "row", "row": 0, "label": "data"},
        {**MAIL, "fild": "x"},
    ],
)
def test_a_wrong_correction_is_refused_before_anything_is_queued(
    client: TestClient, place: Place, wrong: dict[str, Any]
) -> None:
    answer = again(client, submit(client, place), wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")

"""Corrections over the API: for one document, or from now on; one call records them and starts the run."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ade.database.queue import runs
from ade.database.transaction import Database, Transaction
from ade.database.views import run_lists
from ade.database.views.run_lists import ListedRun, RunFilter
from ade.operations.content.webhooks import note_finished
from ade.system import System
from api.conftest import Place, furnish, submit

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
        {"kind": "range", "range": "B4", "header_rows": 1},
        {"kind": "range", "range": "F20:B4", "header_rows": 1},
        {"kind": "range", "range": "B4:F5", "header_rows": 3},
        {"kind": "cell", "cell": "B4"},
        {"kind": "cell", "cell": "b4", "new": "x"},
        {"kind": "cell", "cell": "ZZZ4", "new": "x"},
        {"kind": "cell", "cell": "B4", "row": 4, "field": "email", "new": "x"},
        {"kind": "cell", "row": 4, "new": "x"},
        {"kind": "cell", "cell": "B4", "new": ["x"]},
        {**MAIL, "fild": "x"},
    ],
)
def test_a_wrong_correction_is_refused_before_anything_is_queued(
    client: TestClient, place: Place, wrong: dict[str, Any]
) -> None:
    answer = again(client, submit(client, place), wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


@pytest.mark.req("A2")
def test_a_trial_of_corrections_is_no_result_of_its_document_and_is_listed_only_among_tests(
    client: TestClient, place: Place
) -> None:
    first = submit(client, place)
    order = {"corrections": [MAIL], "is_trial": True}
    trial = client.post(f"/api/v1/runs/{first['id']}/run-again", json=order).json()

    def listed(query: str) -> list[str]:
        address = f"/api/v1/workspaces/{place.workspace_id}/runs?document_id={place.document_id}"
        return [run["id"] for run in client.get(f"{address}{query}").json()["items"]]

    assert (trial["is_trial"], trial["is_test"], first["is_test"]) == (True, True, False)
    assert (listed(""), listed("&is_test=false"), listed("&is_test=true")) == (
        [first["id"]],
        [first["id"]],
        [trial["id"]],
    )
    assert again(client, trial).json()["is_trial"] is False


@pytest.mark.req("A2")
def test_no_webhook_hears_of_a_trial(client: TestClient, database: Database, place: Place) -> None:
    first = submit(client, place)
    trial = client.post(f"/api/v1/runs/{first['id']}/run-again", json={"is_trial": True}).json()
    hook = {"url": "https://example.org/hook", "statuses": ["cancelled"]}
    assert client.post(f"/api/v1/workspaces/{place.workspace_id}/webhooks", json=hook).status_code == 201
    for run in (first, trial):
        client.post(f"/api/v1/runs/{run['id']}/cancel")
    assert note_finished(database) == 1


@pytest.mark.req("A2")
def test_corrections_of_rows_and_ranges_go_with_the_run_and_not_into_the_configuration(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    header = {"kind": "row", "row": 4, "label": "header"}
    table = {"kind": "range", "range": "B4:F20", "header_rows": 1, "transposed": True}
    earlier = again(client, submit(client, place), {"kind": "sheet", "sheet": "Old"}).json()
    order = {
        "input_document_id": place.document_id,
        "corrections": [MAIL],
        "only_this_document": [header, table],
        "earlier_run_id": earlier["id"],
    }
    run = client.post(f"{address}/corrections", json=order)
    assert run.status_code == 202, run.text
    assert [one["kind"] for one in run.json()["corrections"]] == ["sheet", "row", "range"]
    assert run.json()["corrections"][-1]["transposed"] is True
    kept = json.loads(client.get(f"{address}/files/corrections.json").text)["corrections"]
    assert [one["kind"] for one in kept] == ["header"]

    stranger = client.post(f"{address}/corrections", json={**order, "earlier_run_id": place.document_id})
    assert (stranger.status_code, stranger.json()["code"]) == (404, "not_found")


@pytest.mark.req("A2")
def test_a_corrected_cell_goes_with_the_run_of_its_document_and_never_into_the_configuration(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    cell = {"kind": "cell", "sheet": "Members", "cell": "C7", "new": None, "found": "soon"}
    value = {"kind": "cell", "row": 7, "field": "email", "new": 12.5}
    first = submit(client, place)
    run = again(client, first, cell, value)
    assert run.status_code == 202, run.text
    about = ("id", "by", "at", "document")
    kept = [{key: one[key] for key in one if key not in about} for one in run.json()["corrections"]]
    assert kept == [cell, value]

    order = {"input_document_id": place.document_id, "corrections": [cell]}
    for refused in (
        client.post(f"{address}/corrections", json=order),
        client.post(f"{address}/corrections/draft", json=order),
    ):
        assert (refused.status_code, "is for one document" in refused.text) == (422, True)
    order = {"input_document_id": place.document_id, "corrections": [MAIL], "only_this_document": [cell]}
    assert client.post(f"{address}/corrections", json=order).json()["corrections"][0]["cell"] == "C7"


@pytest.mark.req("A2")
def test_corrections_of_a_configuration_with_cases_start_a_draft_that_is_tested_first(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    put = {"If-None-Match": "*", "Content-Type": "text/plain"}
    client.post(f"{address}/versions", json={})
    client.put(f"{address}/files/tests/case/in.csv", content=b"Member ID\nMB1\n", headers=put)
    client.post(f"{address}/publish", json={"skip_tests": True})
    order = {"input_document_id": place.document_id, "corrections": [MAIL]}

    untested = client.post(f"{address}/corrections", json=order)
    assert (untested.status_code, untested.json()["code"]) == (409, "cases_not_passed")
    assert client.get(address).json()["draft_version"] is None
    draft = client.post(f"{address}/corrections/draft", json=order)
    assert (draft.status_code, draft.json()["status"]) == (201, "draft")
    assert (
        json.loads(client.get(f"{address}/files/corrections.json").text)["corrections"][0]["header"] == "Mail address"
    )
    assert client.get(f"{address}/tests").json()["status"] == "not_run"
    client.delete(f"{address}/versions/{draft.json()['number']}")
    assert client.post(f"{address}/corrections", json={**order, "skip_tests": True}).status_code == 202


@pytest.mark.req("S7")
def test_a_draft_with_corrections_does_not_tell_the_name_of_a_document_of_another_workspace(
    client: TestClient, system: System, place: Place
) -> None:
    address, other = f"/api/v1/configurations/{place.configuration_id}", furnish(system)
    order = {"input_document_id": other.document_id, "corrections": [MAIL]}
    refused = client.post(f"{address}/corrections/draft", json=order)
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert client.get(address).json()["draft_version"] is None


@pytest.mark.req("S7")
@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_value_is_not_replaced_by_what_is_no_number(client: TestClient, place: Place, number: str) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}/corrections/draft"
    entry = f'{{"kind": "value", "field": "age", "value": "?", "new": {number}}}'
    body = f'{{"input_document_id": "{place.document_id}", "corrections": [{entry}]}}'
    answer = client.post(address, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


@pytest.mark.req("S7")
def test_corrections_of_a_document_cannot_grow_without_end_and_lists_of_runs_leave_them_out(
    client: TestClient, place: Place
) -> None:
    run = submit(client, place)
    long = {"kind": "value", "field": "name", "value": "a" * 1000, "new": "b" * 1000}
    assert again(client, run, {**long, "new": "b" * 1001}).status_code == 422

    kept = again(client, run, *[long] * 20).json()
    refused = again(client, kept, *[long] * 20)

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert "Keep them in the configuration" in refused.json()["detail"]
    listed = client.get(f"/api/v1/workspaces/{place.workspace_id}/runs").json()["items"]
    assert [one["corrections"] for one in listed] == [None, None]
    assert len(client.get(f"/api/v1/runs/{kept['id']}").json()["corrections"]) == 20


@pytest.mark.req("S2")
def test_lists_of_runs_do_not_even_read_corrections_of_which_those_of_a_run_may_be_long(
    client: TestClient, system: System, place: Place
) -> None:
    run = again(client, submit(client, place), MAIL).json()

    def rows(tx: Transaction) -> list[ListedRun]:
        page = run_lists.page(tx, RunFilter(document_id=place.document_id), after=None, limit=50)
        return [*page, *run_lists.chosen(tx, [run["id"]])]

    listed = system.database.read(rows)
    alone = system.database.read(lambda tx: run_lists.get(tx, run["id"]))

    assert [row.id for row in listed].count(run["id"]) == 2
    assert {row.corrections for row in listed} == {None}
    assert alone is not None
    assert alone.corrections == run["corrections"] != []


@pytest.mark.req("S7")
@pytest.mark.parametrize("content", ['{"version": 1, "corrections": [{"id": "\\ud800"}]}', "[" * 100_000, "[]", ""])
def test_a_damaged_file_of_corrections_is_named_and_stays_as_it_is(
    client: TestClient, place: Place, content: str
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    client.put(f"{address}/files/corrections.json", content=content.encode(), headers={"If-None-Match": "*"})
    assert client.post(f"{address}/publish", json={"skip_tests": True}).status_code == 200

    answer = client.post(f"{address}/corrections", json={"input_document_id": place.document_id, "corrections": [MAIL]})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert "damaged" in answer.json()["detail"]
    assert client.get(f"{address}/files/corrections.json").text == content


def test_a_correction_is_undone_in_a_draft_without_a_document_but_none_is_made_without(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    order = {"input_document_id": place.document_id, "corrections": [MAIL]}
    client.post(f"{address}/corrections", json=order)
    (made,) = json.loads(client.get(f"{address}/files/corrections.json").text)["corrections"]

    refused = client.post(f"{address}/corrections/draft", json={"corrections": [MAIL]})
    assert (refused.status_code, "corrections need input_document_id" in refused.text) == (422, True)
    draft = client.post(f"{address}/corrections/draft", json={"undone": [made["id"]], "note": "Mail was wrong."})
    assert (draft.status_code, draft.json()["note"]) == (201, "Mail was wrong.")
    assert json.loads(client.get(f"{address}/files/corrections.json").text)["corrections"] == []

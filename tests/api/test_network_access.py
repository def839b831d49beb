"""Network access of runs: given by the setting and the role of the submitter, whichever way a run is submitted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from ade.database.transaction import Database
from ade.domain.access import Role, Scope
from ade.ids import new_id
from ade.system import System
from api.conftest import Place, furnish, make_system, open_client, submit
from api.people import Person, add_person

pytestmark = pytest.mark.req("S3", "S7")
ASKED = {"runtime_network_access": True}


def _submit(client: TestClient, place: Place, order: dict[str, Any]) -> httpx2.Response:
    body = {"input_document_id": place.document_id, **order}
    return client.post(f"/api/v1/configurations/{place.configuration_id}/runs", json=body)


def _submit_with_key(client: TestClient, place: Place, order: dict[str, Any]) -> httpx2.Response:
    body = {"input_document_id": place.document_id, **order}
    key = {"Idempotency-Key": new_id()}
    return client.post(f"/api/v1/configurations/{place.configuration_id}/runs", json=body, headers=key)


def _submit_batch(client: TestClient, place: Place, order: dict[str, Any]) -> httpx2.Response:
    body = {"input_document_ids": [place.document_id], **order}
    return client.post(f"/api/v1/configurations/{place.configuration_id}/runs/batch", json=body)


def _submit_plan(client: TestClient, place: Place, order: dict[str, Any]) -> httpx2.Response:
    first = {"configuration_id": place.configuration_id, "input_document_id": place.document_id}
    second = {"configuration_id": place.configuration_id, "input": "previous_output", **order}
    return client.post(f"/api/v1/workspaces/{place.workspace_id}/plans", json={"phases": [first, second]})


def _run_again(client: TestClient, place: Place, order: dict[str, Any]) -> httpx2.Response:
    return client.post(f"/api/v1/runs/{submit(client, place)['id']}/run-again", json=order)


def _test_run(client: TestClient, place: Place, order: dict[str, Any]) -> httpx2.Response:
    client.post(f"/api/v1/configurations/{place.configuration_id}/versions", json={"from_version": 1})
    body = {"input_document_id": place.document_id, **order}
    return client.post(f"/api/v1/configurations/{place.configuration_id}/test-run", json=body)


Way = Callable[[TestClient, Place, dict[str, Any]], httpx2.Response]
OF_OPERATORS: list[Way] = [_submit, _submit_with_key, _submit_batch, _submit_plan, _run_again]
WAYS: list[Way] = [*OF_OPERATORS, _test_run]


@contextmanager
def deployment(database: Database, folder: Path, setting: str) -> Iterator[tuple[System, TestClient, Place]]:
    system = make_system(database, folder, auth_mode="team", runtime_network_access=setting)
    with open_client(system) as client:
        yield system, client, furnish(system)


def member(system: System, place: Place, client: TestClient, role: Role, scope: Scope = Scope.ADMIN) -> Person:
    """Add a person to the workspace, and send requests as that person from now on."""
    person = add_person(system, workspace_id=place.workspace_id, role=role, scope=scope)
    client.headers.update(person.headers)
    return person


def with_network(answer: httpx2.Response) -> list[bool]:
    """Return for each run of an answer whether it has network access."""
    assert answer.status_code == 202, answer.text
    told = answer.json()
    return [run["runtime_network_access"] for run in told.get("runs", [told])]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("role", [Role.AUTHOR, Role.ADMIN])
def test_where_it_is_never_nobody_gives_a_run_network_access(
    database: Database, tmp_path: Path, way: Way, role: Role
) -> None:
    with deployment(database, tmp_path, "never") as (system, client, place):
        member(system, place, client, role)

        refused = way(client, place, ASKED)

        assert refused.status_code == 403
        assert "ADE_RUNTIME_NETWORK_ACCESS is never" in refused.json()["detail"]
        assert not any(with_network(way(client, place, {})))


@pytest.mark.parametrize("way", OF_OPERATORS)
def test_where_it_is_asked_for_an_operator_cannot_give_it(database: Database, tmp_path: Path, way: Way) -> None:
    with deployment(database, tmp_path, "ask") as (system, client, place):
        member(system, place, client, Role.OPERATOR)

        refused = way(client, place, ASKED)

        assert refused.status_code == 403
        assert "role author" in refused.json()["detail"]
        assert "ADE_RUNTIME_NETWORK_ACCESS" in refused.json()["detail"]
        assert "yours is operator" in refused.json()["detail"]
        assert not any(with_network(way(client, place, {})))


@pytest.mark.parametrize("way", OF_OPERATORS)
def test_a_key_for_runs_cannot_give_it_even_if_its_owner_could(database: Database, tmp_path: Path, way: Way) -> None:
    with deployment(database, tmp_path, "ask") as (system, client, place):
        member(system, place, client, Role.ADMIN, Scope.RUN)

        refused = way(client, place, ASKED)

        assert refused.status_code == 403
        assert "yours is operator" in refused.json()["detail"]


@pytest.mark.parametrize("way", WAYS)
def test_an_author_gives_it_to_the_runs_that_ask_and_to_no_others(database: Database, tmp_path: Path, way: Way) -> None:
    with deployment(database, tmp_path, "ask") as (system, client, place):
        member(system, place, client, Role.AUTHOR)

        assert with_network(way(client, place, ASKED))[-1] is True
        assert not any(with_network(way(client, place, {})))


@pytest.mark.parametrize("way", OF_OPERATORS)
def test_where_it_is_always_given_a_run_may_still_go_without(database: Database, tmp_path: Path, way: Way) -> None:
    with deployment(database, tmp_path, "always") as (system, client, place):
        member(system, place, client, Role.OPERATOR)

        assert all(with_network(way(client, place, {})))
        assert with_network(way(client, place, {"runtime_network_access": False}))[-1] is False


def test_running_again_what_had_network_access_asks_for_it_again(database: Database, tmp_path: Path) -> None:
    with deployment(database, tmp_path, "ask") as (system, client, place):
        member(system, place, client, Role.AUTHOR)
        address = f"/api/v1/runs/{submit(client, place, **ASKED)['id']}/run-again"
        assert with_network(client.post(address, json={})) == [True]
        member(system, place, client, Role.OPERATOR)

        assert client.post(address, json={}).status_code == 403
        assert with_network(client.post(address, json={"runtime_network_access": False})) == [False]
    with open_client(make_system(database, tmp_path, auth_mode="team")) as client:  # a restart with the default
        member(system, place, client, Role.AUTHOR)

        refused = client.post(address, json={})

        assert refused.status_code == 403
        assert "ADE_RUNTIME_NETWORK_ACCESS is never" in refused.json()["detail"]


@pytest.mark.parametrize(("setting", "has_network"), [("never", False), ("ask", False), ("always", True)])
def test_runs_of_uploads_have_what_every_run_has(
    database: Database, tmp_path: Path, setting: str, has_network: bool
) -> None:
    with deployment(database, tmp_path, setting) as (system, client, place):
        member(system, place, client, Role.ADMIN)
        wanted = {"run_on_upload": {"configuration_id": place.configuration_id, "priority": "high"}}
        address = f"/api/v1/workspaces/{place.workspace_id}"
        etag = client.get(address).headers["etag"]
        client.patch(address, json={"preferences": wanted}, headers={"If-Match": etag})

        client.post(f"{address}/documents", files={"file": ("a.csv", b"Name\nAda\n")})

        [run] = client.get(f"{address}/runs").json()["items"]
        assert run["runtime_network_access"] is has_network


def test_the_person_of_local_mode_gets_it_only_where_the_setting_says_so(database: Database, tmp_path: Path) -> None:
    for setting, status in (("never", 403), ("ask", 202)):
        system = make_system(database, tmp_path, runtime_network_access=setting)
        with open_client(system) as client:
            assert _submit(client, furnish(system), ASKED).status_code == status

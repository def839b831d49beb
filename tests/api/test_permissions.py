"""Every route has a permission, and each role may do what it may and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.testclient import TestClient

from ade.api.access import Requires
from ade.api.app import create_app
from ade.database.transaction import Database
from ade.domain.access import Role, Scope
from ade.domain.queue import QueueRules
from ade.operations.workers import WorkerFacts, register_worker
from ade.system import System
from api.conftest import HERE, Place, furnish, make_system, submit
from api.people import Person, add_person

OPEN = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("POST", "/api/v1/session"),
    ("GET", "/api/v1/sign-in"),
    ("GET", "/api/v1/sign-on"),
    ("GET", "/api/v1/sign-on/callback"),
    ("GET", "/assets/{name}"),  # the page itself holds nothing of anyone
    ("GET", "/{path:path}"),
}
ENDLESS = "/stream"
IN_WORKSPACE = {"workspace", "document", "configuration", "run", "build", "plan", "webhook"}


@pytest.fixture
def system(database: Database, tmp_path: Path) -> System:
    return make_system(database, tmp_path, auth_mode="team")


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with TestClient(create_app(system), base_url=HERE, raise_server_exceptions=False) as opened:
        yield opened


def routes_of(client: TestClient) -> list[tuple[str, str, Requires | None]]:
    """Return (method, path, permission) of every route; never an empty list, or the walks would prove nothing."""
    app: FastAPI = client.app  # type: ignore[assignment]
    found = [
        (method, str(one.path), _permission(one.dependant))
        for one in iter_route_contexts(app.routes)
        if isinstance(one.original_route, APIRoute)
        for method in sorted(one.methods or ())
    ]
    assert len(found) > 70
    return found


def _permission(dependant: Dependant) -> Requires | None:
    if isinstance(dependant.call, Requires):
        return dependant.call
    return next((found for inner in dependant.dependencies if (found := _permission(inner))), None)


@pytest.mark.req("S7")
def test_every_route_but_a_few_names_a_permission(client: TestClient) -> None:
    assert {(method, path) for method, path, permission in routes_of(client) if permission is None} == OPEN


class Walk:
    """Calls every route as someone, with ids of things that are there."""

    def __init__(self, client: TestClient, system: System, place: Place) -> None:
        self.client = client
        admin = add_person(system, is_admin=True)
        client.headers.update(admin.headers)
        run = submit(client, place)
        phases = [{"configuration_id": place.configuration_id, "input_document_id": place.document_id}]
        plan = client.post(f"/api/v1/workspaces/{place.workspace_id}/plans", json={"phases": phases}).json()
        hooks = f"/api/v1/workspaces/{place.workspace_id}/webhooks"
        webhook = client.post(hooks, json={"url": "https://example.org/"}).json()
        client.headers.pop("authorization")
        facts = WorkerFacts(name="w", host="h", process_id=1, version="1", slots=1)
        worker_id = system.database.write(lambda tx: register_worker(tx, facts, rules=QueueRules()))
        self.ids = {
            "workspace_id": place.workspace_id,
            "document_id": place.document_id,
            "configuration_id": place.configuration_id,
            "run_id": run["id"],
            "build_id": run["build_id"],
            "plan_id": plan["id"],
            "webhook_id": webhook["id"],
            "delivery_id": admin.id,
            "worker_id": worker_id,
            "user_id": admin.id,
            "key_id": admin.id,
            "pause_id": admin.id,
            "number": "1",
            "path:path": "columns/name.py",
        }

    def call(self, method: str, path: str, person: Person | None) -> int:
        """Return the status of a request without a body."""
        for name, value in self.ids.items():
            path = path.replace("{" + name + "}", value)
        return self.client.request(method, path, headers=person.headers if person else {}).status_code


def _is_about_workspace(permission: Requires) -> bool:
    return permission.of in IN_WORKSPACE


@pytest.mark.req("S7")
def test_without_a_key_everything_is_refused(client: TestClient, system: System, place: Place) -> None:
    walk = Walk(client, system, place)

    for method, path, permission in routes_of(client):
        if permission is not None:
            assert walk.call(method, path, None) == 401, (method, path)


@pytest.mark.req("S7")
def test_what_belongs_to_a_workspace_of_others_is_not_there(client: TestClient, system: System, place: Place) -> None:
    walk = Walk(client, system, place)
    stranger = add_person(system, workspace_id=furnish(system).workspace_id, role=Role.ADMIN)

    for method, path, permission in routes_of(client):
        if permission is not None and _is_about_workspace(permission):
            assert walk.call(method, path, stranger) == 404, (method, path)


@pytest.mark.req("S7")
@pytest.mark.parametrize("role", list(Role))
def test_a_member_may_do_what_the_role_allows_and_no_more(
    client: TestClient, system: System, place: Place, role: Role
) -> None:
    walk = Walk(client, system, place)
    member = add_person(system, workspace_id=place.workspace_id, role=role)

    for method, path, permission in routes_of(client):
        if permission is None or not _is_about_workspace(permission):
            continue
        if permission.role.rank > role.rank:
            assert walk.call(method, path, member) == 403, (method, path)
        elif ENDLESS not in path:
            assert walk.call(method, path, member) not in {401, 403, 500}, (method, path)


@pytest.mark.req("S7")
def test_a_key_may_do_no_more_than_its_scope(client: TestClient, system: System, place: Place) -> None:
    walk = Walk(client, system, place)
    reader = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN, scope=Scope.READ)

    for method, path, permission in routes_of(client):
        if permission is not None and permission.role.rank > Role.VIEWER.rank:
            assert walk.call(method, path, reader) == 403, (method, path)


@pytest.mark.req("S7")
def test_what_concerns_the_deployment_needs_its_administrator(client: TestClient, system: System, place: Place) -> None:
    walk = Walk(client, system, place)
    member = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    admin = add_person(system, is_admin=True)

    for method, path, permission in routes_of(client):
        if permission is not None and permission.of == "deployment":
            is_for_admins = permission.role == Role.ADMIN
            assert (walk.call(method, path, member) == 403) is is_for_admins, (method, path)
            assert walk.call(method, path, admin) not in {401, 403, 500}, (method, path)


@pytest.mark.req("S7")
def test_lists_hold_only_what_the_caller_may_see(client: TestClient, system: System, place: Place) -> None:
    elsewhere = furnish(system)
    admin = add_person(system, is_admin=True)
    client.headers.update(admin.headers)
    own, other = submit(client, place), submit(client, elsewhere)
    client.headers.pop("authorization")
    member = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)

    def seen(path: str, key: str = "id") -> set[str]:
        return {item[key] for item in client.get(f"/api/v1{path}", headers=member.headers).json()["items"]}

    assert seen("/runs") == {own["id"]}
    assert seen("/builds") == {own["build_id"]}
    assert seen("/workspaces") == {place.workspace_id}
    assert seen("/queue", "run_id") == {own["id"]}
    assert seen("/audit", "workspace_id") <= {place.workspace_id}
    assert seen(f"/runs?configuration_id={elsewhere.configuration_id}") == set()
    assert client.get(f"/api/v1/runs/{other['id']}", headers=member.headers).status_code == 404


@pytest.mark.req("S7")
def test_things_of_two_workspaces_cannot_be_mixed(client: TestClient, system: System, place: Place) -> None:
    elsewhere = furnish(system)
    admin = add_person(system, is_admin=True)
    client.headers.update(admin.headers)
    own, other = submit(client, place), submit(client, elsewhere)
    client.headers.pop("authorization")
    member = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    client.headers.update(member.headers)
    base = "/api/v1"

    mixed = [
        client.post(
            f"{base}/configurations/{place.configuration_id}/runs",
            json={"input_document_id": elsewhere.document_id},
        ),
        client.post(
            f"{base}/configurations/{place.configuration_id}/runs/batch",
            json={"input_document_ids": [place.document_id, elsewhere.document_id]},
        ),
        client.post(
            f"{base}/workspaces/{place.workspace_id}/plans",
            json={"phases": [{"configuration_id": elsewhere.configuration_id, "input_document_id": place.document_id}]},
        ),
        client.put(f"{base}/queue/{own['id']}/position", json={"before": other["id"]}),
        client.post(
            f"{base}/queue/pauses", json={"scope": "workspace", "value": elsewhere.workspace_id, "reason": "x"}
        ),
        client.post(f"{base}/api-keys", json={"name": "k", "workspace_id": elsewhere.workspace_id}),
    ]

    assert [answer.status_code for answer in mixed] == [404] * 6

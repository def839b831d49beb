"""Every route has a permission, and each role may do what it may and nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.testclient import TestClient

import calls
from ade.api.access import Requires
from ade.api.app import create_app
from ade.api.changes import make_change
from ade.api.routes.events import _is_visible
from ade.database.schema import builds, runs
from ade.database.transaction import Database
from ade.domain.access import SYSTEM, Caller, Role, Scope
from ade.domain.queue import QueueRules
from ade.ids import new_id
from ade.operations.queue.claiming import Room
from ade.operations.queue.workers import WorkerFacts, register_worker
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
        if permission is not None and permission.of in {"deployment", "metrics"}:
            assert walk.call(method, path, member) == 403, (method, path)
            assert walk.call(method, path, admin) not in {401, 403, 500}, (method, path)


@pytest.mark.req("S7")
def test_someone_without_a_workspace_reads_nothing_of_the_deployment(
    client: TestClient, system: System, place: Place
) -> None:
    walk = Walk(client, system, place)
    nobody = add_person(system)
    elsewhere: dict[str, object] = {}

    for method, path, permission in routes_of(client):
        if method != "GET" or permission is None or "{" in path or path == "/api/v1/events":
            continue
        answer = client.get(path, headers=nobody.headers)
        if answer.status_code != 403:
            elsewhere[path] = answer.json().get("items", answer.json())

    assert elsewhere.pop("/api/v1/session")["memberships"] == []  # type: ignore[index]
    assert [one["email"] for one in elsewhere.pop("/api/v1/api-keys")] == [nobody.email]  # type: ignore[attr-defined]
    assert elsewhere == {"/api/v1/workspaces": [], "/api/v1/runs": [], "/api/v1/builds": [], "/api/v1/audit": []}
    for path in ("/metrics", "/api/v1/workers", "/api/v1/queue", "/api/v1/queue/analytics", "/api/v1/queue/estimate"):
        assert walk.call("GET", path, nobody) == 403


@pytest.mark.req("S7")
def test_what_changes_in_the_queue_is_not_told_to_someone_without_a_workspace() -> None:
    facts = {"workspace_id": None, "type": "worker.drain", "subject_kind": "worker", "subject_id": "w", "at": "now"}
    change = make_change(1, "1", **facts)

    def seen_by(caller: Caller) -> bool:
        return _is_visible(caller, change)

    assert not seen_by(Caller(actor=SYSTEM))
    assert seen_by(Caller(actor=SYSTEM, roles={"one": Role.VIEWER}))
    assert seen_by(Caller(actor=SYSTEM, is_admin=True))


@pytest.mark.req("S7")
def test_workers_are_for_operators_who_see_their_own_runs_on_them(
    client: TestClient, system: System, place: Place
) -> None:
    viewer, operator = (
        add_person(system, workspace_id=place.workspace_id, role=r) for r in (Role.VIEWER, Role.OPERATOR)
    )
    stranger = add_person(system, workspace_id=furnish(system).workspace_id, role=Role.OPERATOR)
    admin = add_person(system, is_admin=True)
    client.headers.update(admin.headers)
    run_id = run_on_a_worker(client, system, place)
    client.headers.pop("authorization")

    def executed(person: Person) -> list[str]:
        listed = client.get("/api/v1/workers", headers=person.headers).json()["items"]
        return [one for worker in listed for one in worker["running"]]

    assert client.get("/api/v1/workers", headers=viewer.headers).status_code == 403
    assert (executed(operator), executed(stranger), executed(admin)) == ([run_id], [], [run_id])


def run_on_a_worker(client: TestClient, system: System, place: Place) -> str:
    """Submit a run and claim it for a worker; return its id."""
    facts = WorkerFacts(name="w", host="h", process_id=1, version="1", slots=1)
    worker_id = system.database.write(lambda tx: register_worker(tx, facts, rules=QueueRules()))
    run = submit(client, place)
    values = {"status": "ready", "finished_at": None}
    system.database.write(lambda tx: tx.execute(sa.update(builds).values(**values)))
    system.database.write(lambda tx: tx.execute(sa.update(runs).values(block_mask=0)))
    [claim] = system.database.write(lambda tx: calls.claim(tx, worker_id, rules=QueueRules(), room=Room(slots=1)))
    assert claim.id == run["id"]
    return claim.id


@pytest.mark.req("S7")
def test_a_pause_of_another_workspace_is_neither_seen_nor_lifted(
    client: TestClient, system: System, place: Place
) -> None:
    member = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    stranger = add_person(system, workspace_id=furnish(system).workspace_id, role=Role.ADMIN)
    order = {"scope": "workspace", "value": place.workspace_id, "reason": "Secret merger"}
    pause_id = client.post("/api/v1/queue/pauses", json=order, headers=member.headers).json()["id"]

    def pauses(person: Person) -> list[str]:
        return [one["id"] for one in client.get("/api/v1/queue", headers=person.headers).json()["pauses"]]

    refused = client.delete(f"/api/v1/queue/pauses/{pause_id}", headers=stranger.headers)
    unknown = client.delete(f"/api/v1/queue/pauses/{place.document_id}", headers=stranger.headers)
    assert (pauses(member), pauses(stranger)) == ([pause_id], [])
    assert (refused.status_code, unknown.status_code) == (404, 404)
    assert refused.json()["detail"].replace(pause_id, "") == unknown.json()["detail"].replace(place.document_id, "")


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


@pytest.mark.req("S7")
def test_an_id_of_another_workspace_is_answered_as_one_that_was_never_given(
    client: TestClient, system: System, place: Place
) -> None:
    elsewhere = furnish(system)
    admin = add_person(system, is_admin=True)
    client.headers.update(admin.headers)
    own, other = submit(client, place), submit(client, elsewhere)
    phases = [{"configuration_id": elsewhere.configuration_id, "input_document_id": elsewhere.document_id}]
    other_plan = client.post(f"/api/v1/workspaces/{elsewhere.workspace_id}/plans", json={"phases": phases}).json()["id"]
    draft_alone = f"/api/v1/workspaces/{elsewhere.workspace_id}/configurations"
    unpublished = client.post(draft_alone, json={"name": "Draft", "template": "example"}).json()["id"]
    member = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    client.headers.update(member.headers)
    version = client.get(f"/api/v1/workspaces/{place.workspace_id}").headers["etag"]
    drafts = f"/api/v1/workspaces/{place.workspace_id}/configurations"
    draft = client.post(drafts, json={"name": "Draft", "template": "example"}).json()["id"]
    configuration, workspace = f"/configurations/{place.configuration_id}", f"/workspaces/{place.workspace_id}"
    phase = {"configuration_id": place.configuration_id, "input_document_id": place.document_id}

    def body(method: str, path: str, foreign: str, make: Callable[[str], dict[str, Any]]) -> None:
        told = []
        for one in (foreign, new_id()):
            answer = client.request(method, f"/api/v1{path}", json=make(one), headers={"If-Match": version})
            told.append((answer.status_code, answer.json()["code"], answer.json()["detail"].replace(one, "ID")))
        assert told[0] == told[1], (method, path)
        assert told[0][0] == 404, told

    document, rules = elsewhere.document_id, elsewhere.configuration_id
    body("POST", f"{workspace}/configurations", document, lambda one: {"name": "New", "from_document_id": one})
    body("POST", f"{configuration}/runs", document, lambda one: {"input_document_id": one})
    body("POST", f"{configuration}/runs/batch", document, lambda one: {"input_document_ids": [one]})
    body("POST", f"/configurations/{draft}/test-run", document, lambda one: {"input_document_id": one})
    body("POST", f"{workspace}/plans", document, lambda one: {"phases": [{**phase, "input_document_id": one}]})
    for known in (rules, unpublished):
        body("POST", f"{workspace}/plans", known, lambda one: {"phases": [{**phase, "configuration_id": one}]})
        body("PATCH", workspace, known, lambda one: {"preferences": {"run_on_upload": {"configuration_id": one}}})
    body("PUT", f"/queue/{own['id']}/position", other["id"], lambda one: {"before": one})
    body("PUT", f"/queue/{own['id']}/position", other["id"], lambda one: {"after": one})
    reason = {"reason": "x"}
    body("POST", "/queue/pauses", elsewhere.workspace_id, lambda one: {"scope": "workspace", "value": one, **reason})
    body("POST", "/queue/pauses", other_plan, lambda one: {"scope": "plan", "value": one, **reason})
    body("POST", "/api-keys", elsewhere.workspace_id, lambda one: {"name": "k", "workspace_id": one})


@pytest.mark.req("S7")
def test_an_address_of_another_workspace_is_answered_as_one_that_was_never_given(
    client: TestClient, system: System, place: Place
) -> None:
    walk = Walk(client, system, place)
    stranger = add_person(system, workspace_id=furnish(system).workspace_id, role=Role.ADMIN)

    for method, path, permission in routes_of(client):
        if permission is None or not _is_about_workspace(permission):
            continue
        told = []
        for one in (walk.ids[f"{permission.of}_id"], new_id()):
            address = path.replace("{" + f"{permission.of}_id" + "}", one)
            for name, value in walk.ids.items():
                address = address.replace("{" + name + "}", value)
            answer = client.request(method, address, headers=stranger.headers).json()
            told.append((answer["status"], answer["code"], answer["detail"].replace(one, "ID")))
        assert told[0] == told[1], (method, path)

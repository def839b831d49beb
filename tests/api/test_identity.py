"""Signing in, sessions, keys: what holds, what is refused, what is remembered."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import argon2
import pytest
import sqlalchemy as sa
from argon2.exceptions import VerifyMismatchError
from fastapi.testclient import TestClient

from ade.api.admission import SESSION_COOKIE
from ade.api.app import create_app
from ade.database.access import people
from ade.database.schema import api_keys, sessions, users
from ade.database.transaction import Database
from ade.domain.access import Role, Scope
from ade.ids import new_id
from ade.operations.access import people as accounts
from ade.operations.access.password_checks import HASH_OF_NOBODY, hash_password
from ade.system import System
from api.conftest import HERE, Place, furnish, make_system
from api.people import PASSWORD, Person, add_person, sign_in
from repeatable import FakeClock

pytestmark = pytest.mark.req("S7")


@pytest.fixture
def system(database_url: str, tmp_path: Path, clock: FakeClock) -> Iterator[System]:
    database = Database(database_url, clock=clock)
    yield make_system(database, tmp_path, auth_mode="team", session_hours=8)
    database.close()


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with TestClient(create_app(system), base_url=HERE, raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture
def place(system: System) -> Place:
    return furnish(system)


def test_signing_in_opens_a_session_that_reads_and_with_its_token_changes(
    client: TestClient, system: System, place: Place
) -> None:
    person = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    session = sign_in(client, person.email.upper())
    document = f"/api/v1/documents/{place.document_id}"

    read = client.get(document)
    without_token = client.patch(document, json={"name": "x.csv"})
    wrong_token = client.patch(document, json={"name": "x.csv"}, headers={"X-CSRF-Token": "0" * 64})
    token = session.json()["csrf_token"]
    changed = client.patch(document, json={"name": "x.csv"}, headers={"X-CSRF-Token": token})

    assert session.status_code == 200
    cookie = session.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert (read.status_code, without_token.status_code, wrong_token.status_code) == (200, 403, 403)
    assert changed.status_code == 200
    assert client.get("/api/v1/session").json()["memberships"] == [
        {"workspace_id": place.workspace_id, "role": "admin"}
    ]


def test_a_session_in_use_tells_when_it_was_seen_last(client: TestClient, system: System, clock: FakeClock) -> None:
    sign_in(client, add_person(system).email)
    clock.advance(timedelta(minutes=6))
    client.get("/api/v1/session")

    seen = system.database.read(lambda tx: tx.execute(sa.select(sessions.c.last_seen_at)).scalar_one())
    assert seen == clock.now()


@pytest.mark.slow
def test_a_wrong_password_and_an_unknown_address_are_answered_alike(client: TestClient, system: System) -> None:
    person = add_person(system)

    wrong, unknown = sign_in(client, person.email, "not the password"), sign_in(client, "nobody@example.org")

    assert (wrong.status_code, unknown.status_code) == (401, 401)
    assert wrong.json()["detail"] == unknown.json()["detail"]
    assert "not the password" not in wrong.text


def test_an_unknown_address_is_checked_with_as_much_work_as_a_wrong_password() -> None:
    assert argon2.extract_parameters(HASH_OF_NOBODY) == argon2.extract_parameters(hash_password(PASSWORD))
    with pytest.raises(VerifyMismatchError):  # and not InvalidHashError, which takes no time
        argon2.PasswordHasher().verify(HASH_OF_NOBODY, PASSWORD)


def test_after_ten_failures_an_account_must_wait_even_with_the_right_password(
    client: TestClient, system: System, clock: FakeClock
) -> None:
    person, other = add_person(system), add_person(system)
    for _ in range(10):
        sign_in(client, person.email, "guess guess guess")

    refused = sign_in(client, person.email)
    unharmed = sign_in(client, other.email)
    clock.advance(timedelta(minutes=16))
    later = sign_in(client, person.email)

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_tries")
    assert "retry-after" in refused.headers
    assert (unharmed.status_code, later.status_code) == (200, 200)


def test_a_session_ends_by_signing_out_by_time_and_by_a_new_password(
    client: TestClient, system: System, clock: FakeClock
) -> None:
    person, admin = add_person(system), add_person(system, is_admin=True)

    def signed_in() -> dict[str, str]:
        return {"X-CSRF-Token": sign_in(client, person.email).json()["csrf_token"]}

    assert client.delete("/api/v1/session", headers=signed_in()).status_code == 204
    assert client.get("/api/v1/session").status_code == 401
    signed_in()
    clock.advance(timedelta(hours=9))
    assert client.get("/api/v1/session").status_code == 401
    signed_in()
    order = {"password": "another long password"}
    assert client.patch(f"/api/v1/users/{person.id}", json=order, headers=admin.headers).status_code == 200
    assert client.get("/api/v1/session").status_code == 401
    assert sign_in(client, person.email).status_code == 401
    assert sign_in(client, person.email, "another long password").status_code == 200


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "0" * 43, "%00", "é"])
def test_a_forged_cookie_opens_nothing(client: TestClient, system: System, place: Place, cookie: str) -> None:
    answer = client.get("/api/v1/session", headers={b"Cookie": f"{SESSION_COOKIE}={cookie}".encode()})

    assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in")


def test_neither_passwords_nor_tokens_nor_keys_are_kept_as_they_are(client: TestClient, system: System) -> None:
    person = add_person(system)
    sign_in(client, person.email)
    token = client.cookies[SESSION_COOKIE]

    stored = system.database.read(
        lambda tx: [str(row) for table in (users, sessions, api_keys) for row in tx.execute(sa.select(table))]
    )

    assert not any(secret in row for row in stored for secret in (PASSWORD, token, person.key))
    assert any("$argon2id$" in row for row in stored)


@pytest.mark.parametrize("key", ["ade_", "ade_00000000nothing", "x", "ade_" + "é" * 20, ""])
def test_a_made_up_key_opens_nothing(client: TestClient, system: System, key: str) -> None:
    add_person(system)
    answer = client.get("/api/v1/runs", headers={b"Authorization": f"Bearer {key}".encode()})

    assert answer.status_code == 401


def test_a_key_with_the_right_prefix_and_a_wrong_secret_opens_nothing(client: TestClient, system: System) -> None:
    person = add_person(system)
    answer = client.get("/api/v1/runs", headers={"Authorization": f"Bearer {person.key[:-4]}0000"})

    assert answer.status_code == 401


def test_a_key_is_shown_once_expires_and_can_be_revoked(
    client: TestClient, system: System, place: Place, clock: FakeClock
) -> None:
    person = add_person(system, workspace_id=place.workspace_id, role=Role.OPERATOR)
    expires_at = (clock.now() + timedelta(days=1)).isoformat()
    order = {"name": "nightly", "scopes": ["run"], "expires_at": expires_at, "workspace_id": place.workspace_id}

    made = client.post("/api/v1/api-keys", json=order, headers=person.headers).json()
    headers = {"Authorization": f"Bearer {made['key']}"}
    listed = client.get("/api/v1/api-keys", headers=person.headers)

    assert made["key"] not in listed.text
    assert client.get(f"/api/v1/documents/{place.document_id}", headers=headers).status_code == 200
    clock.advance(timedelta(days=2))
    assert client.get(f"/api/v1/documents/{place.document_id}", headers=headers).status_code == 401
    other = client.post("/api/v1/api-keys", json={"name": "two"}, headers=person.headers).json()
    assert client.delete(f"/api/v1/api-keys/{other['id']}", headers=person.headers).status_code == 204
    assert client.get("/api/v1/runs", headers={"Authorization": f"Bearer {other['key']}"}).status_code == 401


def test_a_key_that_ends_beyond_the_calendar_is_refused(client: TestClient, system: System, place: Place) -> None:
    """In the world's time that is the year 10000, and a list of the keys could not show it."""
    person = add_person(system, workspace_id=place.workspace_id, role=Role.OPERATOR)
    order = {"name": "for ever", "expires_at": "9999-12-31T20:00:00-12:00"}

    assert client.post("/api/v1/api-keys", json=order, headers=person.headers).status_code == 422
    assert client.get("/api/v1/api-keys", headers=person.headers).status_code == 200


def test_a_person_has_a_limited_number_of_keys_in_force(
    client: TestClient, system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "MOST_KEYS", 3)
    monkeypatch.setattr(accounts, "MOST_ENDED_KEYS", 1)
    person = add_person(system, workspace_id=place.workspace_id, role=Role.VIEWER)
    other = add_person(system, workspace_id=place.workspace_id, role=Role.VIEWER)

    def make(owner: Person) -> Any:
        return client.post("/api/v1/api-keys", json={"name": "x"}, headers=owner.headers)

    made = [make(person) for _ in range(3)]
    assert [one.status_code for one in made] == [201, 201, 409]
    assert "Revoke" in made[2].json()["detail"]
    assert make(other).status_code == 201

    for one in made[:2]:
        assert client.delete(f"/api/v1/api-keys/{one.json()['id']}", headers=person.headers).status_code == 204
    assert make(person).status_code == 201
    listed = client.get("/api/v1/api-keys", headers=person.headers).json()["items"]
    assert [one["revoked_at"] is None for one in listed] == [True, False, True]


def test_a_key_cannot_make_a_stronger_one(client: TestClient, system: System, place: Place) -> None:
    person = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN, scope=Scope.RUN)

    stronger = client.post("/api/v1/api-keys", json={"name": "x", "scopes": ["admin"]}, headers=person.headers)
    equal = client.post("/api/v1/api-keys", json={"name": "x", "scopes": ["run"]}, headers=person.headers)

    assert (stronger.status_code, equal.status_code) == (403, 201)


def test_a_key_cannot_make_one_for_other_workspaces_or_for_longer(
    client: TestClient, system: System, place: Place, clock: FakeClock
) -> None:
    person = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    soon, later = ((clock.now() + timedelta(days=days)).isoformat() for days in (1, 2))
    order = {"name": "k", "scopes": ["run"], "workspace_id": place.workspace_id, "expires_at": soon}
    made = client.post("/api/v1/api-keys", json=order, headers=person.headers).json()
    headers = {"Authorization": f"Bearer {made['key']}"}

    def asked(**changes: object) -> int:
        return client.post("/api/v1/api-keys", json={**order, **changes}, headers=headers).status_code

    assert [asked(workspace_id=None), asked(expires_at=None), asked(expires_at=later), asked()] == [403, 403, 403, 201]


def test_a_key_of_one_workspace_sees_and_ends_no_other_keys(client: TestClient, system: System, place: Place) -> None:
    person = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    order = {"name": "k", "scopes": ["run"], "workspace_id": place.workspace_id}
    made = client.post("/api/v1/api-keys", json=order, headers=person.headers).json()
    strong = client.post("/api/v1/api-keys", json={**order, "scopes": ["admin"]}, headers=person.headers).json()
    headers = {"Authorization": f"Bearer {made['key']}"}
    everything = [one["id"] for one in client.get("/api/v1/api-keys", headers=person.headers).json()["items"]]

    seen = [one["id"] for one in client.get("/api/v1/api-keys", headers=headers).json()["items"]]
    unbound = next(one for one in everything if one not in seen)

    assert sorted(seen) == sorted([made["id"], strong["id"]])
    assert client.delete(f"/api/v1/api-keys/{unbound}", headers=headers).status_code == 404
    assert client.delete(f"/api/v1/api-keys/{strong['id']}", headers=headers).status_code == 403


def test_a_disabled_account_is_out_at_once_and_the_last_administrator_stays(client: TestClient, system: System) -> None:
    admin, other = add_person(system, is_admin=True), add_person(system)
    address = f"/api/v1/users/{other.id}"

    assert client.patch(address, json={"is_disabled": True}, headers=admin.headers).json()["disabled_at"] is not None
    assert client.get("/api/v1/runs", headers=other.headers).status_code == 401
    assert sign_in(client, other.email).status_code == 401
    for change in ({"is_admin": False}, {"is_disabled": True}):
        last = client.patch(f"/api/v1/users/{admin.id}", json=change, headers=admin.headers)
        assert last.status_code == 409


def test_users_and_members_are_added_changed_and_audited(client: TestClient, system: System, place: Place) -> None:
    admin = add_person(system, is_admin=True)
    client.headers.update(admin.headers)
    order = {"email": "Grace@Example.org", "name": "Grace", "password": "a long enough password"}

    made = client.post("/api/v1/users", json=order)
    twice = client.post("/api/v1/users", json={**order, "email": "grace@example.ORG"})
    short = client.post("/api/v1/users", json={**order, "email": "b@example.org", "password": "short"})
    member = f"/api/v1/workspaces/{place.workspace_id}/members/{made.json()['id']}"
    joined = client.put(member, json={"role": "author"})
    listed = client.get(f"/api/v1/workspaces/{place.workspace_id}/members").json()["items"]

    assert (made.status_code, twice.status_code, short.status_code) == (201, 409, 422)
    assert "a long enough password" not in short.text
    assert (joined.json()["role"], [one["role"] for one in listed]) == ("author", ["author"])
    assert client.delete(member).status_code == 204
    assert client.delete(member).status_code == 404
    actions = [row["action"] for row in client.get("/api/v1/audit").json()["items"]]
    assert actions[:3] == ["member.remove", "member.set", "user.create"]


def test_addresses_of_accounts_are_not_found_by_guessing(
    client: TestClient, system: System, place: Place, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "MOST_UNKNOWN_ADDRESSES", 2)
    curious, honest = (add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN) for _ in range(2))

    def add(person: Person, email: str) -> int:
        order = {"email": email, "role": "viewer"}
        path = f"/api/v1/workspaces/{place.workspace_id}/members"
        return client.post(path, json=order, headers=person.headers).status_code

    assert [add(curious, f"{number}@example.org") for number in range(2)] == [404, 404]
    there = add_person(system).email
    assert [add(curious, "2@example.org"), add(curious, there)] == [429, 429]
    assert add(honest, there) == 201
    clock.advance(timedelta(minutes=16))
    assert add(curious, add_person(system).email) == 201


@pytest.mark.req("S1")
def test_an_administrator_of_one_workspace_adds_people_by_their_whole_address(
    client: TestClient, system: System, place: Place
) -> None:
    chief = add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)
    author = add_person(system, workspace_id=place.workspace_id, role=Role.AUTHOR)
    other, disabled = add_person(system), add_person(system)
    system.database.write(lambda tx: people.update_user(tx, disabled.id, disabled_at=tx.now))
    members = f"/api/v1/workspaces/{place.workspace_id}/members"

    def added(email: str, by: Person = chief, to: str = members) -> int:
        return client.post(to, json={"email": email, "role": "operator"}, headers=by.headers).status_code

    assert added(other.email, by=author) == 403
    assert added(other.email, to=f"/api/v1/workspaces/{new_id()}/members") == 404
    assert added(other.email.upper()) == 201
    assert added(other.email) == 409
    assert added(other.email[1:]) == 404
    assert added(disabled.email) == 404
    assert client.get("/api/v1/users", headers=chief.headers).status_code == 403
    listed = client.get(members, headers=chief.headers).json()["items"]
    assert [one["role"] for one in listed if one["user_id"] == other.id] == ["operator"]
    assert disabled.id not in {one["user_id"] for one in listed}


def test_in_local_mode_there_is_no_login_and_no_key(database: Database, tmp_path: Path) -> None:
    local = make_system(database, tmp_path)
    with TestClient(create_app(local), base_url=HERE) as client:
        session = client.get("/api/v1/session").json()
        login = sign_in(client, "a@example.org")
        key = client.post("/api/v1/api-keys", json={"name": "x"})

    assert (session["mode"], session["is_admin"]) == ("local", True)
    assert (login.status_code, key.status_code) == (409, 409)

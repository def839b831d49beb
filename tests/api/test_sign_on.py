"""Signing in at a real OpenID provider: who gets in, who does not, and what they may do then."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from fastapi.testclient import TestClient
from joserfc.jwk import RSAKey

from ade.api.admission import SESSION_COOKIE
from ade.api.app import create_app
from ade.api.routes.sign_on import COOKIE
from ade.database.transaction import Database
from ade.ids import new_id
from ade.operations.access.password_checks import MOST_FROM_SITE
from ade.settings import load_settings
from ade.system import System
from api.conftest import HERE, furnish, make_system
from api.people import add_person, sign_in
from api.provider import CLIENT_ID, CLIENT_SECRET, Provider, provider
from postgres import wait_until
from repeatable import FakeClock

pytestmark = pytest.mark.req("S7")
START = "/api/v1/sign-on"


@pytest.fixture
def openid(clock: FakeClock) -> Iterator[Provider]:
    with provider() as running:
        running.now = clock.now()
        yield running


@pytest.fixture
def system(database_url: str, tmp_path: Path, clock: FakeClock, openid: Provider) -> Iterator[System]:
    database = Database(database_url, clock=clock)
    settings = load_settings(
        data_dir=tmp_path,
        auth_mode="team",
        oidc_issuer=openid.issuer,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret=CLIENT_SECRET,
        oidc_group_roles="chiefs=admin, staff=sales:operator, authors=sales:author",
    )
    made = make_system(database, tmp_path)
    yield System(settings=settings, clock=clock, new_id=new_id, database=database, files=made.files)
    database.close()


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with open_browser(system) as opened:
        yield opened


def open_browser(system: System) -> TestClient:
    return TestClient(create_app(system), base_url=HERE, raise_server_exceptions=False, follow_redirects=False)


def go(client: TestClient, return_to: str = "/") -> Any:
    """Do what a browser does: go to the provider, and come back."""
    left = client.get(START, params={"return_to": return_to})
    assert left.status_code == 303, left.text
    back = httpx2.get(left.headers["location"], follow_redirects=False).headers["location"]
    return client.get(back.removeprefix(HERE))


def test_who_the_provider_knows_is_signed_in_with_an_account_of_their_own(client: TestClient) -> None:
    answer = go(client, "/runs?status=failed")
    session = client.get("/api/v1/session").json()
    go(client)

    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?status=failed")
    kept = next(one.lower() for one in answer.headers.get_list("set-cookie") if one.startswith(SESSION_COOKIE))
    assert "httponly" in kept
    assert "samesite=lax" in kept
    assert (session["email"], session["name"], session["is_admin"]) == ("grace@example.org", "Grace", False)
    assert client.get("/api/v1/session").json()["user_id"] == session["user_id"]
    assert client.get("/api/v1/sign-in").json()["sign_on_url"] == START


def test_the_provider_is_asked_with_pkce_state_and_nonce_and_never_told_the_verifier(client: TestClient) -> None:
    query = parse_qs(urlsplit(client.get(START).headers["location"]).query)

    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [f"{HERE}{START}/callback"]
    assert {"state", "nonce", "code_challenge"} <= set(query)
    assert "code_verifier" not in query


LIES: dict[str, dict[str, Any]] = {
    "the nonce of another sign-in": {"lies": {"nonce": "other"}},
    "no nonce": {"lies": {"nonce": None}},
    "another audience": {"lies": {"aud": "other"}},
    "several audiences and none that acts": {"lies": {"aud": [CLIENT_ID, "other"]}},
    "another acting party": {"lies": {"azp": "other"}},
    "another issuer": {"lies": {"iss": "https://evil.example"}},
    "a token that expired": {"lies": {"exp": 1}},
    "a token of the future": {"lies": {"iat": 99_999_999_999}},
    "no subject": {"person": {"email": "grace@example.org"}},
    "no address": {"person": {"sub": "42"}},
    "no signature": {"algorithm": "none"},
    "the public key as a secret": {"algorithm": "HS256"},
}


@pytest.mark.parametrize("lie", list(LIES))
def test_nobody_gets_in_with(client: TestClient, openid: Provider, lie: str) -> None:
    for name, value in LIES[lie].items():
        setattr(openid, name, value)

    answer = go(client)

    assert answer.status_code in {401, 403}, answer.text
    assert client.get("/api/v1/session").status_code == 401


def test_nobody_gets_in_with_a_token_somebody_else_signed(client: TestClient, openid: Provider) -> None:
    openid.signs_with = RSAKey.generate_key(2048, {"kid": openid.keys[0].kid or ""})

    assert go(client).status_code == 401


def test_a_new_key_of_the_provider_is_fetched_but_not_for_every_made_up_one(
    client: TestClient, openid: Provider, clock: FakeClock
) -> None:
    assert go(client).status_code == 303
    clock.advance(timedelta(minutes=2))
    openid.now = clock.now()
    openid.rotate()
    assert go(client).status_code == 303
    openid.signs_with = RSAKey.generate_key(2048, {"kid": "made-up"})
    assert [go(client).status_code for _ in range(3)] == [401, 401, 401]
    assert openid.asked.count("/keys") == 2


def test_the_way_back_is_taken_once_by_the_browser_that_left_and_in_time(
    client: TestClient, system: System, clock: FakeClock
) -> None:
    def back() -> str:
        left = client.get(START).headers["location"]
        return httpx2.get(left, follow_redirects=False).headers["location"].removeprefix(HERE)

    with open_browser(system) as other:
        assert other.get(back()).status_code == 401  # what somebody else began
    forged = back().partition("state=")[0] + "state=guess"
    assert client.get(forged).status_code == 401
    late = back()
    clock.advance(timedelta(minutes=11))
    assert client.get(late).status_code == 401
    clock.advance(timedelta(minutes=-11))
    cookie = client.cookies.get(COOKIE)
    once = back()
    cookie = client.cookies.get(COOKIE)
    assert client.get(once).status_code == 303
    client.cookies.set(COOKIE, cookie or "", path=START)
    assert client.get(once).status_code == 401
    assert client.get(f"{START}/callback?error=access_denied&state=x").status_code == 401


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "/\r\nX: y"]
)
def test_signing_in_leads_nowhere_else(client: TestClient, target: str) -> None:
    assert go(client, target).headers["location"] == "/"


def test_a_cookie_from_before_is_not_the_session_afterwards(client: TestClient) -> None:
    client.cookies.set(SESSION_COOKIE, "chosen-by-someone-else")
    answer = go(client)

    assert SESSION_COOKIE in " ".join(answer.headers.get_list("set-cookie"))
    assert "chosen-by-someone-else" not in " ".join(answer.headers.get_list("set-cookie"))


def test_an_account_of_the_same_address_is_linked_only_when_the_provider_checked_it(
    client: TestClient, system: System, openid: Provider
) -> None:
    person = add_person(system)
    openid.person = {"sub": "7", "email": person.email.upper(), "name": "Someone"}

    unchecked = go(client)
    openid.person["email_verified"] = True
    checked = go(client)
    session = client.get("/api/v1/session").json()

    assert (unchecked.status_code, checked.status_code) == (403, 303)
    assert session["user_id"] == person.id
    assert sign_in(client, person.email).status_code == 200  # the password still holds


@pytest.mark.parametrize(
    ("account", "claimed"),
    [
        ("root@example.org", "root\u200b@example.org"),
        ("boss@strasse.example", "boss@stra\u00dfe.example"),
        ("kim@example.org", "\u212aim@example.org"),
        ("fiona@example.org", "\ufb01ona@example.org"),
    ],
)
def test_an_address_that_only_compares_like_that_of_an_account_opens_it_to_nobody(
    client: TestClient, system: System, openid: Provider, account: str, claimed: str
) -> None:
    before = add_person(system, email=account, is_admin=True)
    openid.person = {"sub": "7", "email": claimed, "email_verified": True, "name": "Someone"}

    go(client)
    session = client.get("/api/v1/session").json()

    assert session.get("user_id") != before.id
    assert not session.get("is_admin")


def test_an_address_that_compares_like_one_that_is_invited_later_gets_nothing_of_it(
    client: TestClient, system: System, openid: Provider
) -> None:
    admin, place = add_person(system, is_admin=True), furnish(system)
    openid.person = {"sub": "7", "email": "ma\u00df@example.org", "email_verified": True, "name": "Someone"}
    go(client)
    add_person(system, email="mass@example.org")
    members = f"/api/v1/workspaces/{place.workspace_id}/members"
    added = client.post(members, json={"email": "mass@example.org", "role": "admin"}, headers=admin.headers)

    assert added.status_code == 201, added.text
    assert client.get("/api/v1/session").json()["memberships"] == []


def test_people_who_sign_in_while_the_provider_is_slow_leave_threads_to_others(
    client: TestClient, system: System, openid: Provider
) -> None:
    person = add_person(system)
    openid.is_quick.clear()
    ways = [client.get(START) for _ in range(MOST_FROM_SITE + 1)]
    backs = [httpx2.get(left.headers["location"], follow_redirects=False).headers["location"] for left in ways]

    def come_back(left: Any, back: str) -> int:
        browser = TestClient(client.app, base_url=HERE, follow_redirects=False, cookies={COOKIE: left.cookies[COOKIE]})
        return browser.get(back.removeprefix(HERE)).status_code

    with ThreadPoolExecutor() as threads:
        waiting = [threads.submit(come_back, *pair) for pair in zip(ways[:-1], backs[:-1], strict=True)]
        wait_until(lambda: openid.asked.count("/token") == MOST_FROM_SITE, what="the provider asked by all places")
        refused = come_back(ways[-1], backs[-1])
        other = client.get("/api/v1/workspaces", headers=person.headers).status_code
        openid.is_quick.set()
        signed_in = [one.result() for one in waiting]

    assert (refused, other, signed_in) == (429, 200, [303] * MOST_FROM_SITE)
    assert go(client).status_code == 303


ODD = [
    b"[" * 100_000,
    b"[]",
    b'{"keys":5}',
    b'{"keys":null}',
    b'{"keys":[1]}',
    b"{}",
    b'{"keys":[{"kty":"RSA"}]}',
    b"\xff",
]


@pytest.mark.parametrize("answer", ODD, ids=lambda answer: answer[:24])
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/keys"])
def test_odd_answers_of_a_provider_are_its_faults(
    client: TestClient, openid: Provider, path: str, answer: bytes
) -> None:
    openid.odd[path] = answer
    if path == "/keys":
        assert go(client).status_code == 503
    else:
        assert client.get(START).json()["code"] == "provider_unreachable"


def test_an_endpoint_that_is_no_address_is_not_used(client: TestClient, openid: Provider) -> None:
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    description = {"issuer": openid.issuer, **dict.fromkeys(names, "\ud800javascript:")}
    openid.odd["/.well-known/openid-configuration"] = json.dumps(description).encode()

    assert client.get(START).status_code == 503


def test_a_provider_that_did_not_answer_is_left_alone_for_a_moment(client: TestClient, openid: Provider) -> None:
    path = "/.well-known/openid-configuration"
    openid.odd[path] = b"[]"

    assert [client.get(START).status_code for _ in range(3)] == [503, 503, 503]
    assert openid.asked.count(path) == 1


def test_a_disabled_account_does_not_get_in(client: TestClient, system: System) -> None:
    admin = add_person(system, is_admin=True)
    go(client)
    user_id = client.get("/api/v1/session").json()["user_id"]
    client.patch(f"/api/v1/users/{user_id}", json={"is_disabled": True}, headers=admin.headers)

    assert go(client).status_code == 403


def test_groups_give_roles_and_take_them(client: TestClient, system: System, openid: Provider) -> None:
    admin, place = add_person(system, is_admin=True), furnish(system)
    made = client.post("/api/v1/workspaces", json={"name": "Sales"}, headers=admin.headers).json()

    def roles(*groups: str) -> tuple[bool, dict[str, str]]:
        openid.person["groups"] = list(groups)
        assert go(client).status_code == 303
        session = client.get("/api/v1/session").json()
        return session["is_admin"], {one["workspace_id"]: one["role"] for one in session["memberships"]}

    assert roles("staff", "authors", "others") == (False, {made["id"]: "author"})
    user_id = client.get("/api/v1/session").json()["user_id"]
    by_hand = f"/api/v1/workspaces/{place.workspace_id}/members/{user_id}"
    client.put(by_hand, json={"role": "viewer"}, headers=admin.headers)
    assert roles("staff", "chiefs") == (True, {made["id"]: "operator", place.workspace_id: "viewer"})
    assert roles() == (False, {place.workspace_id: "viewer"})  # what was given by hand stays


def test_a_provider_that_is_away_is_told_in_words(database: Database, tmp_path: Path) -> None:
    away = make_system(database, tmp_path, auth_mode="team", oidc_issuer="http://127.0.0.1:1", oidc_client_id=CLIENT_ID)
    with open_browser(away) as client:
        answer = client.get(START)

    assert (answer.status_code, answer.json()["code"]) == (503, "provider_unreachable")


def test_without_a_provider_there_is_none_to_go_to(database: Database, tmp_path: Path) -> None:
    with open_browser(make_system(database, tmp_path, auth_mode="team")) as client:
        assert client.get(START).status_code == 404
        assert client.get("/api/v1/sign-in").json()["sign_on_url"] is None


def test_roles_by_group_must_make_sense(tmp_path: Path) -> None:
    from ade.errors import InvalidSettings

    with pytest.raises(InvalidSettings, match="ADE_OIDC_GROUP_ROLES"):
        load_settings(data_dir=tmp_path, oidc_group_roles="staff=operator")

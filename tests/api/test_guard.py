"""What stands before every request: names, origins, sizes, headers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.datastructures import Headers

from ade.api.app import create_app
from ade.api.guard import is_form_of_documents
from ade.api.start import is_loopback, require_safe_address
from ade.database.transaction import Database
from ade.errors import InvalidSettings
from ade.settings import load_settings
from ade.system import System
from api.conftest import HERE, Place, furnish, make_system

pytestmark = pytest.mark.req("S7")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9", "localhost", "[::1]:8000", "LOCALHOST:8000"])
def test_local_mode_answers_to_this_machines_names(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/workspaces", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_answered_by_address(client: TestClient, path: str) -> None:
    assert client.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "192.168.1.5:8000", "", "[", "a b", "evil@localhost", "localhost#evil",
     "localhost/evil", "localhost?evil"],
)  # fmt: skip
def test_local_mode_answers_to_no_other_name(client: TestClient, host: str) -> None:
    answer = client.get("/api/v1/workspaces", headers={"Host": host})

    assert (answer.status_code, answer.json()["code"]) == (421, "wrong_host")


def test_further_names_can_be_allowed(database: Database, tmp_path: Path) -> None:
    named = make_system(database, tmp_path, auth_mode="team", allowed_hosts="ade.example.org, other.example")
    with TestClient(create_app(named), base_url=HERE) as client:
        assert client.get("/api/v1/openapi.json", headers={"Host": "ade.example.org"}).status_code == 200
        assert client.get("/api/v1/openapi.json", headers={"Host": "evil.example"}).status_code == 421


def test_our_own_page_changes_things_through_a_proxy_that_asks_under_another_name(
    database: Database, tmp_path: Path
) -> None:
    behind = make_system(database, tmp_path, public_url="https://ade.example.org/")
    place = furnish(behind)
    address = f"/api/v1/documents/{place.document_id}"
    with TestClient(create_app(behind), base_url=HERE) as client:
        assert client.delete(address, headers={"Origin": "https://evil.example"}).status_code == 403
        assert client.delete(address, headers={"Origin": "https://ade.example.org"}).status_code == 204


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8000", "http://["]
)
def test_a_page_of_another_site_cannot_change_anything(client: TestClient, place: Place, origin: str) -> None:
    address = f"/api/v1/documents/{place.document_id}"

    changed = client.delete(address, headers={"Origin": origin})
    sent = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/documents",
        files={"file": ("a.csv", b"a,b\n1,2\n")},
        headers={"Origin": origin},
    )

    assert (changed.status_code, changed.json()["code"]) == (403, "wrong_origin")
    assert sent.status_code == 403
    assert client.get(address).status_code == 200


def test_a_change_that_a_browser_says_is_from_another_site_needs_no_origin_to_be_refused(
    client: TestClient, place: Place
) -> None:
    answer = client.delete(f"/api/v1/documents/{place.document_id}", headers={"Sec-Fetch-Site": "cross-site"})

    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_origin")


def test_a_page_of_ours_can(client: TestClient, place: Place) -> None:
    answer = client.delete(f"/api/v1/documents/{place.document_id}", headers={"Origin": HERE})

    assert answer.status_code == 204


def test_every_answer_carries_secure_headers(client: TestClient) -> None:
    for answer in (client.get("/healthz"), client.get("/nothing"), client.get("/api/v1/runs"), client.put("/healthz")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-trace-id"]
    assert client.get("/api/v1/runs").headers["cache-control"] == "no-store"


def test_a_json_body_over_the_limit_is_refused(client: TestClient, system: System, place: Place) -> None:
    body = b'{"input_document_id": "' + b"x" * 1_100_000 + b'"}'
    address = f"/api/v1/configurations/{place.configuration_id}/runs"
    known = client.post(address, content=body, headers={"Content-Type": "application/json"})
    chunked = client.post(address, content=iter([body]), headers={"Content-Type": "application/json"})

    for answer in (known, chunked):
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_of_many_mistakes_in_one_request_the_first_are_listed(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}/runs/batch"

    answer = client.post(address, json={"input_document_ids": ["unknown"] * 1000})

    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == 50
    assert len(answer.content) < 20_000


def _nested(order: dict[str, object]) -> dict[str, object]:
    return {"phases": [order] * 20}


@pytest.mark.parametrize("sent", [dict, _nested])
@pytest.mark.parametrize("path", ["session", "workspaces", "workspaces/{workspace_id}/plans", "queue/pauses"])
def test_many_unknown_fields_are_one_mistake(
    client: TestClient, place: Place, path: str, sent: Callable[[dict[str, object]], dict[str, object]]
) -> None:
    many: dict[str, object] = {f"u{number}": 1 for number in range(60 if path == "session" else 1000)}

    answer = client.post(f"/api/v1/{path.format(workspace_id=place.workspace_id)}", json=sent(many))

    assert answer.status_code == 422
    assert len(answer.json()["errors"]) <= 20


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "ade.example.org"])  # noqa: S104
def test_without_a_login_only_this_machine_is_listened_to(host: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="ADE_AUTH_MODE=team"):
        require_safe_address(load_settings(host=host, data_dir=tmp_path))
    require_safe_address(load_settings(host=host, data_dir=tmp_path, auth_mode="team"))


def test_loopback_is_told_from_the_rest() -> None:
    assert [is_loopback(host) for host in ("localhost", "127.0.0.1", "127.9.9.9", "::1", "10.0.0.1")] == [
        True,
        True,
        True,
        True,
        False,
    ]


@pytest.mark.req("S7")
@pytest.mark.parametrize(("method", "is_form"), [("GET", False), ("POST", True)])
def test_only_a_post_is_an_upload(method: str, is_form: bool) -> None:
    """A list of documents with the content type of a form went around the share of its caller."""
    scope = {"type": "http", "method": method, "path": "/api/v1/workspaces/1/documents", "client": ("127.0.0.1", 1)}
    headers = Headers({"content-type": "multipart/form-data"})

    assert is_form_of_documents(scope, headers) == is_form


@pytest.mark.parametrize("kind", ["one header", "many headers", "the address"])
def test_long_headers_are_refused_though_they_arrive_in_one_piece(client: TestClient, kind: str) -> None:
    headers = {
        "one header": {"X-A": "b" * 16_500},
        "many headers": {f"X-{number}": "b" * 100 for number in range(160)},
        "the address": {"X-A": "b" * 8000},
    }[kind]
    path = "/api/v1/workspaces" + ("?a=" + "b" * 8500 if kind == "the address" else "")

    answer = client.get(path, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (431, "headers_too_large")
    assert client.get("/api/v1/workspaces", headers={"X-A": "b" * 15_000}).status_code == 200

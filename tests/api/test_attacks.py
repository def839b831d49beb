"""What someone tries who means harm: each must be refused in good order, and leave the server well."""

import base64
import io
import json
import random
import select
import shutil
import socket
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from http.client import HTTPResponse
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import rows
from ade.api import connections, guard
from ade.api.admission import SESSION_COOKIE
from ade.api.app import create_app
from ade.api.received import IN_MEMORY, MIB, ON_DISK
from ade.api.routes import events
from ade.database.access import people as store
from ade.domain.access import Role
from ade.ids import new_id
from ade.operations.content import inspection
from ade.operations.reading.places import MOST_OF_PERSON
from ade.operations.reading.turns import Owner
from ade.system import System
from api.conftest import HERE, Place, furnish, make_system, open_client, submit
from api.people import Person, add_person, sign_in
from api.serving import Listener, serving
from postgres import wait_until

pytestmark = pytest.mark.req("S7")
BEGUN = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\r\n'
END_OF_FORM = b"\r\n--x--\r\n"
JSON = {"Content-Type": "application/json"}


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name.replace("__", "/"), content)
    return packed.getvalue()


@pytest.fixture
def port(system: System) -> Iterator[int]:
    with serving(system) as opened:
        yield opened


def talk(port: int, *parts: bytes) -> bytes:
    """Send raw bytes and return all that comes back until the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for part in parts:
            connection.sendall(part)
        answer = b""
        while more := connection.recv(65536):
            answer += more
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_who_never_finishes_a_request_is_hung_up_on(port: int, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)

    assert talk(port, sent) == b""


@pytest.mark.slow
def test_a_second_request_that_never_ends_is_hung_up_on_too(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    whole = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    assert talk(port, whole, b"GET /healthz HTT").startswith(b"HTTP/1.1 200")


@pytest.mark.slow
@pytest.mark.req("S2")
@pytest.mark.skipif(sys.platform != "linux", reason="the state of a connection is read from /proc")
def test_who_does_not_read_an_answer_is_hung_up_on(
    port: int, system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.2)
    size_bytes = 64 * 1024 * 1024
    system.files.write(f"documents/{place.document_id}/content", [bytes(size_bytes)])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        path = f"/api/v1/documents/{place.document_id}/content"
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        begun = connection.recv(15)
        own = connection.getsockname()[1]
        wait_until(lambda: not is_established(port, own), what="the server to hang up")

    assert begun == b"HTTP/1.1 200 OK"


def is_established(server_port: int, client_port: int) -> bool:
    """Return whether the server still holds a connection."""
    ends = f":{server_port:04X} 0100007F:{client_port:04X} 01 "
    return any(ends in line for line in Path("/proc/net/tcp").read_text().splitlines())


def upload_head(place: Place, size: int) -> bytes:
    head = f"POST /api/v1/workspaces/{place.workspace_id}/documents HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    return f"{head}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {size}\r\n\r\n".encode()


@pytest.mark.slow
def test_an_upload_that_stops_is_answered_and_leaves_nothing(
    port: int, system: System, place: Place, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "SILENCE_SECONDS", 0.2)
    before = system.files.keys("documents")

    answer = talk(port, upload_head(place, 10_000) + BEGUN)

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"request_timeout" in answer
    assert system.files.keys("documents") == before


@pytest.mark.slow
def test_an_upload_that_drips_is_ended(port: int, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(guard, "SLOWEST_BYTES_A_SECOND", 1e9)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(upload_head(place, 10_000_000) + BEGUN)
        connection.settimeout(0.05)
        answer = b""
        while not answer:
            try:
                connection.sendall(b"a")
                answer = connection.recv(65536)
            except TimeoutError:
                continue

    assert answer.startswith(b"HTTP/1.1 408")


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-A: b\r\n" * 50_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + b"b" * 1_000_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["many headers", "a long header", "a long address", "two lengths", "no HTTP"],
)
def test_what_is_hardly_a_request_ends_the_connection(port: int, sent: bytes) -> None:
    try:
        answer = talk(port, sent)
    except ConnectionError:
        answer = b""  # it hung up while we were still sending

    assert answer[:12] in {b"", b"HTTP/1.1 400", b"HTTP/1.1 431"}
    assert talk(port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 200"
    )


DEEP = b"[" * 200_000 + b"]" * 200_000
NESTED = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
BODIES = [
    DEEP,
    NESTED,
    b"9" * 100_000,
    b'"\\ud800"',
    b'{"name": "\\ud800"}',
    b'{"name": NaN}',
    b"\xff\xfe",
    b"",
    b"null",
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_json_that_is_deep_huge_or_none_is_refused(client: TestClient, place: Place, body: bytes) -> None:
    targets = [
        ("POST", f"/api/v1/configurations/{place.configuration_id}/runs"),
        ("POST", f"/api/v1/workspaces/{place.workspace_id}/configurations"),
        ("POST", "/api/v1/workspaces"),
        ("POST", "/api/v1/session"),
        ("PATCH", f"/api/v1/documents/{place.document_id}"),
        ("POST", "/api/v1/queue/pauses"),
    ]

    for method, path in targets:
        answer = client.request(method, path, content=body, headers=JSON)
        assert answer.status_code in {400, 413, 422}, (path, answer.text[:300])
        assert answer.headers["content-type"] == "application/problem+json"
        assert len(answer.content) < 10_000  # nothing is echoed at length


def test_a_large_body_of_any_other_kind_is_refused_before_it_is_read(client: TestClient, place: Place) -> None:
    large = b"x" * (17 * 1024 * 1024)
    kinds = ["application/zip", "application/octet-stream", "text/plain", ""]

    for kind in kinds:
        path = f"/api/v1/configurations/{place.configuration_id}/files/notes.txt"
        answer = client.put(path, content=large, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "multipart/x", "text/plain", "application/zip", ""]
)
def test_a_large_body_is_refused_before_anybody_knows_who_sends_it(team: System, kind: str) -> None:
    place = furnish(team)
    large = b"x" * (2 * 1024 * 1024)
    targets = [
        ("POST", "/api/v1/session"),
        ("POST", "/api/v1/workspaces"),
        ("PATCH", f"/api/v1/documents/{place.document_id}"),
        ("POST", f"/api/v1/configurations/{place.configuration_id}/runs"),
        ("POST", f"/api/v1/configurations/{place.configuration_id}/publish"),
        ("PATCH", f"/api/v1/configurations/{place.configuration_id}/files"),
        ("PUT", f"/api/v1/workspaces/{place.workspace_id}/members/{new_id()}"),
    ]

    with open_client(team) as client:
        for method, path in targets:
            answer = client.request(method, path, content=large, headers={"Content-Type": kind})
            assert (answer.status_code, answer.json()["code"]) == (413, "too_large"), path


def test_a_form_is_no_way_to_send_a_file_that_is_too_large(client: TestClient, place: Place) -> None:
    large = b"x" * (17 * 1024 * 1024)
    headers = {"Content-Type": "multipart/form-data; boundary=x"}

    for name in ("notes.txt", "documents"):
        path = f"/api/v1/configurations/{place.configuration_id}/files/{name}"
        assert client.put(path, content=large, headers=headers).status_code == 413
    created = client.post(f"/api/v1/workspaces/{place.workspace_id}/configurations", content=large, headers=headers)
    assert created.status_code == 413


def test_the_name_of_an_unknown_field_is_told_in_short(client: TestClient, place: Place) -> None:
    body = json.dumps({"k" * 500_000: 1}).encode()

    for path in ("/api/v1/workspaces", f"/api/v1/workspaces/{place.workspace_id}/configurations"):
        answer = client.post(path, content=body, headers=JSON)
        assert (answer.status_code, len(answer.content) < 2000) == (422, True)


def test_a_cursor_with_half_a_character_is_refused(client: TestClient, place: Place) -> None:
    cursor = base64.urlsafe_b64encode(b'["2026-01-01T00:00:00+00:00", "\\ud800"]').decode().rstrip("=")

    for path in (f"/api/v1/workspaces/{place.workspace_id}/documents", "/api/v1/builds"):
        assert client.get(path, params={"cursor": cursor}).status_code == 422


@pytest.mark.slow
def test_bodies_that_stay_unfinished_hold_a_bounded_memory_and_leave_it(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "IN_MEMORY", replace(IN_MEMORY, requests_of_one=2))
    head = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    begun = head + b"Content-Length: 1000\r\n\r\n" + b" " * 900
    whole = head + b"Content-Length: 2\r\nConnection: close\r\n\r\n{}"

    with serving(system) as port:
        refused, answers = hold_three(port, begun, b" " * 100)
        assert refused == (503, "unavailable")
        assert answers == [(422, "invalid_request")] * 2
        wait_until(lambda: talk(port, whole).startswith(b"HTTP/1.1 422"), what="room again")


@pytest.mark.slow
def test_uploads_that_stay_unfinished_hold_a_bounded_disk_and_leave_it(
    system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "ON_DISK", replace(ON_DISK, requests_of_one=2))
    begun = upload_head(place, len(BEGUN) + 100 + len(END_OF_FORM)) + BEGUN
    rest = b"x" * 100 + END_OF_FORM

    with serving(system) as port:
        refused, answers = hold_three(port, begun, rest)
        assert refused == (503, "unavailable")
        assert answers == [(201, None)] * 2
        wait_until(lambda: one_answer(port, begun + rest) == (201, None), what="room again")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed on Linux only")
def test_the_parts_of_an_unfinished_upload_wait_on_disk_and_not_in_memory(port: int, place: Place) -> None:
    part = BEGUN + b"x" * 100_000 + b"\r\n"
    before = unnamed_files()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(upload_head(place, 1_000_000) + 3 * part)
        wait_until(lambda: unnamed_files() == before + 3, what="the parts on disk")
    wait_until(lambda: unnamed_files() == before, what="their removal")


def unnamed_files() -> int:
    """Count the open files of this process that no folder names: temporary ones."""
    found = 0
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # it was closed just now
            found += path.readlink().name.endswith("(deleted)")
    return found


def test_no_document_is_received_once_the_disk_is_nearly_full(database: Any, tmp_path: Path) -> None:
    full = make_system(database, tmp_path, min_free_disk_mb=10**9)
    place = furnish(full)
    with open_client(full) as client:
        answer = client.post(
            f"/api/v1/workspaces/{place.workspace_id}/documents", files={"file": ("a.csv", b"a,b\n1,2\n")}
        )

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert "ADE_MIN_FREE_DISK_MB" in answer.json()["detail"]


def test_the_last_of_the_disk_is_for_workspaces_with_little_on_it(database: Any, tmp_path: Path) -> None:
    scarce = make_system(database, tmp_path, min_free_disk_mb=shutil.disk_usage(tmp_path).free // MIB // 2)
    greedy, other = furnish(scarce), furnish(scarce)
    scarce.database.write(lambda tx: rows.add_document(tx, workspace_id=greedy.workspace_id, size_bytes=10**15))
    with open_client(scarce) as client:
        answers = [
            client.post(f"/api/v1/workspaces/{place.workspace_id}/documents", files={"file": ("a.csv", b"a,b\n1,2\n")})
            for place in (greedy, other)
        ]

    assert [answer.status_code for answer in answers] == [503, 201]
    assert "ADE_MIN_FREE_DISK_MB" in answers[0].json()["detail"]


def one_answer(port: int, whole: bytes) -> tuple[int, str | None]:
    """Send a whole request and return the status and code of its answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(whole)
        return answer_on(connection)


def answer_on(connection: socket.socket) -> tuple[int, str | None]:
    """Read the whole answer; it may come in several pieces."""
    response = HTTPResponse(connection)
    response.begin()
    return response.status, json.loads(response.read()).get("code")


def hold_three(port: int, begun: bytes, rest: bytes) -> tuple[tuple[int, str | None], list[tuple[int, str | None]]]:
    """Begin three requests; return the answer to the one that is refused, then those to the finished others."""
    with ExitStack() as open_until_here:
        held = [open_until_here.enter_context(socket.create_connection(("127.0.0.1", port), 60)) for _ in range(3)]
        for connection in held:
            connection.sendall(begun)
        ended, _, _ = select.select(held, [], [], 60)
        refused = answer_on(ended[0])
        left = [connection for connection in held if connection is not ended[0]]
        for connection in left:
            connection.sendall(rest)
        return refused, [answer_on(connection) for connection in left]


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "columns\\x.py", "C:/x.py", "columns/../x.py", "columns//x.py", "\0.py", ".env",
     "columns/x.py/", "a" * 300, "columns/ x.py", "CON:"],
)  # fmt: skip
def test_an_archive_leads_nowhere(client: TestClient, place: Place, name: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr(zipfile.ZipInfo("columns/good.py"), b"")
        made.writestr(zipfile.ZipInfo(name) if "\0" not in name else zipfile.ZipInfo("n.py"), b"x")
    content = packed.getvalue().replace(b"n.py", b"\0.py") if "\0" in name else packed.getvalue()

    answer = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/configurations",
        content=content,
        headers={"Content-Type": "application/zip"},
    )

    assert answer.status_code in {201, 422}, answer.text
    if answer.status_code == 201:  # what leads elsewhere was left out or is no path at all
        listed = client.get(f"/api/v1/configurations/{answer.json()['id']}/files").json()["items"]
        assert all(".." not in file["path"] and not file["path"].startswith("/") for file in listed)


@pytest.mark.slow
def test_a_path_cannot_be_a_file_and_a_folder(client: TestClient, place: Place) -> None:
    base = f"/api/v1/configurations/{place.configuration_id}"
    zipped = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/configurations",
        content=archive(columns=b"x", columns__name__x=b"y"),
        headers={"Content-Type": "application/zip"},
    )
    below = client.put(f"{base}/files/columns/name.py/x.py", content=b"")
    above = client.put(f"{base}/files/columns", content=b"")

    assert [answer.status_code for answer in (zipped, below, above)] == [422, 422, 422]
    assert client.post(f"{base}/check").status_code == 200


def test_a_damaged_archive_is_refused_however_it_is_damaged(client: TestClient, place: Place) -> None:
    whole = archive(columns__name__py=b"from ade_engine import Field\n" * 20, settings__toml=b"a = 1\n")
    chance = random.Random(5)
    address = f"/api/v1/workspaces/{place.workspace_id}/configurations"

    for number in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        named = f"{address}?name=Damaged {number}"
        answer = client.post(named, content=bytes(damaged), headers={"Content-Type": "application/zip"})
        assert answer.status_code in {201, 413, 422}, (bytes(damaged), answer.text)


@pytest.mark.parametrize(
    "path",
    ["/assets/../../../etc/passwd", "/assets/..%2f..%2f..%2fetc%2fpasswd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e",
     "/assets/%00", "/%00", "/assets/" + "a" * 5000, "/api/v1/configurations/{c}/files/..%2f..%2fx",
     "/api/v1/configurations/{c}/files/%00", "/api/v1/runs/..%2fx", "/api/v1/runs/%00", "/api/v1/documents/'--"],
)  # fmt: skip
def test_an_address_leads_nowhere(client: TestClient, place: Place, path: str) -> None:
    answer = client.get(path.replace("{c}", place.configuration_id))

    assert answer.status_code < 500, answer.text
    assert b"root:" not in answer.content


@pytest.mark.parametrize(
    "name", ['a".csv', "a\r\nX-Evil: 1.csv", "a\nb.csv", "ünïcödé ☃.csv", "a;b=c.csv", "..\\..\\a.csv"]
)
def test_a_name_adds_nothing_to_the_headers_of_a_download(client: TestClient, place: Place, name: str) -> None:
    renamed = client.patch(f"/api/v1/documents/{place.document_id}", json={"name": name})
    answer = client.get(f"/api/v1/documents/{place.document_id}/content")

    assert renamed.status_code == 200
    assert answer.status_code == 200
    assert "x-evil" not in answer.headers
    assert answer.headers["content-disposition"].startswith("attachment; ")


def test_a_person_who_looks_too_often_waits_instead_of_taking_every_thread(client: TestClient, place: Place) -> None:
    with ExitStack() as held:
        for _ in range(MOST_OF_PERSON):
            held.enter_context(inspection._places.hold(Owner(place.workspace_id, "local")))
        answer = client.get(f"/api/v1/documents/{place.document_id}/cells")

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert "retry-after" in answer.headers
    assert client.get(f"/api/v1/documents/{place.document_id}/cells").status_code == 200


@pytest.fixture
def team(database: Any, tmp_path: Path) -> System:
    return make_system(database, tmp_path, auth_mode="team")


@pytest.mark.slow
def test_unfinished_uploads_of_one_member_stop_no_other_member(team: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "ON_DISK", replace(ON_DISK, requests_of_one=2, requests=3))
    places = [furnish(team), furnish(team)]
    greedy, colleague = (add_person(team, workspace_id=places[0].workspace_id, role=Role.OPERATOR) for _ in range(2))
    team.database.write(lambda tx: store.set_role(tx, places[1].workspace_id, greedy.id, Role.OPERATOR))

    def begun(place: Place, person: Person) -> bytes:
        key = f"Host: 127.0.0.1\r\nAuthorization: Bearer {person.key}\r\n".encode()
        return upload_head(place, len(BEGUN) + len(END_OF_FORM)).replace(b"Host: 127.0.0.1\r\n", key) + BEGUN

    with serving(team) as port, ExitStack() as open_until_here:
        connections = []
        for place in (places[0], places[1], places[1]):  # in whatever workspaces: they are one person's
            connection = open_until_here.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            connection.sendall(begun(place, greedy))
            connections.append(connection)
        [refused] = select.select(connections, [], [], 60)[0]  # whichever of the three came last
        assert answer_on(refused) == (503, "unavailable")

        assert one_answer(port, begun(places[0], colleague) + END_OF_FORM) == (201, None)


def test_the_openapi_document_is_written_once(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(system)
    openapi, asked = app.openapi, count()
    monkeypatch.setattr(app, "openapi", lambda: {**openapi(), "asked": next(asked)})
    with TestClient(app, base_url=HERE) as client:
        answers = [client.get("/api/v1/openapi.json") for _ in range(3)]

    assert {answer.status_code for answer in answers} == {200}
    assert answers[0].json()["paths"].keys() == openapi()["paths"].keys()
    assert [answer.json()["asked"] for answer in answers] == [0, 0, 0]


def test_a_cookie_from_before_signing_in_is_not_the_session_afterwards(team: System) -> None:
    person = add_person(team)
    with open_client(team) as client:
        client.cookies.set(SESSION_COOKIE, "chosen-by-someone-else")
        token = sign_in(client, person.email).headers["set-cookie"]
        client.cookies.clear()
        client.cookies.set(SESSION_COOKIE, "chosen-by-someone-else")

        assert "chosen-by-someone-else" not in token
        assert client.get("/api/v1/session").status_code == 401


@pytest.mark.slow
def test_a_stream_ends_now_and_then_so_that_who_may_not_listen_any_more_does_not(
    team: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LONGEST_SECONDS", 0)
    place = furnish(team)
    person = add_person(team, workspace_id=place.workspace_id, role=Role.VIEWER)
    admin = add_person(team, is_admin=True)
    with serving(team) as port, open_client(team) as client:
        first = Listener(port, "/api/v1/events", **person.headers)
        assert [first.next()[1] for _ in range(2)] == ["heartbeat", "closed"]
        client.patch(f"/api/v1/users/{person.id}", json={"is_disabled": True}, headers=admin.headers)
        again = Listener(port, "/api/v1/events", **person.headers)
        assert again.response.status == 401
        first.close()
        again.close()


@pytest.mark.slow
def test_the_stream_of_changes_tells_members_nothing_about_accounts(team: System) -> None:
    place = furnish(team)
    member = add_person(team, workspace_id=place.workspace_id, role=Role.ADMIN)
    admin = add_person(team, is_admin=True)
    with serving(team) as port, open_client(team) as client:
        listener = Listener(port, "/api/v1/events", **member.headers)
        assert listener.next()[1] == "heartbeat"
        client.headers.update(admin.headers)
        client.post("/api/v1/api-keys", json={"name": "secret plans"})
        order = {"email": "new@example.org", "name": "New", "password": "a long enough password"}
        client.post("/api/v1/users", json=order)
        client.patch(f"/api/v1/documents/{place.document_id}", json={"name": "b.csv"})

        assert listener.next_but_heartbeats()[2]["type"] == "document.change"
        listener.close()


@pytest.mark.slow
def test_the_runs_of_others_are_left_out_of_the_stream_of_changes(team: System) -> None:
    place, elsewhere = furnish(team), furnish(team)
    viewer = add_person(team, workspace_id=place.workspace_id, role=Role.VIEWER)
    admin = add_person(team, is_admin=True)
    with serving(team) as port, open_client(team) as client:
        client.headers.update(admin.headers)
        mine, theirs = (submit(client, where)["id"] for where in (place, elsewhere))
        unknown = new_id()
        listener = Listener(port, f"/api/v1/events?run={theirs}:0&run={unknown}:0&run={mine}:0", **viewer.headers)
        heard = [listener.next_but_heartbeats()[2] for _ in range(1)]
        client.post(f"/api/v1/runs/{theirs}/cancel")
        client.post(f"/api/v1/runs/{mine}/cancel")
        heard += [listener.next_but_heartbeats()[2] for _ in range(3)]
        listener.close()

    assert {event.get("run_id", event.get("subject_id")) for event in heard} == {mine}


def test_settings_never_tell_secrets(database: Any, tmp_path: Path) -> None:
    hidden = make_system(database, tmp_path, oidc_client_secret="between us", database_url="postgresql://u:hunter2@h/d")
    with open_client(hidden) as client:
        told = json.dumps(client.get("/api/v1/settings").json())

    assert "between us" not in told
    assert "hunter2" not in told


@pytest.mark.req("S2")
@pytest.mark.parametrize("text", ["type", "e", "}"])
def test_a_search_for_what_the_json_of_every_cell_has_parses_a_bounded_part_of_a_sheet(
    client: TestClient, system: System, place: Place, text: str
) -> None:
    lines = [",".join(["a" * 25] * 200)] * 2000
    lines[-1] += f",{text}!"
    system.files.write(f"documents/{place.document_id}/content", ["\n".join(lines).encode()])
    address = f"/api/v1/documents/{place.document_id}/cells/find"

    parts = []
    row: int | None = 1
    while row is not None:
        parts.append(client.get(address, params={"text": text, "first_row": row}).json())
        row = parts[-1]["next_row"]

    ends = [part["next_row"] for part in parts[:-1]]
    assert ends == sorted(set(ends))
    assert len(ends) >= 2  # each reads 4 MB of the index, of which there are 11
    assert [cell for part in parts for cell in part["items"]] == ["GS2000"]

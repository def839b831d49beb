"""Webhooks: what is sent, how it is signed, when it is sent again, and where it never goes."""

import base64
import hashlib
import hmac
import json
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

import rows
from ade.api import outgoing
from ade.api.deliveries import AT_ONCE, Deliveries
from ade.api.outgoing import post
from ade.clock import SystemClock
from ade.database.schema import runs
from ade.database.transaction import Database, Transaction
from ade.destinations import is_public
from ade.domain.run import RunStatus
from ade.domain.webhook import WAITS, checked_url
from ade.errors import Forbidden, Invalid
from ade.files import LocalFiles
from ade.ids import new_id
from ade.operations.content.webhooks import (
    AT_ONCE_OF_WORKSPACE,
    KEPT_FOR,
    forget_old_deliveries,
    note_finished,
    take_due,
)
from ade.settings import load_settings
from ade.system import System
from api.conftest import ROOT, Place, add_documents, furnish, open_client, submit
from api.receiver import Receiver, receiver
from postgres import wait_until
from repeatable import FakeClock

pytestmark = pytest.mark.req("A2")


@pytest.fixture
def system(database_url: str, tmp_path: Path, clock: FakeClock) -> Iterator[System]:
    database = Database(database_url, clock=clock)
    settings = load_settings(data_dir=tmp_path, webhook_hosts="127.0.0.1")
    files = LocalFiles(tmp_path / "files")
    yield System(settings=settings, clock=clock, new_id=new_id, database=database, files=files)
    database.close()


def send_due(sender: Deliveries) -> int:
    """Send what is due now, and wait for it; return how many messages that were."""
    started = sender._start_due()
    for sending in started:
        sending.result()
    return len(started)


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with open_client(system) as opened:
        yield opened


@pytest.fixture
def target() -> Iterator[Receiver]:
    with receiver() as running:
        yield running


@pytest.fixture
def place(system: System) -> Place:
    return furnish(system)


def add(client: TestClient, place: Place, target: Receiver, **order: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/workspaces/{place.workspace_id}/webhooks", json={"url": target.url, **order})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def finish_one(client: TestClient, place: Place) -> str:
    run = submit(client, place)
    assert client.post(f"/api/v1/runs/{run['id']}/cancel").status_code == 200
    return str(run["id"])


def messages(client: TestClient, hook: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/api/v1/webhooks/{hook['id']}/deliveries").json()["items"]
    return found


def test_a_finished_run_is_told_once_and_signed(
    client: TestClient, system: System, place: Place, target: Receiver, clock: FakeClock
) -> None:
    finish_one(client, place)  # before anyone wanted to know
    clock.advance(timedelta(seconds=1))
    hook = add(client, place, target)
    run_id = finish_one(client, place)
    submit(client, place)  # not finished
    sender = Deliveries(system)

    assert [send_due(sender), send_due(sender)] == [1, 0]
    ((headers, body),) = target.received
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(hook["secret"].removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    told = json.loads(body)
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers[":path"] == "/hook?x=1"
    assert (told["type"], told["data"]["run"]["id"]) == ("run.cancelled", run_id)
    (delivery,) = messages(client, hook)
    assert (delivery["status"], delivery["answered_status"], delivery["attempt_count"]) == ("delivered", 204, 1)


def test_the_check_that_the_page_shows_tells_true_messages_from_others(
    client: TestClient, system: System, place: Place, target: Receiver
) -> None:
    page = (ROOT / "docs/how-to/use-webhooks.md").read_text("utf-8")
    (shown,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    scope: dict[str, Any] = {}
    exec(shown, scope)  # noqa: S102 - what a reader of the page would run
    hook = add(client, place, target)
    client.post(f"/api/v1/webhooks/{hook['id']}/ping")
    send_due(Deliveries(system))

    ((headers, body),) = target.received
    assert scope["is_from_ade"](hook["secret"], headers, body)
    assert scope["is_from_ade"](hook["secret"], {name.title(): value for name, value in headers.items()}, body)
    assert not scope["is_from_ade"](hook["secret"], headers, body + b" ")
    assert not scope["is_from_ade"](hook["secret"], {**headers, "webhook-timestamp": "1"}, body)


def test_the_secret_is_shown_once(client: TestClient, place: Place, target: Receiver) -> None:
    hook = add(client, place, target)

    assert hook["secret"] not in client.get(f"/api/v1/webhooks/{hook['id']}").text
    assert hook["secret"] not in client.get(f"/api/v1/workspaces/{place.workspace_id}/webhooks").text
    assert hook["secret"] not in client.get("/api/v1/audit").text


def test_no_message_carries_the_corrections_of_a_run_which_hold_values_of_cells(
    client: TestClient, system: System, place: Place, target: Receiver
) -> None:
    add(client, place, target, statuses=["cancelled"])
    first = finish_one(client, place)
    correction = {"kind": "value", "field": "name", "value": "Ada Secret", "new": "Ada Hidden"}
    order = {"corrections": [correction, {"kind": "header", "header": "Name", "field": "name"}]}
    run = client.post(f"/api/v1/runs/{first}/run-again", json=order).json()
    assert len(client.get(f"/api/v1/runs/{run['id']}").json()["corrections"]) == 2
    client.post(f"/api/v1/runs/{run['id']}/cancel")

    assert send_due(Deliveries(system)) == 2

    bodies = [body for _, body in target.received]
    told = {json.loads(body)["data"]["run"]["id"]: json.loads(body)["data"]["run"] for body in bodies}
    assert told[run["id"]]["corrections"] is None
    assert not any(word in body for word in (b"Ada", b"Secret", b"Hidden") for body in bodies)


def test_a_message_has_the_verdict_without_its_sentence_which_names_headers_as_they_were_found(
    client: TestClient, system: System, place: Place, target: Receiver, clock: FakeClock
) -> None:
    add(client, place, target, statuses=["succeeded"])
    clock.advance(timedelta(seconds=1))
    run = submit(client, place)
    reason = "Name was not found; Ada Secret is new."

    def end(tx: Transaction) -> None:
        values = {"verdict": "check", "verdict_reason": reason, "fit": 0.5, "finished_at": tx.now}
        changed = {**rows.fitting(RunStatus.SUCCEEDED), **values}
        tx.execute(sa.update(runs).where(runs.c.id == run["id"]).values(**changed))

    system.database.write(end)
    assert client.get(f"/api/v1/runs/{run['id']}").json()["verdict_reason"] == reason

    assert send_due(Deliveries(system)) == 1

    ((_, body),) = target.received
    told = json.loads(body)["data"]["run"]
    assert (told["id"], told["verdict"], told["verdict_reason"], told["fit"]) == (run["id"], "check", None, 0.5)
    assert b"Secret" not in body


def test_what_is_not_taken_is_sent_again_later_and_later_and_then_given_up(
    client: TestClient, system: System, place: Place, target: Receiver, clock: FakeClock
) -> None:
    hook = add(client, place, target)
    finish_one(client, place)
    sender = Deliveries(system)
    target.answers = [500] * (len(WAITS) + 1)

    assert send_due(sender) == 1
    for wait in WAITS:
        clock.advance(wait - timedelta(seconds=1))
        assert send_due(sender) == 0
        clock.advance(timedelta(seconds=1))
        assert send_due(sender) == 1
    (delivery,) = messages(client, hook)
    assert (delivery["status"], delivery["error"]) == ("failed", "It answered 500.")
    again = client.post(f"/api/v1/webhooks/{hook['id']}/deliveries/{delivery['id']}/send-again")
    assert (again.status_code, send_due(sender)) == (202, 1)
    assert messages(client, hook)[0]["status"] == "delivered"
    assert len({headers["webhook-id"] for headers, _ in target.received}) == 1  # so that a receiver can tell


def test_what_was_sent_long_ago_is_forgotten(
    client: TestClient, system: System, place: Place, target: Receiver, clock: FakeClock
) -> None:
    hook = add(client, place, target)
    finish_one(client, place)
    send_due(Deliveries(system))

    young = system.database.write(forget_old_deliveries)
    clock.advance(KEPT_FOR + timedelta(seconds=1))
    old = system.database.write(forget_old_deliveries)

    assert (young, old) == (0, 1)
    assert messages(client, hook) == []


@pytest.mark.slow
def test_a_sender_that_dies_leaves_the_message_to_others(
    client: TestClient, system: System, place: Place, target: Receiver, clock: FakeClock
) -> None:
    add(client, place, target)
    finish_one(client, place)
    note_finished(system.database)

    assert len(take_due(system.database, most=8)) == 1  # and dies
    assert send_due(Deliveries(system)) == 0
    clock.advance(timedelta(minutes=2))
    assert send_due(Deliveries(system)) == 1


def test_many_servers_send_each_message_once(
    client: TestClient, system: System, place: Place, target: Receiver
) -> None:
    add(client, place, target)
    documents = add_documents(system, place, 30)
    body = {"input_document_ids": documents}
    made = client.post(f"/api/v1/configurations/{place.configuration_id}/runs/batch", json=body).json()["runs"]
    for run in made:
        client.post(f"/api/v1/runs/{run['id']}/cancel")

    def send_all(_: int) -> None:
        sender = Deliveries(system)
        while send_due(sender):
            pass

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send_all, range(4)))
    send_all(0)

    told = [json.loads(body)["data"]["run"]["id"] for _, body in target.received]
    assert sorted(told) == sorted(run["id"] for run in made)


def test_only_the_endings_asked_for_are_told_and_nothing_while_disabled(
    client: TestClient, system: System, place: Place, target: Receiver, clock: FakeClock
) -> None:
    hook = add(client, place, target, statuses=["failed"])
    sender = Deliveries(system)
    finish_one(client, place)
    assert send_due(sender) == 0
    address = f"/api/v1/webhooks/{hook['id']}"
    client.patch(address, json={"statuses": ["cancelled"], "is_disabled": True})
    finish_one(client, place)
    assert send_due(sender) == 0
    clock.advance(timedelta(seconds=1))
    client.patch(address, json={"is_disabled": False})
    client.post(f"{address}/ping")
    assert send_due(sender) == 1
    assert json.loads(target.received[-1][1])["type"] == "webhook.ping"
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404
    actions = [row["action"] for row in client.get("/api/v1/audit?subject_kind=webhook").json()["items"]]
    assert actions == [f"webhook.{done}" for done in ("delete", "ping", "change", "change", "create")]


def test_a_redirect_is_not_followed(client: TestClient, system: System, place: Place, target: Receiver) -> None:
    hook = add(client, place, target)
    target.answers = [302]
    client.post(f"/api/v1/webhooks/{hook['id']}/ping")
    send_due(Deliveries(system))

    assert len(target.received) == 1
    assert messages(client, hook)[0]["error"] == "It answered 302."


PRIVATE = ["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1",  # noqa: S104
           "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1",
           "255.255.255.255"]  # fmt: skip


@pytest.mark.req("S7")
@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_of_our_own_networks_is_never_reached(address: str, target: Receiver) -> None:
    assert not is_public(address)
    with pytest.raises(Forbidden, match="ADE_WEBHOOK_HOSTS"):
        post(
            "http://harmless.example/", b"", {}, trusted_hosts=frozenset(), lookup=lambda *_: ["93.184.215.14", address]
        )


@pytest.mark.req("S7")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::1]", "127.1"])
def test_this_machine_is_not_reached_however_it_is_written(host: str, target: Receiver) -> None:
    with pytest.raises((Forbidden, OSError)):
        post(f"http://{host}:{target.port}/", b"", {}, trusted_hosts=frozenset())
    assert target.received == []


def _drip(listener: socket.socket) -> None:
    """Answer, one byte after the other, for a minute at least; or until nobody listens."""
    connection, _ = listener.accept()
    with connection, suppress(OSError):
        for byte in b"HTTP/1.1 204 No Content\r\nX-Long: " + b"x" * 6000 + b"\r\n\r\n":
            connection.send(bytes([byte]))
            SystemClock().sleep(timedelta(milliseconds=10))


@pytest.mark.req("S7")
@pytest.mark.parametrize("seconds", [0.3, 0.0])  # while it answers, and before it is connected
def test_a_server_that_answers_byte_by_byte_holds_no_message_up(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(outgoing, "LONGEST_SECONDS", seconds)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        dripping = threading.Thread(target=_drip, args=(listener,))
        dripping.start()
        with pytest.raises(httpx2.HTTPError):
            post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"", {}, trusted_hosts=frozenset({"127.0.0.1"}))
        dripping.join()


@pytest.mark.req("S7")
def test_addresses_that_never_answer_hold_up_no_other_workspace(
    client: TestClient, system: System, place: Place, target: Receiver
) -> None:
    elsewhere = furnish(system)
    accepted: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as silent, ExitStack() as kept:

        def accept() -> None:
            with suppress(OSError):  # when it is closed
                while True:
                    accepted.append(kept.enter_context(silent.accept()[0]))

        threading.Thread(target=accept, daemon=True).start()
        address = {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/"}
        stuck = client.post(f"/api/v1/workspaces/{place.workspace_id}/webhooks", json=address).json()
        hook = add(client, elsewhere, target)
        for _ in range(2 * AT_ONCE):
            client.post(f"/api/v1/webhooks/{stuck['id']}/ping")
        client.post(f"/api/v1/webhooks/{hook['id']}/ping")
        with Deliveries(system):
            wait_until(lambda: bool(target.received), what="the other workspace's message")
            is_stuck = len(accepted) <= AT_ONCE_OF_WORKSPACE
            for connection in [*accepted]:
                connection.close()
            client.patch(f"/api/v1/webhooks/{stuck['id']}", json={"is_disabled": True})

    assert is_stuck


@pytest.mark.req("S7")
def test_a_name_is_looked_up_once_so_that_it_cannot_change_in_between(target: Receiver) -> None:
    asked: list[str] = []

    def lookup(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    url = f"http://inside.example:{target.port}/"
    assert post(url, b"{}", {}, trusted_hosts=frozenset({"inside.example"}), lookup=lookup) == 204
    assert asked == ["inside.example"]
    assert target.received[0][0]["host"] == f"inside.example:{target.port}"


@pytest.mark.req("S7")
@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "file:///etc/passwd", "example.org", "http://", "http://user:x@example.org/", "http://[::1",
     "https://example.org/#x", "http://example.org:99999/", "https://exämple.org/", "http://example.org/\r\nX: y"],
)  # fmt: skip
def test_what_is_no_address_is_refused(client: TestClient, place: Place, url: str) -> None:
    with pytest.raises(Invalid):
        checked_url(url)
    answer = client.post(f"/api/v1/workspaces/{place.workspace_id}/webhooks", json={"url": url})
    assert answer.status_code == 422

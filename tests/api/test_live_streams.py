"""Event streams over real connections: live, resumed, kept alive, and many at once."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import calls
from ade.api import feeds
from ade.cli.http_server import allow_many_connections
from ade.domain.access import SYSTEM
from ade.errors import FilesUnreachable
from ade.files import LocalFiles
from ade.operations.content.documents import change_document
from ade.operations.queue.runs import cancel_run
from ade.system import System
from ade.worker.event_log import EventLog
from api.conftest import Place, submit
from api.serving import Listener, serving
from api.test_event_streams import adopt, claim, line
from api.test_runs import make_builds_ready
from postgres import wait_until

pytestmark = [pytest.mark.req("A2", "A3"), pytest.mark.slow]


@pytest.fixture
def port(system: System) -> Iterator[int]:
    with serving(system) as opened:
        yield opened


@pytest.fixture
def run_id(client: TestClient, system: System, place: Place) -> str:
    made = submit(client, place)["id"]
    system.database.write(make_builds_ready)
    return str(made)


def test_a_run_is_followed_from_the_queue_to_its_end(system: System, port: int, run_id: str) -> None:
    listener = Listener(port, f"/api/v1/runs/{run_id}/events/stream")
    assert listener.response.headers["content-type"].startswith("text/event-stream")
    assert listener.next()[:2] == ("1", "run.queued")
    held = claim(system)
    assert listener.next()[:2] == ("2", "run.claimed")
    folder = adopt(system, held)
    begun = line(1, "run.queued", lifecycle=1) + line(2, "run.claimed", lifecycle=2) + line(3, "step.started", step="x")
    system.files.append(f"{folder}/events.ndjson", begun)
    assert listener.next()[2]["step"] == "x"
    system.files.append(f"{folder}/events.ndjson", line(4, "rows.progress")[:-5])
    system.files.append(f"{folder}/events.ndjson", line(4, "rows.progress")[-5:])
    assert listener.next()[:2] == ("4", "rows.progress")
    system.database.write(lambda tx: calls.succeed(tx, held))
    assert listener.next()[:2] == ("5", "run.succeeded")
    assert listener.next()[1] == "end"
    assert listener.next()[1] == "closed"
    listener.close()


def test_the_stream_of_changes_carries_events_of_runs_too(system: System, port: int, run_id: str) -> None:
    listener = Listener(port, f"/api/v1/events?run={run_id}:1")
    assert listener.next()[1] == "heartbeat"  # no change is missed from here on
    claim(system)
    heard = [listener.next_but_heartbeats() for _ in range(2)]
    assert {(kind, data["type"], data.get("seq")) for _, kind, data in heard} == {
        ("change", "run.claimed", None),
        ("run", "run.claimed", 2),
    }
    assert [event_id is None for event_id, kind, _ in heard if kind == "run"] == [True]
    listener.close()


def test_the_end_of_a_run_is_sent_and_the_stream_of_changes_goes_on(system: System, port: int, run_id: str) -> None:
    system.database.write(lambda tx: cancel_run(tx, run_id, actor=SYSTEM))
    listener = Listener(port, f"/api/v1/events?run={run_id}:0")
    kinds = [listener.next_but_heartbeats()[1] for _ in range(3)]
    assert kinds == ["run", "run", "run_end"]
    assert listener.next()[1] == "heartbeat"
    listener.close()


def test_instants_are_written_alike_in_streams_and_lists(
    client: TestClient, system: System, port: int, run_id: str
) -> None:
    held = claim(system)
    events = EventLog(system.files, adopt(system, held), clock=system.clock, subject={"run_id": run_id})
    events.begin(earlier_folder=None, lifecycle=[])
    events.record("step.started", step="x")
    system.database.write(lambda tx: calls.succeed(tx, held))

    listener = Listener(port, f"/api/v1/runs/{run_id}/events/stream")
    streamed = [listener.next()[2]["at"] for _ in range(2)]
    listener.close()

    listed = [event["at"] for event in client.get(f"/api/v1/runs/{run_id}/events").json()["items"]]
    assert streamed == listed[:2]
    assert all(at.endswith("Z") for at in streamed)


def test_a_listener_that_comes_back_goes_on_where_it_was(system: System, port: int, run_id: str) -> None:
    system.database.write(lambda tx: cancel_run(tx, run_id, actor=SYSTEM))

    listener = Listener(port, f"/api/v1/runs/{run_id}/events/stream", **{"Last-Event-ID": "1"})

    assert listener.next()[:2] == ("2", "run.cancelled")
    assert listener.next()[1] == "end"
    listener.close()


def test_an_idle_stream_is_kept_alive(system: System, port: int, run_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", 0.05)
    listener = Listener(port, f"/api/v1/runs/{run_id}/events/stream", **{"Last-Event-ID": "1"})

    assert [listener.next()[1] for _ in range(2)] == ["heartbeat", "heartbeat"]
    listener.close()


def test_all_changes_are_followed_and_a_listener_that_missed_some_is_told(
    client: TestClient, system: System, place: Place, port: int
) -> None:
    listener = Listener(port, "/api/v1/events")
    assert listener.next()[1] == "heartbeat"
    submit(client, place)
    seen = {listener.next_but_heartbeats()[2]["type"] for _ in range(2)}
    system.database.write(lambda tx: change_document(tx, place.document_id, name="x.csv", tags=None, actor=SYSTEM))
    last_id, kind, data = listener.next_but_heartbeats()
    listener.close()
    behind = Listener(port, "/api/v1/events", **{"Last-Event-ID": "0-0"})
    up_to_date = Listener(port, "/api/v1/events", **{"Last-Event-ID": str(last_id)})
    submit(client, place)

    assert seen == {"run.queued", "build.queued"}
    assert (kind, data["type"], data["subject_id"]) == ("change", "document.change", place.document_id)
    assert behind.next_but_heartbeats()[2]["type"] == "reset"
    assert up_to_date.next_but_heartbeats()[2]["type"] == "run.queued"
    for one in (behind, up_to_date):
        one.close()


class _Restarting(LocalFiles):
    """A file store that can be away."""

    is_away = False

    def read(self, key: str, *, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        if self.is_away:
            raise FilesUnreachable("The file store did not answer.")
        return super().read(key, start=start, length=length)


def test_a_file_store_that_is_away_for_a_moment_ends_no_stream(
    system: System, run_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", 0.05)
    files = _Restarting(tmp_path / "files")
    folder = adopt(system, claim(system))
    files.append(f"{folder}/events.ndjson", line(1, "run.queued", lifecycle=1) + line(2, "run.claimed", lifecycle=2))
    with serving(replace(system, files=files)) as port:
        files.is_away = True
        listener = Listener(port, f"/api/v1/runs/{run_id}/events/stream")
        assert [listener.next()[1] for _ in range(20)] == ["heartbeat"] * 20
        files.is_away = False
        heard = [listener.next_but_heartbeats()[1] for _ in range(2)]
        listener.close()

    assert heard == ["run.queued", "run.claimed"]


def test_an_unknown_run_has_no_stream(port: int, client: TestClient) -> None:
    listener = Listener(port, "/api/v1/runs/01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10/events/stream")

    assert listener.response.status == 404
    listener.close()


def test_five_hundred_idle_listeners_all_hear_the_end(system: System, port: int, run_id: str) -> None:
    allow_many_connections()
    request = f"GET /api/v1/runs/{run_id}/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    listeners = [socket.create_connection(("127.0.0.1", port)) for _ in range(500)]
    for one in listeners:
        one.settimeout(120)
        one.sendall(request)
    heard = [_until(one, b"run.queued") for one in listeners]
    system.database.write(lambda tx: cancel_run(tx, run_id, actor=SYSTEM))
    ended = [_until(one, b"event: end") for one in listeners]
    for one in listeners:
        one.close()

    assert all(heard)
    assert all(ended)


def _until(one: socket.socket, word: bytes) -> bool:
    found = b""

    def has_come() -> bool:
        nonlocal found
        if word in found:
            return True
        found += one.recv(65536)
        return word in found

    wait_until(has_come, what=f"{word!r} to come")
    return True

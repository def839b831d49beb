"""The events of a run are one gapless stream, whichever process wrote a part, and however it is cut while it grows."""

import json
import random
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

import calls
from ade.database.schema import runs
from ade.domain.access import SYSTEM
from ade.domain.queue import Claim, QueueRules
from ade.operations.queue.claiming import Room
from ade.operations.queue.runs import cancel_run
from ade.operations.queue.workers import WorkerFacts, declare_dead, register_worker
from ade.operations.views.streams import Stream, read_events
from ade.system import System
from api.conftest import Place, submit
from api.test_runs import make_builds_ready

pytestmark = pytest.mark.req("A3")
RULES = QueueRules()


def claim(system: System, name: str = "w1") -> Claim:
    facts = WorkerFacts(name=name, host="here", process_id=1, version="1", slots=2)
    worker_id = system.database.write(lambda tx: register_worker(tx, facts, rules=RULES))
    claims = system.database.write(lambda tx: calls.claim(tx, worker_id, rules=RULES, room=Room(slots=1)))
    return claims[0]


def adopt(system: System, held: Claim) -> str:
    folder = f"runs/{held.id}/{held.token}"
    system.database.write(lambda tx: tx.execute(sa.update(runs).where(runs.c.id == held.id).values(file_key=folder)))
    return folder


def line(seq: int, kind: str, **data: Any) -> bytes:
    return json.dumps({"seq": seq, "at": "2026-01-01T00:00:00+00:00", "type": kind, **data}).encode() + b"\n"


def told(system: System, run_id: str) -> list[tuple[int, str]]:
    events, _ = read_events(system.database, system.files, "run", run_id)
    return [(event.seq, event.type) for event in events]


@pytest.fixture
def run_id(client: TestClient, system: System, place: Place) -> str:
    made = submit(client, place)["id"]
    system.database.write(make_builds_ready)
    return str(made)


def test_before_any_worker_it_is_what_the_database_recorded(system: System, run_id: str) -> None:
    assert told(system, run_id) == [(1, "run.queued")]


def test_a_claimed_run_without_a_file_tells_all_up_to_the_claim(system: System, run_id: str) -> None:
    held = claim(system)
    system.database.write(lambda tx: cancel_run(tx, held.id, actor=SYSTEM))

    # What came after the claim may not be in the copy the worker is making, so its number is not taken yet.
    assert told(system, run_id) == [(1, "run.queued"), (2, "run.claimed")]


def test_the_file_leads_while_a_worker_writes_it_and_the_rest_follows_at_the_end(system: System, run_id: str) -> None:
    held = claim(system)
    folder = adopt(system, held)
    first = line(1, "run.queued", lifecycle=1) + line(2, "run.claimed", lifecycle=2) + line(3, "step.started")
    system.files.append(f"{folder}/events.ndjson", first)
    system.database.write(lambda tx: cancel_run(tx, held.id, actor=SYSTEM))
    while_running = told(system, run_id)
    system.database.write(lambda tx: calls.succeed(tx, held))

    assert while_running == [(1, "run.queued"), (2, "run.claimed"), (3, "step.started")]
    assert told(system, run_id) == [*while_running, (4, "run.cancel_requested"), (5, "run.cancelled")]


def test_a_line_that_is_half_written_is_told_when_it_is_whole(system: System, run_id: str) -> None:
    folder = adopt(system, claim(system))
    stream = Stream(system.database, system.files, "run", run_id)
    whole = line(1, "run.queued", lifecycle=1) + line(2, "run.claimed", lifecycle=2)

    system.files.append(f"{folder}/events.ndjson", whole[:-10])
    before = [event.seq for event in stream.poll()]
    system.files.append(f"{folder}/events.ndjson", whole[-10:])
    after = [event.seq for event in stream.poll()]

    assert (before, after) == ([1], [2])


def test_however_a_growing_file_is_cut_every_event_is_told_once_in_order(system: System, run_id: str) -> None:
    folder = adopt(system, claim(system))
    chance = random.Random(7)
    whole = b"".join(line(seq, "row", text="ä" * (seq % 7)) for seq in range(1, 200))
    stream = Stream(system.database, system.files, "run", run_id)
    seen: list[int] = []
    while whole:
        size = chance.randint(1, 400)
        system.files.append(f"{folder}/events.ndjson", whole[:size])
        whole = whole[size:]
        seen += [event.seq for event in (stream.poll() if chance.random() < 0.5 else stream.poll_file())]
    seen += [event.seq for event in stream.poll()]

    assert seen == list(range(1, 200))


@pytest.mark.req("Q7")
def test_a_listener_follows_a_run_over_the_death_of_its_worker(system: System, run_id: str) -> None:
    stream = Stream(system.database, system.files, "run", run_id)
    seen = [event.type for event in stream.poll()]
    first = claim(system)
    folder = adopt(system, first)
    written = line(1, "run.queued", lifecycle=1) + line(2, "run.claimed", lifecycle=2) + line(3, "step.started")
    system.files.append(f"{folder}/events.ndjson", written + b'{"seq": 4, "cut')
    seen += [event.type for event in stream.poll()]
    worker_id = system.database.read(
        lambda tx: tx.execute(sa.select(runs.c.claimed_by).where(runs.c.id == run_id)).scalar_one()
    )
    system.database.write(lambda tx: declare_dead(tx, worker_id, rules=RULES))
    seen += [event.type for event in stream.poll()]
    second = claim(system, "w2")
    seen += [event.type for event in stream.poll()]
    folder = adopt(system, second)
    copied = written + line(4, "run.requeued", lifecycle=3) + line(5, "run.claimed", lifecycle=4)
    system.files.append(f"{folder}/events.ndjson", copied + line(6, "step.started"))
    seen += [event.type for event in stream.poll()]
    system.database.write(lambda tx: calls.succeed(tx, second))
    seen += [event.type for event in stream.poll()]

    life = ["run.queued", "run.claimed", "step.started"]
    assert seen == [*life, "run.requeued", "run.claimed", "step.started", "run.succeeded"]
    assert stream.is_complete
    assert [seq for seq, _ in told(system, run_id)] == list(range(1, 8))


@pytest.mark.req("A2")
def test_events_are_listed_after_a_number_and_downloaded_as_lines(
    client: TestClient, system: System, run_id: str
) -> None:
    client.post(f"/api/v1/runs/{run_id}/cancel")
    address = f"/api/v1/runs/{run_id}/events"

    whole, rest = client.get(address).json(), client.get(f"{address}?after=1").json()
    lines = client.get(f"{address}.ndjson").text.splitlines()

    assert [event["type"] for event in whole["items"]] == ["run.queued", "run.cancelled"]
    assert whole["is_complete"] is True
    assert [event["seq"] for event in rest["items"]] == [2]
    assert [json.loads(one)["seq"] for one in lines] == [1, 2]
    assert client.get(f"{address}?limit=1").json()["is_complete"] is False

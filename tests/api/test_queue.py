"""The queue, plans and builds over HTTP."""

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

import calls
from ade.database.schema import runs, workers
from ade.domain.queue import QueueRules
from ade.operations.queue import pauses
from ade.operations.queue.claiming import Room
from ade.operations.queue.workers import WorkerFacts, register_worker
from ade.system import System
from api.conftest import Place, add_documents, add_worker, furnish, submit
from api.test_runs import UNKNOWN, make_builds_ready, put_to_work

FACTS = WorkerFacts(name="w1", host="here", process_id=1, version="1", slots=2, isolation="confined")


def order_of(client: TestClient) -> list[str]:
    return [item["run_id"] for item in client.get("/api/v1/queue").json()["items"]]


@pytest.mark.req("Q14", "A2")
def test_the_queue_is_told_in_claim_order_with_places_and_what_runs(
    client: TestClient, system: System, place: Place
) -> None:
    system.database.write(lambda tx: register_worker(tx, FACTS, rules=QueueRules()))
    low, normal, urgent, running = (submit(client, place, priority=p) for p in ("low", "normal", "urgent", "normal"))
    system.database.write(make_builds_ready)
    put_to_work(system, running["id"])

    queue = client.get("/api/v1/queue").json()

    assert [item["run_id"] for item in queue["items"]] == [urgent["id"], normal["id"], low["id"]]
    assert [item["position"] for item in queue["items"]] == [1, 2, 3]
    assert [run["id"] for run in queue["running"]] == [running["id"]]
    assert queue["capacity"]["slots"] == 2
    assert (queue["capacity"]["running_count"], queue["capacity"]["queued_count"]) == (1, 3)
    assert queue["items"][0]["document_name"] == "members.csv"


def test_the_queue_is_told_in_parts(client: TestClient, place: Place) -> None:
    made = [submit(client, place)["id"] for _ in range(5)]

    first = client.get("/api/v1/queue?limit=3").json()
    rest = client.get(f"/api/v1/queue?limit=3&cursor={first['next_cursor']}").json()

    assert [item["run_id"] for item in first["items"] + rest["items"]] == made
    assert [item["position"] for item in rest["items"]] == [4, 5]
    assert [item["run_id"] for item in client.get("/api/v1/queue?position=2&limit=2").json()["items"]] == made[1:3]


@pytest.mark.req("Q14")
def test_the_longest_wait_is_told_however_far_behind_it_is(client: TestClient, place: Place) -> None:
    assert client.get("/api/v1/queue").json()["capacity"]["waiting_since"] is None
    starving = submit(client, place, priority="background")
    submit(client, place, priority="urgent")

    queue = client.get("/api/v1/queue?limit=1").json()

    assert queue["items"][0]["run_id"] != starving["id"]
    assert queue["capacity"]["waiting_since"] == starving["created_at"]


@pytest.mark.req("Q13", "A1")
def test_a_run_is_moved_unless_someone_else_moved_one_meanwhile(client: TestClient, place: Place) -> None:
    a, b, c = (submit(client, place)["id"] for _ in range(3))
    etag = client.get("/api/v1/queue").headers["etag"]

    moved = client.put(f"/api/v1/queue/{c}/position", json={"before": a}, headers={"If-Match": etag})
    stale = client.put(f"/api/v1/queue/{b}/position", json={"before": c}, headers={"If-Match": etag})
    again = client.put(f"/api/v1/queue/{a}/position", json={"after": b}, headers={"If-Match": moved.headers["etag"]})

    assert (moved.status_code, stale.status_code, again.status_code) == (200, 412, 200)
    assert stale.json()["code"] == "order_changed"
    assert order_of(client) == [c, b, a]


@pytest.mark.parametrize("body", [{}, {"before": UNKNOWN, "after": UNKNOWN}, {"before": UNKNOWN}, {"before": "x"}])
def test_a_place_that_is_none_is_refused(client: TestClient, place: Place, body: dict[str, str]) -> None:
    run = submit(client, place)

    assert client.put(f"/api/v1/queue/{run['id']}/position", json=body).status_code in {404, 422}


@pytest.mark.req("Q12")
def test_pauses_are_added_listed_and_lifted(client: TestClient, place: Place) -> None:
    everything = client.post("/api/v1/queue/pauses", json={"scope": "all", "reason": "stocktaking"})
    one = {"scope": "workspace", "value": place.workspace_id, "reason": "audit"}
    workspace = client.post("/api/v1/queue/pauses", json=one)
    level = client.post("/api/v1/queue/pauses", json={"scope": "priority", "value": "low", "reason": "later"})

    assert (everything.status_code, workspace.status_code, level.status_code) == (201, 201, 201)
    assert level.json()["value"] == "70"
    listed = client.get("/api/v1/queue").json()["pauses"]
    assert [row["reason"] for row in listed] == ["stocktaking", "audit", "later"]
    address = f"/api/v1/queue/pauses/{everything.json()['id']}"
    assert (client.delete(address).status_code, client.delete(address).status_code) == (204, 404)
    assert len(client.get("/api/v1/queue").json()["pauses"]) == 2


@pytest.mark.req("Q12", "S2")
def test_a_workspace_and_its_plans_have_only_so_many_pauses(
    client: TestClient, place: Place, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pauses, "MOST_OF_WORKSPACE", 3)
    other = furnish(system)
    phase = {"configuration_id": place.configuration_id, "input_document_id": place.document_id}
    plan = client.post(f"/api/v1/workspaces/{place.workspace_id}/plans", json={"phases": [phase]}).json()
    of_workspace = {"scope": "workspace", "value": place.workspace_id, "reason": "again"}
    of_plan = {"scope": "plan", "value": plan["id"], "reason": "again"}

    made = [client.post("/api/v1/queue/pauses", json=body) for body in (of_workspace, of_plan, of_plan)]
    refused = [client.post("/api/v1/queue/pauses", json=body) for body in (of_workspace, of_plan)]
    elsewhere = [{**of_workspace, "value": other.workspace_id}, {"scope": "all", "reason": "night"}]
    others = [client.post("/api/v1/queue/pauses", json=body) for body in elsewhere]
    client.delete(f"/api/v1/queue/pauses/{made[0].json()['id']}")
    after = client.post("/api/v1/queue/pauses", json=of_plan)

    assert [answer.status_code for answer in (*made, *refused, *others, after)] == [201] * 3 + [409] * 2 + [201] * 3


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "workspace", "reason": "x"},
        {"scope": "workspace", "value": UNKNOWN, "reason": "x"},
        {"scope": "plan", "value": UNKNOWN, "reason": "x"},
        {"scope": "priority", "value": "soon", "reason": "x"},
        {"scope": "all", "reason": ""},
        {"scope": "moon", "reason": "x"},
    ],
)
def test_a_pause_of_nothing_is_refused(client: TestClient, place: Place, body: dict[str, str]) -> None:
    assert client.post("/api/v1/queue/pauses", json=body).status_code in {404, 422}


@pytest.mark.req("Q14")
def test_where_a_run_would_stand_is_told_before_it_is_submitted(client: TestClient, place: Place) -> None:
    for _ in range(3):
        submit(client, place)

    def would(priority: str) -> int:
        return int(client.get(f"/api/v1/queue/estimate?priority={priority}").json()["position"])

    assert (would("urgent"), would("normal"), would("90")) == (1, 4, 4)
    assert client.get("/api/v1/queue/estimate?priority=soon").status_code == 422


@pytest.mark.req("Q15")
@pytest.mark.parametrize("window", ["1h", "24h", "7d", "90d"])
def test_analytics_answer_for_every_window(client: TestClient, place: Place, window: str) -> None:
    assert client.get(f"/api/v1/queue/analytics?window={window}").status_code == 200


@pytest.mark.req("Q9", "A2")
def test_a_plan_queues_phases_and_the_second_waits_for_the_first(
    client: TestClient, system: System, place: Place
) -> None:
    add_worker(system)
    first = {"configuration_id": place.configuration_id, "input_document_id": place.document_id}
    second = {"configuration_id": place.configuration_id, "input": "previous_output"}
    address = f"/api/v1/workspaces/{place.workspace_id}/plans"

    made = client.post(address, json={"priority": "high", "phases": [first, second]})
    plan = made.json()
    changed = client.patch(f"/api/v1/plans/{plan['id']}", json={"priority": "low", "reason": "no hurry"})
    cancelled = client.post(f"/api/v1/plans/{plan['id']}/cancel")
    again = client.post(f"/api/v1/plans/{plan['id']}/cancel")

    assert made.status_code == 202, made.text
    assert [(run["phase"], run["priority"], run["waiting_for"]) for run in plan["runs"]] == [
        (1, 20, "build"),
        (2, 20, "earlier_phase"),
    ]
    output = client.get(f"/api/v1/documents/{plan['runs'][1]['input_document_id']}").json()
    assert output["produced_by"] == plan["runs"][0]["id"]
    assert [run["priority"] for run in changed.json()["runs"]] == [70, 70]
    assert cancelled.json()["status"] == "cancelled"
    assert {run["status"] for run in cancelled.json()["runs"]} == {"cancelled"}
    assert again.status_code == 409
    assert client.get(address).json()["items"][0]["id"] == plan["id"]


@pytest.mark.parametrize("phase", [{}, {"input": "previous_output"}, {"input_document_id": UNKNOWN}])
def test_a_plan_that_cannot_begin_is_refused(client: TestClient, place: Place, phase: dict[str, str]) -> None:
    phases = [{"configuration_id": place.configuration_id, **phase}]
    answer = client.post(f"/api/v1/workspaces/{place.workspace_id}/plans", json={"phases": phases})

    assert answer.status_code in {404, 422}
    assert client.get("/api/v1/queue").json()["items"] == []


@pytest.mark.req("B6", "A2")
def test_a_build_is_told_and_cancelling_it_fails_its_runs(client: TestClient, place: Place) -> None:
    run = submit(client, place)
    address = f"/api/v1/builds/{run['build_id']}"

    build = client.get(address).json()
    listed = client.get(f"/api/v1/builds?configuration_id={place.configuration_id}").json()["items"]
    events = client.get(f"{address}/events").json()["items"]
    cancelled = client.post(f"{address}/cancel")
    again = client.post(f"{address}/cancel")

    assert (build["status"], build["waiting_run_count"]) == ("queued", 1)
    assert [one["id"] for one in listed] == [build["id"]]
    assert [event["type"] for event in events] == ["build.queued"]
    assert (cancelled.status_code, again.status_code) == (200, 409)
    assert client.get(run["links"]["self"]).json()["failure"]["code"] == "build_failed"
    assert client.get(f"{address}/logs").text == ""


@pytest.mark.req("W1")
@pytest.mark.req("Q5")
def test_runs_that_wait_for_room_go_on_when_their_workspace_gets_more(
    client: TestClient, system: System, place: Place
) -> None:
    address = f"/api/v1/workspaces/{place.workspace_id}"
    facts = WorkerFacts(name="w1", host="here", process_id=1, version="1", slots=4)
    worker_id = system.database.write(lambda tx: register_worker(tx, facts, rules=QueueRules()))
    etag = client.get(address).headers["etag"]
    capped = client.patch(address, json={"max_running": 1}, headers={"If-Match": etag})
    for document_id in [place.document_id, *add_documents(system, place, 2)]:
        submit(client, place, input_document_id=document_id)
    system.database.write(make_builds_ready)
    claims = system.database.write(lambda tx: calls.claim(tx, worker_id, rules=QueueRules(), room=Room(slots=4)))

    uncapped = client.patch(address, json={"max_running": None}, headers={"If-Match": capped.headers["etag"]})

    assert (len(claims), capped.json()["max_running"], uncapped.json()["max_running"]) == (1, 1, None)
    waiting = system.database.read(
        lambda tx: tx.execute(sa.select(runs.c.block_mask).where(runs.c.status == "queued")).all()
    )
    assert [row.block_mask for row in waiting] == [0, 0]
    told = client.get("/api/v1/audit", params={"subject_kind": "workspace"}).json()["items"]
    assert [(row["action"], row["changes"]) for row in told] == [
        ("workspace.cap", {"max_running": [1, None]}),
        ("workspace.cap", {"max_running": [None, 1]}),
    ]


def test_workers_are_listed_and_asked_to_drain(client: TestClient, system: System, place: Place) -> None:
    worker_id = system.database.write(lambda tx: register_worker(tx, FACTS, rules=QueueRules()))

    listed = client.get("/api/v1/workers").json()["items"]
    drained = client.post(f"/api/v1/workers/{worker_id}/drain")
    unknown = client.post(f"/api/v1/workers/{UNKNOWN}/drain")

    assert [(one["name"], one["is_alive"], one["isolation"]) for one in listed] == [("w1", True, "confined")]
    assert drained.json()["drain_requested_at"] is not None
    assert unknown.status_code == 404
    asked = system.database.read(lambda tx: tx.execute(sa.select(workers.c.drain_requested_at)).scalar_one())
    assert asked is not None


@pytest.mark.req("A4")
def test_metrics_tell_the_queue_by_priority_and_reason(client: TestClient, place: Place) -> None:
    submit(client, place)
    submit(client, place, priority="high")

    text = client.get("/metrics").text

    assert 'ade_queue_depth{priority="20",reason="build"} 1.0' in text
    assert 'ade_runs{status="queued"} 2.0' in text
    assert "ade_runs_submitted_total 2.0" in text
    assert "ade_builds_requested_total 1.0" in text


def test_settings_are_listed_without_secrets(client: TestClient) -> None:
    listed = {one["name"]: one for one in client.get("/api/v1/settings").json()["settings"]}

    assert listed["ADE_QUEUE_SIZE"]["value"] == 10_000
    assert "ADE_DATABASE_URL" in listed

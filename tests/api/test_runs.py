"""Runs: submitted at once, answered with their place, cancelled, run again; the queue's limits told kindly."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

import rows
from ade.api.app import create_app
from ade.database.schema import builds, documents, runs
from ade.database.transaction import Database, Transaction
from ade.domain.retention import RetentionRules
from ade.domain.run import RunStatus
from ade.operations.maintenance.retention import collect_garbage
from ade.system import System
from api.conftest import HERE, Place, add_documents, add_worker, make_system, submit

UNKNOWN = "01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10"


def make_builds_ready(tx: Transaction) -> None:
    tx.execute(sa.update(builds).values(status="ready"))
    tx.execute(sa.update(runs).where(runs.c.status == "queued").values(block_mask=0, ready_at=tx.now))


def put_to_work(system: System, run_id: str) -> None:
    values = rows.fitting(RunStatus.RUNNING)
    system.database.write(lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run_id).values(**values)))


@pytest.mark.req("R3", "A2")
def test_a_submission_is_answered_at_once_with_build_place_and_links(client: TestClient, place: Place) -> None:
    run = submit(client, place)

    assert (run["status"], run["waiting_for"], run["position"]) == ("queued", "worker", 1)
    assert run["build"] == {"id": run["build_id"], "status": "queued"}
    assert {"self", "events", "stream", "logs", "artifact", "output"} <= set(run["links"])
    for link in ("self", "events", "logs"):
        assert client.get(run["links"][link]).status_code == 200
    assert client.get(run["links"]["self"]).json() == run


@pytest.mark.req("Q1")
@pytest.mark.parametrize(("given", "number"), [("urgent", 10), ("background", 90), (0, 0), (100, 100), (33, 33)])
def test_a_priority_is_a_name_or_a_number(client: TestClient, place: Place, given: object, number: int) -> None:
    assert submit(client, place, priority=given)["priority"] == number


@pytest.mark.parametrize(
    "wrong",
    [
        {"priority": 101},
        {"priority": "soon"},
        {"priority": True},
        {"priority": None},
        {"input_document_id": "x"},
        {"unknown": 1},
        {"sheets": ["a\u0000b"]},
        {"sheets": ["a" * 256]},
        {"sheets": [f"{number:0200}" for number in range(100)]},
        {"scheduled_at": "2026-01-01T00:00:00"},
        {"scheduled_at": "9999-12-31T23:59:59Z"},
        {"scheduled_at": "9999-12-31T20:00:00-12:00"},
    ],
)
def test_a_wrong_order_is_refused_by_name(client: TestClient, place: Place, wrong: dict[str, object]) -> None:
    body = {"input_document_id": place.document_id, **wrong}
    answer = client.post(f"/api/v1/configurations/{place.configuration_id}/runs", json=body)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert next(iter(wrong)) in answer.json()["detail"]
    assert answer.json()["errors"]


def test_an_unknown_document_or_configuration_is_not_found(client: TestClient, place: Place) -> None:
    document = client.post(f"/api/v1/configurations/{place.configuration_id}/runs", json={"input_document_id": UNKNOWN})
    configuration = client.post(f"/api/v1/configurations/{UNKNOWN}/runs", json={"input_document_id": place.document_id})

    assert (document.status_code, configuration.status_code) == (404, 404)


@pytest.mark.req("A2", "B4")
def test_a_thousand_documents_are_submitted_in_one_call_all_or_none(
    client: TestClient, system: System, place: Place
) -> None:
    documents = add_documents(system, place, 1000)
    address = f"/api/v1/configurations/{place.configuration_id}/runs/batch"

    answer = client.post(address, json={"input_document_ids": documents, "priority": "low"})
    with_unknown = client.post(address, json={"input_document_ids": [*documents[:3], UNKNOWN]})
    too_many = client.post(address, json={"input_document_ids": [documents[0]] * 1001})

    assert answer.status_code == 202
    made = answer.json()["runs"]
    assert [run["input_document_id"] for run in made] == documents
    assert [run["position"] for run in made] == list(range(1, 1001))
    assert len({run["build_id"] for run in made}) == 1
    assert (with_unknown.status_code, too_many.status_code) == (404, 422)
    assert client.get("/api/v1/queue").json()["capacity"]["queued_count"] == 1000


@pytest.mark.req("Q5")
def test_a_full_queue_answers_429_with_a_time_and_leaves_nothing_but_a_count(
    database: Database, tmp_path: Path, place: Place
) -> None:
    small = make_system(database, tmp_path, queue_size=2)
    with TestClient(create_app(small), base_url=HERE) as client:
        submit(client, place)
        submit(client, place)
        body = {"input_document_id": place.document_id, "priority": "high"}
        refused = client.post(f"/api/v1/configurations/{place.configuration_id}/runs", json=body)
        listed = client.get("/api/v1/runs").json()["items"]
        slices = client.get("/api/v1/queue/analytics").json()["slices"]
        metrics = client.get("/metrics").text

    assert (refused.status_code, refused.json()["code"]) == (429, "run_queue_full")
    assert int(refused.headers["retry-after"]) > 0
    assert len(listed) == 2
    assert sum(one["rejected_count"] for one in slices) == 1
    assert 'ade_rejections_total{priority="20"} 1.0' in metrics


@pytest.mark.req("A1")
def test_a_submission_sent_again_with_its_key_makes_no_second_run(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}/runs"
    body, headers = {"input_document_id": place.document_id}, {"Idempotency-Key": "abc"}

    first = client.post(address, json=body, headers=headers)
    again = client.post(address, json=body, headers=headers)
    other = client.post(address, json={**body, "priority": "low"}, headers=headers)

    assert again.json() == first.json()
    assert (again.status_code, again.headers["idempotent-replayed"]) == (202, "true")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len(client.get("/api/v1/runs").json()["items"]) == 1


def test_a_refused_submission_does_not_use_up_its_key(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}/runs"
    headers = {"Idempotency-Key": "abc"}

    refused = client.post(address, json={"input_document_id": UNKNOWN}, headers=headers)
    accepted = client.post(address, json={"input_document_id": place.document_id}, headers=headers)

    assert (refused.status_code, accepted.status_code) == (404, 202)


@pytest.mark.req("R5")
def test_a_queued_run_is_cancelled_at_once_and_only_once(client: TestClient, place: Place) -> None:
    run = submit(client, place)

    cancelled = client.post(f"/api/v1/runs/{run['id']}/cancel", json={"reason": "wrong file"})
    again = client.delete(f"/api/v1/runs/{run['id']}")

    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert (again.status_code, again.json()["code"]) == (409, "run_finished")


@pytest.mark.req("R5")
def test_a_running_run_is_being_cancelled(client: TestClient, system: System, place: Place) -> None:
    run = submit(client, place)
    put_to_work(system, run["id"])

    answer = client.post(f"/api/v1/runs/{run['id']}/cancel")

    assert (answer.status_code, answer.json()["status"]) == (202, "running")
    assert answer.json()["cancel_requested_at"] is not None


@pytest.mark.req("R6")
def test_run_again_makes_a_new_run_and_leaves_the_old_one(client: TestClient, place: Place) -> None:
    run = submit(client, place, priority="low")
    client.post(f"/api/v1/runs/{run['id']}/cancel")

    again = client.post(f"/api/v1/runs/{run['id']}/run-again")
    urgent = client.post(f"/api/v1/runs/{run['id']}/run-again", json={"priority": "urgent", "version": 1})

    assert again.status_code == 202
    assert again.json()["id"] != run["id"]
    assert again.json()["input_document_id"] == run["input_document_id"]
    assert (again.json()["priority"], urgent.json()["priority"]) == (70, 10)
    assert client.get(run["links"]["self"]).json()["status"] == "cancelled"


@pytest.mark.req("Q10")
def test_the_priority_of_a_queued_run_is_changed_and_audited(client: TestClient, system: System, place: Place) -> None:
    first, second = submit(client, place), submit(client, place)

    changed = client.patch(f"/api/v1/runs/{second['id']}", json={"priority": "high", "reason": "customer waits"})
    put_to_work(system, first["id"])
    too_late = client.patch(f"/api/v1/runs/{first['id']}", json={"priority": "high"})

    assert (changed.json()["priority"], changed.json()["position"]) == (20, 1)
    assert (too_late.status_code, too_late.json()["code"]) == (409, "run_not_queued")
    audited = client.get(f"/api/v1/audit?subject_id={second['id']}").json()["items"]
    assert audited[0]["changes"] == {"priority": [50, 20]}
    assert audited[0]["reason"] == "customer waits"


def test_runs_are_listed_newest_first_and_filtered(client: TestClient, system: System, place: Place) -> None:
    made = [submit(client, place) for _ in range(5)]
    client.post(f"/api/v1/runs/{made[0]['id']}/cancel")
    ids = [run["id"] for run in reversed(made)]
    listing = f"/api/v1/workspaces/{place.workspace_id}/runs"

    first = client.get(f"{listing}?limit=3").json()
    rest = client.get(f"{listing}?limit=3&cursor={first['next_cursor']}").json()

    assert [run["id"] for run in first["items"] + rest["items"]] == ids
    assert rest["next_cursor"] is None
    assert [run["id"] for run in client.get(f"{listing}?status=cancelled").json()["items"]] == [made[0]["id"]]
    assert len(client.get(f"{listing}?status=cancelled&status=queued").json()["items"]) == 5
    assert client.get(f"/api/v1/runs?document_id={UNKNOWN}").json()["items"] == []
    assert len(client.get(f"/api/v1/runs?configuration_id={place.configuration_id}").json()["items"]) == 5


@pytest.mark.req("R2", "U2")
def test_why_a_run_waits_is_derived(client: TestClient, system: System, place: Place) -> None:
    add_worker(system)
    waiting = submit(client, place)
    later = submit(client, place, scheduled_at="2999-01-01T00:00:00Z")
    assert (waiting["waiting_for"], later["waiting_for"]) == ("build", "scheduled")
    system.database.write(make_builds_ready)
    assert client.get(waiting["links"]["self"]).json()["waiting_for"] == "capacity"
    paused = client.post("/api/v1/queue/pauses", json={"scope": "all", "reason": "stocktaking"}).json()
    assert client.get(waiting["links"]["self"]).json()["waiting_for"] == "paused"
    client.delete(f"/api/v1/queue/pauses/{paused['id']}")
    other = submit(client, place)
    put_to_work(system, waiting["id"])
    assert client.get(other["links"]["self"]).json()["waiting_for"] == "document_busy"


@pytest.mark.req("A2", "W6")
def test_what_retention_removed_is_gone_with_the_right_explanation(
    client: TestClient, system: System, place: Place
) -> None:
    run = submit(client, place)
    folder = f"runs/{run['id']}/1"
    system.files.write(f"{folder}/normalized.xlsx", [b"a workbook"])
    ended = {"status": "succeeded", "file_key": folder}

    def end_long_ago(tx: Transaction) -> None:
        long_ago = tx.now - timedelta(days=400)
        tx.execute(sa.update(runs).values(**ended, started_at=long_ago, finished_at=long_ago, block_mask=0))
        tx.execute(sa.update(builds).values(status="ready", finished_at=long_ago, created_at=long_ago, file_key="b/1"))
        tx.execute(sa.update(documents).values(created_at=long_ago))
        tx.execute(sa.update(runs).values(created_at=long_ago))

    system.database.write(end_long_ago)
    day = timedelta(days=1)
    rules = RetentionRules(runs=day, builds=day, documents=day)
    collect_garbage(system.database, system.files, rules=rules)

    today = system.database.read(lambda tx: tx.now).date()
    of_run = [f"{run['links']['self']}/{part}" for part in ("output", "artifact", "issues", "logs", "events")]
    of_run += [f"{run['links']['self']}/output/cells", f"{run['links']['self']}/events.ndjson"]
    of_document = [f"/api/v1/documents/{place.document_id}{part}" for part in ("", "/content", "/cells", "/structure")]
    for address in [*of_run, *of_document, f"/api/v1/builds/{run['build_id']}/logs"]:
        answer = client.get(address)
        assert (answer.status_code, answer.json()["code"]) == (410, "file_removed"), address
        assert f"removed by retention on {today}; the records remain." in answer.json()["detail"], address
    told = client.get(run["links"]["self"]).json()
    assert (told["status"], told["files_removed_at"][:10]) == ("succeeded", str(today))
    build = client.get(f"/api/v1/builds/{run['build_id']}").json()
    assert (build["status"], build["files_removed_at"][:10]) == ("removed", str(today))


@pytest.mark.req("Q14", "Q16")
def test_a_run_that_fits_no_worker_says_so_and_what_it_declared(
    client: TestClient, system: System, place: Place
) -> None:
    add_worker(system, memory_mb=2048, cpu_count=4)

    run = submit(client, place, memory_mb=1000, cpu_count=64)
    [queued] = client.get("/api/v1/queue").json()["items"]

    for told in (run, client.get(run["links"]["self"]).json(), queued):
        assert told["waiting_for"] == "worker"
        assert told["waiting_reason"] == "It needs 64 processors; the largest live worker has 4 processors."
        assert (told["memory_mb"], told["cpu_count"]) == (1000, 64)
        assert (told["estimated_start_at"], told["estimated_start"]) == (None, None)
    [worker] = client.get("/api/v1/workers").json()["items"]
    assert (worker["memory_mb"], worker["cpu_count"]) == (2048, 4)


@pytest.mark.req("A2")
def test_files_of_a_run_are_told_to_come_later_until_it_has_ended(
    client: TestClient, system: System, place: Place
) -> None:
    run = submit(client, place)
    for part in ("artifact", "output", "issues"):
        answer = client.get(f"/api/v1/runs/{run['id']}/{part}")
        assert (answer.status_code, answer.json()["code"]) == (409, "run_not_finished"), part

    folder = f"runs/{run['id']}/7"
    for name, content in {
        "artifact.json": b'{"version": 1}',
        "normalized.csv": b"name\nAda\n",
        "issues.ndjson": b'{"cell": "A1"}\n',
        "logs.txt": b"first\nsecond\nthird\n",
    }.items():
        system.files.write(f"{folder}/{name}", [content])
    finished = {"status": "succeeded", "file_key": folder}
    system.database.write(
        lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run["id"]).values(**finished, finished_at=tx.now))
    )

    assert client.get(run["links"]["artifact"]).json() == {"version": 1}
    output = client.get(run["links"]["output"])
    assert (output.text, output.headers["content-type"]) == ("name\nAda\n", "text/csv; charset=utf-8")
    assert "members-normalized.csv" in output.headers["content-disposition"]
    assert client.get(f"{run['links']['output']}/cells?range=A2").json()["rows"][0]["cells"][0]["value"] == "Ada"
    assert client.get(run["links"]["issues"]).text == '{"cell": "A1"}\n'
    assert client.get(run["links"]["logs"]).text == "first\nsecond\nthird\n"
    tail = client.get(f"{run['links']['logs']}?tail=8")
    assert (tail.text, tail.headers["x-log-bytes"]) == ("third\n", "19")
    system.files.write(f"{folder}/logs.txt", [b"x" * 700_000 + b"\n" + b"y" * 300_000 + b"\n"])
    long = client.get(f"{run['links']['logs']}?tail=900000")
    assert long.text == "y" * 300_000 + "\n"
    assert "content-length" not in long.headers  # sent as it is read


@pytest.mark.req("A2")
def test_each_table_of_an_output_without_sheets_is_a_file_with_its_name(
    client: TestClient, system: System, place: Place
) -> None:
    run = submit(client, place)
    folder = f"runs/{run['id']}/7"
    names = [f"normalized-{n}-Leeds.csv" for n in range(1, 11)]
    for name in [*names, "normalized-issues.csv", "artifact.json"]:
        system.files.write(f"{folder}/{name}", [f"name\n{name}\n".encode()])
    finished = {"status": "succeeded", "file_key": folder}
    system.database.write(
        lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run["id"]).values(**finished, finished_at=tx.now))
    )

    link = run["links"]["output"]
    first, tenth, missing = (client.get(address) for address in (link, f"{link}?table=10", f"{link}?table=11"))
    cells = client.get(f"{link}/cells?sheet=1&range=A2").json()

    assert first.text == "name\nnormalized-1-Leeds.csv\n"
    assert "members-normalized-10-Leeds.csv" in tenth.headers["content-disposition"]
    assert (missing.status_code, missing.json()["code"]) == (404, "file_missing")
    assert cells["rows"][0]["cells"][0]["value"] == "normalized-2-Leeds.csv"


def test_a_failed_run_has_no_output_but_a_reason(client: TestClient, system: System, place: Place) -> None:
    run = submit(client, place)
    values = rows.fitting(RunStatus.FAILED)
    system.database.write(
        lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run["id"]).values(**values, finished_at=tx.now))
    )

    assert client.get(run["links"]["self"]).json()["failure"]["code"] == "internal_error"
    for part in ("output", "artifact"):
        answer = client.get(f"/api/v1/runs/{run['id']}/{part}")
        assert (answer.status_code, answer.json()["code"]) == (404, "file_missing")


@pytest.mark.req("A2")
def test_a_run_that_succeeded_has_a_verdict_that_lists_of_documents_show_too(
    client: TestClient, system: System, place: Place
) -> None:
    (document,) = add_documents(system, place, 1)
    run = submit(client, place, input_document_id=document)
    told = {"verdict": "check", "verdict_reason": "Email was not found.", "fit": 0.5}

    def end(tx: Transaction, status: RunStatus) -> None:
        values = {**rows.fitting(status), "finished_at": tx.now, **told}
        tx.execute(sa.update(runs).where(runs.c.id == run["id"]).values(**values))

    def listed() -> Any:
        items = client.get(f"/api/v1/workspaces/{place.workspace_id}/documents").json()["items"]
        return {item["id"]: item["newest_run"] for item in items}[document]

    assert (run["verdict"], listed()) == (None, None)
    system.database.write(lambda tx: end(tx, RunStatus.SUCCEEDED))
    found = client.get(run["links"]["self"]).json()
    assert {name: found[name] for name in told} == told
    assert listed() == {"id": run["id"], "status": "succeeded", **{name: told[name] for name in told if name != "fit"}}
    system.database.write(lambda tx: end(tx, RunStatus.FAILED))
    assert client.get(run["links"]["self"]).json()["verdict"] is None
    assert client.get("/api/v1/runs?verdict=check").json()["items"] == []


@pytest.mark.req("A2")
def test_the_overview_of_a_workspace_counts_what_its_lists_show(
    client: TestClient, system: System, place: Place
) -> None:
    again, broken = (submit(client, place, input_document_id=one)["id"] for one in add_documents(system, place, 2))
    waiting = submit(client, place)["id"]

    def end(tx: Transaction) -> None:
        for run_id, status, issues in ((again, RunStatus.SUCCEEDED, 12), (broken, RunStatus.FAILED, None)):
            values = {**rows.fitting(status), "finished_at": tx.now, "issue_count": issues, "verdict": "check"}
            values |= {"verdict_reason": "Email was not found.", "fit": 0.5}
            tx.execute(sa.update(runs).where(runs.c.id == run_id).values(**values))

    system.database.write(end)
    runs_here = f"/api/v1/workspaces/{place.workspace_id}/runs"

    assert client.get(f"/api/v1/workspaces/{place.workspace_id}/overview").json() == {
        "running_count": 0, "queued_count": 1, "document_count": 2, "failed_count": 1, "with_issues_count": 1,
        "issue_count": 12, "ready_count": 0, "check_count": 1, "not_usable_count": 0, "proposal_count": 0,
    }  # fmt: skip
    for filter_, found in {
        "is_newest=true": [broken, again],
        "is_newest=true&has_issues=true": [again],
        "is_newest=true&status=failed": [broken],
        "is_newest=true&verdict=check": [again],
        "verdict=ready": [],
        "verdict=ready&verdict=check": [again],
        "is_test=false": [waiting, broken, again],
        "is_test=true": [],
    }.items():
        listed = client.get(f"{runs_here}?{filter_}").json()["items"]
        assert [run["id"] for run in listed] == found, filter_
        everywhere = client.get(f"/api/v1/runs?{filter_}").json()["items"]
        assert [run["id"] for run in everywhere] == found, filter_

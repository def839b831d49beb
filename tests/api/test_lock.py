"""The queue's lock is held for what changes the queue, not for the answer to the caller."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ade.database.queue import ordering, workers
from ade.database.transaction import Transaction
from ade.database.views import build_lists, run_lists, statistics
from api.conftest import Place, submit

# What answers are made of, and no change of the queue needs.
VIEWS: list[tuple[Any, str]] = [
    (build_lists, "get"),
    (ordering, "count_before"),
    (run_lists, "chosen"),
    (run_lists, "get"),
    (statistics, "busy_counts"),
    (statistics, "recent_durations"),
    (workers, "live"),
]
AGE = b'from ade_engine import Field\n\nfield = Field("age", label="Age")\n'
KEY = {"Idempotency-Key": "abc"}


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Note each view that is read, and whether its transaction holds the queue."""
    read: list[tuple[str, bool]] = []

    def noted(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
        def look(tx: Transaction, *arguments: Any, **named: Any) -> Any:
            read.append((name, tx.held is not None))
            return view(tx, *arguments, **named)

        return look

    for module, name in VIEWS:
        monkeypatch.setattr(module, name, noted(name, getattr(module, name)))
    return read


@pytest.mark.req("Q4")
def test_no_view_is_read_while_the_queue_is_locked(
    client: TestClient, place: Place, views: list[tuple[str, bool]]
) -> None:
    configuration = f"/api/v1/configurations/{place.configuration_id}"
    body = {"input_document_id": place.document_id}
    client.put(f"{configuration}/files/columns/age.py", content=AGE, headers={"If-None-Match": "*"})
    first, second = submit(client, place), submit(client, place)
    phase = {"configuration_id": place.configuration_id, **body}
    plans = f"/api/v1/workspaces/{place.workspace_id}/plans"
    plan = client.post(plans, json={"phases": [phase]}).json()
    answers = [
        client.post(f"{configuration}/runs", json=body, headers=KEY),
        client.post(f"{configuration}/runs", json=body, headers=KEY),
        client.post(f"{configuration}/runs/batch", json={"input_document_ids": [place.document_id]}),
        client.post(f"{configuration}/test-run", json=body),
        client.post(f"/api/v1/runs/{first['id']}/run-again"),
        client.patch(f"/api/v1/runs/{first['id']}", json={"priority": "low", "reason": "no hurry"}),
        client.patch(f"/api/v1/runs/{first['id']}", json={"priority": "normal", "reason": "hurry"}),
        client.put(f"/api/v1/queue/{second['id']}/position", json={"before": first["id"]}),
        client.patch(f"/api/v1/plans/{plan['id']}", json={"priority": "low", "reason": "no hurry"}),
        client.post(f"/api/v1/plans/{plan['id']}/cancel"),
        client.post(f"/api/v1/runs/{first['id']}/cancel"),
        client.delete(f"/api/v1/runs/{second['id']}"),
        client.post(f"/api/v1/builds/{first['build_id']}/cancel"),
    ]

    assert {answer.status_code for answer in answers} <= {200, 202}, [answer.text for answer in answers]
    assert {name for name, _ in views} == {name for _, name in VIEWS}
    assert [name for name, is_locked in views if is_locked] == []


@pytest.mark.req("A1")
def test_a_submission_sent_again_shows_its_run_as_it_is_then(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}/runs"
    body = {"input_document_id": place.document_id}

    run = client.post(address, json=body, headers=KEY).json()
    client.post(f"/api/v1/runs/{run['id']}/cancel")
    again = client.post(address, json=body, headers=KEY).json()

    assert (again["id"], run["status"], again["status"]) == (run["id"], "queued", "cancelled")

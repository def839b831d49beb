"""Every change leaves a row in the audit log: who, what, and under which trace."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.database.schema import runs
from ade.database.transaction import Database
from ade.domain.configuration_files import pack
from ade.domain.queue import QueueRules
from ade.operations.queue.workers import WorkerFacts, register_worker
from ade.system import System
from api.conftest import ROOT, RULES, Place, finish_normalized, furnish, make_system, open_client
from api.people import PASSWORD, Person, add_person

pytestmark = pytest.mark.req("S7")
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/reference/openapi.json").read_text())
RUNS = "/configurations/{configuration_id}/runs"
# A run and a plan carry who submitted them and when; the rest changes nothing that anyone keeps.
NOT_AUDITED = {
    ("POST", RUNS),
    ("POST", f"{RUNS}/batch"),
    ("POST", "/configurations/{configuration_id}/test-run"),
    ("POST", "/runs/{run_id}/run-again"),
    ("POST", "/workspaces/{workspace_id}/plans"),
    ("POST", "/configurations/{configuration_id}/check"),
    ("POST", "/configurations/{configuration_id}/tests"),
    ("POST", "/workspaces/{workspace_id}/combined-output"),
    ("DELETE", "/session"),
}


@pytest.fixture
def system(database: Database, tmp_path: Path) -> System:
    return make_system(database, tmp_path, auth_mode="team")


@pytest.fixture
def client(system: System) -> Iterator[TestClient]:
    with open_client(system) as opened:
        yield opened


@pytest.mark.slow
class Changing:
    """Makes changes, and looks after each what the audit log has about it."""

    def __init__(self, client: TestClient, system: System, place: Place) -> None:
        self._client = client
        self._admin = add_person(system, is_admin=True)
        self.other: Person = add_person(system)
        self._ids = {**vars(place), "user_id": self.other.id, "path": "columns/more.py"}
        self.made: set[tuple[str, str]] = set()

    def __call__(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Make a call; unless it needs none, there must be a new row of it, with its trace."""
        before = self._last()["position"]
        headers = {**self._admin.headers, **options.pop("headers", {})}
        if body is not None:
            options["json"] = body
        answer = self._client.request(method, f"/api/v1{path.format(**self._ids)}", headers=headers, **options)
        assert answer.status_code < 300, (method, path, answer.text)
        after = self._last()
        self.made.add((method, path))
        if (method, path) not in NOT_AUDITED:
            assert after["position"] > before, (method, path)
            assert after["trace_id"] == answer.headers["x-trace-id"], (method, path)
        return answer.json() if answer.headers.get("content-type") == "application/json" else None

    def know(self, **ids: str) -> None:
        """Use other ids from now on."""
        self._ids |= ids

    def _last(self) -> dict[str, Any]:
        items = self._client.get("/api/v1/audit?limit=1", headers=self._admin.headers).json()["items"]
        return items[0] if items else {"position": 0}


def test_every_call_that_changes_something_is_in_the_audit_log(
    client: TestClient, system: System, tmp_path: Path
) -> None:
    change = Changing(client, system, furnish(system))
    _change_people(change)
    _change_contents(change)
    _change_cases(change, system, tmp_path)
    _change_queue(change, system)

    every = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in SCHEMA["paths"].items()
        for method in methods
        if method != "get"
    }
    assert change.made == every - {("DELETE", "/session")}


def _change_people(change: Changing) -> None:
    change("POST", "/workspaces", {"name": "Another"})
    tagged = {"headers": {"If-Match": '"1"'}}
    change("PATCH", "/workspaces/{workspace_id}", {"name": "Renamed"}, **tagged)
    change("POST", "/workspaces/{workspace_id}/members", {"email": change.other.email, "role": "operator"})
    change("PUT", "/workspaces/{workspace_id}/members/{user_id}", {"role": "viewer"})
    change("DELETE", "/workspaces/{workspace_id}/members/{user_id}")
    change("POST", "/users", {"email": "new@example.org", "name": "New", "password": "long enough, surely"})
    change("PATCH", "/users/{user_id}", {"name": "Someone else"})
    change("POST", "/session", {"email": change.other.email, "password": PASSWORD})
    change.know(key_id=change("POST", "/api-keys", {"name": "k"})["id"])
    change("DELETE", "/api-keys/{key_id}")
    hook = change("POST", "/workspaces/{workspace_id}/webhooks", {"url": "https://example.org/"})
    change.know(webhook_id=hook["id"])
    change("PATCH", "/webhooks/{webhook_id}", {"statuses": ["failed"]})
    change.know(delivery_id=change("POST", "/webhooks/{webhook_id}/ping")["id"])
    change("POST", "/webhooks/{webhook_id}/deliveries/{delivery_id}/send-again")
    change("DELETE", "/webhooks/{webhook_id}")


def _change_contents(change: Changing) -> None:
    made = change("POST", "/workspaces/{workspace_id}/documents", files={"file": ("a.csv", b"Name\nAda\n")})
    change.know(document_id=made["id"])
    change("PATCH", "/documents/{document_id}", {"name": "b.csv"})
    change("POST", "/workspaces/{workspace_id}/configurations", {"name": "More"})
    change("PATCH", "/configurations/{configuration_id}", {"name": "Renamed"})
    change("POST", "/configurations/{configuration_id}/versions", {})
    edits = [{"path": "columns/town.py", "content": "# one\n"}]
    change("PATCH", "/configurations/{configuration_id}/files", {"files": edits})
    file = "/configurations/{configuration_id}/files/{path}"
    change("PUT", file, content=b"x = 1\n")
    change("DELETE", file, headers={"If-Match": "*"})
    change("POST", "/configurations/{configuration_id}/check")
    change("POST", "/configurations/{configuration_id}/test-run", {"input_document_id": made["id"]})
    change("POST", "/configurations/{configuration_id}/publish")
    decided = {"input_document_id": made["id"], "corrections": [{"kind": "sheet", "sheet": "Old"}]}
    change("POST", "/configurations/{configuration_id}/corrections", decided)
    change("POST", "/configurations/{configuration_id}/corrections/draft", decided)
    change.know(number="4")
    change("DELETE", "/configurations/{configuration_id}/versions/{number}")


def _change_cases(change: Changing, system: System, folder: Path) -> None:
    run = change("POST", RUNS, {"input_document_id": change._ids["document_id"]})
    finish_normalized(system, run["id"], folder / "run", "Name\nAda\n")
    change("POST", "/workspaces/{workspace_id}/combined-output", {"run_ids": [run["id"]]})
    change("POST", "/configurations/{configuration_id}/cases", {"run_id": run["id"], "name": "one"})
    change("POST", "/configurations/{configuration_id}/tests")
    zipped = {"content": pack({**RULES, "columns/age.py": b"x = 1\n"}), "headers": {"Content-Type": "application/zip"}}
    change("PUT", "/configurations/{configuration_id}/draft", **zipped)


def _change_queue(change: Changing, system: System) -> None:
    document_id = change._ids["document_id"]
    run = change("POST", RUNS, {"input_document_id": document_id})
    (other,) = change("POST", f"{RUNS}/batch", {"input_document_ids": [document_id]})["runs"]
    change.know(run_id=run["id"])
    change("PATCH", "/runs/{run_id}", {"priority": "low"})
    change("PATCH", "/runs/{run_id}", {"priority": "normal"})
    change("PUT", "/queue/{run_id}/position", {"after": other["id"]})
    change("DELETE", "/runs/{run_id}")
    again = change("POST", "/runs/{run_id}/run-again")["id"]
    change.know(run_id=again)
    proposed = sa.update(runs).where(runs.c.id == again).values(proposal="waiting")  # as if an operator had asked
    system.database.write(lambda tx: tx.execute(proposed))
    change("POST", "/runs/{run_id}/proposal", {"decision": "declined"})
    change("POST", "/runs/{run_id}/cancel")
    phases = [{"configuration_id": run["configuration_id"], "input_document_id": document_id}]
    plan = change("POST", "/workspaces/{workspace_id}/plans", {"phases": phases})
    change.know(plan_id=plan["id"])
    change("PATCH", "/plans/{plan_id}", {"priority": "high"})
    change("POST", "/plans/{plan_id}/cancel")
    change.know(pause_id=change("POST", "/queue/pauses", {"scope": "all", "reason": "x"})["id"])
    change("DELETE", "/queue/pauses/{pause_id}")
    change.know(build_id=run["build_id"])
    change("POST", "/builds/{build_id}/cancel")
    facts = WorkerFacts(name="w", host="h", process_id=1, version="1", slots=1)
    change.know(worker_id=system.database.write(lambda tx: register_worker(tx, facts, rules=QueueRules())))
    change("POST", "/workers/{worker_id}/drain")
    change("DELETE", "/documents/{document_id}")

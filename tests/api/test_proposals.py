"""Corrections that operators make for one document wait for an author, who accepts or declines them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ade.api.app import create_app
from ade.database.transaction import Database
from ade.domain.access import Role
from ade.operations.views import proposals
from ade.system import System
from api.conftest import HERE, furnish, make_system, submit
from api.people import add_person

MAIL = {"kind": "header", "header": "Mail address", "field": "email"}
HEADER_ROW = {"kind": "row", "row": 4, "label": "header"}


class Members:
    """Members of a workspace, who ask by their keys."""

    def __init__(self, system: System, client: TestClient) -> None:
        self.client, self.place = client, furnish(system)
        workspace = self.place.workspace_id
        self._keys = {role: add_person(system, workspace_id=workspace, role=role).headers for role in Role}

    def post(self, role: Role, address: str, body: dict[str, Any]) -> Any:
        return self.client.post(f"/api/v1{address}", json=body, headers=self._keys[role])

    def get(self, address: str, **query: str) -> Any:
        answer = self.client.get(f"/api/v1{address}", params=query, headers=self._keys[Role.VIEWER])
        assert answer.status_code == 200, answer.text
        return answer.json()

    def first_run(self) -> dict[str, Any]:
        self.client.headers.update(self._keys[Role.OPERATOR])
        return submit(self.client, self.place)

    def correct(self, role: Role, run: dict[str, Any], *corrections: dict[str, Any], **order: Any) -> dict[str, Any]:
        answer = self.post(role, f"/runs/{run['id']}/run-again", {"corrections": list(corrections), **order})
        assert answer.status_code == 202, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def listed(self, state: str = "waiting") -> list[str]:
        found = self.get(f"/workspaces/{self.place.workspace_id}/proposals", state=state)["items"]
        return [one["run"]["id"] for one in found]

    @property
    def waiting_count(self) -> int:
        count: int = self.get(f"/workspaces/{self.place.workspace_id}/overview")["proposal_count"]
        return count


@pytest.fixture
def members(database: Database, tmp_path: Path) -> Iterator[Members]:
    system = make_system(database, tmp_path, auth_mode="team")
    with TestClient(create_app(system), base_url=HERE, raise_server_exceptions=False) as client:
        yield Members(system, client)


def test_what_an_operator_corrects_waits_for_an_author_with_the_result_it_corrects(members: Members) -> None:
    first = members.first_run()
    made = members.correct(Role.OPERATOR, first, MAIL)

    (found,) = members.get(f"/workspaces/{members.place.workspace_id}/proposals")["items"]
    assert (found["run"]["id"], found["before"]["run_id"]) == (made["id"], first["id"])
    assert found["run"]["proposal"] == {"state": "waiting", "note": None, "decided_by": None, "decided_at": None}
    assert [one["header"] for one in found["run"]["corrections"]] == ["Mail address"]
    assert members.waiting_count == 1


@pytest.mark.req("S7", "A1")
def test_a_list_ends_after_many_characters_of_corrections_and_goes_on_behind_its_cursor(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "MOST_CHARACTERS", 1500)
    long = [{"kind": "value", "field": "name", "value": f"{number}", "new": "x" * 900} for number in range(2)]
    runs = [members.correct(Role.OPERATOR, members.first_run(), *long)["id"] for _ in range(3)]
    address = f"/workspaces/{members.place.workspace_id}/proposals"

    pages: list[list[str]] = []
    cursor = None
    while cursor is not None or not pages:
        page = members.get(address, **({"cursor": cursor} if cursor else {}))
        pages.append([one["run"]["id"] for one in page["items"]])
        cursor = page["next_cursor"]

    assert pages == [[run] for run in reversed(runs)]


@pytest.mark.parametrize(
    ("role", "order"),
    [
        (Role.AUTHOR, {"corrections": [MAIL]}),  # who could apply it from now on, and did not
        (Role.OPERATOR, {"corrections": [MAIL], "is_trial": True}),
        (Role.OPERATOR, {"corrections": [HEADER_ROW]}),  # rows stand elsewhere in the next document
        (Role.OPERATOR, {"corrections": []}),
    ],
)
def test_nothing_else_is_a_proposal(members: Members, role: Role, order: dict[str, Any]) -> None:
    answer = members.post(role, f"/runs/{members.first_run()['id']}/run-again", order)
    assert (answer.status_code, answer.json()["proposal"], members.listed()) == (202, None, [])


def test_a_proposal_moves_on_to_the_next_run_of_its_document_and_keeps_what_it_corrects(members: Members) -> None:
    first = members.first_run()
    earlier = members.correct(Role.OPERATOR, first, MAIL)
    members.correct(Role.OPERATOR, earlier, {"kind": "sheet", "sheet": "Old"}, is_trial=True)
    later = members.correct(Role.AUTHOR, earlier)

    assert (members.listed(), members.waiting_count) == ([later["id"]], 1)
    (found,) = members.get(f"/workspaces/{members.place.workspace_id}/proposals")["items"]
    assert found["before"]["run_id"] == first["id"]


def test_an_author_accepts_it_with_the_version_that_makes_it_hold(members: Members) -> None:
    made = members.correct(Role.OPERATOR, members.first_run(), MAIL)
    address = f"/configurations/{members.place.configuration_id}"
    order = {
        "input_document_id": members.place.document_id, "corrections": [MAIL], "note": "Renamed in October.",
        "earlier_run_id": made["id"], "accepts_proposal_of": made["id"],
    }  # fmt: skip
    assert members.post(Role.OPERATOR, f"{address}/corrections", order).status_code == 403
    accepted = members.post(Role.AUTHOR, f"{address}/corrections", order)

    assert (accepted.status_code, accepted.json()["proposal"]) == (202, None)
    found = members.get(f"/runs/{made['id']}")["proposal"]
    assert (found["state"], found["note"], bool(found["decided_by"])) == ("accepted", "Renamed in October.", True)
    assert (members.listed(), members.listed("accepted"), members.waiting_count) == ([], [made["id"]], 0)
    # A second author comes too late, and nothing is published for them.
    again = members.post(Role.AUTHOR, f"{address}/corrections", order)
    assert (again.status_code, "accepted already" in again.json()["detail"]) == (409, True)
    published = json.loads(members.client.get(f"/api/v1{address}/files/corrections.json").text)["corrections"]
    assert len(published) == 1


def test_an_author_declines_it_with_a_note_and_the_decision_is_audited(members: Members) -> None:
    made = members.correct(Role.OPERATOR, members.first_run(), MAIL)
    order = {"decision": "declined", "note": "This sender only."}
    assert members.post(Role.OPERATOR, f"/runs/{made['id']}/proposal", order).status_code == 403
    declined = members.post(Role.AUTHOR, f"/runs/{made['id']}/proposal", order).json()

    assert (declined["proposal"]["state"], declined["proposal"]["note"]) == ("declined", "This sender only.")
    assert (members.listed(), members.listed("declined")) == ([], [made["id"]])
    audit = f"/api/v1/audit?workspace_id={members.place.workspace_id}&action=run.proposal"
    (row,) = members.client.get(audit, headers=members._keys[Role.ADMIN]).json()["items"]
    assert (row["changes"], row["reason"]) == ({"proposal": ["waiting", "declined"]}, "This sender only.")
    again = members.post(Role.AUTHOR, f"/runs/{made['id']}/proposal", {"decision": "accepted"})
    assert (again.status_code, "declined already" in again.json()["detail"]) == (409, True)


def test_a_run_without_a_proposal_cannot_be_decided_on_and_one_of_another_configuration_is_unknown(
    members: Members,
) -> None:
    run = members.first_run()
    plain = members.post(Role.AUTHOR, f"/runs/{run['id']}/proposal", {"decision": "declined"})
    assert (plain.status_code, "do not wait for an author" in plain.json()["detail"]) == (409, True)
    order = {
        "input_document_id": members.place.document_id,
        "corrections": [MAIL],
        "accepts_proposal_of": members.place.document_id,
    }
    unknown = members.post(Role.AUTHOR, f"/configurations/{members.place.configuration_id}/corrections", order)
    assert unknown.status_code == 404
    files = members.get(f"/configurations/{members.place.configuration_id}")
    assert files["published_version"] == 1


def test_proposals_of_a_document_that_was_deleted_do_not_wait(members: Members) -> None:
    made = members.correct(Role.OPERATOR, members.first_run(), MAIL)
    members.post(Role.OPERATOR, f"/runs/{made['id']}/cancel", {})
    for run in members.get(f"/workspaces/{members.place.workspace_id}/runs")["items"]:
        members.post(Role.OPERATOR, f"/runs/{run['id']}/cancel", {})
    gone = members.client.delete(f"/api/v1/documents/{members.place.document_id}", headers=members._keys[Role.ADMIN])
    assert gone.status_code < 300, gone.text
    assert (members.listed(), members.waiting_count) == ([], 0)

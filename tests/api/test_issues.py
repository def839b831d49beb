"""The issues of a run over HTTP: counted and listed in parts, whatever the run wrote."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.api.paging import encode
from ade.database.schema import runs
from ade.operations.views import issue_files
from ade.system import System
from api.conftest import Place, submit

Write = Callable[[bytes], str]


@pytest.fixture
def write(client: TestClient, system: System, place: Place) -> Write:
    """Return what makes a finished run with these issues, and returns its address."""

    def write(content: bytes) -> str:
        run = submit(client, place)
        folder = f"runs/{run['id']}/7"
        system.files.write(f"{folder}/issues.ndjson", [content])
        finished = {"status": "succeeded", "file_key": folder}
        system.database.write(
            lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run["id"]).values(**finished, finished_at=tx.now))
        )
        return f"/api/v1/runs/{run['id']}/issues"

    return write


def line(row: int, rule: str = "type.date", *, field: str | None = "joined", sheet: str | None = "Members") -> str:
    cell = f"C{row}" if row else None
    found = {"sheet": sheet, "cell": cell, "field": field, "rule": rule, "severity": "error", "message": "is wrong"}
    return json.dumps(found, ensure_ascii=False) + "\n"


def counted(client: TestClient, address: str) -> tuple[dict[str, int], int]:
    """Ask until all are counted; return the counts by rule, and how many questions it took."""
    for questions in range(1, 100):
        found = client.get(f"{address}/counts").json()
        if found["is_complete"]:
            return {group["rule"]: group["count"] for group in found["groups"]}, questions
    raise AssertionError("it never ends")


def listed(client: TestClient, address: str, **wanted: Any) -> list[dict[str, Any]]:
    """Follow the cursors to the end."""
    items: list[dict[str, Any]] = []
    cursor = None
    for _ in range(1000):
        answer = client.get(f"{address}/list", params={**wanted, **({"cursor": cursor} if cursor else {})})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert len(page["items"]) <= wanted.get("limit", 100)
        items, cursor = items + page["items"], page["next_cursor"]
        if cursor is None:
            return items
    raise AssertionError("it never ends")


@pytest.mark.req("A2")
def test_issues_are_counted_by_kind_and_listed_by_it(client: TestClient, write: Write) -> None:
    lines = [line(2), line(3, "pattern", field="mail"), line(4), line(0, "structure.no_table", field=None, sheet="ü")]
    address = write("".join(lines).encode())

    assert client.get(f"{address}/counts").json() == {
        "groups": [
            {"sheet": "Members", "field": "joined", "rule": "type.date", "severity": "error", "count": 2},
            {"sheet": "Members", "field": "mail", "rule": "pattern", "severity": "error", "count": 1},
            {"sheet": "ü", "field": None, "rule": "structure.no_table", "severity": "error", "count": 1},
        ],
        "other_count": 0,
        "is_complete": True,
    }
    for wanted, cells in (
        ({}, ["C2", "C3", "C4", None]),
        ({"limit": 1}, ["C2", "C3", "C4", None]),
        ({"rule": "type.date"}, ["C2", "C4"]),
        ({"field": "mail"}, ["C3"]),
        ({"has_no_field": True}, [None]),
        ({"sheet": "ü"}, [None]),
        ({"severity": "warning"}, []),
        ({"first_row": 3}, ["C3", "C4"]),
        ({"last_row": 3, "rule": "type.date"}, ["C2"]),
    ):
        assert [issue["cell"] for issue in listed(client, address, **wanted)] == cells, wanted


@pytest.mark.req("A2")
def test_more_issues_than_one_question_reads_are_counted_and_found(client: TestClient, write: Write) -> None:
    rows = range(2, 90_002)
    rare = {40_123, 90_001}
    address = write("".join(line(row, "rare" if row in rare else "type.date") for row in rows).encode())

    counts, questions = counted(client, address)

    assert counts == {"type.date": 89_998, "rare": 2}
    assert questions > 2
    assert [issue["cell"] for issue in listed(client, address, rule="rare")] == ["C40123", "C90001"]
    last = listed(client, address, sheet="Members", first_row=89_995)
    assert [issue["cell"] for issue in last] == [f"C{row}" for row in range(89_995, 90_002)]


@pytest.mark.req("A2")
def test_rows_are_found_before_anybody_counted(client: TestClient, write: Write) -> None:
    address = write("".join(line(row) for row in range(2, 60_002)).encode())

    assert [issue["cell"] for issue in listed(client, address, first_row=59_999)] == ["C59999", "C60000", "C60001"]


@pytest.mark.req("S2")
def test_what_is_no_issue_is_passed_over(client: TestClient, write: Write) -> None:
    strange = [
        b"[" * 60_000,
        b'{"sheet": ' + b"[" * 50_000,
        b'{"rule": 3, "severity": "error", "message": "m"}',
        b'{"cell": "A1"}',
        b"\xff\xfe",
        b'{"sheet": "' + b"x" * 300_000 + b'"}',
        b'{"cell": "A' + b"9" * 5000 + b'", "rule": "far", "severity": "error", "message": "m"}',
        b'{"cell": "A\\ud800", "rule": "half", "severity": "error", "message": "\\ud800"}',
        b'{"n": ' + b"9" * 50_000 + b"}",
        b"",
    ]
    address = write(b"\n".join([*strange, line(5, "good").encode().rstrip()]))

    assert counted(client, address)[0] == {"far": 1, "half": 1, "good": 1}
    found = listed(client, address)
    assert [issue["rule"] for issue in found] == ["far", "half", "good"]
    assert len(found[0]["cell"]) == issue_files.LONGEST_NAME
    assert [issue["rule"] for issue in listed(client, address, first_row=5, last_row=5)] == ["good"]


@pytest.mark.req("S2")
def test_a_question_reads_only_so_many_lines(client: TestClient, write: Write) -> None:
    address = write(b"\n" * 50_000 + line(5).encode())

    assert client.get(f"{address}/counts").json() == {"groups": [], "other_count": 0, "is_complete": False}
    first = client.get(f"{address}/list").json()
    assert first["items"] == []
    assert len(listed(client, address, cursor=first["next_cursor"])) == 1
    assert counted(client, address)[0] == {"type.date": 1}


@pytest.mark.req("S2")
def test_kinds_beyond_the_first_thousands_are_counted_together(client: TestClient, write: Write) -> None:
    kinds = issue_files.MOST_GROUPS + 3
    address = write("".join(line(2, f"rule {number}") for number in range(kinds)).encode())

    found = client.get(f"{address}/counts").json()

    assert len(found["groups"]) == issue_files.MOST_GROUPS
    assert found["other_count"] == 3


@pytest.mark.req("S2")
def test_long_names_of_kinds_take_little_memory_and_all_rows_are_found(client: TestClient, write: Write) -> None:
    kinds = issue_files.MOST_GROUPS
    longest = "n" * issue_files.LONGEST_NAME

    def wide(number: int) -> str:
        return f"{number:04}{longest}"[: issue_files.LONGEST_NAME]

    lines = [line(number + 1, wide(number), field=wide(number), sheet=wide(number)) for number in range(kinds)]
    address = write("".join(lines).encode())

    groups, _ = counted(client, address)
    found = client.get(f"{address}/counts").json()

    assert 0 < len(groups) * 3 * issue_files.LONGEST_NAME <= issue_files.MOST_NAME_CHARACTERS
    assert len(groups) + found["other_count"] == kinds
    rows = {"first_row": kinds, "last_row": kinds}
    assert [item["cell"] for item in listed(client, address, **rows)] == [f"C{kinds}"]


@pytest.mark.req("A2")
def test_a_place_beyond_the_end_has_no_issues(client: TestClient, write: Write) -> None:
    address = write(line(2).encode())

    for place in (-5, 10**6, 2**62):
        page = client.get(f"{address}/list", params={"cursor": encode((place,))}).json()
        assert len(page["items"]) == (place < 0)
        assert page["next_cursor"] is None


@pytest.mark.req("A2")
def test_values_with_issues_are_counted_from_the_document(
    client: TestClient, system: System, place: Place, write: Write
) -> None:
    content = b"Name,Mail,Joined\nAda,a@x.org,soon\nBob,b@x.org,later\nCid,c@x.org,soon\n"
    system.files.write(f"documents/{place.document_id}/content", [content])
    lines = [line(row, sheet=None) for row in (2, 3, 4)] + [line(0, "structure.no_table", field=None)]
    address = write("".join(lines).encode())

    found = client.get(f"{address}/values").json()

    assert [(one["value"], one["count"], one["cells"][0]["cell"]) for one in found["items"]] == [
        ("soon", 2, "C2"),
        ("later", 1, "C3"),
    ]
    assert (found["group_count"], found["is_complete"]) == (2, True)


def test_values_of_a_document_that_was_deleted_are_not_found(client: TestClient, place: Place, write: Write) -> None:
    address = write(line(2).encode())
    client.delete(f"/api/v1/documents/{place.document_id}")

    assert client.get(f"{address}/values").status_code in (404, 410)
    assert client.get(f"{address}/counts").status_code == 200

"""Documents: uploaded, refused, listed, looked into, deleted."""

import io
import os
import socket
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ade.api.app import create_app
from ade.database.content import documents as store
from ade.database.transaction import Database, Transaction
from ade.errors import OutcomeUnknown
from ade.files import LocalFiles
from ade.system import System
from ade_engine.formats import MEDIA_TYPES
from api.conftest import HERE, ROOT, Place, add_documents, furnish, make_system, open_client
from api.serving import serving
from postgres import wait_until

SAMPLE = ROOT / "samples/title_above_header.xlsx"
CSV = b"Name,Age\nAda,36\n"


def upload(client: TestClient, workspace_id: str, *files: tuple[str, bytes], **headers: str) -> Any:
    parts = [("file", (name, content)) for name, content in files]
    return client.post(f"/api/v1/workspaces/{workspace_id}/documents", files=parts, headers=headers)


def zipped(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.req("U1", "A2")
def test_an_uploaded_document_tells_its_sheets_and_comes_back_byte_by_byte(client: TestClient, place: Place) -> None:
    answer = upload(client, place.workspace_id, ("My members.xlsx", SAMPLE.read_bytes()))

    assert answer.status_code == 201, answer.text
    document = answer.json()
    assert document["name"] == "My members.xlsx"
    assert document["size_bytes"] == SAMPLE.stat().st_size
    assert [sheet["name"] for sheet in document["sheets"]] == ["Members"]
    content = client.get(f"/api/v1/documents/{document['id']}/content")
    assert content.content == SAMPLE.read_bytes()
    assert "My%20members.xlsx" in content.headers["content-disposition"]


def test_several_files_are_uploaded_together_all_or_none(client: TestClient, place: Place, system: System) -> None:
    both = upload(client, place.workspace_id, ("a.csv", CSV), ("b.csv", CSV + b"Bob,41\n"))
    one_is_bad = upload(client, place.workspace_id, ("c.csv", CSV), ("d.pdf", b"%PDF-1.7"))

    assert [item["name"] for item in both.json()["items"]] == ["a.csv", "b.csv"]
    assert one_is_bad.status_code == 415
    listed = client.get(f"/api/v1/workspaces/{place.workspace_id}/documents").json()["items"]
    assert {item["name"] for item in listed} == {"a.csv", "b.csv", "members.csv"}
    assert len(system.files.keys("documents")) == 3  # nothing is left of the refused one


def test_the_same_bytes_again_name_the_document_that_has_them(client: TestClient, place: Place) -> None:
    first = upload(client, place.workspace_id, ("a.csv", CSV)).json()
    again = upload(client, place.workspace_id, ("b.csv", CSV)).json()

    assert first["duplicate_of"] is None
    assert again["duplicate_of"] == first["id"]
    assert again["sha256"] == first["sha256"]


@pytest.mark.req("A1")
def test_an_upload_sent_again_with_its_key_is_answered_as_before(
    client: TestClient, place: Place, system: System
) -> None:
    first = upload(client, place.workspace_id, ("a.csv", CSV), **{"Idempotency-Key": "k1"})
    again = upload(client, place.workspace_id, ("a.csv", CSV), **{"Idempotency-Key": "k1"})
    other = upload(client, place.workspace_id, ("other.csv", CSV), **{"Idempotency-Key": "k1"})

    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len(system.files.keys("documents")) == 2  # the one of the fixture, and this one once


class _Forgetful(Database):
    """A database that saves, and whose answer to that is lost."""

    is_forgetful = False

    def write(self, work: Callable[[Transaction], Any]) -> Any:
        result = super().write(work)
        if self.is_forgetful:
            raise OutcomeUnknown("The connection was lost while saving.")
        return result


def test_an_upload_that_may_have_been_saved_keeps_its_bytes(database_url: str, tmp_path: Path) -> None:
    database = _Forgetful(database_url)
    system = make_system(database, tmp_path)
    place = furnish(system)
    with closing(database), open_client(system) as client:
        database.is_forgetful = True
        answer = upload(client, place.workspace_id, ("a.csv", CSV))
        database.is_forgetful = False
        listed = client.get(f"/api/v1/workspaces/{place.workspace_id}/documents").json()["items"]

        assert (answer.status_code, answer.json()["code"]) == (503, "outcome_unknown")
        assert [one["name"] for one in listed] == ["a.csv", "members.csv"]
        assert client.get(listed[0]["links"]["content"]).content == CSV


BOMB = zipped({"[Content_Types].xml": b"<Types/>", "xl/worksheets/sheet1.xml": b"\0" * 80_000_000})
REFUSED = {
    "a type by its name": ("notes.pdf", b"%PDF-1.7", 415, "unsupported_type"),
    "a text document named xlsx": (
        "letter.xlsx",
        zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}),
        415,
        "unsupported_type",
    ),
    "a program named xlsx": ("tool.xlsx", b"\x7fELF" + b"\0" * 100, 415, "unsupported_type"),
    "a zip without a workbook": ("photos.xlsx", zipped({"cat.png": b"x"}), 415, "unsupported_type"),
    "a web page named csv": ("page.csv", b"<!doctype html><html></html>", 415, "unsupported_type"),
    "a workbook cut short": ("cut.xlsx", SAMPLE.read_bytes()[:3000], 422, "unreadable_document"),
    "an empty file": ("empty.csv", b"", 422, "unreadable_document"),
    "a zip bomb": ("bomb.xlsx", BOMB, 413, "document_too_large"),
    "a workbook without parts": ("odd.xlsx", zipped({"[Content_Types].xml": b"<Types/>"}), 415, "unsupported_type"),
}


@pytest.mark.req("S7")
def test_lists_name_the_first_sheets_of_a_document_and_count_all(client: TestClient, place: Place) -> None:
    sheets = "".join(f'<sheet name="S{number}" sheetId="{number}" r:id="rId1"/>' for number in range(1, 41))
    namespaces = (
        'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    )
    many = sample_with("xl/workbook.xml", f"<workbook {namespaces}><sheets>{sheets}</sheets></workbook>".encode())

    uploaded = upload(client, place.workspace_id, ("many.xlsx", many))
    listed = client.get(f"/api/v1/workspaces/{place.workspace_id}/documents").json()["items"][0]

    assert uploaded.status_code == 201, uploaded.text
    assert (len(uploaded.json()["sheets"]), uploaded.json()["sheet_count"]) == (40, 40)
    assert (len(listed["sheets"]), listed["sheet_count"]) == (10, 40)


def sample_with(part: str, content: bytes) -> bytes:
    """Return the sample workbook with another part in place of its own."""
    with zipfile.ZipFile(SAMPLE) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**parts, part: content})


@pytest.mark.req("E2")
def test_the_content_of_a_file_says_what_it_is_and_not_its_name(client: TestClient, place: Place) -> None:
    named = {
        "export": (CSV, "text/csv"),
        "export.xlsx": (b"Name\tAge\nAda\t36\n", "text/tab-separated-values"),
        "members.dat": (SAMPLE.read_bytes(), MEDIA_TYPES["xlsx"]),
    }
    kinds = {
        name: upload(client, place.workspace_id, (name, content)).json()["media_type"]
        for name, (content, _) in named.items()
    }

    assert kinds == {name: kind for name, (_, kind) in named.items()}


@pytest.mark.req("S7")
@pytest.mark.parametrize(("name", "content", "status", "code"), REFUSED.values(), ids=REFUSED)
def test_a_file_is_refused_for_being(
    client: TestClient, place: Place, system: System, name: str, content: bytes, status: int, code: str
) -> None:
    answer = upload(client, place.workspace_id, (name, content))

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert len(answer.json()["detail"]) > 20
    assert len(system.files.keys("documents")) == 1


@pytest.mark.req("S7")
@pytest.mark.parametrize("name", ["../../etc/passwd.csv", "..\\..\\boot.csv", "/etc/x.csv", "a\x1bb.csv"])
def test_a_file_name_leads_nowhere(client: TestClient, place: Place, system: System, name: str) -> None:
    document = upload(client, place.workspace_id, (name, CSV)).json()

    assert "/" not in document["name"]
    assert "\\" not in document["name"]
    assert document["name"].isprintable()
    assert all(key.startswith("documents/") for key in system.files.keys("documents"))


@pytest.mark.req("S7")
def test_a_document_over_the_limit_is_refused_while_it_is_sent(
    database: Database, tmp_path: Path, place: Place
) -> None:
    small = make_system(database, tmp_path, max_upload_mb=1, max_request_mb=2)
    with TestClient(create_app(small), base_url=HERE) as client:
        over_the_file_limit = upload(client, place.workspace_id, ("a.csv", b"x" * 1_100_000))
        over_the_request_limit = upload(client, place.workspace_id, ("a.csv", b"x" * 3_000_000))

    for answer in (over_the_file_limit, over_the_request_limit):
        assert (answer.status_code, answer.json()["code"]) == (413, "document_too_large")


def test_a_body_that_is_no_form_is_told_how_to_send_a_file(client: TestClient, place: Place) -> None:
    address = f"/api/v1/workspaces/{place.workspace_id}/documents"

    for answer in (client.post(address, content=b"x"), client.post(address, data={"file": "text"})):
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert "file" in answer.json()["detail"]


@pytest.mark.req("A1")
def test_documents_are_listed_in_parts_newest_first(client: TestClient, system: System, place: Place) -> None:
    added = add_documents(system, place, 5)
    address = f"/api/v1/workspaces/{place.workspace_id}/documents"
    seen, cursor = [], ""
    while True:
        page = client.get(f"{address}?limit=2{cursor}").json()
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert seen == [*sorted(added, reverse=True), place.document_id] or set(seen) == {*added, place.document_id}
    assert len(seen) == len(set(seen)) == 6


@pytest.mark.parametrize("cursor", ["x", "bm90IGpzb24", "W10", "WyIyMDI2IiwgMV0", "eyJhIjogMX0"])
def test_a_made_up_cursor_is_refused(client: TestClient, place: Place, cursor: str) -> None:
    answer = client.get(f"/api/v1/workspaces/{place.workspace_id}/documents?cursor={cursor}")

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_documents_are_found_by_name_and_tag(client: TestClient, system: System, place: Place) -> None:
    address = f"/api/v1/workspaces/{place.workspace_id}"
    add_documents(system, place, 2)
    changed = client.patch(
        f"/api/v1/documents/{place.document_id}", json={"name": "100%_Märchen.csv", "tags": ["b", "a"]}
    )

    assert changed.json()["tags"] == ["a", "b"]
    for query in ("name=100%25_", "name=MÄRCHEN".replace("Ä", "ä"), "tag=a"):
        found = client.get(f"{address}/documents?{query}").json()["items"]
        assert [item["id"] for item in found] == [place.document_id], query
    assert client.get(f"{address}/documents?name=0_").json()["items"] == []
    assert client.get(f"{address}/tags").json()["items"][0] == {"tag": "a", "document_count": 1}


def test_a_deleted_document_is_gone_for_everyone_but_its_runs(client: TestClient, place: Place) -> None:
    address = f"/api/v1/documents/{place.document_id}"

    assert client.delete(address).status_code == 204
    for answer in (client.get(address), client.get(f"{address}/content"), client.delete(address)):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    refused = client.post(
        f"/api/v1/configurations/{place.configuration_id}/runs", json={"input_document_id": place.document_id}
    )
    assert refused.status_code == 404


def test_part_of_a_document_can_be_downloaded(client: TestClient, place: Place) -> None:
    address = f"/api/v1/documents/{place.document_id}/content"

    part = client.get(address, headers={"Range": "bytes=5-7"})
    end = client.get(address, headers={"Range": "bytes=-7"})
    beyond = client.get(address, headers={"Range": "bytes=900-"})

    assert (part.status_code, part.content, part.headers["content-range"]) == (206, b"Age", "bytes 5-7/23")
    assert end.content == b"Bob,41\n"
    assert beyond.status_code == 416


@pytest.mark.req("U1")
def test_cells_of_a_range_are_shown_with_their_types(client: TestClient, place: Place) -> None:
    answer = client.get(f"/api/v1/documents/{place.document_id}/cells?range=A2:B3")

    assert answer.status_code == 200, answer.text
    assert answer.json()["rows"] == [
        {"row": 2, "is_hidden": False, "cells": [{"type": "text", "value": "Ada"}, {"type": "text", "value": "36"}]},
        {"row": 3, "is_hidden": False, "cells": [{"type": "text", "value": "Bob"}, {"type": "text", "value": "41"}]},
    ]


@pytest.mark.req("U1")
def test_rows_far_down_a_sheet_are_found_and_its_end_is_told(client: TestClient, place: Place) -> None:
    content = b"name,age\n" + b"".join(b"n%d,%d\n" % (number, number) for number in range(2, 5001))
    document = upload(client, place.workspace_id, ("long.csv", content)).json()
    address = f"/api/v1/documents/{document['id']}/cells"

    found = client.get(f"{address}?range=B4321:B4322").json()
    end = client.get(f"{address}?range=A4999:A5100").json()

    assert [(row["row"], row["cells"][0]["value"]) for row in found["rows"]] == [(4321, "4321"), (4322, "4322")]
    assert found["has_more_rows"]
    assert [row["row"] for row in end["rows"]] == [4999, 5000]
    assert (end["has_more_rows"], end["last_row"]) == (False, 5000)


def test_cells_with_a_text_are_found_in_any_case_some_rows_at_a_time(
    client: TestClient, system: System, place: Place
) -> None:
    lines = ["Name,City", *(f"Person {number},Town" for number in range(2, 25_001))]
    lines[1], lines[4], lines[24_000] = "Ada,ÖSTERSUND", 'Östersund,"say ""hi"""', "x,östersund"
    system.files.write(f"documents/{place.document_id}/content", ["\n".join(lines).encode()])
    address = f"/api/v1/documents/{place.document_id}/cells/find"

    first = client.get(address, params={"text": "östersund"}).json()
    rest = client.get(address, params={"text": "östersund", "first_row": first["next_row"]}).json()
    quoted = client.get(address, params={"text": 'SAY "hi'}).json()
    nothing = client.get(address, params={"text": "text"}).json()  # the word for a type of cells, not in any cell

    assert (first["items"], first["next_row"]) == (["B2", "A5"], 20_001)
    assert rest == {"items": ["B24001"], "next_row": None, "searched_to": None}
    assert (quoted["items"], nothing["items"]) == (["B5"], [])
    assert client.get(address).status_code == 422


@pytest.mark.parametrize("query", ["range=nonsense", "range=A1:ZZZ9999999", "sheet=7", "range=A0"])
def test_a_range_that_is_none_is_refused_in_words(client: TestClient, place: Place, query: str) -> None:
    answer = client.get(f"/api/v1/documents/{place.document_id}/cells?{query}")

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


@pytest.mark.req("U1")
def test_the_tables_of_a_sheet_are_told_to_lay_over_its_cells(client: TestClient, place: Place) -> None:
    sample = (ROOT / "samples/totals_and_notes.xlsx").read_bytes()
    address = f"/api/v1/workspaces/{place.workspace_id}/documents"
    document = client.post(address, files={"file": ("totals.xlsx", sample)}).json()

    told = client.get(f"/api/v1/documents/{document['id']}/structure").json()
    missing = client.get(f"/api/v1/documents/{document['id']}/structure?sheet=9")

    (table,) = told["tables"]
    assert told["sheet"]["index"] == 0
    assert table["header_rows"]
    assert table["totals_rows"]
    assert [column["header"] for column in table["columns"]]
    assert (missing.status_code, missing.json()["code"]) == (422, "invalid_request")


def test_a_workspace_can_have_every_upload_run(client: TestClient, place: Place) -> None:
    address = f"/api/v1/workspaces/{place.workspace_id}"
    wanted = {"run_on_upload": {"configuration_id": place.configuration_id, "priority": "high"}}
    etag = client.get(address).headers["etag"]
    changed = client.patch(address, json={"preferences": wanted}, headers={"If-Match": etag})
    document = upload(client, place.workspace_id, ("a.csv", CSV)).json()

    runs = client.get(f"{address}/runs").json()["items"]

    assert changed.status_code == 200, changed.text
    assert [(run["input_document_id"], run["priority"]) for run in runs] == [(document["id"], 20)]


@pytest.mark.parametrize("days", [0, 40_000, 2_000_000_000])
def test_a_workspace_keeps_things_for_a_time_that_can_be_counted(client: TestClient, place: Place, days: int) -> None:
    """Beyond the calendar nobody could tell what may go, in no workspace."""
    address = f"/api/v1/workspaces/{place.workspace_id}"
    etag = client.get(address).headers["etag"]

    answer = client.patch(address, json={"preferences": {"retention": {"runs_days": days}}}, headers={"If-Match": etag})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_a_document_whose_file_vanished_is_told_apart_from_one_that_never_was(
    client: TestClient, place: Place, system: System
) -> None:
    assert isinstance(system.files, LocalFiles)
    system.files.delete(f"documents/{place.document_id}/content")

    answer = client.get(f"/api/v1/documents/{place.document_id}/content")

    assert (answer.status_code, answer.json()["code"]) == (404, "file_missing")


def test_an_edit_of_what_someone_else_changed_is_refused_when_it_says_what_it_read(
    client: TestClient, place: Place
) -> None:
    for address in (f"/api/v1/documents/{place.document_id}", f"/api/v1/configurations/{place.configuration_id}"):
        read = {"If-Match": client.get(address).headers["etag"]}
        first = client.patch(address, json={"name": "first.csv"}, headers=read)
        late = client.patch(address, json={"name": "late.csv"}, headers=read)
        again = client.patch(address, json={"name": "late.csv"}, headers={"If-Match": first.headers["etag"]})
        unasked = client.patch(address, json={"name": "other.csv"})

        assert [answer.status_code for answer in (first, late, again, unasked)] == [200, 412, 200, 200]
        assert late.json()["code"] == "changed"


@pytest.mark.slow
def test_a_download_that_is_left_in_the_middle_closes_its_file(system: System, place: Place) -> None:
    system.files.write(f"documents/{place.document_id}/content", [b"x" * 1024] * 50_000)
    opened = f"/{place.document_id}/content"

    def is_open() -> bool:
        found = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]  # noqa: PTH208
        return any(path.endswith(opened) for path in found)

    with serving(system) as port:
        connection = socket.create_connection(("127.0.0.1", port))
        address = f"/api/v1/documents/{place.document_id}/content"
        connection.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        assert is_open()
        connection.close()
        wait_until(lambda: not is_open(), what="the file to be closed")


TURKISH = "Ad;Şehir\nAyşe;Iğdır\nÖzgür;Muğla\nSüheyla;Ağrı\n".encode("cp1254")  # noqa: RUF001


def shown(client: TestClient, document_id: str) -> dict[str, Any]:
    cells = client.get(f"/api/v1/documents/{document_id}/cells?range=B1:B1").json()
    return {
        "cell": cells["rows"][0]["cells"][0]["value"],
        "encoding": cells["encoding"],
        "header": client.get(f"/api/v1/documents/{document_id}/structure").json()["tables"][0]["columns"][1]["header"],
    }


@pytest.mark.req("E2", "U1")
def test_the_encoding_of_a_document_is_detected_and_can_be_chosen(client: TestClient, place: Place) -> None:
    document = upload(client, place.workspace_id, ("names.csv", TURKISH)).json()
    address = f"/api/v1/documents/{document['id']}"

    assert document["encoding"] is None
    assert shown(client, document["id"]) == {"cell": "Şehir", "encoding": "cp1254", "header": "Şehir"}
    changed = client.patch(address, json={"encoding": "Windows-1252"})
    assert changed.json()["encoding"] == "cp1252"
    assert shown(client, document["id"]) == {"cell": "Þehir", "encoding": "cp1252", "header": "Þehir"}
    assert client.patch(address, json={"name": "other.csv"}).json()["encoding"] == "cp1252"
    assert client.patch(address, json={"encoding": "auto"}).json()["encoding"] is None
    assert shown(client, document["id"])["encoding"] == "cp1254"


def test_the_encoding_can_be_sent_with_the_file(client: TestClient, place: Place) -> None:
    parts = [("file", ("names.csv", TURKISH))]
    address = f"/api/v1/workspaces/{place.workspace_id}/documents"

    document = client.post(address, files=parts, params={"encoding": "iso-8859-1"}).json()
    assert document["encoding"] == "iso-8859-1"
    assert shown(client, document["id"])["cell"] == "Þehir"
    refused = client.post(address, files=parts, params={"encoding": "cp-1254"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert "Did you mean cp1254?" in refused.json()["detail"]
    assert client.patch(f"/api/v1/documents/{document['id']}", json={"encoding": "rot13"}).status_code == 422


def test_a_changed_encoding_is_another_version_of_the_document(client: TestClient, place: Place) -> None:
    document = upload(client, place.workspace_id, ("names.csv", TURKISH)).json()
    address = f"/api/v1/documents/{document['id']}"
    before = client.get(address).headers["etag"]

    assert client.patch(address, json={"encoding": "cp1250"}).status_code == 200
    assert client.patch(address, json={"encoding": "cp1252"}, headers={"If-Match": before}).status_code == 412


def test_of_very_many_tags_those_in_most_use_are_listed(
    client: TestClient, system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_LISTED_TAGS", 2)
    for tags, document_id in zip((["z", "b"], ["z", "a"]), add_documents(system, place, 2), strict=True):
        assert client.patch(f"/api/v1/documents/{document_id}", json={"tags": tags}).status_code == 200

    listed = client.get(f"/api/v1/workspaces/{place.workspace_id}/tags").json()["items"]

    assert listed == [{"tag": "a", "document_count": 1}, {"tag": "z", "document_count": 2}]

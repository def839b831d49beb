"""Documents that ask for much: looking at them leaves the disk, the log and everybody else alone."""

import socket
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ade.operations.content import inspection
from ade.operations.reading.scratch import Scratch
from ade.operations.reading.sheet_indexes import SheetIndexes
from ade.system import System
from api.conftest import Place, furnish
from api.serving import serving
from api.test_documents import upload
from postgres import wait_until
from reading.books import repeated_text, wide


@pytest.mark.slow
@pytest.mark.req("S3")
def test_documents_that_take_long_do_not_keep_others_from_looking(
    client: TestClient, system: System, place: Place
) -> None:
    content = wide(rows=25)
    other = furnish(system)
    heavy = [upload(client, place.workspace_id, (f"{name}.xlsx", content)).json()["id"] for name in ("one", "two")]
    looks = [
        Thread(target=client.get, args=(f"/api/v1/documents/{document_id}/cells?range=A1:A100",))
        for document_id in heavy
    ]
    for look in looks:
        look.start()
    wait_until(lambda: len(inspection._turns._running) == len(looks), what="both to be read")

    answer = client.get(f"/api/v1/documents/{other.document_id}/cells")
    known = {source.key.split("/")[1]: entry.index for source, entry in inspection._sheets._known.items()}
    still_read = [known[document_id].last_row is None for document_id in heavy]

    for look in looks:
        look.join()
    assert (answer.status_code, len(answer.json()["rows"])) == (200, 3)
    assert still_read == [True, True]


@pytest.mark.req("S3")
def test_a_long_text_in_every_cell_is_cut_and_leaves_little_on_the_disk(
    client: TestClient, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    scratch = Scratch(tmp_path / "scratch")
    monkeypatch.setattr(inspection, "_sheets", SheetIndexes(inspection._turns, folders=scratch))
    document = upload(client, place.workspace_id, ("long.xlsx", repeated_text(rows=500, columns=4))).json()

    answer = client.get(f"/api/v1/documents/{document['id']}/cells?range=A1:B500").json()
    size_bytes = sum(path.stat().st_size for path in scratch.home.rglob("rows.txt"))

    scratch.close()
    assert answer["rows"][0]["cells"][0] == {"type": "text", "value": "x" * 1000, "is_cut": True}
    assert size_bytes < 2000 * 1100


def test_an_upload_that_is_broken_off_is_no_error_of_the_server(
    system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[str, str]] = []

    class Recorder:
        def __getattr__(self, level: str) -> Any:
            return lambda event, **facts: events.append((level, event))

    monkeypatch.setattr("ade.api.problems.log", Recorder())
    monkeypatch.setattr("ade.api.tracing.log", Recorder())
    half = (
        f"POST /api/v1/workspaces/{place.workspace_id}/documents HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nName\n'
    )
    with serving(system) as port:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(half.encode())
        wait_until(lambda: ("info", "request") in events, what="the request to end")

    assert events == [("info", "request.aborted"), ("info", "request")]

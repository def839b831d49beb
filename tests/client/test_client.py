"""The typed client and the commands on it, against a real server on a real port."""

import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from ade.cli.submit import _save
from ade.client import Client
from ade.database.schema import runs, workers
from ade.database.transaction import Database
from ade.domain.access import SYSTEM
from ade.domain.queue import QueueRules
from ade.errors import ServerRefused, ServerUnreachable
from ade.operations.queue.runs import cancel_run
from ade.operations.queue.workers import WorkerFacts, register_worker
from ade.system import System
from api.conftest import Place, add_documents, furnish, make_system
from api.serving import serving

pytestmark = [pytest.mark.slow, pytest.mark.req("C1")]
CSV = "Name,Age\nAda,36\n"


@pytest.fixture
def system(database: Database, tmp_path: Path) -> System:
    return make_system(database, tmp_path)


@pytest.fixture
def place(system: System) -> Place:
    return furnish(system)


@pytest.fixture
def url(system: System, place: Place) -> Iterator[str]:
    with serving(system) as port:
        yield f"http://127.0.0.1:{port}"


def ade(*words: str, url: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
    environment = {**kept, "ADE_URL": url, "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "ade", *words], env=environment, capture_output=True, text=True, check=False
    )


def test_the_client_uploads_submits_follows_and_downloads(
    system: System, place: Place, url: str, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text(CSV)
    with Client(url) as client:
        workspace = client.workspace()
        configuration = client.configuration(workspace.id)
        document = client.upload(workspace.id, tmp_path / "people.csv", idempotency_key="one")
        again = client.upload(workspace.id, tmp_path / "people.csv", idempotency_key="one")
        run = client.submit(configuration.id, document.id, priority="high")
        canceller = threading.Timer(0.1, lambda: system.database.write(lambda tx: cancel_run(tx, run.id, actor=SYSTEM)))
        canceller.start()
        events = [event.type for event in client.events(run.id)]
        canceller.join()
        size_bytes = client.download(f"/api/v1/documents/{document.id}/content", tmp_path / "copy.csv")

        assert document.id == again.id
        assert (run.status, run.priority, run.position) == ("queued", 20, 1)
        assert events == ["run.queued", "run.cancelled"]
        assert client.wait(run.id).is_finished
        assert size_bytes == len(CSV)
        assert (tmp_path / "copy.csv").read_text() == CSV


def test_lists_are_followed_to_their_end(system: System, place: Place, url: str) -> None:
    add_documents(system, place, 450)

    with Client(url) as client:
        assert len(list(client.documents(place.workspace_id))) == 451


def _tell_and_break_off(listener: socket.socket, count: int) -> None:
    """Send one more event on each connection and cut it in the middle of the next, then say that the run has ended."""
    for number in range(1, count + 1):
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            event = f'event: step\ndata: {{"seq": {number}, "at": "", "type": "step"}}\n\n'
            told = event if number < count else "event: end\ndata: {}\n\n"
            head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            connection.sendall(f"{head}{len(told):x}\r\n{told}\r\nff\r\ncut".encode())


def test_a_stream_that_is_cut_off_again_and_again_is_followed_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ade.client.api.MOST_RECONNECTS", 2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        telling = threading.Thread(target=_tell_and_break_off, args=(listener, 6))
        telling.start()
        with Client(f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
            seen = [event.seq for event in client.events("a-run")]
        telling.join()

    assert seen == [1, 2, 3, 4, 5]


def test_a_refusal_carries_the_servers_words(place: Place, url: str) -> None:
    with Client(url) as client, pytest.raises(ServerRefused, match="There is no run") as refused:
        client.run("01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10")

    assert (refused.value.status, refused.value.problem["code"]) == (404, "not_found")


def test_a_server_that_is_not_there_is_told_in_words() -> None:
    with Client("http://127.0.0.1:1") as client, pytest.raises(ServerUnreachable, match="ade serve"):
        client.workspaces()


def test_files_that_cannot_be_read_are_named_and_keep_nothing_back(place: Place, url: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(CSV)
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 not a workbook")
    (tmp_path / "notes.png").write_bytes(b"\x89PNG")

    both = ade("submit", *(str(tmp_path / name) for name in ("broken.xlsx", "notes.png", "people.csv")), url=url)
    none = ade("submit", str(tmp_path / "broken.xlsx"), url=url)
    unknown = ade("submit", str(tmp_path / "people.csv"), "--configuration", "nope", url=url)

    assert (both.returncode, none.returncode, unknown.returncode) == (1, 1, 1)
    assert re.search("^Not submitted: .*broken.xlsx", both.stderr, re.MULTILINE)
    assert re.search("^Not submitted: .*notes.png", both.stderr, re.MULTILINE)
    [run_id] = re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", both.stdout)  # whole: it is there to be copied
    assert json.loads(ade("runs", "show", run_id, url=url).stdout)["id"] == run_id
    assert "Nothing was submitted." in none.stderr
    assert "There is no configuration nope" in unknown.stderr


def test_commands_list_pause_cancel_and_speak_json(place: Place, url: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(CSV)

    submitted = ade("submit", str(tmp_path / "people.csv"), "--json", url=url)
    run_id = json.loads(submitted.stdout)[0]["id"]
    queue = ade("queue", "list", url=url)
    pause = ade("queue", "pause", "stocktaking", url=url)
    resumed = ade("queue", "resume", pause.stdout.strip(), url=url)
    cancelled = ade("runs", "cancel", run_id, "--json", url=url)
    events = ade("runs", "events", run_id, url=url)
    listed = ade("runs", "list", url=url)
    unknown = ade("runs", "show", "nothing", url=url)

    assert submitted.returncode == 0, submitted.stderr
    assert run_id in queue.stdout
    assert "No worker is live. Start one with `ade worker`." in queue.stdout
    assert (pause.returncode, resumed.returncode) == (0, 0)
    assert json.loads(cancelled.stdout)[0]["status"] == "cancelled"
    assert [json.loads(line)["type"] for line in events.stdout.splitlines()] == ["run.queued", "run.cancelled"]
    assert "cancelled" in listed.stdout
    assert unknown.returncode == 1
    assert "Traceback" not in unknown.stderr


def test_commands_alone_list_and_an_empty_list_is_told_in_words(place: Place, url: str) -> None:
    runs, queue = ade("runs", url=url), ade("queue", url=url)
    documents = ade("documents", "--json", url=url)
    before_the_command = ade("runs", "--json", "list", url=url)

    assert (runs.returncode, runs.stdout, runs.stderr.strip()) == (0, "", "No runs.")
    assert queue.stderr.strip() == "Nothing waits."
    assert [one["name"] for one in json.loads(documents.stdout)] == ["members.csv"]
    assert before_the_command.returncode == 2
    assert "after the command" in before_the_command.stderr


def test_workers_are_listed_and_one_is_drained(system: System, place: Place, url: str) -> None:
    before = ade("workers", url=url)
    facts = WorkerFacts(name="here", slots=2, host="here", process_id=1, version="1", details={})
    worker_id = system.database.write(lambda tx: register_worker(tx, facts, rules=QueueRules()))
    listed = ade("workers", "list", url=url)
    drained = ade("workers", "drain", worker_id, "--json", url=url)
    unknown = ade("workers", "drain", "01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10", url=url)

    assert before.stderr.strip() == "No worker. `ade worker` starts one."
    assert worker_id in listed.stdout
    assert "at work" in listed.stdout
    assert json.loads(drained.stdout)[0]["drain_requested_at"] is not None
    assert (unknown.returncode, "There is no live worker" in unknown.stderr) == (1, True)
    # The three commands may have taken longer than a worker may be silent.
    system.database.write(lambda tx: tx.execute(sa.update(workers).values(heartbeat_at=tx.now)))
    with Client(url) as client:
        assert [worker.state for worker in client.workers()] == ["draining"]


def test_a_wrong_priority_is_told_before_anything_is_uploaded(place: Place, url: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(CSV)
    refused = ade("submit", str(tmp_path / "people.csv"), "--priority", "soon", url=url)

    assert refused.returncode == 2
    assert "urgent, high, normal" in " ".join(refused.stderr.split())
    with Client(url) as client:
        assert len(list(client.documents(place.workspace_id))) == 1


def test_a_wrong_key_is_told_with_what_to_do(database: Database, tmp_path: Path) -> None:
    with serving(make_system(database, tmp_path, auth_mode="team")) as port:
        refused = ade("runs", "--key", "ade_wrong", url=f"http://127.0.0.1:{port}")

    assert refused.returncode == 1
    assert "ADE_API_KEY" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("address", ["nowhere", "ftp://example.org", ""])
def test_what_is_no_address_of_a_server_is_told_in_words(address: str) -> None:
    with pytest.raises(ServerUnreachable, match="http://"):
        Client(address)


def test_an_address_may_name_the_api(place: Place, url: str) -> None:
    with Client(f"{url}/api/v1/") as client:
        assert client.workspace().id == place.workspace_id


def test_files_of_one_name_are_saved_beside_each_other(place: Place, url: str, tmp_path: Path) -> None:
    link = f"/api/v1/documents/{place.document_id}/content"
    with Client(url) as client:
        saved = [client.save(link, tmp_path).name for _ in range(2)]
        client.call("PATCH", f"/documents/{place.document_id}", json={"name": "../../évil.csv"})
        saved.append(client.save(link, tmp_path).name)

    assert saved == ["members.csv", "members (2).csv", "évil.csv"]


def test_a_shell_completes_commands() -> None:
    variables = {"_ADE_COMPLETE": "complete_bash", "COMP_WORDS": "ade ru", "COMP_CWORD": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", "from ade.cli import app; app(prog_name='ade')"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.stdout.split() == ["run", "runs"]


def test_configurations_are_carried_in_and_out_by_command(place: Place, url: str, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    (folder / "columns").mkdir(parents=True)
    (folder / "columns/name.py").write_text('from ade_engine import Field\n\nfield = Field("name")\n')

    made = ade("configurations", "import", str(folder), "--publish", "--json", url=url)
    configuration_id = json.loads(made.stdout)[0]["id"]
    exported = ade("configurations", "export", configuration_id, str(tmp_path / "out.zip"), url=url)
    listed = ade("configurations", "list", url=url)

    assert exported.returncode == 0, exported.stderr
    with zipfile.ZipFile(io.BytesIO((tmp_path / "out.zip").read_bytes())) as archive:
        assert archive.namelist() == ["columns/name.py"]
    assert "people" in listed.stdout


@pytest.mark.req("S2")
def test_a_folder_is_pushed_by_name_and_published(place: Place, url: str, tmp_path: Path) -> None:
    folder = tmp_path / "vendors"
    (folder / "columns").mkdir(parents=True)
    rule = folder / "columns/name.py"
    rule.write_text('from ade_engine import Field\n\nfield = Field("name")\n', encoding="utf-8")

    first = ade("configurations", "push", str(folder), "--publish", "--note", "first", url=url)
    assert (first.returncode, first.stdout) == (
        0,
        "Version 1 of vendors is the draft.\nPublished version 1.\n",
    ), first.stderr
    same = ade("configurations", "push", str(folder), "--publish", url=url)
    assert same.stdout == "Version 1 of vendors has these files already, and is published.\n"
    rule.write_text('from ade_engine import Field\n\nfield = Field("name", required=True)\n', encoding="utf-8")
    assert ade("configurations", "push", str(folder), url=url).stdout == "Version 2 of vendors is the draft.\n"
    assert ade("configurations", "publish", "vendors", url=url).stdout == "Published version 2.\n"
    assert ade("configurations", "export", "vendors", str(tmp_path / "v.zip"), url=url).returncode == 0
    with zipfile.ZipFile(tmp_path / "v.zip") as archive:
        assert b"required=True" in archive.read("columns/name.py")
    again = ade("configurations", "import", str(folder), url=url)
    assert (again.returncode, "There is already a configuration vendors" in again.stderr) == (1, True)


def test_importing_a_configuration_takes_no_file_along_that_a_link_leads_to(
    place: Place, url: str, tmp_path: Path
) -> None:
    folder, key = tmp_path / "people", tmp_path / "id_ed25519"
    (folder / "columns").mkdir(parents=True)
    (folder / "columns/name.py").write_text('from ade_engine import Field\n\nfield = Field("name")\n')
    (folder / "same.txt").symlink_to("columns/name.py")
    key.write_text("a private key")

    within = ade("configurations", "import", str(folder), url=url)
    (folder / "notes.txt").symlink_to(key)
    refused = ade("configurations", "import", str(folder), "--name", "other", url=url)
    listed = ade("configurations", "list", url=url)

    assert within.returncode == 0, within.stderr
    assert refused.returncode == 1
    assert "notes.txt is a link to a file outside of the folder" in refused.stderr
    assert "other" not in listed.stdout


@pytest.mark.req("S7")
def test_what_no_configuration_has_is_neither_read_nor_sent(place: Place, url: str, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    (folder / "columns").mkdir(parents=True)
    (folder / "columns/name.py").write_text('from ade_engine import Field\n\nfield = Field("name")\n')
    (folder / ".env").write_text("SECRET=1")
    (folder / ".venv/lib").mkdir(parents=True)
    (folder / ".venv/lib/any.py").write_text("")

    pushed = ade("configurations", "push", str(folder), url=url)
    with (folder / "large.bin").open("wb") as file:
        file.truncate(50 * 1024**3)  # takes no room on the disk, and all memory when it is read
    large = ade("configurations", "push", str(folder), url=url)
    (folder / "large.bin").unlink()
    (folder / os.fsdecode(b"prix\xe9.txt")).write_text("")
    odd = ade("configurations", "push", str(folder), url=url)

    assert pushed.returncode == 0, pushed.stderr
    assert ade("configurations", "export", "people", str(tmp_path / "p.zip"), url=url).returncode == 0
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        assert archive.namelist() == ["columns/name.py"]
    assert (large.returncode, "large.bin is larger than 1024 KB" in large.stderr) == (1, True)
    assert (odd.returncode, "is not UTF-8" in odd.stderr) == (1, True)


def test_waiting_for_a_run_that_ends_badly_is_an_error(system: System, place: Place, url: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(CSV)

    def cancel_when_there() -> None:
        with Client(url) as client:
            while not (found := list(client.queue())):
                pass
            client.cancel(found[0].run_id)

    canceller = threading.Thread(target=cancel_when_there)
    canceller.start()
    waited = ade("submit", str(tmp_path / "people.csv"), "--wait", url=url)
    canceller.join()

    assert waited.returncode == 1
    assert "cancelled" in waited.stdout


def test_the_encoding_of_a_document_is_named_when_it_is_submitted(place: Place, url: str, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_bytes("Ad;Şehir\nAyşe;Iğdır\n".encode("cp1254"))  # noqa: RUF001

    done = ade("submit", str(tmp_path / "names.csv"), "--encoding", "windows-1254", "--json", url=url)
    wrong = ade("submit", str(tmp_path / "names.csv"), "--encoding", "cp-1254", url=url)

    with Client(url) as client:
        (document,) = client.documents(place.workspace_id, name="names")
        assert (done.returncode, document.encoding) == (0, "cp1254")
        assert client.choose_encoding(document.id, "auto").encoding is None
    assert wrong.returncode == 1
    assert "Did you mean cp1254?" in wrong.stderr


def test_every_table_of_an_output_without_sheets_is_saved(
    system: System, place: Place, url: str, tmp_path: Path
) -> None:
    names = ["normalized-1-Leeds.csv", "normalized-2.csv", "normalized-issues.csv", "artifact.json", "issues.ndjson"]
    with Client(url) as client:
        configuration = client.configuration(client.workspace().id)
        run = client.submit(configuration.id, add_documents(system, place, 1)[0])
        for name in names:
            system.files.write(f"runs/{run.id}/7/{name}", [name.encode()])
        finished = {"status": "succeeded", "file_key": f"runs/{run.id}/7"}
        system.database.write(
            lambda tx: tx.execute(sa.update(runs).where(runs.c.id == run.id).values(**finished, finished_at=tx.now))
        )
        for _ in range(2):
            _save(client, [client.run(run.id)], tmp_path / "out")
    folder = tmp_path / "out" / Path(run.document_name).stem
    assert {path.name for path in folder.iterdir()} == {*names} - {"normalized-issues.csv"}

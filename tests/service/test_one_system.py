"""Two servers and three workers on one PostgreSQL and one S3-compatible store, as real processes: one system."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ade.client import Client
from ade.database.maintenance import migrate
from ade.database.transaction import Database
from api.receiver import Receiver, receiver
from files.s3 import BUCKET, S3Server
from ports import free_port
from postgres import Postgres, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.req("W1", "W4", "W7")]
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples/title_above_header.xlsx"
FINISHED = {"succeeded", "failed", "cancelled"}
# Short times, so that what takes a lease takes no longer than it must.
QUICK = {"ADE_LEASE_SECONDS": "4", "ADE_TICK_SECONDS": "0.2", "ADE_MIN_FREE_DISK_MB": "0", "ADE_LOG_LEVEL": "warning"}


class Deployment:
    """The processes of one deployment, each with a folder of its own: they share the database and the store alone."""

    def __init__(self, folder: Path, database_url: str, store: S3Server, **variables: str) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
        shared = {"ADE_DATABASE_URL": database_url, "ADE_FILES_URL": f"s3://{BUCKET}/{folder.name}"}
        self._environment = {**kept, **QUICK, **store.variables, **shared, **variables}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ports: dict[str, int] = {}

    def start(self, name: str) -> None:
        """Start a server or a worker, by its name."""
        words = ["worker", "--concurrency", "1"] if name.startswith("worker") else ["serve", "--no-worker"]
        port = self._ports.setdefault(name, free_port())
        own = {"ADE_DATA_DIR": str(self.folder / name), "ADE_PORT": str(port)}
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", "ade", *words],
                env={**self._environment, **own},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """Kill a process and all it started, as a power cut would."""
        process = self._processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Kill what is left."""
        for name in list(self._processes):
            self.kill(name)

    def url(self, name: str) -> str:
        """Return the address of a server."""
        return f"http://127.0.0.1:{self._ports[name]}"

    def client(self, name: str) -> Client:
        """Return a client of a server that answers."""
        wait_until(lambda: self._answers(name), seconds=120, what=f"{name} to answer: {self.log(name)}")
        return Client(self.url(name))

    def log(self, name: str) -> str:
        """Return what a process said."""
        path = self.folder / f"{name}.log"
        return path.read_text()[-3000:] if path.exists() else ""

    def _answers(self, name: str) -> bool:
        try:
            return bool(httpx2.get(f"{self.url(name)}/readyz", timeout=10).status_code == 200)
        except httpx2.TransportError:
            return False


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("deployment")
    folder.chmod(0o755)
    postgres, store = Postgres(is_crash_safe=True), S3Server()
    database = Database(postgres.url())
    migrate.upgrade(database)
    database.close()
    made = Deployment(folder, postgres.url(), store, ADE_WEBHOOK_HOSTS="127.0.0.1")
    for name in ("server-1", "server-2", "worker-1", "worker-2", "worker-3"):
        made.start(name)
    yield made
    made.stop()
    store.stop()
    postgres.stop()


@pytest.fixture
def target() -> Iterator[Receiver]:
    with receiver() as running:
        yield running


def add_documents(client: Client, folder: Path, count: int) -> list[str]:
    """Upload copies of a sample, in one request."""
    workspace = client.workspace()
    parts = [("file", (f"{number}.xlsx", SAMPLE.read_bytes())) for number in range(count)]
    made = client.call("POST", f"/workspaces/{workspace.id}/documents", files=parts)
    return [item["id"] for item in made["items"]]


def test_what_one_server_accepts_the_other_shows_streams_and_hands_out(deployment: Deployment, tmp_path: Path) -> None:
    with deployment.client("server-1") as one, deployment.client("server-2") as two:
        workspaces = {one.workspace().id, two.workspace().id}
        (document_id, _) = add_documents(one, tmp_path, 2)
        configuration = two.configuration(two.workspace().id)
        run = two.submit(configuration.id, document_id, idempotency_key="once")
        again = one.submit(configuration.id, document_id, idempotency_key="once")
        with ThreadPoolExecutor(2) as pool:
            heard = list(pool.map(lambda client: [(e.seq, e.type) for e in client.events(run.id)], [one, two]))
        ended = one.run(run.id)
        for number, client in enumerate((one, two)):
            client.download(ended.links["output"], tmp_path / f"{number}.xlsx")
        workers = one.call("GET", "/workers")["items"]

        assert len(workspaces) == 1
        assert run.id == again.id
        assert ended.status == "succeeded", (ended, deployment.log("worker-1"))
        assert heard[0] == heard[1]
        assert [seq for seq, _ in heard[0]] == list(range(1, len(heard[0]) + 1))
        assert (tmp_path / "0.xlsx").read_bytes() == (tmp_path / "1.xlsx").read_bytes()
        assert len({worker["id"] for worker in workers if worker["is_alive"]}) == 3


def test_killing_any_process_loses_nothing(deployment: Deployment, tmp_path: Path, target: Receiver) -> None:
    with deployment.client("server-1") as client:
        workspace = client.workspace()
        configuration = client.configuration(workspace.id)
        hook = client.call("POST", f"/workspaces/{workspace.id}/webhooks", json={"url": target.url})
        documents = add_documents(client, tmp_path, 25)
        runs = [run.id for run in client.submit_batch(configuration.id, documents[:10])]

    for number, name in enumerate(("worker-1", "server-1", "worker-2", "server-2", "worker-3")):
        with deployment.client("server-1" if name == "server-2" else "server-2") as other:
            _wait_for_ends(other, runs, number + 1)
            deployment.kill(name)
            # The server that is left takes submissions.
            more = other.submit_batch(configuration.id, documents[10 + 3 * number :][:3])
            runs.extend(run.id for run in more)
            deployment.start(name)
    with deployment.client("server-1") as client:
        _wait_for_ends(client, runs, len(documents))
        told = {run.id: run for run in client.runs()}
        for run_id in runs:
            assert told[run_id].status == "succeeded", told[run_id]
            events = client.call("GET", f"/runs/{run_id}/events")["items"]
            assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
            assert sum(event["type"] == "run.succeeded" for event in events) == 1
            assert client.download(told[run_id].links["output"], tmp_path / f"{run_id}.xlsx") > 1000
        wait_until(lambda: heard_of(target) >= set(runs), seconds=120, what="every run to be told")
        client.call("DELETE", f"/webhooks/{hook['id']}")


def _wait_for_ends(client: Client, runs: list[str], count: int) -> None:
    wait_until(lambda: count_ended(client, runs) >= count, seconds=300, what=f"{count} runs to end")


def count_ended(client: Client, run_ids: list[str]) -> int:
    """Return how many of the runs have ended."""
    return sum(run.status in FINISHED for run in client.runs() if run.id in run_ids)


def heard_of(target: Receiver) -> set[Any]:
    """Return the runs a webhook was told of."""
    return {json.loads(body)["data"]["run"]["id"] for _, body in target.received}

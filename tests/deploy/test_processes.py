"""What compose.yaml starts, without containers: the same commands and settings on a real PostgreSQL and store."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from ade.client import Client
from databases import POSTGRES_URL, ServerBackend
from deploy.described import ROOT, compose, compose_environment
from files.s3 import BUCKET, S3Server
from postgres import wait_until

PATIENCE_SECONDS = 120
ACCOUNT = {"email": "you@example.org", "password": "correct horse battery staple"}


@pytest.fixture
def empty_database(tmp_path: Path, worker_id: str) -> Iterator[str]:
    server = ServerBackend(os.environ[POSTGRES_URL], name=f"ade_deploy_{worker_id}")
    yield server.empty_url(tmp_path, "compose")
    server.close()


@pytest.fixture
def store() -> Iterator[S3Server]:
    server = S3Server()
    yield server
    server.stop()


class Deployment:
    """Starts services as compose.yaml describes them."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        self._folder = folder
        self._variables = variables
        self._services = compose()["services"]
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, service: str, *, host: str) -> subprocess.Popen[bytes]:
        """Start a service on a host of its own: only the database and the store are shared."""
        words = ["127.0.0.1" if word == "0.0.0.0" else word for word in self._services[service]["command"]]  # noqa: S104
        words = [str(self.port) if word == "8000" else word for word in words]
        folder = self._folder / host
        folder.mkdir()
        given = compose_environment(service)
        kept = {name: value for name, value in self._variables.items() if name in given or name == "ADE_LEASE_SECONDS"}
        environment = {**os.environ, **given, **kept, "ADE_DATA_DIR": str(folder)}
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([sys.executable, "-m", "ade", *words], env=environment, stdout=log, stderr=log)
        self._running[host] = process
        return process

    def run_to_its_end(self, service: str) -> int:
        return self.start(service, host=service).wait(timeout=PATIENCE_SECONDS)

    def log(self, host: str) -> str:
        return (self._folder / host / "log").read_text()

    def stop(self, host: str, number: signal.Signals = signal.SIGTERM) -> int:
        process = self._running.pop(host)
        process.send_signal(number)
        return process.wait(timeout=PATIENCE_SECONDS)

    def close(self) -> None:
        for host in list(self._running):
            self.stop(host, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.req("W1", "W2", "W7")
def test_the_composed_services_make_one_system_that_loses_a_worker_and_no_run(
    tmp_path: Path, empty_database: str, store: S3Server
) -> None:
    real = {"ADE_DATABASE_URL": empty_database, "ADE_FILES_URL": f"s3://{BUCKET}", "ADE_LEASE_SECONDS": "5"}
    deployment = Deployment(tmp_path, {**store.variables, **real})
    with ExitStack() as stack:
        stack.callback(deployment.close)
        assert deployment.run_to_its_end("migrate") == 0, deployment.log("migrate")
        deployment.start("api", host="api")
        wait_until(lambda: _is_ready(deployment), what="the API to be ready", seconds=PATIENCE_SECONDS)
        _create_administrator(empty_database, tmp_path)
        client = stack.enter_context(_sign_in(deployment))
        for number in (1, 2, 3):
            deployment.start("worker", host=f"worker-{number}")

        workspace = client.workspace("default")
        configuration = client.configuration(workspace.id)
        document = client.upload(workspace.id, ROOT / "samples/title_above_header.xlsx")
        run_ids = [client.submit(configuration.id, document.id).id for _ in range(9)]
        wait_until(lambda: _ended(client, run_ids) > 0, what="a first run to end", seconds=PATIENCE_SECONDS)
        deployment.stop("worker-1", signal.SIGKILL)
        wait_until(lambda: _ended(client, run_ids) == 9, what="all runs to end", seconds=PATIENCE_SECONDS)

        assert {client.run(run_id).status for run_id in run_ids} == {"succeeded"}
        saved = client.download(f"/api/v1/runs/{run_ids[0]}/output", tmp_path / "normalized.xlsx")
        assert saved == (tmp_path / "normalized.xlsx").stat().st_size > 0
        assert [deployment.stop(host) for host in ("worker-2", "worker-3", "api")] == [0, 0, 0]


def _is_ready(deployment: Deployment) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{deployment.port}/readyz", timeout=5).status_code == 200
    except httpx2.TransportError:
        return False


def _create_administrator(database_url: str, folder: Path) -> None:
    command = [sys.executable, "-m", "ade", "users", "create", ACCOUNT["email"], "--admin"]
    environment = {"ADE_DATABASE_URL": database_url, "ADE_AUTH_MODE": "team", "ADE_NEW_PASSWORD": ACCOUNT["password"]}
    subprocess.run(command, env={**os.environ, "ADE_DATA_DIR": str(folder), **environment}, check=True)


def _sign_in(deployment: Deployment) -> Client:
    http = httpx2.Client(base_url=f"http://127.0.0.1:{deployment.port}", timeout=60)
    answer = http.post("/api/v1/session", json=ACCOUNT)
    assert answer.status_code < 300, answer.text
    http.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    return Client(http=http)


def _ended(client: Client, run_ids: list[str]) -> int:
    return sum(client.run(run_id).status in {"succeeded", "failed", "cancelled"} for run_id in run_ids)

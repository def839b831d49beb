"""The deployment that is broken: real processes on a real database and store, each of which can be hurt and healed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx2
from false_clocks import FalseClocks
from slow_road import SlowRoad

from ade.client import Client
from ade.database.maintenance import migrate
from ade.database.transaction import Database
from files.s3 import BUCKET, S3Server
from ports import free_port
from postgres import Postgres
from worker import processes

LEASE_SECONDS = 4
SETTINGS = {
    "ADE_LEASE_SECONDS": str(LEASE_SECONDS),
    "ADE_TICK_SECONDS": "0.3",
    "ADE_MIN_FREE_DISK_MB": "8",
    "ADE_RUN_MAX_CLAIMS": "100",  # what dies here dies by our hand
    "ADE_LOG_LEVEL": "warning",
    "ADE_LOG_FORMAT": "json",
}
DISK_MB = 460  # more than a run may write: a keeper that sees it filled may suspect its run
DATABASE_HOST = "database"


class Site:
    """A deployment, and the hands that hurt it."""

    def __init__(self, folder: Path, kind: str, *, servers: int, workers: int) -> None:
        folder.chmod(0o755)
        self.folder = folder
        self.kind = kind
        self.servers = [f"server-{number}" for number in range(1, servers + 1)]
        self.workers = [f"worker-{number}" for number in range(1, workers + 1)]
        self.seen: set[processes.Process] = set()
        self._ports = {name: free_port() for name in self.servers}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._disks: list[Path] = []
        self.clocks = FalseClocks(folder)
        self.postgres = (
            Postgres(is_crash_safe=True, variables=self.clocks.variables(DATABASE_HOST))
            if kind == "postgresql"
            else None
        )
        self.store = S3Server() if self.postgres else None
        self.road = SlowRoad(self.store.port) if self.store else None
        self._shared = self._addresses()

    def open(self) -> None:
        """Start everything."""
        database = Database(self.database_url)
        migrate.upgrade(database)
        database.close()
        for name in (*self.servers, *self.workers):
            self.start(name)
        for name in self.servers:
            self.wait_for_server(name)

    @property
    def database_url(self) -> str:
        """Return the address of the database."""
        return self.postgres.url() if self.postgres else f"sqlite:///{self.data_of('')}/ade.db"

    def host_of(self, name: str) -> str:
        """Return the host of a process: one for each, unless all share SQLite and local files."""
        return name if self.postgres else "host"

    def data_of(self, name: str) -> Path:
        """Return the data folder of a process: that of its host."""
        folder = self.folder / self.host_of(name)
        if not folder.exists():
            folder.mkdir()
            self._mount(folder)
        return folder

    def start(self, name: str) -> None:
        """Start a server or a worker that does not run."""
        words = ["worker"] if name in self.workers else ["serve", "--no-worker", "--port", str(self._ports[name])]
        own = {"ADE_DATA_DIR": str(self.data_of(name)), **self._shared, **self.clocks.variables(self.host_of(name))}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("ADE_")}
        with (self.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, "-m", "ade", *words]
            self._running[name] = subprocess.Popen(command, env={**kept, **SETTINGS, **own}, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        """Kill a process as the kernel would; what it started must end by itself."""
        process = self._running.pop(name)
        self.seen |= processes.below(process.pid)
        process.kill()
        process.wait()

    def terminate(self, name: str) -> None:
        """Stop a process as an operator would."""
        process = self._running.pop(name)
        self.seen |= processes.below(process.pid)
        process.terminate()
        process.wait()

    def send(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a process that runs."""
        self._running[name].send_signal(number)

    def children_of(self, name: str) -> list[int]:
        """Return the processes that a process started, and theirs."""
        found = processes.below(self._running[name].pid)
        self.seen |= found
        return sorted(pid for pid, _ in found)

    def running(self, names: list[str]) -> list[str]:
        """Return those that run now."""
        return [name for name in names if name in self._running]

    def is_disk_small(self) -> bool:
        """Return whether the data folders are small disks of their own, so that they can be filled."""
        return bool(self._disks)

    def client(self, name: str, *, timeout: float = 20) -> Client:
        """Return a client of a server."""
        return Client(http=httpx2.Client(base_url=f"http://127.0.0.1:{self._ports[name]}", timeout=timeout))

    def wait_for_server(self, name: str, *, seconds: float = 120) -> None:
        """Return once a server answers that it is ready."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(httpx2.TransportError):
                if httpx2.get(f"http://127.0.0.1:{self._ports[name]}/readyz", timeout=10).status_code == 200:
                    return
            self.pause(0.1)
        raise TimeoutError(f"{name} is not ready: {(self.folder / f'{name}.log').read_text()[-2000:]}")

    def pause(self, seconds: float) -> None:
        """Let things go on."""
        time.sleep(seconds)

    def heal(self) -> None:
        """Have every process run again, the store quick and the disks free."""
        if self.road:
            self.road.delay_seconds = 0.0
        for disk in self._disks:
            (disk / "filler").unlink(missing_ok=True)
        for name in (*self.servers, *self.workers):
            if name in self._running and self._running[name].poll() is not None:
                self._running.pop(name)
            if name not in self._running:
                self.start(name)
            else:
                self.send(name, signal.SIGCONT)
        for name in self.servers:
            self.wait_for_server(name)

    def stop_processes(self) -> None:
        """Stop servers and workers in good order."""
        for name in list(self._running):
            self.terminate(name)

    def close(self) -> None:
        """Take everything down."""
        for name in list(self._running):
            self.kill(name)
        if self.road:
            self.road.close()
        if self.store:
            self.store.stop()
        if self.postgres:
            self.postgres.stop()
        for disk in self._disks:
            subprocess.run(["umount", "--lazy", str(disk)], check=False)

    def _mount(self, folder: Path) -> None:
        """Give a data folder a disk of its own, where we may: only then can it be full."""
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "ade-chaos", str(folder)]
        with suppress(FileNotFoundError):
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                self._disks.append(folder)

    def _addresses(self) -> dict[str, str]:
        if not (self.store and self.road):
            return {}
        way = {**self.store.variables, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.road.port}"}
        return {"ADE_DATABASE_URL": self.database_url, "ADE_FILES_URL": f"s3://{BUCKET}/chaos", **way}

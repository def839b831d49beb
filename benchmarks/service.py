"""How the service holds up: many submissions at once while runs execute, and thousands of open event streams.

    bin/bench service                                 1000 submissions of 50 clients, then 2000 streams, on SQLite
    bin/bench service --postgres                      the same on a PostgreSQL of its own
    bin/bench service --streams 0                     only the submissions

A real `ade serve` with two slots executes the runs meanwhile. Prints one line for each measurement.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import sqlalchemy as sa  # noqa: E402

import rows  # noqa: E402
from ade.database.maintenance import migrate  # noqa: E402
from ade.database.schema import documents  # noqa: E402
from ade.database.transaction import Database, Transaction  # noqa: E402
from ade.files import LocalFiles  # noqa: E402
from ports import free_port  # noqa: E402
from postgres import Postgres  # noqa: E402

SAMPLE = ROOT / "samples/title_above_header.xlsx"
KEY = "documents/shared/content"


@dataclass
class Place:
    """Where to submit what."""

    port: int
    configuration_id: str
    document_ids: list[str]


def main() -> int:
    """Measure and print."""
    arguments = parse()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    with tempfile.TemporaryDirectory(prefix="ade-bench-") as folder:
        Path(folder).chmod(0o755)
        server = Postgres() if arguments.postgres else None
        try:
            url = server.url() if server else f"sqlite:///{folder}/ade.db"
            with serving(Path(folder), url) as (port, pid):
                place = prepare(Path(folder), url, port, arguments.submissions + arguments.streams)
                asyncio.run(measure(place, pid, arguments))
        finally:
            if server:
                server.stop()
    return 0


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--runs-during-streams", type=int, default=20)
    parser.add_argument("--postgres", action="store_true")
    return parser.parse_args()


@contextmanager
def serving(folder: Path, url: str) -> Iterator[tuple[int, int]]:
    """Start `ade serve` with two slots; yield its port and process id."""
    port = free_port()
    database = Database(url)
    migrate.upgrade(database)
    database.close()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
    given = {"ADE_DATA_DIR": str(folder / "data"), "ADE_DATABASE_URL": url, "ADE_PORT": str(port)}
    given |= {"ADE_MAX_CONCURRENCY": "2", "ADE_LOG_LEVEL": "warning", "ADE_SKIP_UI": "1"}
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ade", "serve"], env={**kept, **given}, stdout=log, stderr=log
        )
        try:
            asyncio.run(until_ready(port))
            yield port, process.pid
        finally:
            process.terminate()
            process.wait()
            print((folder / "serve.log").read_text()[-2000:], file=sys.stderr, end="")


async def until_ready(port: int) -> None:
    """Wait for the server."""
    for _ in range(600):
        try:
            connection = await Connection.open(port)
            status, _ = await connection.call("GET", "/readyz")
            await connection.close()
        except OSError:
            status = 0
        if status == 200:
            return
        await asyncio.sleep(0.1)
    raise TimeoutError("the server did not start")


def prepare(folder: Path, url: str, port: int, count: int) -> Place:
    """Add documents, all with the bytes of one sample, to the workspace the server made."""
    database = Database(url)
    LocalFiles(folder / "data/files").write(KEY, [SAMPLE.read_bytes()])
    told = asyncio.run(ask(port, "/api/v1/workspaces"))
    workspace_id = told["items"][0]["id"]
    configuration_id = asyncio.run(ask(port, f"/api/v1/workspaces/{workspace_id}/configurations"))["items"][0]["id"]

    def work(tx: Transaction) -> list[str]:
        made = rows.add_documents(tx, count, workspace_id=workspace_id)
        tx.execute(sa.update(documents).values(file_key=KEY, name=SAMPLE.name))
        return made

    place = Place(port, configuration_id, database.write(work))
    database.close()
    return place


async def ask(port: int, path: str) -> Any:
    """Return what the server answers."""
    connection = await Connection.open(port)
    _, told = await connection.call("GET", path)
    await connection.close()
    return told


class Connection:
    """One kept connection: as little work as possible on the side that measures."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        """Connect."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=2**20))

    async def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return status and JSON of the answer."""
        self.send(method, path, body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        lengths = (int(line.split(":")[1]) for line in head.splitlines() if line.startswith("content-length"))
        length = next(lengths, 0)
        return int(head.split(" ", 2)[1]), json.loads(await self.reader.readexactly(length) or b"null")

    def send(self, method: str, path: str, body: Any = None) -> None:
        """Send a request."""
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)

    async def close(self) -> None:
        """Disconnect."""
        self._writer.close()
        await self._writer.wait_closed()


async def measure(place: Place, pid: int, arguments: argparse.Namespace) -> None:
    """Measure what was asked for."""
    await until_two_run(place)
    if arguments.submissions:
        await measure_submissions(place, arguments)
    if arguments.streams:
        await measure_streams(place, pid, arguments)


async def until_two_run(place: Place) -> None:
    """Submit a few runs and wait until the build is made and runs execute."""
    connection = await Connection.open(place.port)
    for document_id in place.document_ids[-10:]:
        await submit(connection, place, document_id)
    while not (await connection.call("GET", "/api/v1/runs?status=succeeded"))[1]["items"]:
        await asyncio.sleep(0.1)
    await connection.close()


async def submit(connection: Connection, place: Place, document_id: str, priority: str = "normal") -> dict[str, Any]:
    """Submit one run."""
    order = {"input_document_id": document_id, "priority": priority}
    status, told = await connection.call("POST", f"/api/v1/configurations/{place.configuration_id}/runs", order)
    if status != 202:
        raise RuntimeError(f"{status}: {told}")
    return dict(told)


async def measure_submissions(place: Place, arguments: argparse.Namespace) -> None:
    """Let all clients submit at once, each one after the other."""
    waiting = list(place.document_ids[: arguments.submissions])
    took: list[float] = []
    answered: list[tuple[float, str]] = []

    async def client() -> None:
        connection = await Connection.open(place.port)
        while waiting:
            document_id, started = waiting.pop(), time.perf_counter()
            told = await submit(connection, place, document_id)
            took.append(time.perf_counter() - started)
            answered.append((started, told["id"]))
        await connection.close()

    before = await finished(place.port)
    started = time.perf_counter()
    watching = asyncio.create_task(watch(place.port))
    await asyncio.gather(*(client() for _ in range(arguments.clients)))
    seconds = time.perf_counter() - started
    watching.cancel()
    after = await finished(place.port)
    cuts = statistics.quantiles(took, n=100)
    print(
        f"{len(took)} submissions of {arguments.clients} clients in {seconds:.1f} s, all answered: "
        f"p50 {cuts[49] * 1000:.0f} ms, p90 {cuts[89] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms, "
        f"most {max(took) * 1000:.0f} ms; {after - before} runs finished meanwhile, at most {Watched.running} at once"
    )


class Watched:
    """The most runs that executed at once."""

    running = 0


async def watch(port: int) -> None:
    """Look periodically how many runs execute."""
    connection = await Connection.open(port)
    while True:
        _, told = await connection.call("GET", "/api/v1/runs?status=running")
        Watched.running = max(Watched.running, len(told["items"]))
        await asyncio.sleep(0.5)


async def finished(port: int) -> int:
    """Return how many runs succeeded."""
    told = await ask(port, "/api/v1/queue/analytics?window=1h")
    return sum(int(part["succeeded_count"]) for part in told["slices"])


async def measure_streams(place: Place, pid: int, arguments: argparse.Namespace) -> None:
    """Open streams of runs that wait, then let runs execute and see who hears of it."""
    memory = memory_mb(pid)
    connection = await Connection.open(place.port)
    watched = place.document_ids[arguments.submissions : arguments.submissions + arguments.runs_during_streams]
    _, pause = await connection.call("POST", "/api/v1/queue/pauses", {"scope": "all", "reason": "benchmark"})
    # Before those that still wait from the first measurement.
    made = [await submit(connection, place, document_id, "urgent") for document_id in watched]
    started = time.perf_counter()
    streams = [await Connection.open(place.port) for _ in range(arguments.streams)]
    for number, stream in enumerate(streams):
        stream.send("GET", f"/api/v1/runs/{made[number % len(made)]['id']}/events/stream")
    await asyncio.gather(*(stream.reader.readuntil(b"event: run.queued") for stream in streams))
    opened = time.perf_counter() - started
    idle = await cpu_while_idle(pid)
    grown = memory_mb(pid) - memory
    started = time.perf_counter()
    lifting = await Connection.open(place.port)  # the server closes those that are idle
    await lifting.call("DELETE", f"/api/v1/queue/pauses/{pause['id']}")
    late = asyncio.create_task(latencies(place.port))
    await asyncio.gather(*(until_end(stream) for stream in streams))
    ended = time.perf_counter() - started
    late.cancel()
    took = sorted(Latencies.seconds)
    for stream in streams:
        await stream.close()
    print(
        f"{len(streams)} streams on {len(made)} runs: all open after {opened:.1f} s, {grown:.0f} MB "
        f"({grown * 1024 / len(streams):.0f} KB each), {idle * 100:.1f} % of a processor while idle; all heard their "
        f"run end, the last after {ended:.1f} s; other calls meanwhile: median {took[len(took) // 2] * 1000:.0f} ms, "
        f"most {took[-1] * 1000:.0f} ms"
    )


class Latencies:
    """How long other calls took."""

    seconds: list[float] = []  # noqa: RUF012 - one for the one measurement


async def latencies(port: int) -> None:
    """Ask for a list again and again."""
    connection = await Connection.open(port)
    while True:
        started = time.perf_counter()
        await connection.call("GET", "/api/v1/workspaces")
        Latencies.seconds.append(time.perf_counter() - started)
        await asyncio.sleep(0.1)


async def until_end(stream: Connection) -> None:
    """Read a stream to its last event."""
    await stream.reader.readuntil(b"event: end")


async def cpu_while_idle(pid: int, seconds: float = 5) -> float:
    """Return how much of a processor a process uses."""
    before = cpu_seconds(pid)
    await asyncio.sleep(seconds)
    return (cpu_seconds(pid) - before) / seconds


def cpu_seconds(pid: int) -> float:
    """Return the CPU time a process used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


if __name__ == "__main__":
    sys.exit(main())

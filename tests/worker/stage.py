"""A small deployment to execute in: a data folder, a workspace, configurations and documents; real workers."""

import hashlib
import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import rows
from ade.database.schema import builds, documents, runs, workers
from ade.database.schema import configuration_files as configuration_file_rows
from ade.database.transaction import Transaction
from ade.domain.access import Actor, ActorKind
from ade.domain.configuration_files import file_values
from ade.files import FileStore
from ade.operations.content import configuration_files, configurations
from ade.operations.queue import requests
from ade.operations.queue.rules import queue_rules
from ade.operations.queue.runs import cancel_run
from ade.operations.queue.submit import Wish
from ade.operations.views.streams import read_events
from ade.settings import load_settings
from ade.system import System, open_system
from ade.worker.loop import Worker
from ade.worker.start import create_worker
from ade.worker.steps import PAUSES
from postgres import wait_until

PERSON = Actor(ActorKind.USER, "ada@example.org", "user-1")
PEOPLE = b"Name;Age\nAda;36\nGrace;45\n"
NAME_RULE = 'from ade_engine import Field\n\nfield = Field("name", aliases=["Name"])\n'
SIMPLE = {"columns/name.py": NAME_RULE}
FINISHED = {"succeeded", "failed", "cancelled"}
# Short times, so that what takes a lease takes a test no longer than it must.
QUICK = {"lease_seconds": 4, "tick_seconds": 0.1, "shutdown_grace_seconds": 20, "min_free_disk_mb": 0}

SHORT_PAUSES = tuple(0.01 for _ in PAUSES)


def hooked(body: str, *, moment: str = "on_workbook_start()") -> dict[str, str]:
    """Return a configuration whose code does something when a run starts."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return {**SIMPLE, "hooks/act.py": f"import os, sys, time, signal\n\ndef {moment}:\n{lines}"}


SLOW = hooked("time.sleep(600)")
STUBBORN = hooked(
    "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
    "    signal.signal(number, signal.SIG_IGN)\n"
    "while True:\n"
    "    time.sleep(600)"
)


_names = itertools.count(1)


class Stage:
    """A system with rows and files in it, and what a test needs to act and look."""

    def __init__(self, folder: Path, *, database_url: str = "", **changes: Any) -> None:
        self.folder = folder
        self.given = {"data_dir": folder, "database_url": database_url, **QUICK, **changes}
        self.system = open_system(load_settings(**self.given))
        self.workspace = self.write(rows.add_workspace)
        self._processes: list[subprocess.Popen[str]] = []

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.system.close()

    def write(self, work: Any) -> Any:
        return self.system.database.write(work)

    def read(self, statement: sa.Select[Any]) -> list[sa.Row[Any]]:
        return self.system.database.read(lambda tx: list(tx.execute(statement).all()))

    # What there is

    def configuration(self, files: Mapping[str, str | bytes]) -> str:
        """Add a published configuration and return its id."""
        contents = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

        def add(tx: Transaction) -> str:
            made = configurations.create_configuration(
                tx, workspace_id=self.workspace, name=f"Test {next(_names)}", files=contents, actor=PERSON
            )
            configurations.publish(tx, made.row.id, note=None, actor=PERSON)
            return str(made.row.id)

        return str(self.write(add))

    def edit_draft(self, configuration_id: str, path: str, text: str) -> None:
        """Put a file into the draft, starting one if there is none."""

        def put(tx: Transaction) -> None:
            known = {
                file.path: file.sha256 for file in configuration_files.list_files(tx, configuration_id, number=None)
            }
            configuration_files.put_file(
                tx,
                configuration_id,
                path,
                text.encode(),
                seen=known.get(path),
                is_new=path not in known,
                actor=PERSON,
            )

        self.write(put)

    def document(self, content: bytes = PEOPLE, name: str = "people.csv") -> str:
        def add(tx: Transaction) -> str:
            return rows.add_document(tx, workspace_id=self.workspace, name=name, file_key="", sha256="")

        document_id = str(self.write(add))
        key = f"documents/{document_id}/content"
        self.system.files.write(key, [content])
        change = sa.update(documents).where(documents.c.id == document_id)
        facts = {"file_key": key, "size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        self.write(lambda tx: tx.execute(change.values(**facts)))
        return document_id

    def documents(self, count: int) -> list[str]:
        """Add many documents of the same bytes, the short way."""
        key = f"documents/{self.document()}/content"
        return [str(each) for each in self.write(lambda tx: self._add_documents(tx, count, key))]

    def _add_documents(self, tx: Transaction, count: int, key: str) -> list[str]:
        given = {"workspace_id": self.workspace, "name": "people.csv", "file_key": key}
        return [rows.add_document(tx, **given) for _ in range(count)]

    # Acting

    def publish(self, configuration_id: str) -> None:
        self.write(lambda tx: configurations.publish(tx, configuration_id, note=None, actor=PERSON))

    def submit_test_run(self, configuration_id: str) -> str:
        """Submit a run of the draft as it is."""
        document, rules = self.document(), queue_rules(self.system.settings)
        return str(
            self.write(
                lambda tx: requests.request_test_run(
                    tx, configuration_id, document, wish=Wish(runtime_network_access=False), actor=PERSON, rules=rules
                )
            )
        )

    def submit(self, configuration_id: str, *document_ids: str, **wish: Any) -> list[str]:
        """Submit a run for each document (one new one by default) and return their ids."""
        chosen = list(document_ids) or [self.document()]
        rules = queue_rules(self.system.settings)
        submitted: list[str] = self.write(
            lambda tx: requests.request_runs(
                tx,
                configuration_id,
                chosen,
                wish=Wish(**{"runtime_network_access": False, **wish}),
                number=None,
                actor=PERSON,
                rules=rules,
            )
        )
        return submitted

    def submit_one(self, files: Mapping[str, str | bytes] = SIMPLE, **wish: Any) -> str:
        [run_id] = self.submit(self.configuration(files), **wish)
        return run_id

    def submit_unchecked(self, files: Mapping[str, str | bytes], requirements: str) -> str:
        """Submit a run whose requirements nobody checked when they were published, as an edited database may have."""
        configuration_id = self.configuration({**files, "requirements.txt": ""})
        changed = sa.update(configuration_file_rows).where(configuration_file_rows.c.path == "requirements.txt")
        changed = changed.where(configuration_file_rows.c.size_bytes == 0)
        self.write(lambda tx: tx.execute(changed.values(**file_values(requirements.encode()))))
        return self.submit(configuration_id)[0]

    def cancel(self, run_id: str) -> None:
        self.write(lambda tx: cancel_run(tx, run_id, actor=PERSON))

    @contextmanager
    def worker(self, *, slots: int = 2, pauses: Sequence[float] = SHORT_PAUSES) -> Iterator[Worker]:
        """Run a worker in a thread for as long as the block lasts; its steps are tried again after short pauses."""
        worker, tools = create_worker(self.system, slots=slots, pauses=pauses)
        thread = threading.Thread(target=worker.run, name="worker")
        thread.start()
        try:
            yield worker
        finally:
            worker.stop()
            thread.join()
            tools.close()

    def work_off(self, run_ids: Sequence[str], *, slots: int = 2) -> None:
        """Let a worker execute until these runs have ended."""
        with self.worker(slots=slots):
            self.wait_for_end(run_ids)

    def start(self, *words: str, **variables: Any) -> "subprocess.Popen[str]":
        """Start an `ade` command as a process of its own, its log in a file."""
        with (self.folder / f"log-{len(self._processes)}.txt").open("w") as log:
            process = subprocess.Popen(
                _command(words), env=self.environment(variables), stderr=log, stdout=log, text=True
            )
        self._processes.append(process)
        return process

    def call(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run an `ade` command to its end."""
        return subprocess.run(_command(words), env=self.environment({}), capture_output=True, text=True, check=False)

    def environment(self, variables: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Return the environment of an `ade` command that works on this stage."""
        given = {**self.given, **(variables or {}), "log_format": "json"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
        return {**kept, **{f"ADE_{name.upper()}": str(value) for name, value in given.items()}}

    def log(self, process: "subprocess.Popen[str]") -> str:
        """Return what a process has logged so far."""
        return (self.folder / f"log-{self._processes.index(process)}.txt").read_text()

    def replace_files(self, files: FileStore) -> None:
        """Let all that is opened from now on work with another file store."""
        self.system = _with_files(self.system, files)

    def freeze(self, process: "subprocess.Popen[str]") -> None:
        """Let a process stand still, but not while it holds SQLite's only lock: nobody could take over from it then."""

        def is_frozen() -> bool:
            process.send_signal(signal.SIGSTOP)
            os.waitpid(process.pid, os.WUNTRACED)
            if self._is_locked():
                process.send_signal(signal.SIGCONT)
                return False
            return True

        wait_until(is_frozen, what="the process to hold no lock")

    def _is_locked(self) -> bool:
        path = self.system.database.url.database
        if self.system.database.dialect != "sqlite" or path is None:
            return False
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
            connection.execute("ROLLBACK")
            return False

    def stop(self, process: "subprocess.Popen[str]", number: int = signal.SIGTERM) -> int:
        process.send_signal(number)
        return process.wait(timeout=60)

    # Looking

    def run(self, run_id: str) -> sa.Row[Any]:
        return self.read(sa.select(runs).where(runs.c.id == run_id))[0]

    def build_of(self, run_id: str) -> sa.Row[Any]:
        return self.read(sa.select(builds).where(builds.c.id == self.run(run_id).build_id))[0]

    def runs_of_plan(self, plan_id: str) -> list[str]:
        return [
            row.id for row in self.read(sa.select(runs.c.id).where(runs.c.plan_id == plan_id).order_by(runs.c.phase))
        ]

    def row_of_document(self, document_id: str) -> sa.Row[Any]:
        return self.read(sa.select(documents).where(documents.c.id == document_id))[0]

    def statuses(self) -> dict[str, int]:
        counted = sa.select(runs.c.status, sa.func.count().label("number")).group_by(runs.c.status)
        return {row.status: row.number for row in self.read(counted)}

    def living_workers(self) -> list[sa.Row[Any]]:
        return self.read(sa.select(workers).where(workers.c.stopped_at.is_(None)))

    def wait_for(self, run_id: str, status: str, *, seconds: float = 120) -> None:
        wait_until(lambda: self.run(run_id).status == status, what=f"run {run_id} to be {status}", seconds=seconds)

    def wait_for_heartbeats(self, worker_id: str, count: int) -> None:
        """Wait until a worker has beaten so often from now on: whatever it was about to do, it has done."""
        chosen = sa.select(workers.c.heartbeat_at).where(workers.c.id == worker_id)
        seen: set[Any] = set()

        def is_enough() -> bool:
            seen.add(self.read(chosen)[0].heartbeat_at)
            return len(seen) > count

        wait_until(is_enough, what="heartbeats")

    def wait_for_end(self, run_ids: Sequence[str], *, seconds: float = 240) -> None:
        wanted = set(run_ids)
        open_ones = sa.select(runs.c.id).where(runs.c.status.not_in(FINISHED))
        wait_until(
            lambda: not wanted & {row.id for row in self.read(open_ones)}, what="all runs to end", seconds=seconds
        )

    def wait_for_event(self, run_id: str, kind: str, *, seconds: float = 120) -> None:
        def is_told() -> bool:
            return any(event["type"] == kind for event in self.events(run_id))

        wait_until(is_told, what=f"{kind} of run {run_id}", seconds=seconds)

    def events(self, run_id: str, *, kind: str = "run") -> list[dict[str, Any]]:
        """Return the event stream as the API tells it."""
        events, _ = read_events(self.system.database, self.system.files, kind, run_id)
        return [event.read() for event in events]

    def file(self, run_id: str, name: str) -> bytes:
        return b"".join(self.system.files.read(f"{self.run(run_id).file_key}/{name}"))

    def file_names(self, run_id: str) -> set[str]:
        """Return the names of all files kept of a run, whichever claim wrote them."""
        return {key.removeprefix(f"runs/{run_id}/") for key in self.system.files.keys(f"runs/{run_id}")}

    def artifact(self, run_id: str) -> dict[str, Any]:
        artifact: dict[str, Any] = json.loads(self.file(run_id, "artifact.json"))
        return artifact

    def work_folders(self) -> list[str]:
        """Return what workers left in their own folders."""
        return sorted(str(path.relative_to(self.folder)) for path in (self.folder / "work").glob("*/*"))


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "ade", *words]


def _with_files(system: System, files: FileStore) -> System:
    return System(
        settings=system.settings, clock=system.clock, new_id=system.new_id, database=system.database, files=files
    )


def assert_gapless(events: Sequence[Mapping[str, Any]]) -> None:
    """Prove that a stream is numbered 1, 2, 3, … and tells each lifecycle event once, in order."""
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    told = [event["lifecycle"] for event in events if "lifecycle" in event]
    assert told == list(range(1, len(told) + 1))

"""The page about two worker hosts is run as it is written, on one PostgreSQL and one S3 server.

A host is a folder and a process group. Only the addresses are replaced, and leases are shorter than by default.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ade.sandbox.removal import remove_folder
from files.s3 import S3Server
from ports import free_port
from postgres import Postgres, wait_until

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to/deploy.md"
HOSTS = {
    "At your desk": ("desk",),
    "On every host": ("api", "worker-1", "worker-2"),
    "On the API host": ("api",),
    "On each worker host": ("worker-1", "worker-2"),
    "On the first worker host": ("worker-1",),
}
BLOCK = re.compile(r"```(sh|text)\n(.*?)```", re.DOTALL)
WHERE = re.compile("|".join(HOSTS))
KEY = "ade_the_key_of_step_3"


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    hosts: tuple[str, ...]


def blocks() -> list[Block]:
    """Return the blocks of the steps, each with the hosts that the text before it names."""
    page = PAGE.read_text(encoding="utf-8")
    steps = page[page.index("### 1.") : page.index("## Behind a proxy")]
    found, end = [], 0
    for block in BLOCK.finditer(steps):
        named = WHERE.findall(steps[end : block.start()])
        found.append(Block(block.group(1), block.group(2), HOSTS[named[-1]] if named else ()))
        end = block.end()
    return found


@dataclass
class Scene:
    """The hosts, and what was started on them."""

    folder: Path
    replaced: dict[str, str]
    path: str
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def prepare(self) -> None:
        for host in sorted({host for hosts in HOSTS.values() for host in hosts}):
            (self.folder / host / "bin").mkdir(parents=True)
            (self.folder / host / "samples").symlink_to(ROOT / "samples")
            ade = self.folder / host / "bin/ade"
            ade.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ade "$@"\n')
            ade.chmod(0o755)

    def meant(self, block: Block) -> str:
        """Return what a block says, with the addresses of these hosts."""
        text = block.text
        for written, meant in self.replaced.items():
            text = text.replace(written, meant)
        return text

    def start(self, block: Block, host: str) -> "subprocess.Popen[bytes]":
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ADE_", "AWS_"))}
        quick = {"ADE_LEASE_SECONDS": "6", "ADE_TICK_SECONDS": "0.5", "COLUMNS": "200"}
        with (self.folder / host / "log").open("ab") as log:
            process = subprocess.Popen(
                ["/bin/sh", "-e", "-c", self.meant(block)],
                cwd=self.folder / host,
                env={**kept, **quick, "PATH": self.path},
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def run(self, block: Block) -> str:
        said = ""
        for host in block.hosts:
            process = self.start(block, host)
            said += process.communicate()[0].decode()
            assert process.returncode == 0, f"{block.text}\n{said}\n{(self.folder / host / 'log').read_text()[-3000:]}"
        return " ".join(said.split())

    def stop(self) -> None:
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def ask(self, path: str) -> dict[str, Any]:
        """Ask the API, as the key's owner."""
        request = urllib.request.Request(
            self.replaced["http://ade.example.org:8000"] + path,
            headers={"authorization": f"Bearer {self.replaced[KEY]}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer))

    def history(self, run: str) -> list[str]:
        """Return what happened to a run from its first claim on, as far as the page shows it."""
        shown = ("run.claimed", "run.requeued", "run.succeeded")
        return [event["type"] for event in self.ask(f"/api/v1/runs/{run}/events")["items"] if event["type"] in shown]

    def is_ready(self) -> bool:
        with suppress(OSError):
            urllib.request.urlopen(self.replaced["http://ade.example.org:8000"] + "/readyz", timeout=5).close()
            return True
        return False


@pytest.fixture
def scene() -> Iterator[Scene]:
    folder = Path(tempfile.mkdtemp(prefix="ade-hosts-", dir="/tmp"))
    folder.chmod(0o755)
    postgres, store = Postgres(), S3Server()
    port = free_port()
    replaced = {
        "postgresql://postgres@db.example.org:5432/postgres": postgres.url(),
        "postgresql://ade:change-me@db.example.org:5432/ade": f"postgresql://ade@/ade?host={postgres.folder}",
        "PostgreSQL db.example.org:5432/ade": f"PostgreSQL {postgres.folder}/ade",
        "http://s3.example.org:8333": store.endpoint,
        "http://ade.example.org:8000": f"http://127.0.0.1:{port}",
        "--host 0.0.0.0 --port 8000": f"--host 127.0.0.1 --port {port}",
    }
    tools = f"{postgres._bin}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    scene = Scene(folder, replaced, tools)
    scene.prepare()
    urllib.request.urlopen(urllib.request.Request(f"{store.endpoint}/ade", method="PUT"), timeout=30).close()
    try:
        yield scene
    finally:
        scene.stop()
        for log in sorted(folder.glob("*/log")):
            print(f"--- {log.parent.name}\n{log.read_text()[-2000:]}")  # noqa: T201 - shown when the test fails
        store.stop()
        postgres.stop()
        remove_folder(folder)


@pytest.mark.slow
@pytest.mark.req("Q7")
def test_two_worker_hosts_deployed_by_the_page_survive_the_loss_of_one(scene: Scene) -> None:
    database, settings, prepare, prepared, serve, work, doctor, well, use, submit, kill, history = blocks()

    scene.run(database)
    scene.run(settings)
    said = scene.run(prepare)
    assert [line for line in scene.meant(prepared).splitlines() if line not in said] == [], said
    scene.replaced[KEY] = said.split()[-1]
    scene.start(serve, "api")
    wait_until(scene.is_ready, what="the API to be ready", seconds=120)
    lost, other = [scene.start(work, host) for host in work.hosts]
    wait_until(lambda: len(scene.ask("/api/v1/workers")["items"]) == 2, what="two workers at work", seconds=120)
    assert well.text.strip() in scene.run(doctor)
    assert scene.run(use).count("ready") == 2

    waiting = scene.start(submit, "desk")
    wait_until(lambda: len(scene.ask("/api/v1/runs?status=running")["items"]) == 4, what="four runs", seconds=120)
    scene.run(kill)
    said = waiting.communicate()[0].decode()

    assert waiting.returncode == 0
    assert said.count("succeeded") == 4
    lost.wait()
    assert other.poll() is None
    assert any(
        scene.history(run) == history.text.split() for run in re.findall(r"^([0-9a-f-]{36})", said, re.MULTILINE)
    )

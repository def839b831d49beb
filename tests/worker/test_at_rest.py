"""What lies on the disk is for its owner alone, whatever user runs the server."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

import ade
import ade_engine
from ade.cli.doctor import check_modes
from ade.client import Client
from ade.sandbox.interpreter import unreachable
from ade.worker.start import FIRST_UID
from ports import free_port
from postgres import wait_until
from sandbox.rig import NOBODY, SITE_PACKAGES, open_python
from worker.processes import below

STRANGER = 12_345
SOURCES = [str(Path(module.__file__ or "").parents[1]) for module in (ade, ade_engine)]
SAMPLE = Path(__file__).parents[2] / "samples/title_above_header.xlsx"
# Tries every path that root has seen, not only those a stranger could list.
TRY = """
import json, os, sys
reached = []
for path in json.load(sys.stdin):
    try:
        if os.path.isdir(path):
            os.listdir(path)
        else:
            open(path, "rb").read(1)
    except OSError:
        continue
    reached.append(path)
print(json.dumps(reached))
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.req("S5"),
    pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can become another user"),
]


class Served:
    """A server of a user on a data folder under a folder that everyone may enter."""

    def __init__(self, base: Path, *, user: int, python: str) -> None:
        self.data, self.user, self.python = base / "data", user, python
        self.port = free_port()
        os.chown(base, user, user)
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(base),
            "ADE_DATA_DIR": str(self.data),
            "ADE_MIN_FREE_DISK_MB": "0",
        }
        self.process = subprocess.Popen(
            self._command("serve", "--port", str(self.port)),
            env=self._environment, user=user, group=user, extra_groups=[], umask=0o022,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def wait_until_ready(self) -> None:
        wait_until(self._is_ready, what="the server", seconds=60)

    def call(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._command(*words), env=self._environment, user=self.user, group=self.user, extra_groups=[],
            umask=0o022, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def _command(self, *words: str) -> list[str]:
        return [self.python, "-m", "ade", *words]

    def _is_ready(self) -> bool:
        try:
            return httpx2.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).status_code == 200
        except httpx2.TransportError:
            return False


@pytest.fixture(params=[0, NOBODY], ids=["root", "ordinary"])
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    python = open_python()
    if python is None:
        pytest.skip("no Python here that every user can start")
    if closed := unreachable([*SOURCES, SITE_PACKAGES], NOBODY):
        pytest.skip(f"other users cannot reach {closed}")
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        base.chmod(0o755)
        server = Served(base, user=request.param, python=environment(python, base / "venv"))
        try:
            server.wait_until_ready()
            yield server
        finally:
            server.process.terminate()
            assert server.process.wait(timeout=60) == 0


def environment(python: str, folder: Path) -> str:
    """Make an environment that every user can start, with what is installed here."""
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = folder.glob("lib/*/site-packages")
    (packages / "here.pth").write_text("\n".join([*SOURCES, SITE_PACKAGES]))
    return str(folder / "bin/python")


def run_one(served: Served, folder: Path) -> str:
    """Upload a document, run it, and return how far its process was shut in."""
    with Client(f"http://127.0.0.1:{served.port}") as client:
        workspace = client.workspace()
        document = client.upload(workspace.id, SAMPLE)
        run = client.wait(client.submit(client.configuration(workspace.id).id, document.id).id)
        assert run.status == "succeeded", run
        client.download(f"/api/v1/runs/{run.id}/output", folder / "normalized.xlsx")
        return str(client.call("GET", f"/runs/{run.id}")["isolation"])


def test_no_stranger_reads_anything_of_a_server_at_work(served: Served, tmp_path: Path) -> None:
    level = run_one(served, tmp_path)
    (served.data / "backups").mkdir(mode=0o700)
    os.chown(served.data / "backups", served.user, served.user)
    assert served.call("backup", str(served.data / "backups")).returncode == 0
    run_one(served, tmp_path)

    found = [str(path) for path in served.data.rglob("*")]
    kinds = {Path(path).name for path in found}
    assert {"ade.db", "ade.db-wal", "logs.txt", "environment.tar", "content"} <= kinds
    assert any(name.endswith(".tar") and name.startswith("ade-") for name in kinds)
    tried = subprocess.run(
        [served.python, "-I", "-c", TRY],
        input=json.dumps([str(served.data), *found]),
        user=STRANGER, group=STRANGER, extra_groups=[], capture_output=True, text=True, check=True,
    )  # fmt: skip
    reached = json.loads(tried.stdout)

    # Environments are read by the users of runs, where there are such: only who knows their name gets that far.
    environments = f"{served.data}/builds/"
    assert [path for path in reached if not (served.user == 0 and path.startswith(environments))] == []
    assert list(check_modes(served.data)) == []
    assert level == "isolated"


def test_runs_of_root_are_executed_by_a_user_of_their_own_all_the_same(served: Served, tmp_path: Path) -> None:
    if served.user != 0:
        pytest.skip("an ordinary user's runs are its own")
    (large := tmp_path / "large.csv").write_text("Member ID,Email\n" + "MB000001,ada@example.org\n" * 50_000)
    with Client(f"http://127.0.0.1:{served.port}") as client:
        workspace = client.workspace()
        document = client.upload(workspace.id, large)
        run = client.submit(client.configuration(workspace.id).id, document.id)
        wait_until(lambda: any(uid >= FIRST_UID for uid in users_below(served.process.pid)), what="a run", seconds=60)
        assert client.wait(run.id).status == "succeeded"


def users_below(pid: int) -> set[int]:
    """Return who executes the processes that a process started, as the host sees them."""
    found = set()
    for number, _ in below(pid):
        with suppress(OSError):
            found.add(Path(f"/proc/{number}").stat().st_uid)
    return found


def test_what_was_open_is_closed_at_start_and_reported_before(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "files").mkdir(parents=True)
    (data / "ade.db").touch()
    for path, mode in ((data, 0o755), (data / "files", 0o755), (data / "ade.db", 0o644)):
        path.chmod(mode)

    [before] = check_modes(data)
    (data / "ade.db").unlink()
    (data / "ade.db").touch(0o644)
    subprocess.run(
        [sys.executable, "-m", "ade", "db", "upgrade"], env={**os.environ, "ADE_DATA_DIR": str(data)}, check=True
    )
    [after] = check_modes(data)

    assert f"chmod go-rwx {data}/ade.db {data}/files" in before.advice
    assert "names" in after.found
    assert [(data / name).stat().st_mode & 0o777 for name in ("files", "ade.db")] == [0o700, 0o600]


def test_results_a_person_asks_for_keep_the_persons_umask(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ade", "run", str(SAMPLE), "--out", str(tmp_path / "out")]
    subprocess.run(command, umask=0o022, check=False, capture_output=True)

    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert modes == {0o644}

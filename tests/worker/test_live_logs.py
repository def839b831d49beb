"""What a rule prints is read while the run continues, wherever one looks."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ade.client import Client
from ade.errors import FilesUnreachable
from ade.files import LocalFiles
from ade.worker.log_file import AGAIN, LogFile
from api.serving import serving
from postgres import wait_until
from worker.stage import PEOPLE, Stage, hooked

# The second line is printed once somebody says so, by a file in the folder the child works in.
TALKING = hooked("print('first line')\nwhile not os.path.exists('go'):\n    time.sleep(0.02)\nprint('second line')")
BOTH = "first line\nsecond line\n"


def let_go(stage: Stage, run_id: str) -> None:
    """Let the child of a run print its second line."""
    token = stage.run(run_id).claim_token
    [folder] = (stage.folder / "work").glob(f"*/run-{run_id}-{token}/output")
    (folder / "go").touch()


@contextmanager
def ade(stage: Stage, *words: str, port: int) -> Iterator["subprocess.Popen[str]"]:
    """Run a command against a server."""
    environment = {**stage.environment(), "ADE_URL": f"http://127.0.0.1:{port}", "COLUMNS": "200"}
    with subprocess.Popen(
        [sys.executable, "-m", "ade", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.mark.slow
@pytest.mark.req("A2", "R9")
def test_a_line_is_read_over_the_api_and_followed_before_the_next_is_printed(local: Stage) -> None:
    run_id = local.submit_one(TALKING)

    with local.worker(), serving(local.system) as port, Client(f"http://127.0.0.1:{port}") as client:
        wait_until(lambda: client.logs(run_id) == "first line\n", what="the first line", seconds=120)
        with ade(local, "runs", "logs", run_id, "--follow", port=port) as following:
            assert following.stdout is not None
            first, status = following.stdout.readline(), local.run(run_id).status
            let_go(local, run_id)
            rest = following.stdout.read()
        local.wait_for_end([run_id])
        whole = client.logs(run_id)

    assert (first, status, rest, following.returncode) == ("first line\n", "running", "second line\n", 0)
    assert (local.run(run_id).status, whole) == ("succeeded", BOTH)


@pytest.mark.slow
@pytest.mark.req("C1")
def test_who_waits_for_a_submitted_document_sees_what_its_run_prints(local: Stage, tmp_path: Path) -> None:
    configuration = local.configuration(TALKING)
    (tmp_path / "people.csv").write_bytes(PEOPLE)

    with local.worker(), serving(local.system) as port, Client(f"http://127.0.0.1:{port}") as client:
        words = ("submit", str(tmp_path / "people.csv"), "--wait", "--configuration", configuration)
        with ade(local, *words, port=port) as waiting:
            assert waiting.stderr is not None
            first = waiting.stderr.readline()
            [run] = client.runs()
            let_go(local, run.id)
            rest = waiting.stderr.read()

    assert (first, run.status, rest, waiting.returncode) == ("first line\n", "running", "second line\n", 0)


@pytest.mark.slow
@pytest.mark.req("W4", "Q8")
def test_a_killed_worker_leaves_what_was_printed_and_the_next_attempt_goes_on_from_there(local: Stage) -> None:
    run_id = local.submit_one(TALKING)
    first = local.start("worker")
    wait_until(lambda: log_of(local, run_id) == "first line\n", what="the first line", seconds=120)
    first.kill()
    first.wait()
    left = log_of(local, run_id)

    with local.worker():
        wait_until(lambda: log_of(local, run_id).count("first") == 2, what="the second attempt", seconds=120)
        let_go(local, run_id)
        local.wait_for_end([run_id])

    assert left == "first line\n"
    assert local.run(run_id).claim_count == 2
    assert log_of(local, run_id) == f"first line\n{AGAIN.decode()}{BOTH}"


def log_of(stage: Stage, run_id: str) -> str:
    """Return the log of a run as far as it is written."""
    key = f"{stage.run(run_id).file_key}/logs.txt"
    return b"".join(stage.system.files.read(key)).decode() if stage.system.files.exists(key) else ""


class Shaky(LocalFiles):
    """A store that occasionally does not answer."""

    is_away = False

    def append(self, key: str, data: bytes) -> None:
        if self.is_away:
            raise FilesUnreachable("The file store did not answer.")
        super().append(key, data)


def test_a_line_that_cannot_be_shown_is_shown_later(tmp_path: Path) -> None:
    files = Shaky(tmp_path)
    log = LogFile(files, "runs/1/1")
    log.begin(earlier_folder=None)
    log.begin_child()
    for number, is_away in enumerate((False, True, False)):
        files.is_away = is_away
        log.add(f"{number}\n".encode())
        log.show()

    assert b"".join(files.read("runs/1/1/logs.txt")) == log.content == b"0\n1\n2\n"


def test_a_log_goes_on_from_that_of_the_claim_before(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.append("runs/1/1/logs.txt", b"half a li")
    log = LogFile(files, "runs/1/2")
    log.begin(earlier_folder="runs/1/1")
    log.begin_child()
    log.add(b"new\n")
    log.show()

    assert b"".join(files.read("runs/1/2/logs.txt")) == b"half a li\n" + AGAIN + b"new\n"
    assert b"".join(files.read("runs/1/1/logs.txt")) == b"half a li"

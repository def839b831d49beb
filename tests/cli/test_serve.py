"""ade serve, as a real process on a real port."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from ports import free_port
from postgres import wait_until

pytestmark = pytest.mark.slow
SAMPLE = Path(__file__).parents[2] / "samples/title_above_header.xlsx"


@pytest.mark.req("W2", "A4")
def test_serve_prepares_its_database_answers_and_stops_on_sigterm(tmp_path: Path) -> None:
    port = free_port()
    environment = {**os.environ, "ADE_DATA_DIR": str(tmp_path / "data")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ade", "serve", "--port", str(port)], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: _is_ready(port), what="ade serve to be ready", seconds=120)
        assert _get(port, "/healthz")["status"] == "ok"
        assert (tmp_path / "data/ade.db").is_file()
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)

    assert process.returncode == 0
    assert f"http://127.0.0.1:{port}" in said
    assert "Traceback" not in said


@pytest.mark.req("C1")
def test_submit_writes_results_where_run_does(tmp_path: Path) -> None:
    port = free_port()
    environment = {**os.environ, "ADE_DATA_DIR": str(tmp_path / "data"), "ADE_URL": f"http://127.0.0.1:{port}"}
    (tmp_path / "other").mkdir()
    paths = [tmp_path / "list.xlsx", tmp_path / "other/list.xlsx", tmp_path / "people.csv"]
    for path in paths[:2]:
        shutil.copy(SAMPLE, path)
    paths[2].write_text("First name,Last name\nAda,Lovelace\n")
    command = [sys.executable, "-m", "ade"]
    server = subprocess.Popen([*command, "serve", "--port", str(port)], env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _is_ready(port), what="ade serve to be ready", seconds=120)
        words = ["submit", *map(str, paths), "-o", str(tmp_path / "out")]
        for _ in range(2):  # the second time over the results of the first, as `ade run` does
            submitted = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=False)
        explain = [*command, "explain", str(tmp_path / "out/list")]
        explained = subprocess.run(explain, capture_output=True, text=True, check=False)
    finally:
        server.terminate()
        server.wait(timeout=30)

    assert submitted.returncode == 4, submitted.stderr  # people.csv has no field of the first configuration
    assert "people.csv: Not usable: " in submitted.stderr
    assert {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").glob("*/*")} == {
        f"{folder}/{name}"
        for folder in ("list", "list-2", "people")
        for name in ("normalized.xlsx", "artifact.json", "issues.ndjson")
    }
    assert explained.stdout.startswith("list.xlsx: 1 table found")
    issues = (tmp_path / "out/people/issues.ndjson").read_text().splitlines()
    assert f"and {len(issues)} issue" in submitted.stderr
    assert "member_id" in {json.loads(line)["field"] for line in issues}


@pytest.mark.req("C1")
def test_serve_on_a_port_in_use_names_another_and_starts_nothing(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = int(other.getsockname()[1])
        answer = subprocess.run(
            [sys.executable, "-m", "ade", "serve", "--port", str(port)],
            env={**os.environ, "ADE_DATA_DIR": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            check=False,
        )

    assert answer.returncode == 1
    assert f"Port {port} is in use. Choose another: ade serve --port " in answer.stderr
    assert "listens" not in answer.stderr
    assert "worker" not in answer.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_serve_on_an_address_of_another_machine_says_so(tmp_path: Path, host: str) -> None:
    environment = {**os.environ, "ADE_DATA_DIR": str(tmp_path), "ADE_AUTH_MODE": "team"}
    command = [sys.executable, "-m", "ade", "serve", "--host", host]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert answer.returncode == 1
    assert f"ADE_HOST: cannot listen on {host}" in answer.stderr
    assert "Traceback" not in answer.stderr


def _is_ready(port: int) -> bool:
    with suppress(OSError):
        return bool(_get(port, "/readyz")["status"] == "ready")
    return False


def _get(port: int, path: str) -> dict[str, str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        answered: dict[str, str] = json.load(answer)
        return answered

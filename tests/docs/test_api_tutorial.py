"""The first calls of the API are made as the page has them: every command, every answer it shows."""

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from ports import free_port
from postgres import wait_until

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/tutorial/api.md"
BLOCK = re.compile(r"```(sh|text|python)\n(.*?)```", re.DOTALL)
MARK = "--- the next block ---"


@pytest.fixture
def port(clone: Path) -> Iterator[int]:
    """Start the server the page starts, on a port that is free here; yield it."""
    first = BLOCK.search(PAGE.read_text("utf-8"))
    assert first is not None
    assert first.group(2) == "bin/ade serve\n"
    chosen = free_port()
    environment = {**environment_of(chosen), "ADE_DATA_DIR": str(clone / "data"), "ADE_PORT": str(chosen)}
    with (clone / "serve.log").open("wb") as log:
        server = subprocess.Popen([clone / "bin/ade", "serve"], cwd=clone, env=environment, stdout=log, stderr=log)
        try:
            wait_until(lambda: answers(chosen), seconds=120, what="the server to answer")
            yield chosen
        finally:
            server.terminate()
            server.wait()


def environment_of(port: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
    return {**kept, "ADE_URL": f"http://127.0.0.1:{port}", "COLUMNS": "200", "NO_COLOR": "1"}


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.slow
@pytest.mark.req("A2", "C1")
def test_the_calls_work_as_written(clone: Path, port: int) -> None:
    page = PAGE.read_text("utf-8").replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    blocks = BLOCK.findall(page)[1:]
    script = "\n".join(f"echo '{MARK}'\n{command(clone, kind, text)}" for kind, text in blocks)

    done = subprocess.run(
        ["/bin/sh", "-ec", script],
        cwd=clone,
        env=environment_of(port),
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout.split(MARK)[1:]

    assert done.returncode == 0, (done.stdout, done.stderr, (clone / "serve.log").read_text())
    assert len(said) == len(blocks)
    for number, (kind, text) in enumerate(blocks):
        if kind == "text":
            told = " ".join(said[number - 1].split())
            assert [line for line in text.splitlines() if " ".join(line.split()) not in told] == [], said[number - 1]
    assert (clone / "normalized.xlsx").read_bytes().startswith(b"PK")
    assert (clone / "out/title_above_header/normalized.xlsx").read_bytes().startswith(b"PK")


def command(clone: Path, kind: str, text: str) -> str:
    """Return what to do about a block: type it, run it, or nothing."""
    if kind == "sh":
        return text
    if kind == "python":
        (clone / "first_calls.py").write_text(text, "utf-8")
        return f'"{sys.executable}" first_calls.py'
    return ":"

"""The web UI is built once, however many processes want it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
# Takes its time, and fails when another one is at work in the same folder.
NPM = """#!/bin/sh
set -eu
mkdir ../busy
echo "$*" >> ../calls.txt
sleep 0.5
if [ "$1" = run ]; then mkdir -p "$ADE_UI_OUT" && echo page > "$ADE_UI_OUT/index.html"; fi
rmdir ../busy
"""


def test_two_processes_that_want_the_ui_build_it_once(tmp_path: Path) -> None:
    package, sources, programs = tmp_path / "packages/server", tmp_path / "web", tmp_path / "programs"
    for folder in (package / "src/ade/api", sources, programs):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "packages/server/hatch_build.py", package)
    (sources / "main.ts").write_text("export {}")
    (programs / "npm").write_text(NPM)
    (programs / "node").write_text("#!/bin/sh\necho 24.0.0\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    environment.pop("ADE_SKIP_UI", None)

    command = [sys.executable, str(package / "hatch_build.py")]
    both = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[1] for process in both]

    calls = (tmp_path / "calls.txt").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["ci", "run"], said
    assert not any("could not be built" in text for text in said)
    assert (package / "src/ade/api/static/index.html").is_file()


@pytest.mark.parametrize(
    ("words", "expected"),
    [("serve", "python ade"), ("serve --port 1", "python ade"), ("serve --help", "ade"), ("run --help", "ade")],
)
def test_only_a_server_that_starts_has_the_ui_built(tmp_path: Path, words: str, expected: str) -> None:
    for folder in ("bin", "tools", "environment/bin"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "bin/ade", tmp_path / "bin/ade")
    (tmp_path / "tools/launch.sh").write_text("prepare() { environment=$root/environment; }\n")
    for name in ("python", "ade"):
        program = tmp_path / "environment/bin" / name
        program.write_text(f"#!/bin/sh\necho {name}\n")
        program.chmod(0o755)

    told = subprocess.run([tmp_path / "bin/ade", *words.split()], capture_output=True, text=True, check=True)

    assert told.stdout.split() == expected.split()

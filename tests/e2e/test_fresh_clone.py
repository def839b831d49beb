"""The first two commands, from a clone, on a machine that has only Python and a package index."""

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ["bin", "tools", "requirements", "packages"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a copy of the tracked files, without any environment."""
    copied = tmp_path / "clone"
    for name in NEEDED:
        shutil.copytree(ROOT / name, copied / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    shutil.copy(ROOT / "pyproject.toml", copied)
    return copied


def bare_environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return an environment whose PATH has a Python and coreutils, and neither uv nor Node."""
    tools = folder / "tools-on-path"
    tools.mkdir(exist_ok=True)
    for name in ("sh", "cat", "cmp", "dirname", "env", "printf", "uname"):
        if (found := shutil.which(name)) and not (tools / name).exists():
            (tools / name).symlink_to(found)
    if not (tools / "python3").exists():
        (tools / "python3").symlink_to(Path(sys.executable).resolve())
    kept = {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "HTTP", "http"))
    }
    return {**kept, "PATH": str(tools), "HOME": str(folder), **variables}


def run(
    command: list[str], folder: Path, environment: dict[str, str], **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
@pytest.mark.req("C1")
def test_bin_ade_works_without_uv_and_node_and_the_second_start_prepares_nothing(clone: Path, tmp_path: Path) -> None:
    environment = bare_environment(tmp_path)

    first = run(["bin/ade", "--version"], clone, environment)
    second = run(["bin/ade", "--version"], clone, environment)
    doctor = run(["bin/ade", "doctor"], clone, environment)

    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("ade ")
    assert "preparing the run environment" in first.stderr
    assert second.stdout == first.stdout
    assert second.stderr == ""
    assert doctor.returncode == 0, doctor.stdout


@pytest.mark.slow
def test_bin_ade_works_for_an_ordinary_user_who_owns_the_clone(clone: Path, tmp_path: Path) -> None:
    if os.getuid() != 0:
        return  # then every test here is run by one
    nobody = pwd.getpwnam("nobody")
    python = _python_for_everyone()
    if python is None:
        pytest.skip("every Python of this machine is closed to ordinary users")
    home = tmp_path / "home"
    home.mkdir()
    _hand_over([tmp_path, *tmp_path.rglob("*")], nobody)
    environment = bare_environment(home, ADE_PYTHON=python)
    with _open_way_to(tmp_path):
        answer = run(
            ["bin/ade", "--version"], clone, environment, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[]
        )

    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("ade ")


@pytest.mark.slow
def test_a_python_that_is_too_old_is_refused_with_what_to_do(clone: Path, tmp_path: Path) -> None:
    environment = bare_environment(tmp_path)
    old = tmp_path / "tools-on-path/python3"
    old.unlink()
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2"\nexit 1\n')
    old.chmod(0o755)

    answer = run(["bin/ade", "--version"], clone, environment)

    assert answer.returncode == 1
    assert "needs Python 3.11 or newer and found Python 3.9.2" in answer.stderr
    assert "ADE_PYTHON=" in answer.stderr


@pytest.mark.slow
def test_a_missing_index_is_named_and_nothing_half_made_is_used(clone: Path, tmp_path: Path) -> None:
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:1/simple", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    environment = {**bare_environment(tmp_path), "UV_DEFAULT_INDEX": "http://127.0.0.1:1/simple", **nowhere}
    environment.pop("PIP_FIND_LINKS", None)

    first = run(["bin/ade", "--version"], clone, environment)
    again = run(["bin/ade", "--version"], clone, bare_environment(tmp_path))

    assert first.returncode == 1
    assert "needs a package index" in first.stderr
    assert "Traceback" not in first.stderr
    assert again.returncode == 0, again.stderr


@pytest.mark.slow
def test_a_clone_that_was_moved_makes_its_environment_anew(clone: Path, tmp_path: Path) -> None:
    environment = bare_environment(tmp_path)
    run(["bin/ade", "--version"], clone, environment)
    moved = clone.rename(tmp_path / "moved")

    answer = run(["bin/ade", "--version"], moved, environment)

    assert answer.returncode == 0, answer.stderr
    assert "preparing" in answer.stderr


def _python_for_everyone() -> str | None:
    candidates = [sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]
    return next((path for path in candidates if Path(path).exists() and _is_open(Path(path)) and _is_new(path)), None)


def _is_open(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


def _is_new(python: str) -> bool:
    check = "import sys, ensurepip; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0


def _hand_over(paths: list[Path], owner: pwd.struct_passwd) -> None:
    for path in paths:
        os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)


class _open_way_to:  # noqa: N801 - reads as a phrase
    """Let others pass through pytest's private folders while a command runs, then close them again."""

    def __init__(self, path: Path) -> None:
        self._closed = [f for f in path.parents if f.stat().st_uid == 0 and not f.stat().st_mode & 0o001]

    def __enter__(self) -> None:
        for folder in self._closed:
            folder.chmod(folder.stat().st_mode | 0o001)

    def __exit__(self, *_: object) -> None:
        for folder in self._closed:
            folder.chmod(folder.stat().st_mode & ~0o001)

"""The linters judge what the project consists of, and nothing that people make beside it."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
GIT = shutil.which("git") or ""
GOOD = '"""A module."""\n\nNUMBER = 1\n'
WORD = "occ" + "ured"  # a typing mistake; in two parts, since this file is judged too
BAD = f'import os,sys\nx = "{WORD}"\n'

pytestmark = pytest.mark.skipif(not GIT, reason="there is no git")


def git(folder: Path, *words: str) -> None:
    subprocess.run([GIT, *words], cwd=folder, check=True, capture_output=True)


def put(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A small project with the settings of this one, as git has it."""
    git(tmp_path, "init", "--quiet")
    for name in ("pyproject.toml", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path / name)
    put(tmp_path, "tools/good.py", GOOD)
    put(tmp_path, "docs/good.md", "Open.\n")
    git(tmp_path, "add", ".")
    return tmp_path


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """What bin/test executes."""
    spec = importlib.util.spec_from_file_location("tools_check", ROOT / "tools/check.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcomes(check: ModuleType, folder: Path) -> dict[str, bool]:
    return {step.name: check.run(step).is_passed for step in check.style(folder)}


def test_data_and_rules_that_use_left_behind_are_not_judged(check: ModuleType, clone: Path) -> None:
    for path in ("data/builds/1/columns/state.py", "out/a/notes.md", "rules/columns/bad.py", "nordwind/columns/bad.py"):
        put(clone, path, BAD)

    assert outcomes(check, clone) == {"format": True, "lint": True, "spelling": True}


def test_what_is_tracked_is_judged(check: ModuleType, clone: Path) -> None:
    put(clone, "tools/bad.py", BAD)
    git(clone, "add", ".")

    assert outcomes(check, clone) == {"format": False, "lint": False, "spelling": False}


def test_what_the_settings_leave_out_is_not_judged_though_it_is_tracked(check: ModuleType, clone: Path) -> None:
    put(clone, "web/bad.py", "import os,sys\n")
    put(clone, "web/package-lock.json", WORD)
    put(clone, "requirements/run.txt", WORD)
    git(clone, "add", ".")

    assert outcomes(check, clone) == {"format": True, "lint": True, "spelling": True}


def test_a_tracked_file_that_was_removed_is_no_error(check: ModuleType, clone: Path) -> None:
    (clone / "tools/good.py").unlink()

    assert all(outcomes(check, clone).values())


def test_an_unpacked_archive_is_judged_as_a_whole(check: ModuleType, clone: Path) -> None:
    shutil.rmtree(clone / ".git")
    put(clone, "tools/bad.py", BAD)

    assert outcomes(check, clone) == {"format": False, "lint": False, "spelling": False}

"""Finds the files of a configuration folder and names their content by a fingerprint."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from pathlib import Path

from ade_engine.configuration.problems import Problem, did_you_mean
from ade_engine.configuration.signatures import FOLDERS
from ade_engine.errors import ConfigurationError

DATA_SUFFIXES = (".csv", ".tsv", ".xlsx")
TESTS = "tests"  # the folder of cases, which no run reads
_KEPT_SUFFIXES = {".json", ".py", ".toml", ".txt", *DATA_SUFFIXES}


def require_folder(folder: Path) -> None:
    """Raise when there is no such folder."""
    if not folder.is_dir():
        raise ConfigurationError(f"There is no configuration folder {folder.name}. Create one with: ade init FOLDER")


def rule_files(folder: Path, kind: str) -> list[Path]:
    """Return the rule files of columns/, row_types/ or hooks/, in the order they are read."""
    return sorted(path for path in (folder / kind).glob("*.py") if not path.name.startswith("_"))


def helper_files(folder: Path) -> list[Path]:
    """Return the files that hold no rule themselves, but what rules import."""
    found = [*folder.glob("*.py"), *(path for kind in FOLDERS for path in (folder / kind).glob("_*.py"))]
    return sorted(found)


def data_files(folder: Path) -> list[str]:
    """Return the files that fields may look values up in, by their path in the folder."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in DATA_SUFFIXES and path.is_file())
    return sorted(relative(folder, path) for path in found if relative(folder, path).split("/")[0] != TESTS)


def relative(folder: Path, path: Path) -> str:
    """Return the path as it is shown: columns/member_id.py."""
    return path.relative_to(folder).as_posix()


def fingerprint(folder: Path) -> str:
    """Return a digest of names and contents of everything a run could read."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: relative(folder, path)):
        parts = path.relative_to(folder).parts
        if (
            path.suffix.lower() in _KEPT_SUFFIXES
            and path.is_file()
            and "__pycache__" not in parts
            and parts[0] != TESTS
        ):
            name, content = relative(folder, path).encode(), path.read_bytes()
            digest.update(b"%d %d\n" % (len(name), len(content)) + name + content)
    return digest.hexdigest()


def requirements(folder: Path) -> tuple[str, ...]:
    """Return the lines of requirements.txt that name something."""
    path = folder / "requirements.txt"
    if not path.is_file():
        return ()
    lines = (line.split("#")[0].strip() for line in path.read_text("utf-8", errors="replace").splitlines())
    return tuple(line for line in lines if line)


def unreadable_problems(folder: Path) -> Iterator[Problem]:
    """Yield the files that would be read and cannot be: a pipe would never end, a link may lead to what is not lent."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if parts[0] in FOLDERS and len(parts) == 1 and not path.is_dir():
            yield Problem(path.name, 1, "unreadable-file", "this is not a folder", "Put rule files into a folder.")
        if path.suffix.lower() not in _KEPT_SUFFIXES or "__pycache__" in parts or parts[0] == TESTS:
            continue
        if wrong := _wrong_file(path):
            yield Problem(relative(folder, path), 1, "unreadable-file", wrong, "Put the file itself there.")


def _wrong_file(path: Path) -> str | None:
    """Return what is wrong with a file, without waiting for a program that might write to it."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "this is not a plain file"
        with path.open("rb"):
            return None
    except OSError as error:
        kind = "this is a link to something that cannot be read here" if path.is_symlink() else "this cannot be read"
        return f"{kind}: {error.strerror}"


def layout_problems(folder: Path) -> Iterator[Problem]:
    """Yield what would never be read: folders with a typo in the name, and a configuration without any rule."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in FOLDERS and (advice := did_you_mean(path.name, FOLDERS, cutoff=0.7)):
            yield Problem(path.name, 1, "unknown-folder", "nothing in this folder is read", advice, "warning")
    if not any(rule_files(folder, kind) for kind in FOLDERS):
        advice = "Add columns/NAME.py with: field = Field(...)"
        yield Problem(".", 1, "empty-configuration", "the folder holds no rule", advice, "warning")

"""Looks into documents and configurations through the engine, in a short-lived child process with limits.

The child reads; it never executes anything of a configuration. Runs are started by the worker alone.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore
from typing import Any

from ade.errors import Invalid, Unavailable, UnreadableDocument
from ade.files import FileStore, save
from ade.operations.sheet_indexes import SheetIndexes

TIMEOUT_SECONDS = 30
INDEX_TIMEOUT_SECONDS = 300
AT_ONCE = 4
_turns = BoundedSemaphore(AT_ONCE)  # each may use up to a gigabyte
_places = BoundedSemaphore(AT_ONCE + 12)  # who waits holds a thread that others need
# What the person asking got wrong, not the document.
_BAD_QUESTIONS = {"bad_range", "no_such_sheet"}


def sheets_of(path: Path) -> list[dict[str, Any]]:
    """Return the sheets of a document; raise UnreadableDocument when it has none that can be read."""
    found: list[dict[str, Any]] = _ask("sheets", str(path))["sheets"]
    return found


def cells_of(files: FileStore, key: str, *, suffix: str, sheet: int, wanted: str) -> dict[str, Any]:
    """Return the cells of a range of a stored document."""
    with _place():
        return _sheets.cells(files, key, suffix=suffix, sheet=sheet, wanted=wanted)


def tables_of(path: Path, *, sheet: int) -> dict[str, Any]:
    """Return the tables the built-in rules find on a sheet."""
    return _ask("tables", str(path), str(sheet))


def problems_of(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Return what is wrong with a configuration, as far as reading it tells."""
    with TemporaryDirectory(prefix="ade-check-") as name:
        folder = Path(name) / "configuration"
        folder.mkdir()
        _write(folder, files)
        found: list[dict[str, Any]] = _ask("check", str(folder))["problems"]
        return found


def starter_files(template: str) -> dict[str, bytes]:
    """Return the files of a template."""
    return _made("starter", template)


def inferred_files(path: Path) -> dict[str, bytes]:
    """Return a configuration with the fields a document has."""
    return _made("infer", str(path))


def _made(command: str, argument: str) -> dict[str, bytes]:
    with TemporaryDirectory(prefix="ade-starter-") as name:
        folder = Path(name) / "configuration"
        made = _ask(command, str(folder), argument)["files"]
        return {path: (folder / path).read_bytes() for path in made}


@contextmanager
def on_disk(files: FileStore, key: str, *, suffix: str) -> Iterator[Path]:
    """Give a stored file a path for a while."""
    with TemporaryDirectory(prefix="ade-look-") as name:
        path = Path(name) / f"document{suffix}"
        save(files.read(key), path)
        yield path


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _ask(*words: str) -> dict[str, Any]:
    with _place(), _turns:
        return _checked(_answer(words))


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        raise Unavailable("Too many documents are looked into at once. Try again in a moment.")
    try:
        yield
    finally:
        _places.release()


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" not in answer:
        return answer
    error = answer["error"]
    if error["code"] == "configuration_error" or error["cause"] in _BAD_QUESTIONS:
        raise Invalid(error["message"])
    raise UnreadableDocument(error["message"])


def _answer(words: tuple[str, ...]) -> dict[str, Any]:
    seconds = INDEX_TIMEOUT_SECONDS if words[0] == "index" else TIMEOUT_SECONDS
    command = [sys.executable, "-I", "-m", "ade_engine.preview", *words]
    # A clean environment: what the server knows is no business of a process that opens strangers' files.
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            env=environment,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableDocument(f"Reading it took longer than {seconds} s. Split it, or ask for less.") from None
    except OSError as error:
        raise Unavailable(f"The engine could not be started: {error.strerror}.") from error
    if done.returncode < 0:  # a limit ended it
        raise UnreadableDocument("Reading it needs more memory or time than a look may take. A run may still do it.")
    if done.returncode > 0:
        raise RuntimeError(f"ade_engine.preview {words[0]} crashed: {done.stderr.decode(errors='replace')[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _indexed(*words: str) -> dict[str, Any]:
    return _checked(_answer(words))  # has turns of its own: a long sheet must not keep short looks waiting


_sheets = SheetIndexes(_indexed)

"""Puts the outputs of several runs into one document, in a child that is shut in: rules wrote what it reads.

The files wait in a folder of their own until they are downloaded.
"""

import shutil
import weakref
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ade.database.transaction import Transaction
from ade.database.views import run_lists
from ade.errors import FileMissing, Invalid, NotFound, TooLarge, Unavailable
from ade.files import FileStore, chunks_of, save
from ade.operations.content.inspection import waiting_turn
from ade.operations.queue.free_disk import MIB
from ade.operations.reading.combining import MOST_BYTES, combine_in_child
from ade.operations.reading.combining_places import combining_places
from ade.operations.reading.scratch import make_readable, scratch
from ade.operations.reading.turns import Owner, Turn
from ade.operations.views.run_files import output_folder, output_names

_ARTIFACT = "artifact.json"
MOST_EXPECTED_BYTES = 16 * MIB
# What it takes for each byte that is combined, mostly: the copies, what is written, and one file of that twice.
DISK_SHARE = 5


class Combined:
    """A document made of the outputs of runs. It exists until it has been read, or no client can ask for it."""

    def __init__(self, path: Path, *, name: str, folder: Path, owner: Owner) -> None:
        self.name = name
        self.size_bytes = path.stat().st_size
        self._path = path
        # Not only when it was read: whoever asked may be gone before the first byte.
        self.close = weakref.finalize(self, _remove, folder, owner)

    def read(self) -> Iterator[bytes]:
        """Yield the content, and remove it."""
        try:
            yield from chunks_of(self._path)
        finally:
            self.close()


def _remove(folder: Path, owner: Owner) -> None:
    try:
        scratch.remove(folder)
    finally:
        combining_places.give_back(owner)


def output_folders(tx: Transaction, run_ids: Sequence[str], *, workspace_id: str) -> list[str]:
    """Return where the outputs of runs of a workspace are; raise for the first that has none."""
    if len(set(run_ids)) < len(run_ids):
        raise Invalid("Name each run once.")
    found = {row.id: row for row in run_lists.chosen(tx, run_ids)}
    for run_id in run_ids:
        if run_id not in found or found[run_id].workspace_id != workspace_id:
            raise NotFound(f"There is no run {run_id}.")
    return [output_folder(found[run_id]) for run_id in run_ids]


def combined_output(
    files: FileStore, folders: Sequence[str], *, output_format: str, owner: Owner, kept_free_bytes: int
) -> Combined:
    """Return one document with the tables of several runs; several files come as a zip archive."""
    combining_places.take(owner)
    home: Path | None = None
    try:
        home = scratch.new_folder()
        paths = _combine(
            files, folders, home, output_format=output_format, owner=owner, kept_free_bytes=kept_free_bytes
        )
        path = paths[0] if len(paths) == 1 else _zipped(home, paths)
        return Combined(path, name=f"combined{path.suffix}", folder=home, owner=owner)
    except BaseException:
        if home is not None:
            scratch.remove(home)
        combining_places.give_back(owner)
        raise


def expected_files(files: FileStore, folder: str, *, owner: Owner, kept_free_bytes: int) -> dict[str, bytes]:
    """Return the output of a run as a case of a configuration expects it: csv files."""
    combining_places.take(owner)
    try:
        with scratch.folder() as home:
            paths = _combine(files, [folder], home, output_format="csv", owner=owner, kept_free_bytes=kept_free_bytes)
            return _contents(paths)
    finally:
        combining_places.give_back(owner)


def _contents(paths: Sequence[Path]) -> dict[str, bytes]:
    if sum(path.stat().st_size for path in paths) > MOST_EXPECTED_BYTES:
        raise TooLarge(f"The output has over {MOST_EXPECTED_BYTES // 2**20} MB, too much for a case.")
    return {path.name.replace("normalized", "expected", 1): path.read_bytes() for path in paths}


def _combine(
    files: FileStore, folders: Sequence[str], home: Path, *, output_format: str, owner: Owner, kept_free_bytes: int
) -> list[Path]:
    """Have a child combine runs, and return the files, in a folder that it cannot write to."""
    found = [_files_of(files, folder) for folder in folders]
    _require_room(sum(files.size(key) for keys in found for key in keys), home, kept_free_bytes)
    given = home / "given"
    given.mkdir(mode=0o700)
    names = [_fetch(files, keys, given / f"{number:05d}") for number, keys in enumerate(found)]
    make_readable(given)

    def work(turn: Turn) -> list[Path]:
        return combine_in_child(turn, given, names, home, output_format=output_format)

    paths = waiting_turn(owner, work)
    scratch.remove(given)
    return paths


def _files_of(files: FileStore, folder: str) -> list[str]:
    found = output_names(files.keys(folder))
    if not found:
        raise FileMissing("A run has no output.")
    return [f"{folder}/{name}" for name in (_ARTIFACT, *found)]


def _require_room(size_bytes: int, home: Path, kept_free_bytes: int) -> None:
    if size_bytes > MOST_BYTES:
        raise TooLarge(f"The outputs have over {MOST_BYTES // 2**20} MB. Combine fewer runs.")
    if shutil.disk_usage(home).free < DISK_SHARE * size_bytes + kept_free_bytes:
        raise Unavailable("Too little disk is free to combine outputs (ADE_MIN_FREE_DISK_MB, in the temporary folder).")


def _fetch(files: FileStore, keys: Sequence[str], place: Path) -> str:
    """Copy the artifact and outputs of a run; return the name of their folder."""
    place.mkdir()
    for key in keys:
        save(files.read(key), place / key.rpartition("/")[2])
    return place.name


def _zipped(home: Path, paths: Sequence[Path]) -> Path:
    archive = home / "combined.zip"
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_STORED) as target:
        for path in paths:
            target.write(path, path.name.replace("normalized", "combined", 1))
            path.unlink()  # one after the other: both together take twice the disk
    return archive

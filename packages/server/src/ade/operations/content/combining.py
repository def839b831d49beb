"""Puts the outputs of several runs into one document, in a child that is shut in: rules wrote what it reads.

The files wait in a folder of their own until they are downloaded.
"""

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ade.database.transaction import Transaction
from ade.errors import FileMissing, NotFound, TooLarge
from ade.files import FileStore, chunks_of, save
from ade.operations.content.inspection import waiting_turn
from ade.operations.reading.combining import MOST_BYTES, combine_in_child
from ade.operations.reading.scratch import make_readable, scratch
from ade.operations.reading.turns import Owner, Turn
from ade.operations.views.run_files import output_key, output_names
from ade.operations.views.run_views import get_run_row

_ARTIFACT = "artifact.json"


@dataclass(slots=True)
class Combined:
    """A document made of the outputs of runs. It is there until it was read, or closed."""

    name: str
    size_bytes: int
    _folder: Path
    _path: Path
    _is_gone: bool = field(default=False)

    def read(self) -> Iterator[bytes]:
        """Yield the content, and remove it."""
        try:
            yield from chunks_of(self._path)
        finally:
            self.close()

    def close(self) -> None:
        """Remove the document."""
        if not self._is_gone:
            self._is_gone = True
            scratch.remove(self._folder)


def output_folders(tx: Transaction, run_ids: Sequence[str], *, workspace_id: str) -> list[str]:
    """Return where the outputs of runs of a workspace are; raise for the first that has none."""
    for run_id in run_ids:
        if get_run_row(tx, run_id).workspace_id != workspace_id:
            raise NotFound(f"There is no run {run_id}.")
    return [output_key(tx, run_id)[0] for run_id in run_ids]


def combined_output(files: FileStore, folders: Sequence[str], *, output_format: str, owner: Owner) -> Combined:
    """Return one document with the tables of several runs; several files come as a zip archive."""
    home = scratch.new_folder()
    try:
        paths = _combine(files, folders, home, output_format=output_format, owner=owner)
        path = paths[0] if len(paths) == 1 else _zipped(home, paths)
        return Combined(f"combined{path.suffix}", path.stat().st_size, home, path)
    except BaseException:
        scratch.remove(home)
        raise


def expected_files(files: FileStore, folder: str, *, owner: Owner) -> dict[str, bytes]:
    """Return the output of a run as a case of a configuration expects it: csv files."""
    with scratch.folder() as home:
        paths = _combine(files, [folder], home, output_format="csv", owner=owner)
        return {path.name.replace("normalized", "expected", 1): path.read_bytes() for path in paths}


def _combine(files: FileStore, folders: Sequence[str], home: Path, *, output_format: str, owner: Owner) -> list[Path]:
    """Have a child combine runs, and return the files, in a folder that it cannot write to."""
    given = home / "given"
    given.mkdir(mode=0o700)
    names = _fetch(files, folders, given)
    make_readable(given)

    def work(turn: Turn) -> list[Path]:
        return combine_in_child(turn, given, names, home, output_format=output_format)

    return waiting_turn(owner, work)


def _fetch(files: FileStore, folders: Sequence[str], target: Path) -> list[str]:
    """Copy artifacts and outputs of runs; return the names of their folders."""
    names, size_bytes = [], 0
    for number, folder in enumerate(folders):
        found = [_ARTIFACT, *output_names(files.keys(folder))]
        if len(found) == 1:
            raise FileMissing("A run left no output.")
        place = target / f"{number:05d}"
        place.mkdir()
        for name in found:
            size_bytes += files.size(f"{folder}/{name}")
            if size_bytes > MOST_BYTES:
                raise TooLarge(f"The outputs take over {MOST_BYTES // 2**20} MB. Combine fewer runs.")
            save(files.read(f"{folder}/{name}"), place / name)
        names.append(place.name)
    return names


def _zipped(home: Path, paths: Sequence[Path]) -> Path:
    archive = home / "combined.zip"
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_STORED) as target:
        for path in paths:
            target.write(path, path.name.replace("normalized", "combined", 1))
    return archive

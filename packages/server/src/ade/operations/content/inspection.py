"""Looks into documents and configurations: each question is answered by a child process that is shut in.

The child reads; it never executes anything of a configuration. Runs are started by the worker alone. Turns and places
are shared fairly between workspaces and people.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Self, TypeVar

from ade.database.content.documents import DocumentRow
from ade.files import FileStore, save
from ade.operations.reading.cell_ranges import area_of, cells_in, found_in
from ade.operations.reading.places import Places
from ade.operations.reading.reader import ask, files_in, reader_launcher
from ade.operations.reading.scratch import make_readable, scratch
from ade.operations.reading.sheet_index import SheetIndex
from ade.operations.reading.sheet_indexes import SheetIndexes, Source
from ade.operations.reading.turns import SERVER, Owner, Turn, Turns
from ade_engine.protocol import ISSUES, LOOKED_AT, Request

T = TypeVar("T")
LONGEST_SUFFIX = 10
SEARCHED_ROWS = 20_000  # by one question
MOST_ISSUE_BYTES = 64 * 1024 * 1024  # of which the values are counted
_turns = Turns()
_places = Places()
_sheets = SheetIndexes(_turns)


def warm() -> None:
    """Remove what a killed process left, and prepare what later looks need."""
    scratch.home  # noqa: B018 - made on first use
    reader_launcher().warm()


def described(path: Path, *, owner: Owner, unpacked_bytes: int, encoding: str | None = None) -> dict[str, Any]:
    """Return the format and the sheets of a document; raise what is wrong with it when it cannot be read."""
    make_readable(path)
    options = {"unpacked_bytes": unpacked_bytes, "encoding": encoding}
    return _ask(owner, "sheets", lambda _: {"input_path": str(path)}, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A workbook or a text in the file store, and on whose behalf it is read."""

    files: FileStore
    key: str
    name: str
    encoding: str | None = None  # that was chosen, of a text
    owner: Owner
    view: Mapping[str, Any] | None = None  # how the rows of an output are sorted and filtered
    beside: tuple[tuple[str, str], ...] = ()  # the files that its view needs, by the names its reader knows

    @classmethod
    def of(cls, files: FileStore, row: DocumentRow, owner: Owner) -> Self:
        """Return the file of a document."""
        return cls(files=files, key=row.file_key, name=row.name, encoding=row.encoding, owner=owner)

    @property
    def suffix(self) -> str:
        """Return the end of its name if it may be one: people rename documents as they like."""
        suffix = PurePosixPath(self.name).suffix
        return suffix if len(suffix) <= LONGEST_SUFFIX and suffix.isascii() and suffix[1:].isalnum() else ""


def cells_of(stored: Stored, *, sheet: int, wanted: str) -> dict[str, Any]:
    """Return the cells of a range."""
    area = area_of(wanted)
    with _rows_of(stored, sheet, area.last_row) as index:
        return cells_in(index, area, has_numbers=stored.view is not None)


def cells_with(stored: Stored, *, sheet: int, text: str, first_row: int) -> dict[str, Any]:
    """Return the cells that contain a text, from a row on, and the row to continue from."""
    last_row = first_row + SEARCHED_ROWS - 1
    with _rows_of(stored, sheet, last_row) as index:
        has_numbers = stored.view is not None
        return found_in(index, text, first_row=first_row, last_row=last_row, has_numbers=has_numbers)


@contextmanager
def _rows_of(stored: Stored, sheet: int, last_row: int) -> Iterator[SheetIndex]:
    view = None if stored.view is None else json.dumps(stored.view, sort_keys=True)
    source = Source(
        files=stored.files, key=stored.key, suffix=stored.suffix, sheet=sheet, encoding=stored.encoding, view=view,
        beside=stored.beside,
    )  # fmt: skip
    with (
        _places.hold(stored.owner) as place,
        _sheets.up_to(last_row, source, owner=stored.owner, place=place) as index,
    ):
        yield index


def tables_of(stored: Stored, *, sheet: int) -> dict[str, Any]:
    """Return the tables the built-in rules find on a sheet."""
    return _ask(stored.owner, "tables", _copied(stored), sheet=sheet, encoding=stored.encoding)


def check_of(files: Mapping[str, bytes], *, owner: Owner = SERVER) -> dict[str, Any]:
    """Return whether a configuration is valid and its problems, as far as reading it tells."""

    def write(folder: Path) -> dict[str, str]:
        root = folder / LOOKED_AT
        root.mkdir()
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        make_readable(root)
        return {"configuration_path": str(root)}

    return _ask(owner, "check", write)


def starter_files(template: str, *, owner: Owner = SERVER) -> dict[str, bytes]:
    """Return the files of a template."""
    return _made(owner, "starter", lambda _: {}, template=template)


def fields_of(stored: Stored) -> dict[str, Any]:
    """Return the fields that a configuration would get from a document, with a few values of each."""
    return _ask(stored.owner, "fields", _copied(stored), encoding=stored.encoding)


def inferred_files(stored: Stored, *, choices: Sequence[Mapping[str, Any]] | None) -> dict[str, bytes]:
    """Return a configuration with the fields a document has, all of them or those that were chosen."""
    return _made(stored.owner, "infer", _copied(stored), encoding=stored.encoding, choices=choices)


def issue_values_of(stored: Stored, issues_key: str) -> dict[str, Any]:
    """Return the values of a document that the issues of a run are about, with how often each came."""
    files = stored.files

    def copy(folder: Path) -> dict[str, str]:
        given = folder / "given"
        given.mkdir()
        save(files.read(stored.key), given / f"document{stored.suffix}")
        save(files.read(issues_key, length=MOST_ISSUE_BYTES), given / ISSUES)
        make_readable(given)
        return {"input_path": str(given)}

    found = _ask(stored.owner, "values", copy, encoding=stored.encoding)
    is_cut = files.size(issues_key) > MOST_ISSUE_BYTES
    return {**found, "is_complete": found["is_complete"] and not is_cut}


def waiting_turn(owner: Owner, work: Callable[[Turn], T]) -> T:
    """Do something in the owner's turn, within the places that requests may take."""
    with _places.hold(owner) as place:
        return _turns.run(owner, work, is_wanted=lambda: not place.is_displaced)


Prepare = Callable[[Path], dict[str, str]]


def _copied(stored: Stored) -> Prepare:
    """Return what gives a stored file a path that a child can read."""

    def copy(folder: Path) -> dict[str, str]:
        path = folder / f"document{stored.suffix}"
        save(stored.files.read(stored.key), path)
        make_readable(path)
        return {"input_path": str(path)}

    return copy


def _ask(owner: Owner, question: str, prepare: Prepare, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = _answered(owner, question, prepare, lambda answer, _: answer, **options)
    return answer


def _made(owner: Owner, question: str, prepare: Prepare, **options: Any) -> dict[str, bytes]:
    made: dict[str, bytes] = _answered(
        owner, question, prepare, lambda answer, output: files_in(output / LOOKED_AT, answer["files"]), **options
    )
    return made


def _answered(
    owner: Owner, question: str, prepare: Prepare, use: Callable[[dict[str, Any], Path], Any], **options: Any
) -> Any:
    """Ask in the owner's turn, and use the answer while the child's folder is there."""

    def read(turn: Turn) -> Any:
        with scratch.folder() as folder:
            output = folder / "output"
            output.mkdir(mode=0o700)
            words = {"question": question, **{name: value for name, value in options.items() if value is not None}}
            request = Request(entry="look", output_folder=str(output), options=words, **prepare(folder))
            return use(ask(turn, request), output)

    return waiting_turn(owner, read)

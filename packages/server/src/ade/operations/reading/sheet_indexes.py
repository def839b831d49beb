"""Shows any part of a sheet at once, however long it is: each sheet that is viewed is indexed once, by a child.

Rows are answered as soon as the index has come as far as them. Reading stops when nobody has asked for a while, or when
it has used its time; the next question has it go on. Indexes take a bounded part of the disk: those nobody looked at
for longest make room for others.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from ade.errors import Unavailable, UnreadableDocument
from ade.files import FileStore, save
from ade.operations.reading.places import Place
from ade.operations.reading.reader import LIMITS, TOO_MUCH, answer_in, read
from ade.operations.reading.scratch import Scratch, make_readable, scratch
from ade.operations.reading.sheet_index import SheetIndex
from ade.operations.reading.turns import BUSY, Owner, Turn, Turns
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.sandbox.removal import remove_folder
from ade_engine.protocol import MOST_INDEX_BYTES, Request

MOST_BYTES = 2 * 1024 * 1024 * 1024
MOST_INDEXES = 200
TOO_MUCH_TO_SORT = (
    "Sorting and filtering it needs more memory or time than a preview may use. Filter the rows without sorting them, "
    "or sort the download in a spreadsheet program."
)
PATIENCE_SECONDS = 25.0
GRACE_SECONDS = 10.0  # an open page asks again before that
LOOK_AGAIN_SECONDS = 0.02
Read = Callable[[Turn, Request], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A sheet of a stored file, read in the encoding that was chosen."""

    files: FileStore = field(compare=False)
    key: str
    suffix: str = field(compare=False)
    sheet: int
    encoding: str | None = None
    view: str | None = None  # how it is sorted and filtered, as JSON; files `beside` it are in the same folder
    beside: tuple[tuple[str, str], ...] = field(default=(), compare=False)


@dataclass(slots=True, eq=False)
class _Entry:
    """An index, its writer and its readers."""

    index: SheetIndex
    wait_count: int = 0
    wanted_at: float = 0.0
    is_read: bool = False  # a reader writes it or waits for its turn
    size_bytes: int = 0
    error: Exception | None = None
    changed: Event = field(default_factory=Event)

    def is_wanted(self) -> bool:
        """Return whether a request waits for it, or asked for it recently."""
        return self.wait_count > 0 or time.monotonic() - self.wanted_at < GRACE_SECONDS


class SheetIndexes:
    """The indexes of a process."""

    def __init__(self, turns: Turns, *, folders: Scratch = scratch, read: Read = read) -> None:
        self._turns = turns
        self._folders = folders
        self._read = read
        self._known: OrderedDict[Source, _Entry] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def up_to(self, row: int, source: Source, *, owner: Owner, place: Place) -> Iterator[SheetIndex]:
        """Yield the index of a sheet once it has come as far as a row; it stays until it is released."""
        with self._entry(source) as entry:
            yield self._wait(entry, row, source, owner, place)

    @contextmanager
    def _entry(self, source: Source) -> Iterator[_Entry]:
        with self._lock:
            entry = self._known.get(source)
            if entry is None:
                entry = self._known[source] = _Entry(SheetIndex(self._folders.new_folder()))
            self._known.move_to_end(source)
            entry.wait_count += 1
            self._make_room(for_bytes=0)
        try:
            yield entry
        finally:
            with self._lock:
                entry.wait_count -= 1
                entry.wanted_at = time.monotonic()

    def _wait(self, entry: _Entry, row: int, source: Source, owner: Owner, place: Place) -> SheetIndex:
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            place.require()
            with self._lock:
                if entry.error is not None:
                    raise entry.error
                entry.index.catch_up()
                if entry.index.has(row):
                    return entry.index.as_it_is()
                if not entry.is_read:
                    entry.is_read = True
                    entry.changed.clear()
                    words = (entry, source, owner)
                    Thread(target=self._go_on, args=words, daemon=True, name="sheet index").start()
            if time.monotonic() > until:
                raise Unavailable("The sheet is still being read. Ask again in a moment.")
            entry.changed.wait(LOOK_AGAIN_SECONDS)

    def _go_on(self, entry: _Entry, source: Source, owner: Owner) -> None:
        try:
            self._turns.run(owner, lambda turn: self._read_part(turn, entry, source), is_wanted=entry.is_wanted)
        except Exception as error:  # noqa: BLE001 - reported to everybody who waits for it
            if entry.is_wanted() or not isinstance(error, Unavailable):
                self._forget(entry, source, error)
        finally:
            with self._lock:
                entry.is_read = False
            entry.changed.set()

    def _read_part(self, turn: Turn, entry: _Entry, source: Source) -> None:
        """Have a child read on for one turn; what it comes to is kept however it ends."""
        index = entry.index
        with self._lock:
            self._make_room(for_bytes=LIMITS.disk_bytes)
            known_to = index.known_to
            part = index.begin_part()
        try:
            with self._stopping_unwanted(turn, entry), self._folders.folder() as folder:
                outcome = self._read(turn, self._request(index, source, folder))
            with self._lock:
                index.catch_up()
                if outcome.kind is OutcomeKind.SUCCEEDED:
                    answer_in(part)
                    index.finish()
                elif index.known_to == known_to == 1:
                    raise UnreadableDocument(TOO_MUCH if source.view is None else TOO_MUCH_TO_SORT)
                elif index.known_to == known_to:
                    index.give_up()  # to come as far as this takes all the time there is
        finally:
            with self._lock:
                index.end_part()
                entry.size_bytes = sum(path.stat().st_size for path in index.folder.rglob("*") if path.is_file())

    def _request(self, index: SheetIndex, source: Source, folder: Path) -> Request:
        path = _given(source, folder)
        options = {
            "question": "index" if source.view is None else "view",
            "sheet": source.sheet,
            "first_row": index.resume_row,
            "most_bytes": MOST_INDEX_BYTES - index.row_bytes,
            "encoding": source.encoding,
            **(json.loads(source.view) if source.view is not None else {}),
        }
        return Request(entry="look", output_folder=str(index.parts[-1]), input_path=str(path), options=options)

    @contextmanager
    def _stopping_unwanted(self, turn: Turn, entry: _Entry) -> Iterator[None]:
        """Stop the reading when there was no request for a while."""
        is_over = Event()

        def watch() -> None:
            while not is_over.wait(GRACE_SECONDS / 10):
                if not entry.is_wanted():
                    turn.stop_now()

        watcher = Thread(target=watch, daemon=True, name="sheet index watch")
        watcher.start()
        try:
            yield
        finally:
            is_over.set()
            watcher.join()

    def _forget(self, entry: _Entry, source: Source, error: Exception) -> None:
        with self._lock:
            entry.error = error
            if self._known.get(source) is entry:  # the next one to ask may have more luck
                del self._known[source]
            with suppress(OSError):
                remove_folder(entry.index.folder)

    def _make_room(self, *, for_bytes: int) -> None:
        """Forget the least recently used; what is being read or waited for stays."""
        while len(self._known) > MOST_INDEXES or self._taken_bytes() + for_bytes > MOST_BYTES:
            idle = (source for source, entry in self._known.items() if not entry.wait_count and not entry.is_read)
            oldest = next(idle, None)
            if oldest is None:
                if for_bytes:
                    raise Unavailable(BUSY)
                return
            remove_folder(self._known.pop(oldest).index.folder)

    def _taken_bytes(self) -> int:
        """Return the bytes of all indexes; one that is being written counts as large as it may become."""
        entries = self._known.values()
        return sum(entry.size_bytes + LIMITS.disk_bytes * entry.index.is_written for entry in entries)


def _given(source: Source, folder: Path) -> Path:
    """Write the files that a reader needs into a folder: a document, or an output with its companions."""
    if source.view is None:
        document = folder / f"document{source.suffix}"
        save(source.files.read(source.key), document)
        make_readable(document)
        return document
    given = folder / "given"
    given.mkdir()
    save(source.files.read(source.key), given / f"output{source.suffix}")
    for name, key in source.beside:
        save(source.files.read(key), given / name)
    make_readable(given)
    return given

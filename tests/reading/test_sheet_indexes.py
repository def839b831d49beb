"""Indexes of sheets: bounded, begun where they stopped, and gone when they could not be made."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ade.errors import DocumentTooLarge, Invalid, Unavailable, UnreadableDocument
from ade.files import LocalFiles
from ade.operations.reading import cell_ranges, sheet_indexes
from ade.operations.reading.cell_ranges import area_of, cells_in, found_in
from ade.operations.reading.places import Places
from ade.operations.reading.reader import LIMITS, read
from ade.operations.reading.scratch import Scratch
from ade.operations.reading.sheet_index import About, SheetIndex, Start
from ade.operations.reading.sheet_indexes import SheetIndexes, Source
from ade.operations.reading.turns import Owner, Stopped, Turn, Turns
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade_engine.preview import look
from ade_engine.protocol import Request
from reading.books import merged, repeated_text

OWNER = Owner("one", "ada")
LONG = "".join(f"{row},{'x' * (row % 50)}\n" for row in range(1, 2001)).encode()
SUCCEEDED = Outcome(kind=OutcomeKind.SUCCEEDED)
OUT_OF_TIME = Outcome(kind=OutcomeKind.RESOURCE_LIMIT, cause="cpu")


class Room:
    """A folder for indexes, and documents to look at."""

    def __init__(self, folder: Path) -> None:
        (folder / "scratch").mkdir()
        self.scratch = Scratch(folder / "scratch")
        self.files = LocalFiles(folder / "files")

    def indexes(self, read: sheet_indexes.Read) -> SheetIndexes:
        return SheetIndexes(Turns(), folders=self.scratch, read=read)

    def cells(self, indexes: SheetIndexes, content: bytes, wanted: str = "A1:B2", *, name: str = "1") -> dict[str, Any]:
        key = f"documents/{name}/content"
        if not self.files.exists(key):
            self.files.write(key, [content])
        source = Source(files=self.files, key=key, suffix="", sheet=0)
        area = area_of(wanted)
        with (
            Places().hold(OWNER) as place,
            indexes.up_to(area.last_row, source, owner=OWNER, place=place) as index,
        ):
            return cells_in(index, area)

    def found(self, indexes: SheetIndexes, content: bytes, text: str) -> dict[str, Any]:
        self.cells(indexes, content)
        source = Source(files=self.files, key="documents/1/content", suffix="", sheet=0)
        with Places().hold(OWNER) as place, indexes.up_to(10_000, source, owner=OWNER, place=place) as index:
            return found_in(index, text, first_row=1, last_row=10_000)

    def settle(self) -> None:
        """Wait until nothing is being read."""
        for thread in threading.enumerate():
            if thread.name == "sheet index":
                thread.join()

    def left(self) -> list[str]:
        return sorted(path.name for path in self.scratch.home.rglob("*") if path.name != "lock")

    def size_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.scratch.home.rglob("*") if path.is_file())


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.settle()
    made.scratch.close()


def here(turn: Turn, request: Request) -> Outcome:
    """Read in this process, as a child would."""
    look(request)
    return SUCCEEDED


class Interrupted:
    """Reads, but is ended after some blocks of each part, in the middle of a line."""

    def __init__(self, *block_counts: int, by: Outcome | type[Exception] = OUT_OF_TIME) -> None:
        self.block_counts = list(block_counts)
        self.by = by
        self.first_rows: list[int] = []

    def __call__(self, turn: Turn, request: Request) -> Outcome:
        self.first_rows.append(request.options["first_row"])
        if not self.block_counts:
            return here(turn, request)
        with TemporaryDirectory() as name:
            look(replace(request, output_folder=name))
            self._leave_some(Path(name), Path(request.output_folder), self.block_counts.pop(0))
        if isinstance(self.by, Outcome):
            return self.by
        raise self.by

    def _leave_some(self, whole: Path, part: Path, block_count: int) -> None:
        blocks = (whole / "blocks.txt").read_bytes().splitlines(keepends=True)[:block_count]
        last = int(blocks[-1].split()[1]) if blocks else 0
        (part / "sheet.json").write_bytes((whole / "sheet.json").read_bytes())
        (part / "rows.txt").write_bytes((whole / "rows.txt").read_bytes()[: last + 7])
        (part / "blocks.txt").write_bytes(b"".join(blocks) + b"12")


def rows_of(room: Room, indexes: SheetIndexes) -> list[tuple[int, str]]:
    found = [room.cells(indexes, LONG, f"A{row}:B{row + 199}")["rows"] for row in range(1, 2001, 200)]
    index = next(iter(indexes._known.values())).index
    numbers = [int(line[0]) for line in index.lines(1, column_count=1)]
    assert numbers == list(range(1, 2001))
    return [(row["row"], row["cells"][0]["value"]) for rows in found for row in rows]


@pytest.mark.parametrize("block_counts", [(2,), (3, 2), (2, 5, 2), (1, 0, 4), (4, 0, 1, 3)], ids=str)
@pytest.mark.parametrize("by", [OUT_OF_TIME, Stopped], ids=["time", "others"])
def test_an_index_goes_on_where_it_was_ended_and_no_row_is_missing_or_twice(
    room: Room, block_counts: tuple[int, ...], by: Outcome | type[Exception]
) -> None:
    if by is OUT_OF_TIME and min(block_counts) < 2:
        pytest.skip("a reading that comes to nothing in all its time is not tried again")
    reading = Interrupted(*block_counts, by=by)
    found = rows_of(room, room.indexes(reading))

    assert found == [(row, str(row)) for row in range(1, 2001)]
    assert reading.first_rows == sorted(reading.first_rows)
    assert reading.first_rows[-1] > 1


def test_the_first_rows_are_answered_before_the_rest_is_read(room: Room) -> None:
    is_over = threading.Event()

    def slow(turn: Turn, request: Request) -> Outcome:
        Interrupted(3)(turn, request)
        assert is_over.wait(30)
        return here(turn, request)

    found = room.cells(room.indexes(slow), LONG, "A1:B100")
    is_over.set()

    assert (len(found["rows"]), found["has_more_rows"], found["last_row"]) == (100, True, None)


def test_what_all_the_time_there_is_does_not_reach_is_too_large_and_the_rest_is_shown(room: Room) -> None:
    indexes = room.indexes(Interrupted(4, 1))  # the second reading comes no further
    first = room.cells(indexes, LONG, "A1:B100")
    with pytest.raises(DocumentTooLarge, match="up to 600 "):
        room.cells(indexes, LONG, "A700:B800")
    last = room.cells(indexes, LONG, "A590:B800")

    assert len(first["rows"]) == 100
    assert [row["row"] for row in last["rows"]] == list(range(590, 601))
    assert (last["last_row"], last["is_whole"], last["has_more_rows"]) == (600, False, True)


def test_an_index_is_bounded_and_says_which_rows_it_has(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_indexes, "MOST_INDEX_BYTES", 20_000)
    indexes = room.indexes(here)
    with pytest.raises(DocumentTooLarge, match=r"Only the rows up to \d+ .* Download the document"):
        room.cells(indexes, LONG, "A1900:B2000")
    found = room.cells(indexes, LONG, "A1:B100")

    assert (len(found["rows"]), found["is_whole"]) == (100, False)
    assert room.size_bytes() < 25_000
    searched = room.found(indexes, LONG, "no such text")
    assert (searched["items"], searched["next_row"], searched["searched_to"]) == ([], None, found["last_row"])


@pytest.mark.req("S3")
def test_a_small_workbook_of_one_long_text_takes_little_disk(room: Room) -> None:
    content = repeated_text(rows=500, columns=4)
    found = room.cells(room.indexes(read), content, "A1:D500")

    assert len(content) < 20_000
    assert found["rows"][0]["cells"][0] == {"type": "text", "value": "x" * 1000, "is_cut": True}
    assert room.size_bytes() < 2000 * 1100


def test_many_merged_ranges_are_read_once_and_bounded(room: Room) -> None:
    found = room.cells(room.indexes(read), merged(count=30_000), "A1:B10")

    assert found["merged"] == ["A1:B2", "A3:B4", "A5:B6", "A7:B8", "A9:B10"]


def test_all_indexes_together_are_bounded_and_the_oldest_make_room(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes = room.indexes(here)
    room.cells(indexes, LONG)
    room.settle()
    one = room.size_bytes()
    monkeypatch.setattr(sheet_indexes, "MOST_BYTES", LIMITS.disk_bytes + 3 * one)
    for number in range(2, 12):
        room.cells(indexes, LONG, name=str(number))
        room.settle()

    assert one < room.size_bytes() <= 4 * one
    assert room.cells(indexes, LONG, name="1")["rows"]


def test_an_index_being_written_counts_as_large_as_it_may_become(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_indexes, "MOST_BYTES", LIMITS.disk_bytes * 3 // 2)
    is_written, is_over = threading.Event(), threading.Event()

    def slow(turn: Turn, request: Request) -> Outcome:
        is_written.set()
        assert is_over.wait(30)
        return here(turn, request)

    indexes = room.indexes(slow)
    first = threading.Thread(target=room.cells, args=(indexes, LONG))
    first.start()
    assert is_written.wait(30)
    with pytest.raises(Unavailable):
        room.cells(indexes, LONG, name="2")
    is_over.set()
    first.join()
    room.settle()

    assert room.cells(indexes, LONG, name="2")["rows"]


def test_an_index_that_could_not_be_made_leaves_nothing_on_disk(room: Room) -> None:
    def break_off(turn: Turn, request: Request) -> Outcome:
        (Path(request.output_folder) / "rows.txt").write_bytes(b"x" * 1000)
        return OUT_OF_TIME

    indexes = room.indexes(break_off)
    for _ in range(3):
        with pytest.raises(UnreadableDocument):
            room.cells(indexes, LONG)

    assert room.left() == []


def test_reading_stops_when_nobody_asks_and_goes_on_when_somebody_does(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheet_indexes, "GRACE_SECONDS", 0.01)
    is_stopped = threading.Event()
    interrupted = Interrupted(3)

    def slow(turn: Turn, request: Request) -> Outcome:
        outcome = interrupted(turn, request)
        if outcome is SUCCEEDED:
            return outcome
        turn.stop_with(is_stopped.set)
        assert is_stopped.wait(30)
        raise Stopped

    indexes = room.indexes(slow)
    found = room.cells(indexes, LONG, "A1:B100")
    assert is_stopped.wait(30)
    rest = room.cells(indexes, LONG, "A1900:B2000")

    assert (found["last_row"], rest["last_row"], interrupted.first_rows) == (None, 2000, [1, 401])


def test_a_part_without_a_row_leaves_the_earlier_ones_as_they_were(tmp_path: Path) -> None:
    index = SheetIndex(tmp_path)
    part = index.begin_part()
    (part / "sheet.json").write_text('{"merged": []}')
    (part / "blocks.txt").write_text("1 0\n201 900\n401 1800\n")
    index.end_part()
    index.begin_part()
    index.end_part()
    before = list(index.starts)

    index.catch_up()

    assert [start.row for start in before] == [1, 201]
    assert (index.starts, index.resume_row, index.ends) == (before, 401, [1800])


@pytest.mark.req("S7")
def test_only_the_cells_of_a_range_are_parsed_also_where_rows_have_numbers(tmp_path: Path) -> None:
    line = b'0\t7\tno JSON\t"wanted"\tno JSON\n'
    rows = b"".join(b"%d\t%b" % (row, line) for row in (1, 2, 3))
    (tmp_path / "rows.txt").write_bytes(rows)
    about = About(values={"sheet": "S", "hidden_columns": []}, merged=[])
    index = SheetIndex(tmp_path, [tmp_path], [len(rows)], [Start(1, 0, 0)], about=about, last_row=3)

    found = cells_in(index, area_of("B1:B2"), has_numbers=True)

    assert [(row["row"], [cell["value"] for cell in row["cells"]]) for row in found["rows"]] == [(7, ["wanted"])] * 2


@pytest.mark.req("S7")
def test_wide_rows_are_read_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = b"".join(b"%d\t0%b\n" % (row, b"\t" * 1000) for row in range(1, 51))
    (tmp_path / "rows.txt").write_bytes(rows)
    about = About(values={"sheet": "S", "hidden_columns": []}, merged=[])
    index = SheetIndex(tmp_path, [tmp_path], [len(rows)], [Start(1, 0, 0)], about=about, last_row=50)
    monkeypatch.setattr(cell_ranges, "MOST_READ_BYTES", 10_000)

    assert len(cells_in(index, area_of("ALK1:ALK9"))["rows"]) == 9
    with pytest.raises(Invalid, match="Ask for fewer rows"):
        cells_in(index, area_of("ALK1:ALK50"))

"""The index of a sheet: every row a line, every block where it says, and a part is the beginning of the whole."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ade_engine.readers.base import Row
from ade_engine.sheet_index import lines_of, write_index

CELLS = st.one_of(
    st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.integers(), st.booleans(), st.dates(),
    st.floats(allow_nan=False),
)  # fmt: skip
SHEETS = st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.lists(CELLS, min_size=1, max_size=4)), max_size=30)


class Indexed:
    """A sheet of rows with gaps between their numbers."""

    def __init__(self, rows):
        numbers, number = [], 0
        for step, _, _ in rows:
            number += step
            numbers.append(number)
        self._rows = [Row(n, values, None, hidden) for n, (_, hidden, values) in zip(numbers, rows, strict=True)]

    def rows(self):
        return iter(self._rows)


def index_of(folder, rows, **options):
    folder.mkdir(exist_ok=True)
    sheet = Indexed(rows)
    first = options.get("first_row", 1)
    end = write_index(lines_of(sheet, first), folder, about={"sheet": "x"}, **options)
    assert json.loads((folder / "end.json").read_text()) == end
    lines = (folder / "rows.txt").read_bytes()
    blocks = [tuple(map(int, line.split())) for line in (folder / "blocks.txt").read_text().splitlines()]
    return sheet, end, lines, blocks


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=SHEETS)
def test_every_row_of_an_index_is_a_line_that_json_reads(tmp_path, rows):
    sheet, end, lines, blocks = index_of(tmp_path / "index", rows)
    found = lines.split(b"\n")[:-1]
    assert len(found) == len(rows)
    for row, line in zip(sheet.rows(), found, strict=True):
        number, hidden, *cells = line.split(b"\t")
        assert (int(number), int(hidden)) == (row.number, row.is_hidden)
        shown = [json.loads(cell) if cell else None for cell in cells]
        assert [cell is None for cell in shown] == [value is None for value in row.values]
        plain = [pair for pair in zip(shown, row.values, strict=True) if type(pair[1]) in (str, float)]
        assert all(cell == value or cell["value"] == str(value) for cell, value in plain)
    assert end == {"last_row": [0, *(row.number for row in sheet.rows())][-1], "bytes": len(lines), "is_whole": True}
    for number, place in blocks:
        assert lines[place:].startswith(f"{number}\t".encode())


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=SHEETS, most=st.integers(0, 400), first=st.integers(1, 20))
def test_an_index_within_bounds_is_the_beginning_of_the_whole_one_from_a_row_on(tmp_path, rows, most, first):
    _, _, whole, _ = index_of(tmp_path / "whole", rows)
    sheet, end, part, _ = index_of(tmp_path / "part", rows, most_bytes=most, first_row=first)
    later = b"".join(line + b"\n" for line in whole.split(b"\n")[:-1] if int(line.split(b"\t")[0]) >= first)
    assert later.startswith(part)
    assert len(part) <= most
    assert end["is_whole"] == (part == later)
    assert end["last_row"] in (0, *(row.number for row in sheet.rows()))


def test_a_cell_of_text_or_number_takes_hardly_more_than_itself(tmp_path):
    _, _, lines, _ = index_of(tmp_path / "index", [(1, False, ["Town 7", 12, 2.5, None, True])])
    assert lines == b'1\t0\t"Town 7"\t12\t2.5\t\t{"type": "boolean", "value": true}\n'


def test_a_long_index_has_a_block_for_every_two_hundred_rows(tmp_path):
    rows = [(1, False, ["x"])] * 1001
    _, _, _, blocks = index_of(tmp_path / "index", rows)
    assert [number for number, _ in blocks] == [1, 201, 401, 601, 801, 1001]
    assert all(one[1] < other[1] for one, other in pairwise(blocks))

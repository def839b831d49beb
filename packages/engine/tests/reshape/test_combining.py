"""Outputs of several runs in one document: what is joined, what is refused, and that nothing is lost on the way."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ade_engine import ConfigurationError, InputError, combine, normalize
from ade_engine.__main__ import run as served
from ade_engine.protocol import Request
from ade_engine.readers import open_workbook
from ade_engine.write import open_writer

FIELDS = {"item": "", "qty": 'type="integer"'}
SALES = [["Item", "Qty"], ["a", 1], ["b", 2], ["c", 3], ["Total", 6]]


def sheets_of(path):
    with closing(open_workbook(path)) as workbook:
        return {info.name: [row.values for row in workbook.open_sheet(info).rows()] for info in workbook.sheets}


def folder_of(done):
    return done.result.artifact_path.parent


def test_tables_of_one_name_are_joined_whatever_the_case_of_names_and_titles(run, tmp_path):
    one = run({"May": [["Item", "Qty"], ["a", 1], ["b", 2]]}, FIELDS, name="one")
    two = run({"MAY": [["ITEM", "QTY", "Note"], ["c", 3, "x"], ["d", 4, "y"]]}, FIELDS, name="two")
    [path] = combine([folder_of(one), folder_of(two)], tmp_path / "all.xlsx")
    assert sheets_of(path) == {
        "May": [["item", "qty", "Note"], ["a", 1], ["b", 2], ["c", 3, "x"], ["d", 4, "y"]],
    }


def test_the_order_of_the_runs_is_the_order_of_the_rows(run, tmp_path):
    parts = [run({"S": [["Item", "Qty"], [name, 1], [name * 2, 2]]}, FIELDS, name=name) for name in "abc"]
    for order in ([0, 1, 2], [2, 0, 1]):
        [path] = combine([folder_of(parts[place]) for place in order], tmp_path / f"{order[0]}.xlsx")
        [rows] = sheets_of(path).values()
        assert [row[0] for row in rows[1:]] == [text for place in order for text in ("abc"[place], "abc"[place] * 2)]


def test_one_run_combined_alone_is_itself(run, tmp_path):
    done = run({"S": SALES}, FIELDS)
    [path] = combine([folder_of(done)], tmp_path / "all.xlsx")
    assert sheets_of(path) == sheets_of(done.result.output_path)


def test_totals_of_their_own_table_are_combined_too(run, tmp_path):
    files = {**FIELDS, "settings.toml": '[rows]\ntotals = "separate"\n'}
    parts = [run({"S": SALES}, files, name=name) for name in ("one", "two")]
    [path] = combine([folder_of(part) for part in parts], tmp_path / "all.xlsx")
    assert {name: len(rows) - 1 for name, rows in sheets_of(path).items()} == {"S": 6, "S totals": 2}


def test_several_tables_are_several_files_where_the_format_has_no_sheets(run, tmp_path):
    sheets = {"North": [["Item", "Qty"], ["a", 1], ["b", 2]], "South": [["Item", "Qty"], ["c", 3], ["d", 4]]}
    parts = [run(sheets, FIELDS, name=name, format="csv") for name in ("one", "two")]
    paths = combine([folder_of(part) for part in parts], tmp_path / "all.csv")
    assert [path.name for path in paths] == ["all-1-North.csv", "all-2-South.csv"]
    assert [read_csv(path) for path in paths] == [
        [["item", "qty"], ["a", "1"], ["b", "2"], ["a", "1"], ["b", "2"]],
        [["item", "qty"], ["c", "3"], ["d", "4"], ["c", "3"], ["d", "4"]],
    ]


def read_csv(path):
    return list(csv.reader(path.read_text("utf-8").splitlines()))


@pytest.mark.parametrize("name", ["all.xls", "all", "all.txt", ".csv"])
def test_a_document_of_another_format_is_refused_before_anything_is_read(tmp_path, name):
    with pytest.raises(ConfigurationError, match=r"must end in one of \.xlsx, \.csv, \.parquet"):
        combine([tmp_path / "nowhere"], tmp_path / name)


def test_runs_that_wrote_different_formats_are_combined(run, tmp_path):
    parts = [run({"S": SALES}, FIELDS, name=name, format=name) for name in ("csv", "parquet", "xlsx")]
    combine([folder_of(part) for part in parts], tmp_path / "all.csv")
    alike = [run({"S": SALES}, FIELDS, name=f"alike-{number}", format="csv") for number in range(3)]
    combine([folder_of(part) for part in alike], tmp_path / "alike.csv")
    assert (tmp_path / "all.csv").read_bytes() == (tmp_path / "alike.csv").read_bytes()


def test_an_output_that_is_damaged_leaves_nothing_behind(run, tmp_path):
    parts = [run({"S": SALES}, FIELDS, name=name) for name in ("one", "two")]
    damaged = parts[1].result.output_path
    damaged.write_bytes(damaged.read_bytes()[:200])
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError):
        combine([folder_of(part) for part in parts], tmp_path / "out/all.xlsx")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.req("S2")
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_results_that_name_a_table_again_and_again_are_refused_before_it_is_read_again(run, tmp_path, kind):
    folder = folder_of(run({"S": SALES}, FIELDS, name="one", format=kind))
    artifact = json.loads((folder / "artifact.json").read_text())
    artifact["outputs"] *= 1000
    (folder / "artifact.json").write_text(json.dumps(artifact))
    with pytest.raises(InputError, match=f"name a table of normalized.{kind} twice"):
        combine([folder], tmp_path / "all.csv")
    assert not list(tmp_path.glob("all*"))


def test_a_child_combines_the_folders_it_is_given(run, tmp_path):
    for name in ("one", "two"):
        run({"S": SALES}, FIELDS, name=name)
    (tmp_path / "out").mkdir()
    options = {"folders": ["out-one", "out-two"], "format": "xlsx"}
    request = Request(entry="combine", input_path=str(tmp_path), output_folder=str(tmp_path / "out"), options=options)
    result = served(request, lambda _: None)
    assert (result.status, result.outputs) == ("succeeded", ("normalized.xlsx",))
    assert len(sheets_of(tmp_path / "out/normalized.xlsx")["S"]) == 7
    nothing = served(Request(entry="combine", output_folder=str(tmp_path)), lambda _: None)
    assert (nothing.status, nothing.failure.code) == ("failed", "input_error")


WORDS = st.sampled_from(["a", "b", "c", "d"])
ORDERS = st.lists(st.tuples(WORDS, st.integers(0, 3)), min_size=2, max_size=12)
FEW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def normalised(tmp_path, rules, rows, settings_text):
    """The rows that a run by key writes."""
    folder = rules({**FIELDS, "settings.toml": settings_text})
    path = tmp_path / "in.csv"
    path.write_text("Item,Qty\n" + "".join(f"{item},{qty}\n" for item, qty in rows), encoding="utf-8")
    result = normalize(path, tmp_path / "out", configuration=folder)
    assert result.failure is None
    [found] = sheets_of(result.output_path).values()
    return [tuple(row) for row in found[1:]]


KEY = '[output]\norder = ["item", "qty"]\n[rows]\nkey = ["item"]\nduplicates = "{}"\n'


@FEW
@given(rows=ORDERS)
def test_of_rows_with_one_key_the_first_or_the_last_is_written(tmp_path, rules, rows):
    first = normalised(tmp_path, rules, rows, KEY.format("first"))
    last = normalised(tmp_path, rules, rows, KEY.format("last"))
    assert first == [row for place, row in enumerate(rows) if row[0] not in [item for item, _ in rows[:place]]]
    assert last == [row for place, row in enumerate(rows) if row[0] not in [item for item, _ in rows[place + 1 :]]]
    assert normalised(tmp_path, rules, rows, KEY.format("report")) == rows


@FEW
@given(rows=ORDERS, size=st.integers(1, 5))
def test_leaving_duplicates_out_twice_changes_nothing_more(tmp_path, rules, rows, size):
    once = normalised(tmp_path, rules, rows, KEY.format("first"))
    doubled = [row for row in once for _ in range(size)]
    assert normalised(tmp_path, rules, doubled, KEY.format("first")) == once


def test_the_work_grows_with_the_number_of_tables_and_not_with_its_square(tmp_path):
    def calls_for(count):
        home = tmp_path / str(count)
        home.mkdir()
        writer = open_writer(home / "normalized.xlsx", "xlsx")
        for number in range(count):
            writer.begin_table(f"t{number}", ["a"])
            writer.write_rows([[number]])
            writer.end_table()
        writer.close()
        listed = [{"name": f"t{number}", "file": "normalized.xlsx"} for number in range(count)]
        (home / "artifact.json").write_text(json.dumps({"outputs": listed}))
        with Calls() as calls:
            [path] = combine([home, home], home / "all.xlsx")
        assert len(sheets_of(path)) == count
        return calls.count

    few, many = calls_for(20), calls_for(200)
    assert many < 20 * few  # 39 times as much when each table opens the workbook again


class Calls:
    """Counts the calls of Python functions."""

    def __init__(self):
        self.count = 0

    def __enter__(self):
        self._before = sys.getprofile()
        sys.setprofile(self._note)
        return self

    def _note(self, frame, event, argument):
        self.count += event == "call"

    def __exit__(self, *told):
        sys.setprofile(self._before)

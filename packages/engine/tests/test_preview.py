"""A look into documents and configurations, as the API asks for it."""

import json
import subprocess
import sys
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from ade_engine import preview
from ade_engine.cells import CellError
from ade_engine.errors import InputError

SAMPLES = Path(__file__).parents[3] / "samples"


def asked(*words):
    command = [sys.executable, "-m", "ade_engine.preview", *map(str, words)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_it_answers_with_one_json_document_and_errors_are_answers_too(tmp_path):
    (tmp_path / "empty.xlsx").write_bytes(b"")
    assert asked("sheets", SAMPLES / "offset.xlsx")["format"] == "xlsx"
    assert asked("sheets", tmp_path / "empty.xlsx")["error"]["cause"] == "empty"


def test_the_sheets_of_a_document_are_listed_with_those_that_are_hidden():
    found = preview.sheets(str(SAMPLES / "hidden_rows_and_sheets.xlsx"))["sheets"]
    assert [sheet["index"] for sheet in found] == list(range(len(found)))
    assert {sheet["visibility"] for sheet in found} > {"visible"}


def test_the_cells_of_a_range_are_shown_and_no_others():
    found = preview.cells(str(SAMPLES / "title_above_header.xlsx"), "0", "A4:B5")
    assert (found["range"], found["has_more_rows"]) == ("A4:B5", True)
    assert [row["row"] for row in found["rows"]] == [4, 5]
    assert [cell["value"] for cell in found["rows"][0]["cells"]] == ["Member ID", "First name"]


def test_merged_ranges_and_hidden_rows_of_the_range_are_told():
    merged = preview.cells(str(SAMPLES / "merged_headers.xlsx"), "0", "A1:Z50")
    hidden = preview.cells(str(SAMPLES / "hidden_rows_and_sheets.xlsx"), "0", "A1:Z50")
    assert merged["merged"]
    assert any(row["is_hidden"] for row in hidden["rows"])
    assert preview.cells(str(SAMPLES / "merged_headers.xlsx"), "0", "Y40:Z50")["merged"] == []


@pytest.mark.parametrize("wanted", ["A1:ZZ1000", "nonsense"])
def test_a_range_that_is_none_or_too_large_is_refused(wanted):
    with pytest.raises(InputError) as refused:
        preview.cells(str(SAMPLES / "offset.xlsx"), "0", wanted)
    assert refused.value.cause == "bad_range"


def test_a_sheet_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="no sheet number 9"):
        preview.cells(str(SAMPLES / "offset.xlsx"), "9", "A1:B2")


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (True, "boolean", True),
        (7, "number", 7),
        (2**60, "number", str(2**60)),
        (float("inf"), "number", "inf"),
        ("x", "text", "x"),
        (datetime(2024, 1, 2, 3, 4), "datetime", "2024-01-02T03:04:00"),  # noqa: DTZ001 - cells have no time zone
        (date(2024, 1, 2), "date", "2024-01-02"),
        (time(3, 4), "time", "03:04:00"),
        (timedelta(hours=30), "duration", "1 day, 6:00:00"),
        (CellError("#N/A"), "error", "#N/A"),
    ],
)
def test_every_kind_of_cell_has_a_form_that_json_holds(value, kind, shown):
    assert preview._cell(value) == {"type": kind, "value": shown}


def test_configurations_are_written_inferred_and_checked_without_running_them(tmp_path):
    assert "columns/email.py" in preview.starter(str(tmp_path / "one"), "example")["files"]
    assert "columns/member_id.py" in preview.infer(str(tmp_path / "two"), str(SAMPLES / "offset.xlsx"))["files"]
    (tmp_path / "one/columns/email.py").write_text("raise SystemExit('executed')\n")
    codes = [problem["code"] for problem in preview.check(str(tmp_path / "one"))["problems"]]
    assert codes
    assert preview.check(str(tmp_path / "two")) == {"problems": []}

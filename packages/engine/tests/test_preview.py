"""A look into documents and configurations, as the API asks for it."""

import json
import subprocess
import sys
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from ade_engine import load_configuration, normalize, preview, protocol
from ade_engine.cells import CellError
from ade_engine.protocol import Request
from ade_engine.sheet_index import ROW_CHARACTERS
from ade_engine.shown import shown_cell

SAMPLES = Path(__file__).parents[3] / "samples"


def request_of(question, folder, *, path=None, configuration=None, **options):
    folder.mkdir(exist_ok=True)
    return Request(
        entry="look", output_folder=str(folder), input_path=path and str(path),
        configuration_path=configuration and str(configuration), options={"question": question, **options},
    )  # fmt: skip


def asked(question, folder, **words):
    answer = preview.look(request_of(question, folder, **words))
    assert json.loads((folder / protocol.ANSWER).read_text(encoding="utf-8")) == answer
    return answer


def lines_of(folder):
    lines = (folder / "rows.txt").read_bytes().splitlines()
    return [[json.loads(cell) if cell else None for cell in line.split(b"\t")] for line in lines]


def test_a_process_answers_with_a_file_and_errors_are_answers_too(tmp_path):
    (tmp_path / "empty.xlsx").write_bytes(b"")
    answers = {}
    for name, path in {"one": SAMPLES / "offset.xlsx", "two": tmp_path / "empty.xlsx"}.items():
        words = json.dumps(request_of("sheets", tmp_path / name, path=path).as_json()) + "\n"
        subprocess.run([sys.executable, "-m", "ade_engine"], input=words, capture_output=True, text=True, check=True)
        answers[name] = json.loads((tmp_path / name / protocol.ANSWER).read_text(encoding="utf-8"))
    assert answers["one"]["format"] == "xlsx"
    assert answers["two"]["error"]["cause"] == "empty"


def test_the_sheets_of_a_document_are_listed_with_those_that_are_hidden(tmp_path):
    found = asked("sheets", tmp_path, path=SAMPLES / "hidden_rows_and_sheets.xlsx")["sheets"]
    assert [sheet["index"] for sheet in found] == list(range(len(found)))
    assert {sheet["visibility"] for sheet in found} > {"visible"}


def test_an_index_has_the_rows_and_what_is_merged_or_hidden(tmp_path):
    asked("index", tmp_path / "title", path=SAMPLES / "title_above_header.xlsx", sheet=0)
    asked("index", tmp_path / "merged", path=SAMPLES / "merged_headers.xlsx", sheet=0)
    asked("index", tmp_path / "hidden", path=SAMPLES / "hidden_rows_and_sheets.xlsx", sheet=0)
    [header] = [line for line in lines_of(tmp_path / "title") if line[0] == 4]
    assert header[2:4] == ["Member ID", "First name"]
    assert json.loads((tmp_path / "merged/sheet.json").read_text(encoding="utf-8"))["merged"]
    assert {line[1] for line in lines_of(tmp_path / "hidden")} == {0, 1}


def test_an_index_that_goes_on_at_a_row_has_the_rest(tmp_path):
    (tmp_path / "long.csv").write_text("".join(f"{row},x\n" for row in range(1, 1001)), encoding="utf-8")
    whole = asked("index", tmp_path / "whole", path=tmp_path / "long.csv", sheet=0)
    rest = asked("index", tmp_path / "rest", path=tmp_path / "long.csv", sheet=0, first_row=601)
    assert (whole["last_row"], rest["last_row"], rest["is_whole"]) == (1000, 1000, True)
    assert lines_of(tmp_path / "rest") == lines_of(tmp_path / "whole")[600:]


def test_an_index_that_would_be_too_large_ends_at_a_row(tmp_path):
    (tmp_path / "long.csv").write_text("".join(f"{row},x\n" for row in range(1, 1001)), encoding="utf-8")
    end = asked("index", tmp_path / "some", path=tmp_path / "long.csv", sheet=0, most_bytes=5000)
    lines = lines_of(tmp_path / "some")
    assert not end["is_whole"]
    assert [line[0] for line in lines] == list(range(1, end["last_row"] + 1))
    assert (tmp_path / "some/rows.txt").stat().st_size == end["bytes"] <= 5000


def test_wide_rows_have_blocks_of_few_rows_so_that_the_first_ones_are_there_early(tmp_path):
    (tmp_path / "wide.csv").write_text(f"{'a value of some length or other,' * 9000}\n" * 12, encoding="utf-8")
    asked("index", tmp_path / "wide", path=tmp_path / "wide.csv", sheet=0)
    assert len((tmp_path / "wide/blocks.txt").read_text(encoding="utf-8").splitlines()) > 6


def test_long_text_is_cut_and_marked_and_shorter_in_rows_of_many_columns(tmp_path):
    (tmp_path / "long.csv").write_text(f"{'x' * 30_000},short\n" + "y" * 500 + ",y" * 9_000, encoding="utf-8")
    asked("index", tmp_path / "long", path=tmp_path / "long.csv", sheet=0)
    narrow, wide = lines_of(tmp_path / "long")
    assert narrow[2] == {"type": "text", "value": "x" * 1000, "is_cut": True}
    assert narrow[3] == "short"
    assert (len(wide[2]["value"]), wide[2]["is_cut"]) == (ROW_CHARACTERS // 9_001, True)


def test_a_list_of_sheets_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(preview, "MOST_SHEETS_BYTES", 100)
    found = asked("sheets", tmp_path, path=SAMPLES / "hidden_rows_and_sheets.xlsx")
    assert found["error"]["cause"] == "too_large"


def test_more_merged_ranges_than_a_screen_needs_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(preview, "MOST_MERGED", 1)
    asked("index", tmp_path, path=SAMPLES / "merged_headers.xlsx", sheet=0)
    assert len(json.loads((tmp_path / "sheet.json").read_text(encoding="utf-8"))["merged"]) == 1


def test_an_error_of_our_own_names_the_place_and_no_value(tmp_path, monkeypatch):
    def crash(*_):
        raise KeyError("secret value of a cell")

    monkeypatch.setitem(preview._QUESTIONS, "sheets", crash)
    found = asked("sheets", tmp_path)
    assert found["error"]["code"] == "internal_error"
    assert "KeyError at test_preview.py:" in found["error"]["message"]
    assert "secret" not in (tmp_path / protocol.ANSWER).read_text(encoding="utf-8")


def test_a_sheet_that_is_not_there_is_refused(tmp_path):
    found = asked("tables", tmp_path, path=SAMPLES / "offset.xlsx", sheet=9)
    assert found["error"]["cause"] == "no_such_sheet"


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
    assert shown_cell(value) == {"type": kind, "value": shown}


def test_configurations_are_written_inferred_and_checked_without_running_them(tmp_path):
    assert "columns/email.py" in asked("starter", tmp_path / "one", template="example")["files"]
    assert "columns/member_id.py" in asked("infer", tmp_path / "two", path=SAMPLES / "offset.xlsx")["files"]
    one, two = (tmp_path / name / protocol.LOOKED_AT for name in ("one", "two"))
    (one / "columns/email.py").write_text("raise SystemExit('executed')\n")
    codes = [problem["code"] for problem in asked("check", tmp_path / "three", configuration=one)["problems"]]
    assert codes
    assert asked("check", tmp_path / "four", configuration=two) == {"is_valid": True, "problems": []}


def test_the_encoding_that_was_chosen_shows_in_every_look(tmp_path):
    path = tmp_path / "names.csv"
    path.write_bytes("Ad;Şehir\nAyşe;Iğdır\nÖzgür;Muğla\nSüheyla;Ağrı\n".encode("cp1254"))  # noqa: RUF001
    for encoding, header in (("cp1254", "Şehir"), ("cp1252", "Þehir")):
        asked("index", tmp_path / encoding, path=path, sheet=0, encoding=encoding)
        assert lines_of(tmp_path / encoding)[0][3] == header
    tables = asked("tables", tmp_path / "tables", path=path, sheet=0, encoding="cp1252")["tables"]
    assert tables[0]["columns"][1]["header"] == "Þehir"
    about = json.loads((tmp_path / "cp1254" / "sheet.json").read_text(encoding="utf-8"))
    assert (about["encoding"], about["other_encoding"]) == ("cp1254", None)


def csv_of(folder, *lines):
    path = folder / "example.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


MEMBERS = ["Member No,Joined,Fee,Note", *(f"M{number},{number + 1:02}/04/2024,{number}.50," for number in range(20))]


def test_the_fields_of_an_example_come_with_their_type_and_a_few_values(tmp_path):
    path = csv_of(tmp_path, *MEMBERS, "M1,03/04/2024,1.50,")
    number, joined, fee, note = asked("fields", tmp_path / "out", path=path)["fields"]
    assert (number["name"], number["label"], number["type"], number["required"]) == (
        "member_number", "Member No", None, True,
    )  # fmt: skip
    assert [sample["value"] for sample in number["samples"]] == ["M0", "M1", "M2"]
    assert (number["value_count"], number["filled_count"], number["different_count"]) == (21, 21, 20)
    assert (joined["type"], fee["type"]) == ("date", "number")
    assert (note["filled_count"], note["samples"]) == (0, [])


def test_chosen_fields_become_a_configuration_in_their_order_and_find_the_example_again(tmp_path):
    path = csv_of(tmp_path, *MEMBERS)
    choices = [
        {"inferred": "joined", "type": "date", "day_first": False, "required": False},
        {"inferred": "member_number", "name": "id", "label": "Member ID", "unique": True},
    ]
    found = asked("infer", tmp_path / "out", path=path, choices=choices)
    root = tmp_path / "out" / protocol.LOOKED_AT
    assert sorted(found["files"]) == ["columns/id.py", "columns/joined.py", "profiles.json", "settings.toml"]
    written = load_configuration(root)
    joined, number = written.fields
    assert (joined.name, joined.day_first, joined.required) == ("joined", False, False)
    assert (number.name, number.label, number.aliases, number.unique, number.required) == (
        "id", "Member ID", ("Member No",), True, True,
    )  # fmt: skip
    result = normalize(path, tmp_path / "run", configuration=root)
    mapped = [column["target"] for column in result.artifact["sheets"][0]["tables"][0]["columns"]]
    assert mapped == ["id", "joined", None, None]


def test_another_type_forgets_how_values_of_the_first_were_read(tmp_path):
    path = csv_of(tmp_path, "Item;Price", *(f"Item {number};{number},50 €" for number in range(20)))
    as_inferred, as_text = (
        asked("infer", tmp_path / name, path=path, choices=[{"inferred": "price", **part}])
        for name, part in (("money", {}), ("text", {"type": "text"}))
    )
    assert as_inferred["files"] == as_text["files"]
    texts = [(tmp_path / name / protocol.LOOKED_AT / "columns/price.py").read_text() for name in ("money", "text")]
    assert ['type="money", decimal=","' in text for text in texts] == [True, False]
    assert "decimal" not in texts[1]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ([], "at least one field"),
        ([{"inferred": "nothing"}], "no field nothing"),
        ([{"inferred": "fee", "name": "Fee (net)"}], "must be like member_id"),
        ([{"inferred": "fee", "name": "字" * 100}], "takes over 200 bytes"),
        ([{"inferred": "fee", "name": "joined"}, {"inferred": "joined"}], "same name"),
        ([{"inferred": "fee", "label": "Joined"}, {"inferred": "joined"}], "also"),
    ],
)
def test_choices_that_make_no_configuration_are_refused_in_words(tmp_path, choices, message):
    answer = asked("infer", tmp_path / "out", path=csv_of(tmp_path, *MEMBERS), choices=choices)
    assert answer["error"]["code"] == "configuration_error"
    assert message in answer["error"]["message"]

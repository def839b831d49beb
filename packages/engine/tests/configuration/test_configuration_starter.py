from datetime import date
from pathlib import Path

import pytest

from ade_engine import (
    ConfigurationError,
    check_configuration,
    example_tables,
    infer_configuration,
    init_configuration,
    load_configuration,
    normalize,
)
from ade_engine.configuration.infer import infer_fields
from ade_engine.configuration.starter import TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_is_a_sound_configuration(tmp_path, template):
    init_configuration(tmp_path / "new", template)
    assert check_configuration(tmp_path / "new") == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigurationError, match="not empty"):
        init_configuration(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_fields_types_and_aliases_are_inferred_from_example_tables():
    people = {
        "E-Mail": ["a@example.org", "b@example.org"],
        "Joined": [date(2024, 1, 2), date(2024, 1, 3)],
        "Age": [31, 45],
        "Post code": ["01067", "80331"],
        "Weight (kg)": [61.5, 70],
        "Active": [True, False],
    }
    others = {"e mail": ["c@example.org", None], "Notes": [None, None]}
    found = {field.name: field for field in infer_fields([people, others])}
    assert found["e_mail"].aliases == ("e mail",)
    assert found["e_mail"].kind == "email"
    assert not found["e_mail"].required
    types = {name: field.type for name, field in found.items()}
    assert types == {
        "e_mail": None, "joined": "date", "age": "integer", "post_code": "text", "weight": "number",
        "active": "boolean", "notes": None,
    }  # fmt: skip


def test_headers_of_one_meaning_in_other_tables_become_aliases():
    london = {"First name": ["Ann"], "Street": ["Mall 1"], "Address": ["Mall 1, London"]}
    berlin = {"Vorname": ["Jo"]}
    found = {field.name: field for field in infer_fields([london, berlin])}
    assert list(found) == ["first_name", "street", "address"]
    assert found["first_name"].aliases == ("Vorname",)


def test_a_few_cells_that_do_not_fit_do_not_hide_what_a_column_holds():
    days = [date(2024, 1, day) for day in range(1, 10)]
    found = {
        field.name: field for field in infer_fields([{"Joined": [*days, "soon"], "Mail": [*["a@b.org"] * 9, "-"]}])
    }
    assert found["joined"].type == "date"
    assert found["mail"].kind == "email"


def test_an_inferred_file_is_written_as_people_write_it(tmp_path):
    infer_configuration(tmp_path / "new", [{'Says "hi"': ["hello"]}])
    assert (tmp_path / "new/columns/says_hi.py").read_text().splitlines()[3] == (
        'field = Field("says_hi", label="Says \\"hi\\"", required=True)'
    )


def test_an_inferred_configuration_loads_and_keeps_the_order_of_the_columns(tmp_path):
    infer_configuration(tmp_path / "new", [{"Zip": ["01067"], "Name": ["x y"], "1st day": [date(2024, 1, 1)]}])
    assert check_configuration(tmp_path / "new") == []
    assert [field.name for field in load_configuration(tmp_path / "new").fields] == ["zip", "name", "field_1st_day"]


def test_a_configuration_is_inferred_from_an_example_and_maps_it_whole(tmp_path):
    example = Path(__file__).parents[4] / "samples" / "title_above_header.xlsx"
    infer_configuration(tmp_path / "new", example_tables(example))
    assert check_configuration(tmp_path / "new") == []
    result = normalize(example, tmp_path / "out", configuration=tmp_path / "new")
    targets = [column["target"] for column in result.tables[0]["columns"]]
    assert targets == ["member_id", "first_name", "last_name", "email", "joined"]
    assert result.issue_count == 0


def test_an_example_without_headers_gives_no_configuration(tmp_path):
    with pytest.raises(ConfigurationError, match="no field can be inferred"):
        infer_configuration(tmp_path / "new", [{}, {"": ["x"]}])


def test_an_unknown_template_is_refused_with_those_that_exist(tmp_path):
    with pytest.raises(ConfigurationError, match="example, minimal"):
        init_configuration(tmp_path / "new", "other")

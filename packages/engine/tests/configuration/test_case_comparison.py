"""The cases of a configuration: which files belong to one, what differs, and what is refused."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.cases import (
    MOST_DIFFERENCES,
    MOST_TOLD,
    case_folders,
    compared,
    differences,
    document_of,
    outputs_of,
    run_cases,
)

pytestmark = pytest.mark.req("C1")
RULE = "from ade_engine import Field\nfield = Field('name', label='Name')\n"


@pytest.fixture
def configuration(tmp_path):
    folder = tmp_path / "rules"
    (folder / "columns").mkdir(parents=True)
    (folder / "columns/name.py").write_text(RULE)
    return folder


def case(configuration, name, **files):
    """Add a case; a file is named by its name with an underscore for the dot."""
    folder = configuration / "tests" / name
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file.replace("_", ".")).write_text(content)
    return folder


def written(tmp_path, content, name="normalized.csv"):
    path = tmp_path / "out" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    return outputs_of([path])


def test_an_output_like_the_one_expected_passes(configuration, tmp_path):
    folder = case(configuration, "one", in_csv="Name\nAda\n", expected_csv="name\nAda\n")

    result = compared(folder, written(tmp_path, "name\nAda\n"))

    assert (result.name, result.status, result.differences) == ("one", "passed", ())


def test_a_byte_order_mark_and_other_line_ends_do_not_differ(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv="\ufeffname,age\r\nAda,36\r\n")

    assert compared(folder, written(tmp_path, "name,age\nAda,36\n")).status == "passed"


@pytest.mark.parametrize("mark", [";", "\t"])
def test_the_output_expected_may_be_saved_with_other_separators(configuration, tmp_path, mark):
    expected = f'\ufeffname{mark}age\r\n"A{mark}a, b"{mark}36\r\n'
    folder = case(configuration, "one", expected_csv=expected)

    assert compared(folder, written(tmp_path, f'name,age\n"A{mark}a, b",36\n')).status == "passed"
    other = compared(folder, written(tmp_path, 'name,age\n"A",36\n'))
    assert other.differences == (f"expected.csv: A2 (name): expected {f'A{mark}a, b'!r}, got 'A'",)
    wider = compared(folder, written(tmp_path, f'name,age,town\n"A{mark}a, b",36,\n'))
    assert wider.differences == ("expected.csv: C1: expected '', got 'town'",)


def test_a_semicolon_in_the_only_title_expected_separates_nothing(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv="name; title\nAda; Dr\n")

    assert compared(folder, written(tmp_path, "name; title\nAda; Dr\n")).status == "passed"


@pytest.mark.parametrize(
    ("expected", "got", "said"),
    [
        ("name\nAda\n", "name\nBob\n", "expected.csv: A2 (name): expected 'Ada', got 'Bob'"),
        ("name,age\nAda,36\n", "name,age\nAda,37\n", "expected.csv: B2 (age): expected '36', got '37'"),
        ("name\nAda\n", "nom\nAda\n", "expected.csv: A1: expected 'name', got 'nom'"),
        ("name\nAda\nBob\n", "name\nAda\n", "expected.csv: row 3 is missing"),
        ("name\nAda\n", "name\nAda\nBob\n", "expected.csv: row 3 is not expected"),
        ("name\nAda\n", "name\nAda,36\n", "expected.csv: B2: expected '', got '36'"),
        ('name\n"A\nB"\n', 'name\n"A\nC"\n', "expected.csv: A2 (name): expected 'A\\nB', got 'A\\nC'"),
    ],
)
def test_a_difference_names_the_cell_its_column_and_both_values(configuration, tmp_path, expected, got, said):
    folder = case(configuration, "one", expected_csv=expected)

    result = compared(folder, written(tmp_path, got))

    assert (result.status, result.differences, result.difference_count) == ("differs", (said,), 1)


def test_every_output_must_be_expected_and_every_expected_one_written(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv="a\n")
    (folder / "expected-orders.csv").write_text("a\n")

    result = compared(folder, written(tmp_path, "a\n") | written(tmp_path, "a\n", "normalized-people.csv"))

    assert result.differences == (
        "expected-orders.csv: is expected, but there is no such output",
        "expected-people.csv: is not expected",
    )


def test_a_case_without_anything_expected_says_how_to_accept(configuration, tmp_path):
    folder = case(configuration, "one", in_csv="Name\nAda\n")

    assert list(differences(folder, written(tmp_path, "a\n"))) == [
        "there is no expected result yet; save it with --accept"
    ]


def test_only_the_first_differences_are_listed_and_all_are_counted(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv="n\n" + "a\n" * 500)

    result = compared(folder, written(tmp_path, "n\n" + "b\n" * 500))

    assert (len(result.differences), result.difference_count) == (MOST_TOLD, 500)


def test_counting_ends_at_a_bound(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv="n\n" + "a\n" * (MOST_DIFFERENCES + 5))

    result = compared(folder, written(tmp_path, "n\n"))

    assert result.difference_count == MOST_DIFFERENCES


def test_long_values_and_titles_are_cut(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv=f"{'t' * 5000}\n{'a' * 5000}\n")

    [said] = compared(folder, written(tmp_path, f"{'t' * 5000}\n{'b' * 5000}\n")).differences

    assert len(said) == 240


def test_bytes_that_are_no_text_are_reported_and_not_raised(configuration, tmp_path):
    folder = case(configuration, "one")
    (folder / "expected.csv").write_bytes(b"name\n\xff\xfe\x00\n")

    [said] = compared(folder, written(tmp_path, "name\nAda\n")).differences

    assert said.startswith("expected.csv: cannot be compared, because a file is not csv in UTF-8")


def test_the_limit_of_cells_is_what_it_was_after_a_comparison(configuration, tmp_path):
    folder = case(configuration, "one", expected_csv="a\n")
    before = csv.field_size_limit(12_345)
    try:
        compared(folder, written(tmp_path, "b\n"))

        assert csv.field_size_limit() == 12_345
    finally:
        csv.field_size_limit(before)


@pytest.mark.parametrize("name", ["expected.csv", "~$in.xlsx", ".in.csv", "notes.md"])
def test_other_files_of_a_case_are_no_document(configuration, name):
    folder = case(configuration, "one", in_csv="Name\n")
    (folder / name).write_text("x")

    assert document_of(configuration, folder) == folder / "in.csv"


def test_a_case_has_one_document(configuration):
    none, two = case(configuration, "none"), case(configuration, "two", a_csv="x", b_csv="x")

    assert document_of(configuration, none) == "a case has one document, and this one has 0"
    assert document_of(configuration, two) == "a case has one document, and this one has 2"


@pytest.mark.parametrize("name", ["in.csv", "expected.csv"])
def test_a_file_of_a_case_must_not_lead_out_of_the_configuration(configuration, tmp_path, name):
    folder = case(configuration, "one")
    (tmp_path / "secret.csv").write_text("Name\nAda\n")
    (folder / name).symlink_to(tmp_path / "secret.csv")

    assert document_of(configuration, folder) == f"{name} must be a plain file of the configuration folder"


def test_a_folder_of_a_case_must_not_lead_out_of_the_configuration(configuration, tmp_path):
    (configuration / "tests").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (configuration / "tests/one").symlink_to(tmp_path / "elsewhere")
    [folder] = case_folders(configuration)

    assert document_of(configuration, folder) == "the folder one leads out of the configuration folder"


def test_cases_run_by_name_and_a_bad_one_stops_none(configuration, tmp_path):
    people = "City,Name\nRome,Ada\nOslo,Bob\nLima,Cleo\n"  # in the order of the files of fields
    (configuration / "columns/city.py").write_text(RULE.replace("name", "city").replace("Name", "City"))
    case(configuration, "b", in_csv=people, expected_csv=people)
    case(configuration, "a", in_csv=people, expected_csv=people.replace("Ada", "Eve"))
    case(configuration, "c")
    case(configuration, "d", in_xlsx="%PDF-1.7", expected_csv="Name\n")

    found = list(run_cases(configuration, tmp_path / "out"))

    assert [(one.name, one.status) for one in found] == [
        ("a", "differs"),
        ("b", "passed"),
        ("c", "failed"),
        ("d", "failed"),
    ]
    assert "PDF" in str(found[3].failure)
    assert found[0].as_json() == {
        "name": "a",
        "status": "differs",
        "differences": ["expected.csv: B2 (Name): expected 'Eve', got 'Ada'"],
        "difference_count": 1,
        "failure": None,
    }


def test_a_configuration_without_cases_has_none(configuration, tmp_path):
    assert list(run_cases(configuration, tmp_path / "out")) == []


grids = st.lists(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8), min_size=1), min_size=1
)


@given(grid=grids, row=st.integers(0, 50), column=st.integers(0, 50))
@settings(max_examples=60, deadline=None)
def test_a_grid_equals_itself_and_one_other_cell_is_one_difference(tmp_path_factory, grid, row, column):
    folder = tmp_path_factory.mktemp("case")
    other = [list(cells) for cells in grid]
    cells = other[row % len(other)]
    cells[column % len(cells)] += "x"
    for name, content in (("expected.csv", grid), ("same.csv", grid), ("other.csv", other)):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(content)

    assert compared(folder, {"expected.csv": folder / "same.csv"}).status == "passed"
    assert compared(folder, {"expected.csv": folder / "other.csv"}).difference_count == 1

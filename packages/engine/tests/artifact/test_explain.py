from pathlib import Path

from ade_engine import explain, normalize

SAMPLES = Path(__file__).parents[4] / "samples"


def told(name, tmp_path, rules=None):
    configuration = SAMPLES / "configurations" / rules if rules else None
    return explain(normalize(SAMPLES / name, tmp_path, configuration=configuration).artifact)


def test_it_says_which_row_is_the_header_and_why(tmp_path):
    text = told("title_above_header.xlsx", tmp_path)
    assert "title_above_header.xlsx: 1 table found with the built-in rules, 0 issues." in text
    assert "Row 4 is the header: " in text
    assert "Rows 1 and 2 are titles, not data." in text


def test_it_says_why_a_column_is_a_field_or_not(tmp_path):
    text = told("title_above_header.xlsx", tmp_path)
    assert 'Column B "First name" is first_name: 1.15, because the header is one of its names (+1.00)' in text
    text = told("group_rows.xlsx", tmp_path)
    assert 'Column C "Customer" is not mapped: ' in text
    assert "which is below the threshold" in text


def test_it_tells_of_changes_issues_and_skipped_rows(tmp_path):
    assert "4 issues: pattern 1, required 1, type.date 1, unique 1." in told(
        "values_with_issues.xlsx", tmp_path, "people"
    )
    text = told("totals_and_notes.xlsx", tmp_path, "orders")
    assert "Row 10 is a total, not data." in text
    assert "Rows 12 and 13 are notes, not data." in text


def test_it_tells_why_a_run_failed(tmp_path):
    (tmp_path / "in.xlsx").write_bytes(b"")
    assert "in.xlsx: the run failed (input_error). The file is empty. " in explain(
        normalize(tmp_path / "in.xlsx", tmp_path / "out").artifact
    )


def test_a_table_without_a_header_and_one_that_lost_are_explained(tmp_path):
    assert "It has no header row." in told("without_header.xlsx", tmp_path)
    (tmp_path / "in.csv").write_text("Email,E-Mail\n" + "a@example.org,b@example.org\n" * 4)
    text = explain(normalize(tmp_path / "in.csv", tmp_path / "out").artifact)
    assert 'Column B "E-Mail" is not mapped: it could be email (1.55), but column A is a better one.' in text


def test_what_hooks_decided_and_sheets_that_were_left_out_are_told(tmp_path):
    rules = tmp_path / "rules"
    (rules / "hooks").mkdir(parents=True)
    (rules / "columns").mkdir()
    (rules / "columns" / "name.py").write_text("from ade_engine import Field\nfield = Field('name')\n")
    (rules / "settings.toml").write_text('[sheets]\nhidden = "skip"\n')
    (rules / "hooks" / "all.py").write_text("def on_table_mapped(mapping):\n    mapping.assign('First name', 'name')\n")
    sample = SAMPLES / "hidden_rows_and_sheets.xlsx"
    text = explain(normalize(sample, tmp_path / "out", configuration=rules).artifact)
    assert 'Column B "First name" is name: a hook decided so.' in text
    assert 'Sheet "Archive" was not read: it is hidden.' in text


def test_a_document_without_a_table_says_so(tmp_path):
    (tmp_path / "in.csv").write_text("remark\n")
    assert "no table was found." in explain(normalize(tmp_path / "in.csv", tmp_path / "out").artifact)

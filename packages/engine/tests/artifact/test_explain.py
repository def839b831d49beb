from pathlib import Path

import pytest

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
    assert "not enough evidence for full_name (0.45 of 0.50): the header " in text


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
    assert 'Column B "E-Mail" is not mapped: it could be email (1.55), but column A fits better.' in text


def test_what_hooks_decided_and_sheets_that_were_left_out_are_told(tmp_path):
    rules = tmp_path / "rules"
    (rules / "hooks").mkdir(parents=True)
    (rules / "columns").mkdir()
    (rules / "columns" / "name.py").write_text("from ade_engine import Field\nfield = Field('name')\n")
    (rules / "settings.toml").write_text('[sheets]\nhidden = "skip"\n')
    (rules / "hooks" / "all.py").write_text("def on_table_mapped(mapping):\n    mapping.assign('First name', 'name')\n")
    sample = SAMPLES / "hidden_rows_and_sheets.xlsx"
    text = explain(normalize(sample, tmp_path / "out", configuration=rules).artifact)
    assert 'Column B "First name" is name: a hook decided it.' in text
    assert 'Sheet "Archive" was not read: it is hidden. Name it, or set [sheets] hidden = "read", to read it.' in text


def test_a_document_without_a_table_says_so(tmp_path):
    (tmp_path / "in.csv").write_text("remark\n")
    assert "The document: no table found: text only" in explain(
        normalize(tmp_path / "in.csv", tmp_path / "out").artifact
    )


def explained_failure(tmp_path, hook, *, sample="hidden_rows_and_sheets.xlsx"):
    rules = tmp_path / "rules"
    (rules / "hooks").mkdir(parents=True)
    (rules / "columns").mkdir()
    (rules / "columns" / "name.py").write_text("from ade_engine import Field\nfield = Field('first_name')\n")
    (rules / "hooks" / "all.py").write_text(hook + "    raise ValueError\n")
    result = normalize(SAMPLES / sample, tmp_path / "out", configuration=rules)
    assert result.status == "failed"
    return explain(result.artifact)


@pytest.mark.req("E6")
@pytest.mark.parametrize("moment", ["on_table_mapped", "before_write", "on_table_end"])
def test_a_table_in_which_the_run_failed_is_explained_as_far_as_it_is_known(tmp_path, moment):
    text = explained_failure(tmp_path, f"def {moment}():\n")
    assert "no table was found" not in text
    assert 'Sheet "Members", table A1:E9 (the run failed here):\n  Row 1 is the header: ' in text
    assert 'Column B "First name" is first_name: ' in text
    assert 'Sheet "Archive" was not read: the run failed before it.' in text


@pytest.mark.req("E6")
def test_a_sheet_on_which_the_run_failed_is_not_said_to_hold_no_table(tmp_path):
    text = explained_failure(tmp_path, "def on_sheet_start():\n")
    assert 'Sheet "Members": the run failed here, before a table was found.' in text


@pytest.mark.req("E6")
def test_tables_before_the_failure_are_explained_but_not_said_to_be_written(tmp_path):
    hook = "def on_table_start(context):\n    if context.state.setdefault('seen', []) == []:\n"
    hook += "        return context.state['seen'].append(1)\n"
    text = explained_failure(tmp_path, hook, sample="stacked_tables.xlsx")
    assert ": the run failed here, after 1 table." in text
    assert " rows, not written):" in text


@pytest.mark.req("E6")
def test_a_failure_after_the_last_sheet_leaves_all_tables_complete(tmp_path):
    text = explained_failure(tmp_path, "def on_workbook_end():\n", sample="sheets_with_other_names.xlsx")
    assert "the run failed here" not in text
    assert text.count(", table A1:") == 3


@pytest.mark.req("E6")
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([4], "Row 4"),
        ([1, 2], "Rows 1 and 2"),
        ([5, 6, 7], "Rows 5-7"),
        ([5, 6, 7, 8, 9, 14, *range(17, 30_013)], "Rows 5-9, 14 and 17-30012"),
        (list(range(2, 22, 2)), "Rows 2, 4, 6, 8, 10, 12, 14, 16, 18 and 20"),
        (list(range(2, 60_002, 2)), "Rows 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 29,990 more"),
    ],
)
def test_rows_are_listed_in_spans_and_counted_when_there_are_too_many(rows, words, tmp_path):
    artifact = normalize(SAMPLES / "totals_and_notes.xlsx", tmp_path).artifact
    artifact["sheets"][0]["tables"][0]["note_rows"] = rows
    assert f"  {words} {'is a note' if len(rows) == 1 else 'are notes'}, not data." in explain(artifact)

"""Each kind of decision in the sentence that explains it, from artifacts that hold just that decision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import explain


def column(**changes):
    return {
        "source": "B", "header": "Town", "target": None, "reason": "no_candidate", "score": None, "margin": None,
        "contributions": [], "runner_up": None, "lost_to": None, "confidence": None, "suggestions": [],
    } | changes  # fmt: skip


def header(**changes):
    return {"rows": [4], "score": 3.25, "margin": 1.5, "contributions": [], "runner_up": None} | changes


def table(**changes):
    return {
        "range": "A4:C9", "is_complete": True, "rows": {"written": 5}, "header": header(), "columns": [],
        "title_rows": [], "totals_rows": [], "group_rows": [], "note_rows": [], "repeated_header_rows": [],
        "hidden": {"rows": 0, "columns": []}, "transform": {}, "issue_counts": {"total": 0, "rules": {}},
    } | changes  # fmt: skip


def sheet(*tables, **changes):
    return {
        "name": "May", "tables": list(tables), "skipped": None, "is_complete": True, "issues": [],
        "formulas_without_value": 0,
    } | changes  # fmt: skip


def artifact(*sheets, failure=None, configuration=None, issues=0, **source):
    return {
        "run": {"failure": failure},
        "verdict": None,
        "input": {"name": "in.xlsx", "encoding": None, "other_encoding": None} | source,
        "configuration": configuration,
        "summary": {"tables": sum(len(one["tables"]) for one in sheets), "issues": {"total": issues}},
        "sheets": list(sheets),
    }


def lines(*sheets, **options):
    return explain(artifact(*sheets, **options)).splitlines()


def of_table(**changes):
    """What is said of a table, below its first line."""
    return [line.strip() for line in lines(sheet(table(**changes)))[3:]]


def of_column(**changes):
    [_, line] = of_table(columns=[column(**changes)])
    return line


def found(rule, delta):
    return {"rule": rule, "delta": delta}


@pytest.mark.parametrize(
    ("configuration", "tables", "issues", "sentence"),
    [
        (None, 0, 0, "in.xlsx: 0 tables found with the built-in rules, 0 issues."),
        ({"name": "built-in", "corrections": []}, 1, 1, "in.xlsx: 1 table found with the built-in rules, 1 issue."),
        ({"name": "orders", "corrections": []}, 2, 7, "in.xlsx: 2 tables found with configuration orders, 7 issues."),
    ],
)
def test_the_first_line_counts_tables_and_issues(configuration, tables, issues, sentence):
    assert lines(sheet(*[table()] * tables), configuration=configuration, issues=issues)[0] == sentence


def test_a_failed_run_says_why_and_that_nothing_was_written():
    failure = {"code": "input_error", "message": "The file is empty."}
    said = lines(sheet(table()), failure=failure)
    assert said[0] == "in.xlsx: the run failed (input_error). The file is empty."
    assert 'Sheet "May", table A4:C9 (5 rows, not written):' in said


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"skipped": "hidden"}, ' was not read: it is hidden. Name it, or set [sheets] hidden = "read", to read it.'),
        ({"skipped": "hook"}, " was not read: a hook left it out."),
        ({"skipped": "failure"}, " was not read: the run failed before it."),
        ({}, ": no table was found."),
        ({"is_complete": False}, ": the run failed here, before a table was found."),
        ({"issues": [{"rule": "structure.no_table", "message": "holds text only"}]}, ": holds text only."),
        ({"issues": [{"rule": "other", "message": "x"}]}, ": no table was found."),
    ],
)
def test_a_sheet_without_tables_says_why(changes, sentence):
    assert lines(sheet(**changes))[1] == f'Sheet "May"{sentence}'


def test_a_sheet_that_failed_after_its_tables_says_how_many_there_are():
    said = lines(sheet(table(), table(), is_complete=False))
    assert said[1] == 'Sheet "May": the run failed here, after 2 tables.'
    broken = lines(sheet(table(is_complete=False), is_complete=False))
    assert 'Sheet "May", table A4:C9 (the run failed here):' in broken
    assert not any("after" in line for line in broken)


def test_the_only_sheet_of_a_text_file_has_no_name():
    assert lines(sheet(name=None))[1] == "The document: no table was found."


@pytest.mark.parametrize(("count", "noun"), [(1, "1 formula"), (3, "3 formulas")])
def test_formulas_without_a_result_are_counted_with_advice(count, noun):
    [_, said, *_] = lines(sheet(table(), formulas_without_value=count))
    assert said == (
        f'Sheet "May": {noun} had no stored result and read as empty. '
        "Open and save the document in a spreadsheet program."
    )


@pytest.mark.parametrize(
    ("encoding", "other", "sentence"),
    [
        ("cp1252", None, "The text was read as cp1252."),
        ("cp1250", "cp1252", "The text was read as cp1250; cp1252 is almost as likely."),
        ("utf-8", None, None),
        ("utf-16", "cp1252", None),
        (None, None, None),
    ],
)
def test_an_encoding_is_told_unless_it_is_the_usual_one(encoding, other, sentence):
    said = lines(sheet(table()), encoding=encoding, other_encoding=other)
    assert [line for line in said if line.startswith("The text")] == ([sentence] if sentence else [])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Row 4 is the header: 3.25."),
        ({"rows": [4, 5]}, "Rows 4 and 5 are the header: 3.25."),
        ({"rows": [4, 5, 6]}, "Rows 4-6 are the header: 3.25."),
        ({"score": None}, "Row 4 is the header: no score."),
        ({"runner_up": {"rows": [2]}}, "Row 4 is the header: 3.25, 1.50 better for the table than row 2."),
        ({"runner_up": {"rows": []}}, "Row 4 is the header: 3.25, 1.50 better for the table than no header at all."),
        ({"rows": []}, "It has no header row."),
        ({"rows": [], "runner_up": {"rows": [1, 2]}}, "It has no header row. Rows 1 and 2 came closest, 1.50 behind."),
        (
            {"contributions": [found("header.text", 1.0), found("header.numbers", -0.5)]},
            "Row 4 is the header: 3.25, because it is made of texts (+1.00), it holds numbers (-0.50).",
        ),
        (
            {"contributions": [found("header.set_off", 2), found("header.some_new_sign", 1)]},
            "Row 4 is the header: 3.25, because it looks different from the rows above and below (+2.00), "
            "some new sign (+1.00).",
        ),
    ],
)
def test_the_header_is_explained_with_its_rival(changes, sentence):
    assert of_table(header=header(**changes)) == [sentence]


def test_only_the_four_strongest_reasons_are_told_the_strongest_first():
    weights = {"header.text": 0.1, "header.unique": -0.9, "header.first": 0.5, "header.long": -0.2, "header.words": 0.3}
    [said] = of_table(header=header(contributions=[found(rule, delta) for rule, delta in weights.items()]))
    assert said.count("(") == 4
    assert said.index("-0.90") < said.index("+0.50") < said.index("+0.30") < said.index("-0.20")
    assert "+0.10" not in said


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.99, "almost certainly right (99 %)"),
        (0.9, "almost certainly right (90 %)"),
        (0.7, "probably right (70 %)"),
        (0.4, "perhaps right (40 %)"),
        (0.1, "probably not exactly right (10 %)"),
    ],
)
def test_confidence_is_told_in_words_and_percent(probability, words):
    said = of_table(header=header(confidence=probability), confidence=0.5)
    assert said[1] == f"Confidence: the header is {words}, the range is perhaps right (50 %)."


def test_an_artifact_without_confidence_says_nothing_of_it():
    assert len(of_table(header=header(confidence=0.9))) == 1
    assert len(of_table(confidence=0.9)) == 1


RIVAL = {"field": "city", "score": 0.4}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, 'Column B "Town" is not mapped: no evidence for any field.'),
        ({"header": ""}, "Column B is not mapped: no evidence for any field."),
        ({"reason": "hook"}, 'Column B "Town" is not mapped: a hook decided it.'),
        ({"reason": "ignored"}, 'Column B "Town" is not mapped: the configuration leaves it out.'),
        ({"reason": "unpivoted"}, 'Column B "Town" is not mapped: its cells become rows.'),
        (
            {"reason": "lost", "runner_up": RIVAL, "lost_to": "C"},
            'Column B "Town" is not mapped: it could be city (0.40), but column C fits better.',
        ),
        (
            {"reason": "below_threshold", "runner_up": RIVAL, "score": 0.4, "margin": -0.1,
             "contributions": [found("header.words", 0.4)]},
            'Column B "Town" is not mapped: not enough evidence for city (0.40 of 0.50): '
            "the header shares words with one of its names (+0.40).",
        ),
        (
            {"header": "Zq", "reason": "unsure", "suggestions": [
                {"field": "city", "confidence": 0.62, "contributions": [found("name.meaning", 0.3)]},
                {"field": "county", "confidence": 0.2, "contributions": []},
            ]},
            'Column B "Zq" is not mapped: it is not certain enough. Likely: 62.0 % city, 20.0 % county, '
            "because the words mean the same, or nearly (+0.30).",
        ),
        ({"target": "city", "reason": "hook"}, 'Column B "Town" is city: a hook decided it.'),
        ({"target": "city", "reason": "best", "score": 1}, 'Column B "Town" is city: 1.00.'),
        (
            {"target": "town", "reason": "best", "score": 1.2, "runner_up": RIVAL,
             "contributions": [found("header.alias", 1.0), found("values.postal_code", 0.2)]},
            'Column B "Town" is town: 1.20 against 0.40 for city, because the header is one of its names (+1.00), '
            "its values look like postal code (+0.20).",
        ),
        (
            {"target": "town", "reason": "best", "score": 0.8, "contributions": [found("values.date", -0.2)]},
            'Column B "Town" is town: 0.80, because its values do not look like date (-0.20).',
        ),
        (
            {"header": "Zq", "target": "town", "reason": "likely", "confidence": 0.981,
             "contributions": [found("name.base", 0.1), found("name.words", 0.5), found("name.rivals", -0.1)]},
            'Column B "Zq" is town: 98.1 % likely, because the words of the header fit its name (+0.50), '
            "other names fit as well (-0.10).",
        ),
        (
            {"target": "town", "reason": "best", "score": 0.8, "contributions": [found("col.town.detect", 0.8)]},
            'Column B "Town" is town: 0.80, because col.town.detect (+0.80).',
        ),
    ],
)  # fmt: skip
def test_a_column_is_explained_by_what_became_of_it(changes, sentence):
    assert of_column(**changes) == sentence


@pytest.mark.parametrize(
    ("kind", "one", "several"),
    [
        ("title_rows", "a title", "titles"),
        ("totals_rows", "a total", "totals"),
        ("group_rows", "a group heading", "group headings"),
        ("note_rows", "a note", "notes"),
        ("repeated_header_rows", "the header again", "the header again"),
    ],
)
def test_rows_that_are_no_data_are_named_by_their_kind(kind, one, several):
    assert of_table(**{kind: [7]})[1] == f"Row 7 is {one}, not data."
    assert of_table(**{kind: [7, 9]})[1] == f"Rows 7 and 9 are {several}, not data."


@pytest.mark.parametrize(
    ("hidden", "sentences"),
    [
        ({"rows": 1, "columns": []}, ["1 row of the data is hidden in the document."]),
        ({"rows": 3, "columns": ["B"]},
         ["3 rows of the data are hidden in the document.", "Column B is hidden in the document."]),
        ({"rows": 0, "columns": ["B", "D"]}, ["Columns B, D are hidden in the document."]),
    ],
)  # fmt: skip
def test_what_is_hidden_in_the_document_is_told(hidden, sentences):
    assert of_table(hidden=hidden)[1:] == sentences


def test_changes_of_values_are_counted_by_rule():
    change = {
        "town": {"changed": 3, "rules": {"strip": 2, "col.town.transform": 1}},
        "age": {"changed": 0, "rules": {}},
    }
    assert of_table(transform=change)[1:] == ["town: 3 values changed by a transform (strip 2, col.town.transform 1)."]


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        ("dropped", "duplicates", "another row has the same key"),
        ("dropped", "unpivot.empty", "the cell of the column that became a row is empty"),
        ("dropped", "keep.town", "town is not one of the values to keep"),
        ("dropped", "drop.town", "town is one of the values to drop"),
        ("dropped", "hook.keep", "a hook decided it"),
        ("added", "unpivot", "columns became rows"),
        ("added", "hook.expand", "a hook decided it"),
        ("added", "something.else", "something.else"),
    ],
)
def test_rows_left_out_and_added_are_counted_with_the_reason(kind, rule, words):
    verb = "left out" if kind == "dropped" else "added"
    assert of_table(reshaped={kind: {rule: 1}})[1] == f"1 row {verb}: {words}."
    assert of_table(reshaped={kind: {rule: 4}})[1] == f"4 rows {verb}: {words}."


def test_totals_that_were_compared_are_counted():
    assert of_table(reshaped={"totals": {"checked": 1, "wrong": 1}})[1] == "1 total compared with the rows, 1 wrong."
    assert of_table(reshaped={"totals": {"checked": 5, "wrong": 0}})[1] == "5 totals compared with the rows, 0 wrong."
    assert len(of_table(reshaped={"totals": {"checked": 0, "wrong": 0}})) == 1


def test_issues_are_counted_by_rule():
    counts = {"total": 3, "rules": {"required": 2, "unique": 1}}
    assert of_table(issue_counts=counts)[1] == "3 issues: required 2, unique 1."


@given(st.sets(st.integers(1, 200), min_size=1, max_size=40))
def test_rows_named_in_spans_are_the_rows_or_a_count_of_the_rest(rows):
    [_, said] = of_table(note_rows=sorted(rows))
    names = said.removeprefix("Rows ").removeprefix("Row ").split(" are ")[0].split(" is ")[0]
    named, rest = set(), 0
    for part in names.replace(" and ", ", ").split(", "):
        if part.endswith(" more"):
            rest = int(part.removesuffix(" more"))
        else:
            first, _, last = part.partition("-")
            named |= set(range(int(first), int(last or first) + 1))
    assert named <= rows
    assert len(named) + rest == len(rows)


def test_each_table_is_a_paragraph_of_its_own():
    text = explain(artifact(sheet(table(), table(range="E1:F3")), sheet(table(), name="June")))
    paragraphs = text.split("\n\n")
    assert [one.splitlines()[0] for one in paragraphs[1:]] == [
        'Sheet "May", table A4:C9 (5 rows written):',
        'Sheet "May", table E1:F3 (5 rows written):',
        'Sheet "June", table A4:C9 (5 rows written):',
    ]
    assert text.endswith("\n")

"""What other engines get wrong, one test each."""

from datetime import date

import pytest

from ade_engine import normalize


def table_rows(contents, result):
    [rows] = contents(result.output_path).values()
    return rows


@pytest.mark.req("E5")
def test_a_column_that_starts_with_numbers_does_not_turn_later_dates_into_numbers(xlsx, contents, tmp_path):
    data = [[number, f"text {number}"] for number in range(1, 30)] + [[date(2024, 5, 6), "a date"], ["007", "text"]]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan([xlsx.bold("Mixed", "Comment"), *data])})
    rows = table_rows(contents, normalize(tmp_path / "in.xlsx", tmp_path / "out"))
    mixed = [row[0] for row in rows[1:]]
    assert mixed[:29] == list(range(1, 30))
    assert [str(value)[:10] for value in mixed[29:]] == ["2024-05-06", "007"]
    assert not isinstance(mixed[29], int | str)


@pytest.mark.req("E5")
def test_one_text_in_a_column_of_numbers_does_not_turn_the_numbers_into_text(xlsx, contents, tmp_path):
    data = [[f"item {number}", number + 0.5] for number in range(20)]
    data[10][1] = "n/a"
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan([xlsx.bold("Thing", "Reading"), *data])})
    rows = table_rows(contents, normalize(tmp_path / "in.xlsx", tmp_path / "out"))
    assert [row[1] for row in rows[1:]] == [row[1] for row in data]


@pytest.mark.req("E3")
def test_tables_side_by_side_are_two_tables(samples, tmp_path):
    result = normalize(samples / "side_by_side.xlsx", tmp_path)
    assert [table["range"] for table in result.tables] == ["A1:E10", "H1:M7"]


@pytest.mark.req("E3")
def test_a_table_ends_where_blank_rows_and_another_header_follow(samples, tmp_path):
    result = normalize(samples / "stacked_tables.xlsx", tmp_path)
    assert [table["range"] for table in result.tables] == ["A1:E7", "A10:F17"]


@pytest.mark.req("E3")
def test_a_table_starts_in_the_column_it_starts_in(samples, tmp_path):
    result = normalize(samples / "offset.xlsx", tmp_path)
    assert [table["range"] for table in result.tables] == ["D5:H12"]
    assert [column["source"] for column in result.tables[0]["columns"]] == ["D", "E", "F", "G", "H"]


@pytest.mark.req("E3")
def test_prose_is_not_a_table(xlsx, tmp_path):
    prose = [
        ["How to fill in this form"],
        None,
        ["Please read all of the following before you start, and ask when something is not clear to you."],
        ["Write one line for each visit. Do not leave lines out, and do not write into the grey cells."],
        None,
        ["Send the form back by the end of the month."],
    ]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"Help": xlsx.SheetPlan(prose)})
    assert normalize(tmp_path / "in.xlsx", tmp_path / "out").tables == []


@pytest.mark.req("E2")
@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8", ";"), ("utf-16", "\t"), ("cp1252", ";"), ("utf-8-sig", ","), ("utf-8", "|")]
)
def test_text_files_of_other_encodings_and_delimiters_are_read(contents, tmp_path, encoding, delimiter):
    rows = [["Vorname", "Nachname", "Straße", "Ort"]]
    rows += [["Jörg", "Müller", f"Grüner Weg {number}", "Köln"] for number in range(12)]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    (tmp_path / "in.csv").write_bytes(text.encode(encoding))
    result = normalize(tmp_path / "in.csv", tmp_path / "out")
    assert [column["target"] for column in result.tables[0]["columns"]] == [
        "first_name",
        "last_name",
        "address_line",
        "city",
    ]
    assert table_rows(contents, result)[1] == ["Jörg", "Müller", "Grüner Weg 0", "Köln"]


@pytest.mark.req("E5")
def test_text_that_looks_like_a_formula_stays_text(contents, tmp_path):
    lines = ["Name,Comment", *(f"Ada Weber,=cmd|' /C calc'!A{number}" for number in range(1, 6))]
    (tmp_path / "in.csv").write_text("\n".join(lines))
    result = normalize(tmp_path / "in.csv", tmp_path / "out")
    assert table_rows(contents, result)[1][1] == "=cmd|' /C calc'!A1"
    import zipfile

    with zipfile.ZipFile(result.output_path) as archive:
        assert not any(b"<f>" in archive.read(name) or b"<f " in archive.read(name) for name in archive.namelist())


@pytest.mark.req("E6")
def test_the_evidence_is_in_the_artifact_without_asking_for_it(samples, tmp_path):
    table = normalize(samples / "title_above_header.xlsx", tmp_path).tables[0]
    assert table["header"]["contributions"]
    mapped = [column for column in table["columns"] if column["target"]]
    assert mapped
    assert all(column["contributions"] for column in mapped)
    for column in mapped:
        assert column["score"] == pytest.approx(sum(c["delta"] for c in column["contributions"]))


@pytest.mark.req("E5")
def test_a_footer_of_text_leaves_the_numbers_above_it_numbers(xlsx, contents, tmp_path):
    data = [[f"item {number}", number + 0.5] for number in range(20)]
    footer = [None, ["Checked by", "the office, by hand"]]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan([xlsx.bold("Thing", "Reading"), *data, *footer])})
    rows = table_rows(contents, normalize(tmp_path / "in.xlsx", tmp_path / "out"))
    assert [row[1] for row in rows[1:21]] == [row[1] for row in data]


@pytest.mark.req("E4")
def test_a_column_that_loses_its_first_choice_gets_its_second(configuration, tmp_path):
    field = "from ade_engine import Field\n"
    folder = configuration(
        {
            "columns/email.py": field + "field = Field('email', aliases=['E-mail', 'Mail'])\n",
            "columns/second_email.py": field
            + "field = Field('second_email')\ndef detect_a(column):\n    return 0.6 * column.share_matching('.*@.*')\n",
        }
    )
    lines = ["E-mail,Mail", *(f"ada{number}@example.com,ada{number}@example.org" for number in range(8))]
    (tmp_path / "in.csv").write_text("\n".join(lines))
    [table] = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder).tables
    assert [column["target"] for column in table["columns"]] == ["email", "second_email"]


@pytest.mark.req("E3")
@pytest.mark.parametrize(
    "text",
    [
        "This is a remark, made once, by somebody\n",
        "Dear all,\nthank you for the lists you sent, which arrived in time, and which we have read.\n"
        "Some of them, however, lack the dates, so please add these, where you can.\nKind regards,\nAda\n",
    ],
    ids=["one line", "a letter"],
)
def test_sentences_cut_at_their_commas_are_not_a_table(text, tmp_path):
    (tmp_path / "in.csv").write_text(text)
    assert normalize(tmp_path / "in.csv", tmp_path / "out").tables == []


@pytest.mark.req("E3")
def test_a_small_table_with_blanks_after_its_commas_is_one(tmp_path):
    (tmp_path / "in.csv").write_text("name, city, job title\nann, bonn, baker\nben, ulm, smith\ncy, kiel, vet\n")
    [table] = normalize(tmp_path / "in.csv", tmp_path / "out").tables
    assert table["range"] == "A1:C4"

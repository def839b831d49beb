"""Tables that programs and people spell in odd ways are read as meant, or an issue names the rows in doubt."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.readers.delimited import DelimitedWorkbook

HEADER = ["No", "Name", "Colours", "Remark", "Price"]
ROWS = [
    [str(number), name, colours, remark, f"{number}.50"]
    for number, name, colours, remark in [
        (1, "Ann", "red, blue", "said yes; then no"),
        (2, "Ben", "green", "plain"),
        (3, "Cleo", "black, white, grey", "see page 4"),
        (4, "Dora", "yellow", ""),
        (5, "Emil", "pink, brown", "a | b"),
        (6, "Fay", "blue", "late"),
    ]
] * 4


@pytest.fixture
def table(tmp_path):
    def table(data: str | bytes, **options):
        path = tmp_path / "table.csv"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return DelimitedWorkbook(path, **options)

    return table


def read(workbook):
    sheet = workbook.open_sheet(workbook.sheets[0])
    return [[cell or "" for cell in row.values] for row in sheet.rows()], [finding.rule for finding in sheet.findings]


def spelled(*, delimiter=",", quote='"', end="\n", escape=None, quotes_all=False, rows=None):
    lines = []
    for row in [HEADER, *ROWS] if rows is None else rows:
        cells = []
        for cell in row:
            needs = quotes_all or any(mark in cell for mark in (delimiter.strip() or " ", quote, ",", "\n"))
            inner = cell.replace(quote, (escape or quote) + quote)
            cells.append(f"{quote}{inner}{quote}" if needs else cell)
        lines.append(delimiter.join(cells))
    return end.join(lines) + end


@pytest.mark.req("E2", "E5")
@pytest.mark.parametrize("delimiter", [",", ", ", ",  ", ";", "; ", "\t", "|", " | ", "||", "::", "~", "^"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quote", ['"', "'"])
def test_every_dialect_gives_the_same_cells(table, delimiter, end, quote):
    found, rules = read(table(spelled(delimiter=delimiter, end=end, quote=quote)))
    assert [[cell.strip() for cell in row] for row in found] == [HEADER, *ROWS]
    assert rules == []


@pytest.mark.req("E5")
@pytest.mark.parametrize("delimiter", [", ", "; ", "| "])
def test_a_space_behind_every_delimiter_is_no_part_of_the_cells(table, delimiter):
    rows = [["id", "name", "note"], ["1", "Ann", "late"], ["2", "Ben", "paid"], ["3", "", "none"]]
    assert read(table(spelled(delimiter=delimiter, rows=rows)))[0] == rows
    rows[0][0] = f"id{delimiter}no"  # quoted, at the start of the line
    assert read(table(spelled(delimiter=delimiter, rows=rows)))[0] == rows


@pytest.mark.req("E5")
def test_a_space_in_front_of_some_cells_is_part_of_them(table):
    assert read(table("id,name\n1, Ann\n2,Ben\n3, Cid\n"))[0][1:] == [["1", " Ann"], ["2", "Ben"], ["3", " Cid"]]


@pytest.mark.req("E5")
def test_apostrophes_around_a_few_values_do_not_replace_the_quotes(table):
    text = 'id|note\n1|\'new\'\n2|"say ""hi"""\n3|old\n4|late\n'
    assert read(table(text))[0] == [["id", "note"], ["1", "'new'"], ["2", 'say "hi"'], ["3", "old"], ["4", "late"]]
    text = "id\tnote\n1\t'new'\n2\told\n3\tlate\n4\tpaid\n"
    assert read(table(text))[0][1] == ["1", "'new'"]


@pytest.mark.req("E5")
def test_a_space_between_delimiter_and_quote_does_not_split_quoted_cells(table):
    found, rules = read(table('id, name, colours, count\n1, "Ann", "red, blue", 3\n2, "Ben", "grey", 4\n'))
    assert found == [["id", "name", "colours", "count"], ["1", "Ann", "red, blue", "3"], ["2", "Ben", "grey", "4"]]
    assert rules == []


@pytest.mark.req("E5")
def test_spaces_around_cells_without_quotes_are_kept(table):
    assert read(table("a,b\n1, x \n2, y\n"))[0] == [["a", "b"], ["1", " x "], ["2", " y"]]


def test_a_quote_that_follows_a_space_by_chance_changes_no_other_cell(table):
    text = "a,b,c\n" + '1, x,"p, q"\n' * 6 + '2, "y,z\n'
    found, _ = read(table(text))
    assert found[1] == ["1", " x", "p, q"]


@pytest.mark.req("E5")
def test_a_space_behind_the_closing_quote_does_not_split_the_cell(table):
    found, _ = read(table('a , b , c\n"x, 1" , "y" , 2\n"x, 2" , "z" , 3\n'))
    assert [[cell.strip() for cell in row] for row in found[1:]] == [["x, 1", "y", "2"], ["x, 2", "z", "3"]]


@pytest.mark.req("E5")
def test_a_delimiter_that_cuts_quoted_cells_never_wins(table):
    rows = "".join(f'"Smith, J.; {n}";"Bonn, Ulm";"{n}"\n' for n in range(9))
    assert table('"Name, first";"Towns, all";"No"\n' + rows).dialect.delimiter == ";"
    rows = "".join(f'"Smith; J.: {n}", "a; b", "c; d; e", {n}\n' for n in range(9))
    found, _ = read(table("name, pair, triple, no\n" + rows))
    assert found[1] == ["Smith; J.: 0", "a; b", "c; d; e", "0"]


@pytest.mark.parametrize("escape", [None, "\\"])
@pytest.mark.parametrize("quote", ['"', "'"])
def test_quotes_inside_of_cells_are_read_in_both_spellings(table, escape, quote):
    rows = [["id", "text", "n"], *[[str(n), f"the {quote}big{quote} one, red", "x"] for n in range(9)]]
    found, rules = read(table(spelled(rows=rows, escape=escape, quote=quote)))
    assert found == rows
    assert rules == []


@pytest.mark.req("E5")
@pytest.mark.parametrize("delimiter", [",", ", ", ";", "\t", "|", "~", ":"])
def test_escaped_quotes_are_found_whatever_the_delimiter_and_beside_empty_cells(table, delimiter):
    rows = [["id", "text", "none", "n"], *[[str(n), "plain", "", "x"] for n in range(20)], ["9", 'a "b", c', "", "y"]]
    text = "".join(
        delimiter.join(f'"{cell}"' for cell in row).replace('a "b", c', 'a \\"b\\", c') + "\n" for row in rows
    )
    assert read(table(text)) == (rows, [])


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    "lines",
    [["start", *["08:15", "09:30", "17:45"] * 5], ["Remark", "all is well", "late", "sent back to Ulm again"] * 5],
)
def test_one_column_of_times_or_words_is_not_split(table, lines):
    assert read(table("\n".join(lines) + "\n"))[0] == [[line] for line in lines]


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\n\n", "\ufeffa,b\r\n"])
def test_a_header_alone_is_read(table, text):
    assert read(table(text)) == ([["a", "b"]], [])


def test_lines_above_the_table_and_a_header_of_two_rows_are_no_doubt(table):
    text = "Report of the month\n\n" + spelled(rows=[HEADER, [f"({name})" for name in HEADER], *ROWS])
    found, rules = read(table(text))
    assert found[1] == HEADER
    assert rules == []


def test_a_second_table_of_another_width_is_no_doubt(table):
    found, rules = read(table(spelled() + "\nKey,Value\nx,1\ny,2\nz,3\n"))
    assert found[-1] == ["z", "3"]
    assert rules == []


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    "line", ["7,Gus,grey", "7Gus,grey,late,7.50", "7,,Gus,grey,late,7.50", "7;Gus;grey, blue;late;7.50"]
)
def test_a_row_with_another_number_of_cells_is_an_issue(table, line):
    _, rules = read(table(spelled(rows=[HEADER, *ROWS[:9]]) + line + "\n" + spelled(rows=ROWS[9:])))
    assert rules == ["csv.uneven_rows"]


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    "lines", ["Account,AT61\n\n", "Movements\nAs of,1 May\n\n", "Account,AT61\n\nFrom,1 May,to,31 May\n\n"]
)
def test_title_lines_above_a_blank_line_are_no_doubt(table, lines):
    found, rules = read(table(lines + spelled()))
    assert found[-1] == ROWS[-1]
    assert rules == []
    assert read(table(lines + spelled() + "7,Gus,grey\n"))[1] == ["csv.uneven_rows"]


@pytest.mark.req("E5")
@pytest.mark.parametrize("line", ['7,"Gus,grey,late,7.50', '7,"Gus" Gray,grey,late,7.50', '7,Gus,grey,late,"7.50'])
def test_quotes_that_do_not_match_are_an_issue(table, line):
    workbook = table(spelled(rows=[HEADER, *ROWS[:9]]) + line + "\n" + spelled(rows=ROWS[9:]))
    found, rules = read(workbook)
    assert "csv.broken_quotes" in rules
    assert found[:10] + found[11:] == [HEADER, *ROWS]
    sheet = workbook.open_sheet(workbook.sheets[0])
    list(sheet.rows())
    assert "the first one is row 11" in sheet.findings[0].message


def test_findings_do_not_pile_up_when_rows_are_read_again(table):
    workbook = table(spelled() + '7,"x\n')
    sheet = workbook.open_sheet(workbook.sheets[0])
    assert len(list(sheet.rows())) == len(list(sheet.rows()))
    assert "1 row has quotes" in sheet.findings[0].message


def test_the_delimiter_that_the_user_names_is_used(table):
    assert read(table("a;b,c\n1;2,3\n", delimiter=";"))[0] == [["a", "b,c"], ["1", "2,3"]]


words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=9).filter(
    lambda s: s == s.strip()
)


@pytest.mark.req("E5")
@settings(max_examples=150)
@given(
    st.lists(st.lists(words, min_size=3, max_size=3), min_size=2, max_size=9),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["", " "]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_quoted_tables_are_read_back_whatever_separates_their_cells(tmp_path_factory, rows, delimiter, space, end):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(rows)
    text = buffer.getvalue().replace(f'"{delimiter}"', f'"{delimiter}{space}"')
    if space and any(f'"{delimiter}"' in cell or f'"{delimiter} "' in cell for row in rows for cell in row):
        return
    path = tmp_path_factory.mktemp("law") / "table.csv"
    path.write_bytes(text.encode())
    found, rules = read(DelimitedWorkbook(path))
    wanted = [row for row in ([*row] for row in rows) if any(row)]
    for row in wanted:
        while row and not row[-1]:
            row.pop()
    assert found == wanted or rules

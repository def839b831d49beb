"""What is said of whole sheets and outputs, in these words; and what a hook may drop."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from ade_engine import Field
from ade_engine.cells import CellError
from ade_engine.configuration.model import ColumnRules
from ade_engine.hooks import Output
from ade_engine.issues import Finding
from ade_engine.layout import OutputColumn
from ade_engine.readers.base import Row, SheetInfo
from ade_engine.sheet_issues import (
    hidden_sheet_issue,
    no_table_issue,
    reader_issues,
    table_issues,
    what_it_holds,
    wider_row_issues,
)


@dataclass
class Cells:
    """A sheet of one column."""

    values: list[object]
    formulas_without_value: int = 0
    findings: list[Finding] = field(default_factory=list)
    info: SheetInfo = field(default_factory=lambda: SheetInfo(index=0, name="May"))

    def rows(self):
        return (Row(number, [value]) for number, value in enumerate(self.values, start=1))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([None, " "], None),
        (["some text", "n/a", "-"], "text only"),
        (["some text", 5], "cells that do not form a table"),
        ([CellError("#N/A")], "cells that do not form a table"),
        (["2024-05-01"], "cells that do not form a table"),
    ],
)
def test_a_sheet_without_a_table_is_said_to_hold_text_or_cells(values, expected):
    assert what_it_holds(Cells(values)) == expected


@pytest.mark.parametrize(
    ("holds", "has_others", "severity"),
    [("text only", True, "info"), ("text only", False, "warning"), ("cells that do not form a table", True, "warning")],
)
def test_only_text_beside_other_tables_is_nothing_to_worry_about(holds, has_others, severity):
    issue = no_table_issue("May", holds, has_others=has_others)
    assert (issue.sheet, issue.rule, issue.severity) == ("May", "structure.no_table", severity)
    assert issue.message == f"no table found: {holds}; nothing of it is in the output"


@pytest.mark.parametrize(("count", "words"), [(1, "1 formula has"), (4, "4 formulas have")])
def test_what_a_reader_reports_is_an_issue_of_the_sheet(count, words):
    sheet = Cells(["x"], formulas_without_value=count, findings=[Finding("csv.uneven_rows", "warning", "odd")])
    first, second = reader_issues(sheet)
    assert (first.rule, first.cell, first.message) == ("csv.uneven_rows", None, "odd")
    assert second.message.startswith(f"{words} no stored result and read as empty; open and save the file")
    assert list(reader_issues(Cells(["x"]))) == []


def test_a_hidden_sheet_and_rows_wider_than_the_table_are_warnings():
    assert hidden_sheet_issue("May").severity == "warning"

    @dataclass
    class Wide:
        sheet: str
        wider_row_count: int

    assert [one.message for one in wider_row_issues(Wide("May", 1))] == [
        "1 row has cells right of the table's last column; they are not in the output"
    ]
    assert [one.message[:12] for one in wider_row_issues(Wide("May", 12))] == ["12 rows have"]
    assert list(wider_row_issues(Wide("May", 0))) == []
    assert list(table_issues(None, [])) == []


def output():
    fields = [Field("town", label="City"), Field("age"), Field("nickname")]
    columns = [
        OutputColumn("City", ColumnRules(field=fields[0]), (1,)),
        OutputColumn("age", ColumnRules(field=fields[1]), (2,)),
    ]
    return Output("May", [*columns, OutputColumn("Note", None, (3,))], fields)


@pytest.mark.parametrize(
    ("names", "dropped", "mistakes"),
    [
        (["town"], {"City"}, []),
        (["CITY", "note"], {"City", "Note"}, []),
        (["nickname"], set(), []),  # a field that this table does not have
        (["Notes"], set(), ['there is no column "Notes" to drop. Did you mean Note?']),
        (["something else"], set(), []),
        (["Notes", "Notes", "age"], {"age"}, ['there is no column "Notes" to drop. Did you mean Note?']),
    ],
)
def test_a_hook_drops_columns_by_field_or_title_and_a_near_miss_is_a_warning(names, dropped, mistakes):
    found = output()
    assert (found.columns, found.fields) == (["City", "age", "Note"], ["town", "age"])
    for name in names:
        found.drop(name)
    assert found.dropped == dropped
    assert [one.message for one in found.probable_mistakes()] == mistakes

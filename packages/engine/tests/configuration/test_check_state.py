"""What a field keeps in context.state for each row is of another row in other functions."""

import pytest

from ade_engine import check_configuration

HEAD = "from ade_engine import Field\nfield = Field('{}')\n"
KEPT = (
    HEAD.format("order")
    + "def transform(row, context):\n    context.state['order'] = row['code']\n    return row['code']\n"
)
READ = "def transform(row, context):\n    return context.state{}\n"
CODE = {"columns/code.py": HEAD.format("code"), "columns/order.py": KEPT}


@pytest.mark.parametrize("read", ["['order']", ".get('order')", "['order'].upper()"])
def test_a_field_that_reads_what_another_keeps_is_warned_about(folder, read):
    files = CODE | {"columns/date.py": HEAD.format("date") + READ.format(read)}
    [problem] = check_configuration(folder(files))
    assert (problem.code, problem.severity) == ("state-of-another-row", "warning")
    assert (problem.file, problem.line) == ("columns/date.py", 4)
    assert problem.message == 'context.state["order"] is kept by columns/order.py, and is of another row here'
    assert problem.suggestion.endswith('read it from the row, as row["..."].')


def test_a_hook_that_sees_each_row_is_warned_about(folder):
    hook = "def keep(row, context):\n    return context.state['order'] is not None\n"
    [problem] = check_configuration(folder(CODE | {"hooks/rows.py": hook}))
    assert (problem.code, problem.file, problem.line) == ("state-of-another-row", "hooks/rows.py", 2)


@pytest.mark.parametrize(
    "files",
    [
        {"columns/order.py": KEPT.replace("return row['code']", "return context.state['order']")},
        {"columns/date.py": HEAD.format("date") + READ.format("['other']")},
        {"hooks/end.py": "def on_table_end(context):\n    return context.state['order']\n"},
        {
            "columns/order.py": KEPT.replace("['order']", "[row['code']]"),
            "columns/date.py": HEAD.format("date")
            + "def transform(row, context):\n    return context.state[row['code']]\n",
        },
        {
            "columns/order.py": KEPT.replace("= row['code']", "= {}"),
            "columns/date.py": HEAD.format("date") + READ.format("['order']"),
        },
    ],
)
def test_what_is_of_the_same_row_or_of_the_table_is_not(folder, files):
    assert check_configuration(folder(CODE | files)) == []

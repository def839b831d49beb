"""Laws of rows: the source format does not show in them, and what is computed follows from what is written."""

import csv
from datetime import date

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ade_engine import normalize
from ade_engine.write import open_writer

FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
HEADERS = ["Name", "Qty", "Price", "Day", "Paid"]
RULES = {
    "columns/name.py": "field = Field('name', type='text')\ndef transform(value):\n    return value.strip().upper()\n",
    "columns/qty.py": "field = Field('qty', type='integer')\n",
    "columns/price.py": "field = Field('price', type='number', decimal='.')\n",
    "columns/day.py": "field = Field('day', type='date')\n",
    "columns/paid.py": "field = Field('paid', type='boolean')\n",
    "columns/total.py": "field = Field('total')\ndef transform(row):\n"
    "    return None if row['qty'] is None or row['price'] is None else row['qty'] * row['price']\n",
    "columns/seen.py": "field = Field('seen', reads=['total'])\ndef transform(row):\n"
    "    return repr([row[n] for n in ('name', 'qty', 'price', 'day', 'paid', 'total')])\n",
    "columns/checked.py": "field = Field('checked')\ndef transform(row):\n    return row['seen']\n"
    "def validate(row):\n    if row['seen'] != repr([row[n] for n in "
    "('name', 'qty', 'price', 'day', 'paid', 'total')]):\n        return 'differs'\n",
}
CELLS = st.tuples(
    st.text("abcÄé 07", min_size=1, max_size=8).filter(str.strip),
    st.integers(-999_999, 999_999),  # never empty: a single column under five headers is no table
    st.none() | st.decimals(-9999, 9999, places=2, allow_nan=False).map(float),
    st.none() | st.dates(date(1950, 1, 1), date(2049, 12, 31)),
    st.none() | st.booleans(),
)
TABLES = st.lists(CELLS, min_size=4, max_size=12)


@pytest.fixture
def written(tmp_path, configuration, contents):
    """Write rows in a format, normalise the file, and return the output as {header: values} with the issue count."""
    folder = configuration({path: "from ade_engine import Field\n" + text for path, text in RULES.items()})

    def normalise(rows, form):
        path = tmp_path / f"in.{form}"
        if form == "csv":
            with path.open("w", newline="", encoding="utf-8") as stream:
                csv.writer(stream).writerows([HEADERS, *([_as_text(cell) for cell in row] for row in rows)])
        else:
            writer = open_writer(path, form)
            writer.begin_table("S", HEADERS)
            writer.write_rows(rows)
            writer.end_table()
            writer.close()
        result = normalize(path, tmp_path / form, configuration=folder)
        [(header, *data)] = contents(result.output_path).values()
        width = len(header)
        columns = zip(*([*row, *[None] * (width - len(row))] for row in data), strict=True)
        return dict(zip(header, columns, strict=True)), result.issue_count

    return normalise


def _as_text(cell):
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None else str(cell)


@pytest.mark.req("E11")
@FEW
@given(rows=TABLES)
@example(rows=[("a", 1, price, None, None) for price in (5.0, 0.0, 1.25, -3.0)])  # a full column is converted at once
def test_functions_see_the_same_row_whatever_the_source_format(written, rows):
    from_text, text_issues = written(rows, "csv")
    from_cells, cell_issues = written(rows, "xlsx")
    assert from_text["seen"] == from_cells["seen"]
    assert text_issues == cell_issues == 0


@pytest.mark.req("E11")
@FEW
@given(rows=TABLES, form=st.sampled_from(["csv", "xlsx"]))
def test_a_computed_field_equals_the_same_computation_on_the_written_output(written, rows, form):
    output, _ = written(rows, form)
    expected = [
        None if qty is None or price is None else qty * price
        for qty, price in zip(output["qty"], output["price"], strict=True)
    ]
    assert list(output["total"]) == expected
    assert output["checked"] == output["seen"]

"""Laws that hold for any table: what reshaping, filtering and combining never change."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ade_engine import combine, normalize
from ade_engine.readers import open_workbook

HEAD = "from ade_engine import Field\n"
MONTHS = ["Jan", "Feb", "Mar", "Apr"]
CELLS = st.one_of(st.none(), st.integers(-999, 999))
WIDE = st.lists(st.lists(CELLS, min_size=4, max_size=4), min_size=3, max_size=12)
STATES = st.lists(st.sampled_from(["open", "paid", "void", ""]), min_size=3, max_size=12)
LAW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def normalised(tmp_path):
    """Run a csv text by a configuration; return the rows of its output without the header, and its folder."""
    numbers = iter(range(1_000_000))

    def run(text, columns, toml="", name="in"):
        folder = tmp_path / str(next(numbers))
        (folder / "rules" / "columns").mkdir(parents=True)
        (folder / "rules" / "columns" / "all.py").write_text(HEAD + f"fields = [{columns}]\n", encoding="utf-8")
        (folder / "rules" / "settings.toml").write_text(toml, encoding="utf-8")
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        result = normalize(folder / f"{name}.csv", folder / "out", configuration=folder / "rules")
        assert result.failure is None, result.failure.message
        return _rows(result.output_paths[0]), folder / "out"

    return run


def _rows(path):
    workbook = open_workbook(path)
    try:
        rows = [row.values for info in workbook.sheets for row in workbook.open_sheet(info).rows()]
    finally:
        workbook.close()
    width = len(rows[0]) if rows else 0
    return [(*row, *[None] * (width - len(row))) for row in rows[1:]]


def _csv(rows, months=MONTHS):
    lines = [",".join(["Centre", *months])]
    lines += [",".join([f"C{n}", *("" if cell is None else str(cell) for cell in row)]) for n, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


UNPIVOT = '[unpivot]\ncolumns = "month"\nname = "month"\nvalue = "amount"\n'
LONG = 'Field("centre"), Field("month"), Field("amount", type="integer")'


@LAW
@given(WIDE, st.lists(st.sampled_from(MONTHS), min_size=4, max_size=4))
def test_unpivoting_keeps_every_value_and_the_sum_of_its_columns(normalised, rows, months):
    rows = [[n, *row[1:]] for n, row in enumerate(rows, start=1)]  # a table of nothing is no table
    long, _ = normalised(_csv(rows, months), LONG, UNPIVOT)
    expected = Counter(
        (f"C{n}", month, cell)
        for n, row in enumerate(rows)
        for month, cell in zip(months, row, strict=True)
        if cell is not None
    )
    assert Counter(long) == expected
    assert sum(row[2] for row in long) == sum(cell or 0 for row in rows for cell in row)


@LAW
@given(WIDE, st.lists(st.integers(2020, 2029), min_size=2, max_size=2, unique=True))
def test_unpivoting_below_years_keeps_every_value_with_its_year(normalised, rows, years):
    rows = [[n, *row[1:]] for n, row in enumerate(rows, start=1)]
    months = ["Jan", "Feb", "Jan", "Feb"]
    text = f",{years[0]},,{years[1]},\n{_csv(rows, months)}"
    fields = f'{LONG}, Field("year", type="integer")'
    long, _ = normalised(text, fields, f"{UNPIVOT}levels = {{year = 1}}\n")
    expected = Counter(
        (f"C{n}", month, cell, years[place // 2])
        for n, row in enumerate(rows)
        for place, (month, cell) in enumerate(zip(months, row, strict=True))
        if cell is not None
    )
    assert Counter(long) == expected


@LAW
@given(STATES)
def test_a_filter_and_its_complement_give_all_rows(normalised, states):
    text = "Order,State,Qty\n" + "".join(f"A{n},{state},{n + 1}\n" for n, state in enumerate(states))
    columns = 'Field("order"), Field("state"{}), Field("qty", type="integer")'
    every, _ = normalised(text, columns.format(""))
    kept, _ = normalised(text, columns.format(', keep=["paid", None]'))
    dropped, _ = normalised(text, columns.format(', drop=["paid", None]'))
    assert Counter(kept) + Counter(dropped) == Counter(every)
    assert len(every) == len(states)


@LAW
@given(st.lists(WIDE, min_size=1, max_size=3))
def test_combining_documents_is_appending_their_outputs(normalised, tmp_path, documents):
    done = [normalised(_csv([[n, *row[1:]] for n, row in enumerate(rows, 1)]), LONG, UNPIVOT) for rows in documents]
    [path] = combine([folder for _, folder in done], tmp_path / "all.xlsx")
    assert _rows(path) == [row for rows, _ in done for row in rows]


@LAW
@given(st.lists(st.integers(0, 5), min_size=3, max_size=15))
def test_rows_by_key_are_the_first_or_the_last_of_each(normalised, keys):
    text = "Order,Qty\n" + "".join(f"A{key},{n}\n" for n, key in enumerate(keys, start=1))
    columns = 'Field("order"), Field("qty", type="integer")'
    pairs = [(f"A{key}", n) for n, key in enumerate(keys, start=1)]
    first, _ = normalised(text, columns, '[rows]\nkey = ["order"]\nduplicates = "first"\n')
    last, _ = normalised(text, columns, '[rows]\nkey = ["order"]\nduplicates = "last"\n')
    assert dict(first) == dict(reversed(pairs))
    assert dict(last) == dict(pairs)
    assert len(first) == len(last) == len(set(keys))

"""A configuration that is inferred from a document fits that document: every column, every script, every notation."""

import unicodedata
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ade_engine import check_configuration, example_tables, infer_configuration, load_configuration, normalize
from ade_engine.configuration.infer import infer_fields
from ade_engine.configuration.model import Context
from ade_engine.fields import Field, is_field_name
from ade_engine.mapping.headers import numbered
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import Column
from ade_engine.mapping.table import Mapper
from ade_engine.readers import open_workbook


def types(table):
    """The type of each field with the options that go with it."""
    return {
        field.label: {
            name: value
            for name in ("type", "decimal", "currency", "day_first")
            if (value := getattr(field, name)) is not None
        }
        for field in infer_fields([table])
    }


def targets(headers, *more_tables, values=("x", "y")):
    """Infer a configuration from tables with these headers, and return the field each column of the first maps to."""
    tables = [{header: list(values) for header in numbered(names)} for names in (headers, *more_tables)]
    with TemporaryDirectory() as folder:
        infer_configuration(Path(folder) / "new", tables)
        assert check_configuration(Path(folder) / "new") == []
        configuration = load_configuration(Path(folder) / "new")
    columns = [Column(number, header, values) for number, header in enumerate(headers, 1)]
    mapping = Mapper(configuration, Context()).map_table(SourceTable("S", columns, (1,), 1))
    labels = {field.name: (field.label, *field.aliases) for field in configuration.fields}
    return [(column.field, labels.get(column.field)) for column in mapping.columns]


@pytest.mark.req("E4")
@pytest.mark.parametrize(
    ("headers", "names"),
    [
        (["客户名称", "金额", "日期"], ["客户名称", "金额", "日期"]),
        (["Имя клиента", "Сумма (тыс.)"], ["имя_клиента", "сумма"]),
        (["Πελάτης", "Ποσό"], ["πελάτης", "ποσό"]),
        (["اسم العميل", "שם לקוח", "ग्राहक", "ชื่อ", "고객명"], ["اسم_العميل", "שם_לקוח", "ग्राहक", "ชื่อ", "고객명"]),
        (["Størrelse", "Prénom", "Straße"], ["størrelse", "prenom", "strasse"]),
        (["YTD (2011)", "YTD (2012)"], ["ytd_2011", "ytd_2012"]),
        (["Total", "%Total", "TOTAL"], ["total", "percent_total", "total_2"]),
        (["Price €", "Price $"], ["price_euro", "price_dollar"]),
        (["%", "#", "№", "—"], ["percent", "number", "number_2", "field"]),
        (["2011", "2012"], ["field_2011", "field_2012"]),
        (["Total", "Total", "Total"], ["total", "total_2", "total_3"]),
        (["class", "from"], ["class", "from"]),
    ],
)
def test_every_header_gets_a_field_of_its_own_with_a_readable_name(headers, names):
    assert [name for name, _ in targets(headers)] == names


def test_units_in_other_tables_are_other_fields():
    assert [field.label for field in infer_fields([{"Weight (kg)": [1]}, {"Weight (lb)": [2]}])] == [
        "Weight (kg)",
        "Weight (lb)",
    ]


def test_a_long_header_gets_a_name_that_a_file_can_have():
    [(name, _), _] = targets(["客" * 300, "客" * 299])
    assert len(f"{name}.py".encode()) <= 255


SCRIPTS = "aAbBéßøŁ客户名Имяμβאבعマग्ราก"
HEADERS = st.one_of(
    st.sampled_from(
        ["Total", "TOTAL", "total", "%Total", "Total %", "Total (2)", "total_2", "YTD (2011)", "YTD (2012)", "YTD", "%",
         "#", "№", "—", "2011", "2012", "class", "Price €", "Price $", "E-Mail", "e mail", "Vorname", "First name",
         "Straße", "Strasse", "Ort", "City", "Amount (EUR)", "Amount", "Betrag", "field", "number"]
    ),
    st.text(alphabet=SCRIPTS + "0129 _-.()[]%€$#+*/&'", min_size=1, max_size=12),
    st.text(max_size=8),
    st.builds(lambda text: text * 40, st.text(alphabet="aé客 ", min_size=1, max_size=5)),
).map(lambda text: " ".join(text.split())).filter(bool)  # fmt: skip


@pytest.mark.req("E4")
@given(st.lists(HEADERS, min_size=1, max_size=8), st.lists(HEADERS, max_size=4))
@example(["Total", "Total (2)", "Total"], [])
@example(["Total", "TOTAL", "total_2"], ["total"])
@example(["Vorname", "VORNAME"], ["First name"])
@example(["Street", "Address"], ["Street"])
def test_every_column_maps_back_to_its_own_field(headers, others):
    found = targets(headers, *([others] if others else []))
    names = [name for name, _ in found]
    assert None not in names
    assert len(set(names)) == len(names)
    for header, (name, labels) in zip(numbered(headers), found, strict=True):
        assert header in labels
        assert is_field_name(name)


@given(st.text(max_size=12))
def test_a_name_of_a_field_is_an_identifier_that_means_itself(text):
    if is_field_name(text):
        assert Field(text).name == unicodedata.normalize("NFKC", text).lower()
    else:
        with pytest.raises(ValueError, match="must be like member_id"):
            Field(text)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2.367,88 €", "5,00 €"], {"type": "money", "decimal": ","}),
        (["£1,122.05", "£3"], {"type": "money", "decimal": "."}),
        (["£1,122.05", "€3.10"], {"type": "money", "decimal": ".", "currency": "x_currency"}),
        (["$5", "USD 7"], {"type": "money"}),
        (["19 %", "7 %"], {"type": "percent"}),
        (["19,5 %", "1.234 %"], {"type": "percent", "decimal": ","}),
        (["(26.11)", "3"], {"type": "number", "decimal": "."}),
        (["1.234", "1.234,5"], {"type": "number", "decimal": ","}),
        (["1,234,567", "5"], {"type": "integer", "decimal": "."}),
        (["12", "5"], {"type": "integer"}),
        ([12, 5.5], {"type": "number"}),
        # What could be read in two ways, or is a mixture, gets no type.
        (["1,234 €", "5,678 €"], {}),
        (["1.234", "5.678"], {}),
        (["19 %", "7"], {}),
        (["19 %", "7 €"], {}),
        (["5", "x", "y"], {}),
        (["x", "x"], {}),
        (["03/04/2024"] * 5, {}),
        (["03/04/2024"] * 5 + ["13/04/2024"], {"type": "date", "day_first": True}),
        (["03/04/2024"] * 5 + ["04/13/2024"], {"type": "date", "day_first": False}),
        ([date(2024, 1, 2)], {"type": "date"}),
        ([datetime(2024, 1, 2, 10)], {"type": "datetime"}),  # noqa: DTZ001 - cells have no time zone
        (["yes", "no"], {"type": "boolean"}),
        (["0", "1"], {"type": "integer"}),
        (["007", "12"], {"type": "text"}),
        (["RM 101", "RM 102"], {}),
        (["TOP 1", "TOP 10"], {}),
        (["RM 101", "RM 102.50"], {"type": "money", "decimal": "."}),
    ],
)
def test_the_type_is_what_all_values_convert_to(values, expected):
    assert types({"x": values})["x"] == expected


def test_amounts_in_several_currencies_get_a_field_for_the_currency():
    fields = infer_fields([{"Amount": ["£5", "€6"], "Amount currency": ["a", "b"]}])
    assert [(field.name, field.label, field.currency) for field in fields] == [
        ("amount", "Amount", "amount_currency_2"),
        ("amount_currency_2", "Amount currency (2)", None),
        ("amount_currency", "Amount currency", None),
    ]


def test_a_field_is_required_only_when_every_table_has_it():
    fields = infer_fields([{"A": ["x"], "B": ["y"]}, {"A": ["z"]}])
    assert [field.required for field in fields] == [True, False]


KINDS_OF_CELLS = [
    st.sampled_from(["", "n/a", "x", "yes", "no", "007"]),
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(0, 10**6, places=2).map(str),
    st.decimals(0, 10**4, places=2).map(lambda number: f"{number:,} €"),
    st.decimals(0, 10**4, places=2).map(lambda number: f"{number}".replace(".", ",") + " %"),
    st.dates(date(1950, 1, 1), date(2050, 1, 1)).map(lambda day: day.strftime("%d/%m/%Y")),
    st.sampled_from(["$5", "£5.50", "EUR 7", "(3.10)", "4-"]),
]
CELLS = st.one_of(KINDS_OF_CELLS)


@pytest.mark.req("E5")
@settings(max_examples=40)
@given(st.data(), st.integers(1, 4), st.integers(3, 12))
def test_inferred_rules_find_nothing_wrong_with_the_document_they_come_from(data, width, height):
    kinds = st.sampled_from([CELLS, *KINDS_OF_CELLS])
    columns = [
        data.draw(kinds.flatmap(lambda cells: st.lists(cells, min_size=height, max_size=height))) for _ in range(width)
    ]
    names = ["Item", *(f"Column {letter}" for letter in "ABCD"[:width])]
    rows = [names, *([f"row {number}", *row] for number, row in enumerate(zip(*columns, strict=True)))]
    with TemporaryDirectory() as folder:
        path, rules = Path(folder) / "in.csv", Path(folder) / "rules"
        path.write_text("\n".join(";".join(f'"{cell}"' for cell in row) for row in rows), encoding="utf-8")
        infer_configuration(rules, example_tables(path))
        assert check_configuration(rules) == []
        result = normalize(path, Path(folder) / "out", configuration=rules)
        assert result.failure is None
        assert result.issue_count == 0, result.issues_path.read_text(encoding="utf-8")


def test_a_document_in_any_script_is_mapped_whole(tmp_path):
    path = tmp_path / "in.csv"
    rows = ["客户名称,金额,Итого (2011),Итого (2012),%"]
    rows += [f'"客户 {number}","1.{number}34,50 €",{number},{number + 1},{number} %' for number in range(1, 9)]
    path.write_text("\n".join(rows), encoding="utf-8")
    infer_configuration(tmp_path / "rules", example_tables(path))
    assert check_configuration(tmp_path / "rules") == []
    result = normalize(path, tmp_path / "out", configuration=tmp_path / "rules")
    [table] = result.tables
    assert [column["target"] for column in table["columns"]] == [
        "客户名称",
        "金额",
        "итого_2011",
        "итого_2012",
        "percent",
    ]
    assert result.issue_count == 0
    with closing(open_workbook(result.output_path)) as workbook:
        [info] = workbook.sheets
        second = list(workbook.open_sheet(info).rows())[1].values
    assert second == ["客户 1", 1134.5, 1, 2, 0.01]

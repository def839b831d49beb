"""Four families of documents that people send: each is normalised completely by a few declarations.

The documents are invented here. `LINES` is half of what the same job took with functions alone. One date is found in
another table of the document, by a function.
"""

from datetime import date

import pytest

from ade_engine import check_configuration, combine

HEAD = "from ade_engine import Field\n"
INVOICES = {
    "columns/all.py": HEAD
    + """\
fields = [
    Field("region", from_group=r"Region (.+)"),
    Field("month", from_title=r"Rechnungsliste (\\d\\d/\\d{4})"),
    Field("customer", type="text", required=True, aliases=["Kunden-Nr.", "Kundennummer"]),
    Field("segment", lookup="customers.csv", lookup_by="customer"),
    Field("invoice", required=True, aliases=["Rechnungsnr.", "Beleg"]),
    Field("date", type="date", required=True, formats=["%d.%m.%Y", "%d.%m.%y"], aliases=["Datum", "Rechnungsdatum"]),
    Field("contact", aliases=["Ansprechpartner", "Kontakt"], output=False),
    Field("last_name", from_field="contact", split=",", part=1),
    Field("first_name", from_field="contact", split=",", part=2),
    Field("amount", type="money", decimal=",", required=True, aliases=["Betrag", "Netto"]),
    Field("vat", type="percent", aliases=["MwSt", "USt."]),
    Field("status", replace={"bezahlt": "paid", "offen": "open", "storniert": "void"}, ignore_case=True, drop=["void"],
          choices=["paid", "open", "void"], aliases=["Zahlstatus"]),
]
""",
    "settings.toml": '[rows]\nkey = ["invoice"]\nduplicates = "first"\nverify_totals = true\n',
    "customers.csv": "customer,segment\n" + "".join(f"{number:06d},S{number % 3}\n" for number in range(1, 20)),
}
STORES = {
    "columns/all.py": HEAD
    + """\
fields = [
    Field("store", from_sheet=True),
    Field("order", required=True, aliases=["Returned order"]),
    Field("date", type="date"),
    Field("sku", type="text"),
    Field("qty", type="integer"),
    Field("price", type="money", aliases=["Unit price"]),
    Field("status", choices=["shipped", "pending"], replace={"shiped": "shipped"}, ignore_case=True),
    Field("reason"),
    Field("refund", type="money"),
]
""",
    "columns/ordered_on.py": HEAD
    + """\
field = Field("ordered_on", type="date")
def transform(row, context):
    return context.state.setdefault(row["order"], row["date"])
""",
    "settings.toml": 'output.table = [{name = "Sales", has = ["qty"]}, {name = "Returns", has = ["reason"]}]\n',
}
CUSTOMERS = {
    "columns/all.py": HEAD
    + """\
fields = [
    Field("country", from_document=r"_(\\w\\w)\\.", replace={"de": "DE", "us": "US"}),
    Field("name", required=True, aliases=["customer", "Kunde"]),
    Field("title", from_field="name", extract=r"^\\w+\\."),
    Field("address", combine=", ", aliases=["street", "zip", "city", "Straße", "PLZ", "Ort"]),
    Field("signed_up", type="date", aliases=["Anmeldung"], formats=["%d.%m.%Y", "%m/%d/%Y"], drop=[None]),
    Field("discount", type="percent", aliases=["Rabatt"]),
]
""",
}
BUDGET = {
    "columns/all.py": HEAD + 'fields = [Field("centre", type="text", aliases=["Cost centre"]), Field("account"), '
    'Field("month"), Field("amount")]\n',
    "settings.toml": 'unpivot = {columns = "month", name = "month", value = "amount"}\nmapping = {unmapped = "drop"}\n',
}
LINES = {"invoices": (INVOICES, 33), "stores": (STORES, 18), "customers": (CUSTOMERS, 12), "budget": (BUDGET, 4)}


@pytest.mark.parametrize(("files", "most"), LINES.values(), ids=LINES)
def test_a_family_takes_at_most_half_the_lines(rules, files, most):
    lines = [line for name, text in files.items() if not name.endswith(".csv") for line in text.splitlines() if line]
    assert len(lines) <= most
    assert check_configuration(rules(files)) == []


def _invoices(month, shift, names):
    def at(*cells):
        return [None] * shift + list(cells)

    rows = [["Südwind Spedition GmbH"], [f"Rechnungsliste {month:02d}/2026, Stand heute"], [], at(*names)]
    number = 0
    for region in ("Region Nord", "Region Süd"):
        rows.append(at(region))
        for step in range(6):
            number += 1
            day = date(2026, month, 1 + 3 * step)
            written = [day, day.strftime("%d.%m.%Y"), day.strftime("%d.%m.%y")][step % 3]
            invoice = f"R-{month:02d}{number - (step == 5):03d}"  # the last of a region repeats the one before
            state = ["bezahlt", "Bezahlt ", "offen", "storniert", "BEZAHLT", "offen"][step]
            rows.append(at(f"{number:06d}", invoice, written, "Weber, Eva", "1.000,50 €", "19 %", state))
        rows.append(at(f"Summe {region}", None, None, None, "6.003,00 €"))
    return [*rows, at("Gesamtsumme", None, None, None, "12.006,01 €"), [], at("* Alle Beträge in EUR")]


def test_invoices_with_groups_totals_and_duplicates_of_two_months_in_one_workbook(run, tmp_path, rules):
    names = (
        ["Kunden-Nr.", "Rechnungsnr.", "Datum", "Ansprechpartner", "Betrag", "MwSt", "Status"],
        ["Kundennummer", "Beleg", "Rechnungsdatum", "Kontakt", "Netto", "USt.", "Zahlstatus"],
    )
    months = [
        run({"Rechnungen": _invoices(month, shift, headers)}, INVOICES, name=f"wind-{month}")
        for month, shift, headers in ((1, 0, names[0]), (2, 2, names[1]))
    ]
    for month, done in enumerate(months, start=1):
        first = dict(zip(done.rows[0], done.rows[1], strict=True))
        assert first == {
            "region": "Nord", "month": f"{month:02d}/2026", "customer": "000001", "segment": "S1",
            "invoice": f"R-{month:02d}001", "date": date(2026, month, 1), "last_name": "Weber", "first_name": "Eva",
            "amount": 1000.5, "vat": 0.19, "status": "paid",
        }  # fmt: skip
        assert [row[0] for row in done.rows[1:]] == ["Nord"] * 4 + ["Süd"] * 4
        assert done.table["reshaped"]["dropped"] == {"drop.status": 2, "duplicates": 2}
        assert [(field, rule) for _, field, rule, _ in done.issues] == [("amount", "totals")]
    [path] = combine([done.result.artifact_path.parent for done in months], tmp_path / "all.xlsx")
    assert path.is_file()


def test_stores_with_sales_and_returns_on_each_sheet(run):
    sheets = {
        store: [
            [f"Store report {store}"], [],
            ["Order", "Date", "SKU", "Qty", "Unit price", "Status"],
            *([f"{store[0]}{n}", date(2026, 3, n), f"00{n}", n, "£1,122.05", "SHIPPED " if n % 2 else "Shiped"]
              for n in range(1, 8)),
            [], [],
            ["Returned order", "Reason", "Refund"],
            [f"{store[0]}2", "broken", "(£26.11)"], [f"{store[0]}5", "wrong size", "(£1.00)"],
        ]
        for store in ("Bath", "Ely", "Ripon")
    }  # fmt: skip
    done = run(sheets, STORES)
    assert {name: len(rows) - 1 for name, rows in done.sheets.items()} == {"Sales": 21, "Returns": 6}
    day = date(2026, 3, 1)
    assert done.sheets["Sales"][1] == ["Bath", "B1", day, "001", 1, 1122.05, "shipped", day]
    assert done.sheets["Returns"][1] == ["Bath", "B2", "broken", -26.11, date(2026, 3, 2)]
    assert done.issues == []


LISTS = {
    "list_us": (
        "customer,street,zip,city,signed_up,discount",
        "Dr. Eva Lind,{} Main St.,0{:04d},Boston,03/{:02d}/2026,0.5%",
    ),
    "list_de": (
        "Kunde;Straße;PLZ;Ort;Anmeldung;Rabatt",
        "Dr. Eva Lind;{} Main St.;0{:04d};Boston;{:02d}.03.2026;0,5 %",
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_customers_of_two_countries(run, name):
    headers, row = LISTS[name]
    lines = [row.format(n, n, n + 1) for n in range(20)]
    text = "\n".join(["Export of customers", "", headers, *lines[:10], headers, *lines[10:], "Page 1 of 1", ""])
    done = run(text, CUSTOMERS, name=name)
    assert len(done.rows) == 21
    expected = [name[-2:].upper(), "Dr. Eva Lind", "Dr.", "0 Main St., 00000, Boston", date(2026, 3, 1), 0.005]
    assert done.rows[1] == expected
    assert done.issues == []


@pytest.mark.parametrize("is_stacked", [False, True])
def test_a_budget_with_months_as_columns(run, is_stacked):
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"]
    rows = [["Cost budget FY26"], []]
    rows += [[None, None, *["H1"] * 6]] if is_stacked else []
    rows += [["Cost centre", "Account", *months, "Total"], [None, None, *["kEUR"] * 7]]
    rows += [[f"00{n}", "Travel", *(n + m / 10 for m in range(6)), 6 * n + 1.5] for n in range(10, 18)]
    done = run({"Budget": [*rows, ["Total", None, *[1.0] * 7]]}, BUDGET)
    assert len(done.rows) == 1 + 8 * 6
    assert done.rows[1:3] == [["0010", "Travel", "Jan", 10], ["0010", "Travel", "Feb", 10.1]]
    assert sum(row[3] for row in done.rows[1:]) == pytest.approx(sum(6 * n + 1.5 for n in range(10, 18)))

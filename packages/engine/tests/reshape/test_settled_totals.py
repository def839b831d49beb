"""Totals are told by words and arithmetic together: none is a record, no record is lost, what is unclear is named."""

import pytest

SALES = {"shop": "", "item": "", "qty": 'type="integer"', "revenue": 'type="number"'}
GROUPS = {
    "Lyon": [("Fig", 4, 12.5), ("Plum", 2, 8.25)],
    "Nice": [("Fig", 3, 9.0)],
    "Metz": [("Fig", 1, 3.1), ("Kiwi", 6, 7.4), ("Plum", 5, 20.0)],
}
LABELS = ["Subtotal {}", "Total {}", "{} total", "Total for {}", "Total: {}", "Zwischensumme {}", "Umsatz gesamt {}"]


def _document(cells, *, grand=None, every_name=True):
    """Return sales with a subtotal below each shop; `cells` gives the two labels of a subtotal."""
    lines, sums = ["Shop,Item,Qty,Revenue"], [0, 0.0]
    for shop, sales in GROUPS.items():
        for place, (item, qty, revenue) in enumerate(sales):
            lines.append(f"{shop if every_name or not place else ''},{item},{qty},{revenue}")
        qty, revenue = sum(sale[1] for sale in sales), round(sum(sale[2] for sale in sales), 2)
        lines.append(f"{','.join(cells(shop))},{qty},{revenue}")
        sums = [sums[0] + qty, sums[1] + revenue]
    if grand:
        lines.append(f"{','.join(grand)},{sums[0]},{round(sums[1], 2)}")
    return "\n".join(lines) + "\n"


def _verdict(done):
    verdict = done.result.artifact["verdict"]
    return verdict["verdict"], verdict["sentence"]


def _values(done, *names):
    return [tuple(row[done.rows[0].index(name)] for name in names) for row in done.rows[1:]]


def _items(done):
    return _values(done, "item", "qty")


RECORDS = [(item, qty) for sales in GROUPS.values() for item, qty, _ in sales]


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("label", [*LABELS, "Subtotal", "Zwischensumme"])
@pytest.mark.parametrize("place", ["first", "second", "key repeated", "named once"])
@pytest.mark.parametrize("grand", [None, ("", "Grand total"), ("Grand total", "")])
def test_a_row_that_says_total_in_any_label_and_adds_up_is_no_record(run, label, place, grand):
    cells = {
        "first": lambda shop: (label.format(shop), ""),
        "second": lambda shop: ("", label.format(shop)),
        "key repeated": lambda shop: (shop, label.format(shop)),
        "named once": lambda shop: ("", label.format(shop)),
    }[place]
    done = run(_document(cells, grand=grand, every_name=place != "named once"), SALES)
    assert (_items(done), _verdict(done)[0]) == (RECORDS, "ready"), _verdict(done)[1]


@pytest.mark.req("E7")
def test_subtotals_far_down_a_long_table_are_no_records_either(run):
    lines = ["Shop,Item,Qty,Revenue"]
    for group in range(400):
        lines += [f"S{group},Item {number},{number + group},{number + 0.5}" for number in range(1, 11)]
        lines.append(f"S{group},Subtotal S{group},{55 + 10 * group},60")
    done = run("\n".join(lines) + "\n", SALES)
    assert (len(done.rows), _verdict(done)[0]) == (4001, "ready")
    assert done.table["rows"]["skipped"] == 400


@pytest.mark.req("E7")
@pytest.mark.parametrize("where", [3, 7, -1])
def test_a_payment_to_total_energies_is_a_record(run, where):
    rows = [f"{day:02}.03.2026,Card {day},{day * 3.5},{1000 - day * 2}" for day in range(1, 12)]
    rows[where] = "20.03.2026,Total Energies,234.00,711.5"
    files = {"day": 'type="date", formats=["%d.%m.%Y"]', "text": "", "paid": 'type="money"', "left": 'type="money"'}
    done = run("Day,Text,Paid,Left\n" + "\n".join(rows) + "\n", files)
    assert (len(done.rows), _verdict(done)[0]) == (12, "ready")


@pytest.mark.req("E7")
def test_a_record_whose_numbers_are_the_sum_of_those_above_is_written_and_named(run):
    text = "Day,Text,Paid\n2026-03-01,Fuel,10\n2026-03-02,Food,20\n2026-03-03,Total Energies,30\n2026-03-04,Rent,7\n"
    done = run(text, {"day": 'type="date"', "text": "", "paid": 'type="money"'})
    assert len(done.rows) == 5
    assert _verdict(done) == (
        "check",
        "Row 4 was treated as a record and may be a total; it is among the rows of the output.",
    )


@pytest.mark.req("E7")
def test_a_row_that_looks_like_the_totals_of_its_table_and_adds_nothing_up_is_named(run):
    text = _document(lambda shop: ("", f"Subtotal {shop}")).replace(",Subtotal Nice,3,9.0", ",Subtotal Nice,30,9.0")
    done = run(text, SALES)
    assert ("Subtotal Nice", 30) in _items(done)
    told = "Row 6 was treated as a record and may be a total; it is among the rows of the output."
    assert (len(_items(done)), _verdict(done)) == (7, ("check", told))


@pytest.mark.req("E7")
@pytest.mark.parametrize("label", ["Total {}", "Zwischensumme {}"])
def test_the_only_record_of_a_group_is_not_lost_beside_its_total(run, label):
    lines = ["Shop,Item,Qty,Revenue"]
    for shop, count in (("Lyon", 5), ("Nice", 1), ("Metz", 1), ("Caen", 1)):
        lines += [f"{shop},Item {number},{number + 3},{number * 7.5}" for number in range(count)]
        qty, revenue = sum(range(3, count + 3)), sum(range(count)) * 7.5
        lines.append(f"{label.format(shop)},,{qty},{revenue}")
    done = run("\n".join(lines) + "\n", SALES)
    assert (len(done.rows), _verdict(done)[0]) == (9, "ready")


def test_totals_may_be_kept_as_records(run):
    files = {**SALES, "settings.toml": '[rows]\ntotals = "keep"\n'}
    done = run(_document(lambda shop: (f"Total {shop}", ""), grand=("Grand total", "")), files)
    assert (len(done.rows), _verdict(done)[0]) == (11, "ready")
    assert done.table["rows"]["skipped"] == 0


def test_names_of_totals_are_looked_for_in_every_text(run):
    text = "Shop,Item,Qty\na,pen,1\na,cup,2\na,Carried over,9\nb,bag,3\n"
    files = {"shop": "", "item": "", "qty": 'type="integer"', "settings.toml": '[rows]\ntotal_names = ["carried"]\n'}
    assert _values(run(text, files), "item") == [("pen",), ("cup",), ("bag",)]


@pytest.mark.req("E7")
def test_totals_found_by_arithmetic_are_verified_and_kept_apart_like_others(run):
    settings = '[rows]\nverify_totals = true\ntotals = "separate"\n'
    done = run(_document(lambda shop: (shop, "Subtotal")), {**SALES, "settings.toml": settings})
    assert done.table["reshaped"]["totals"] == {"checked": 6, "wrong": 0}
    assert [len(rows) for rows in done.sheets.values()] == [7, 4]


def test_a_row_that_a_rule_calls_data_is_a_record_whatever_its_numbers_are(run):
    rule = "def detect_net(row):\n    return 9 if 'Subtotal' in row.texts else 0\n"
    done = run(_document(lambda shop: ("", "Subtotal")), {**SALES, "row_types/data.py": rule})
    assert len(done.rows) == 10


@pytest.mark.req("E7")
def test_a_header_that_comes_again_is_no_record(run):
    text = "Day,Text,Paid\n1,a,5\n,carried forward,\nDay,Text,Paid\n,brought forward,\n2,b,6\n"
    done = run(text, {"day": 'type="integer"', "text": "", "paid": 'type="money", drop=[None]'})
    assert _values(done, "day") == [(1,), (2,)]


@pytest.mark.req("E7")
@pytest.mark.parametrize("line", ["Invoice 77", "Note: paid by card", "Total 3 items", "2026-03-01", "Page 2 of 3"])
@pytest.mark.parametrize("where", ["amid", "last"])
def test_no_line_of_a_description_is_lost(run, line, where):
    rows = [f"{day:02}.03.2026,Card {day},{day * 3.5},{1000 - day * 2}" for day in range(1, 8)]
    rows.insert(4 if where == "amid" else 7, f",{line},,")
    files = {
        "day": 'type="date", formats=["%d.%m.%Y"]',
        "text": 'join_lines=" "',
        "paid": 'type="money"',
        "left": 'type="money"',
    }
    done = run("Day,Text,Paid,Left\n" + "\n".join(rows) + "\n", files)
    texts = [text for (text,) in _values(done, "text")]
    assert texts[3 if where == "amid" else 6].endswith(f" {line}"), texts
    assert len(texts) == 7


@pytest.mark.req("E3")
def test_a_total_above_the_rows_that_it_sums_stays_one(run):
    numbers = [(number * 13 + 5, number * 7 + 1.5) for number in range(1, 13)]
    sums = [round(sum(column), 2) for column in zip(*numbers, strict=True)]
    lines = ["Shop,Item,Qty,Revenue", f"All shops,Total,{sums[0]},{sums[1]}"]
    lines += [f"Shop {place},Item {place},{qty},{revenue}" for place, (qty, revenue) in enumerate(numbers)]
    done = run("\n".join(lines) + "\n", {**SALES, "row_types/total.py": TOTAL_RULE})
    assert len(done.rows) == 13


TOTAL_RULE = "def detect_all(row):\n    return 9 if row.first == 'All shops' else 0\n"


@pytest.mark.req("E7")
def test_a_category_that_is_called_total_in_the_first_row_is_no_doubt(run):
    text = "Code,Branch,2024 index\nB-S,Total,96.7\nB-E,Industry,97.8\nC,Manufacturing,97.5\nD,Trade,99.1\n"
    done = run(text, {"code": "", "branch": "", "index": 'type="number", aliases=["2024 index"]'})
    assert (len(done.rows), _verdict(done)[0]) == (5, "ready")


@pytest.mark.req("E7")
def test_a_row_that_rules_leave_out_is_not_in_doubt(run):
    text = "Day,Text,Paid\n2026-03-01,Fuel,10\n2026-03-02,Food,20\n2026-03-03,Total Energies,30\n2026-03-04,Rent,7\n"
    done = run(text, {"day": 'type="date"', "text": 'drop=["Total Energies"]', "paid": 'type="money"'})
    assert (len(done.rows), _verdict(done)[0]) == (4, "ready")


@pytest.mark.parametrize("settings", ["", "[rows]\nverify_totals = true\n", '[rows]\ntotals = "keep"\n'])
def test_numbers_that_are_too_large_for_a_sum_end_no_run(run, settings):
    rows = [["Item", "Qty"], ["Fig", 1], ["Plum", 10**400], ["Kiwi", 3.5], ["Total Care", 5], ["Total", 10**400 + 9]]
    done = run({"S": rows}, {"item": "", "qty": "", "settings.toml": settings})
    assert done.result.failure is None
    assert [[item, str(qty)] for item, qty in done.rows[1:4]] == [["Fig", "1"], ["Plum", str(10**400)], ["Kiwi", "3.5"]]
    assert _verdict(done)[0] == "check" or "keep" in settings

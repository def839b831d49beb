"""Makes the sample workbooks, each with one messy feature: python samples/make.py [FOLDER]

All people, companies and numbers are invented.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from xlsx import Error, Formula, SheetPlan, bold, write_workbook

_FIRST = ("Ada", "Bruno", "Chiara", "Dilan", "Elif", "Fatou", "Goran", "Hana")
_LAST = ("Moreau", "Lindqvist", "Okafor", "Petrov", "Silva", "Tanaka", "Weber", "Young")
_CITIES = ("Lyon", "Malmö", "Porto", "Gdańsk")
_ITEMS = ("Desk lamp", "Office chair", "Notebook", "Stapler")
PEOPLE_HEADER = ("Member ID", "First name", "Last name", "Email", "Joined")
ORDERS_HEADER = ("Order no", "Order date", "Customer", "Item", "Qty", "Unit price")


def person(number: int) -> list[Any]:
    """Return one invented member."""
    first, last = _FIRST[number % 8], _LAST[number * 3 % 8]
    mail = f"{first}.{last}{number}@example.org".lower()
    return [f"MB{100000 + number * 37}", first, last, mail, date(2023, 1, 5) + timedelta(days=number * 11)]


def order(number: int) -> list[Any]:
    """Return one invented order."""
    day = date(2024, 2, 1) + timedelta(days=number)
    customer = f"{_FIRST[number % 8]} {_LAST[number % 8]}"
    return [f"SO-{4000 + number}", day, customer, _ITEMS[number % 4], 1 + number % 5, round(4.5 + number * 1.25, 2)]


def people(count: int, start: int = 0) -> list[list[Any]]:
    """Return several members."""
    return [person(number) for number in range(start, start + count)]


def orders(count: int, start: int = 0) -> list[list[Any]]:
    """Return several orders."""
    return [order(number) for number in range(start, start + count)]


def title_above_header(path: Path) -> None:
    """Three lines of preamble above the header."""
    rows = [
        bold("Members of the reading circle"),
        ["Exported by the front desk"],
        None,
        bold(*PEOPLE_HEADER),
        *people(8),
    ]
    write_workbook(path, {"Members": SheetPlan(rows)})


def offset(path: Path) -> None:
    """The table starts at D5."""
    rows = [None] * 4 + [[None] * 3 + list(row) for row in (bold(*PEOPLE_HEADER), *people(7))]
    write_workbook(path, {"Members": SheetPlan(rows)})


def side_by_side(path: Path) -> None:
    """Two tables next to each other, of different length."""
    left = [bold(*PEOPLE_HEADER), *people(9)]
    right = [bold(*ORDERS_HEADER), *orders(6)] + [[None] * 6] * 3
    write_workbook(path, {"Both": SheetPlan([[*a, None, None, *b] for a, b in zip(left, right, strict=True)])})


def stacked_tables(path: Path) -> None:
    """Two tables below each other, each with its own header."""
    rows = [bold(*PEOPLE_HEADER), *people(6), None, None, bold(*ORDERS_HEADER), *orders(7)]
    write_workbook(path, {"Report": SheetPlan(rows)})


def transposed(path: Path) -> None:
    """Members in columns: the names of the fields stand in the first one, below a title."""
    members = people(7)
    fields = [[name, *(member[place] for member in members)] for place, name in enumerate(PEOPLE_HEADER)]
    write_workbook(path, {"Members": SheetPlan([bold("Members of the reading circle"), None, *fields])})


def merged_headers(path: Path) -> None:
    """A header of two rows, the upper one merged over groups of columns."""
    upper = bold("Member", None, None, "Contact", "Since")
    lower = bold("ID", "First name", "Last name", "Email", "Joined")
    write_workbook(path, {"Members": SheetPlan([upper, lower, *people(8)], merged=["A1:C1"])})


def totals_and_notes(path: Path) -> None:
    """Totals below the data, and remarks below the totals."""
    rows = [bold(*ORDERS_HEADER), *orders(8)]
    total = [*bold("Total", None, None, None), Formula("SUM(E2:E9)", 21), None]
    notes = [None, ["* Prices are without tax."], ["Source: order desk"]]
    write_workbook(path, {"Orders": SheetPlan([*rows, total, *notes])})


def group_rows(path: Path) -> None:
    """The data is divided by rows that hold just a group's name."""
    rows = [bold(*ORDERS_HEADER), bold("North"), *orders(4), bold("South"), *orders(4, start=4)]
    write_workbook(path, {"Orders": SheetPlan(rows)})


def blank_rows(path: Path) -> None:
    """Single blank rows inside the data."""
    data = people(8)
    write_workbook(
        path, {"Members": SheetPlan([bold(*PEOPLE_HEADER), None, *data[:3], None, *data[3:6], None, *data[6:]])}
    )


def without_header(path: Path) -> None:
    """Data from the first row on."""
    write_workbook(path, {"Export": SheetPlan(people(10))})


def semicolon_latin_1(path: Path) -> None:
    """A csv as a western European spreadsheet saves it."""
    lines = ["Kundennummer;Vorname;Nachname;Straße;PLZ;Ort;Umsatz"]
    for number in range(9):
        first, last = _FIRST[number % 8], ("Müller", "Größe", "Österreich", "Çelik")[number % 4]
        lines.append(
            f"K{number:04d};{first};{last};Grünweg {number + 1};0{1067 + number};Köln;{number + 1}.234,5{number}"
        )
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("latin-1"))


def leading_zeros_and_long_numbers(path: Path) -> None:
    """Codes that a careless reader turns into numbers, and text that looks like a formula."""
    rows = [
        [f"000{number}7", f"40063813339{number:02d}123456789", _ITEMS[number % 4], "=1+1" if number == 3 else "-"]
        for number in range(8)
    ]
    rows.insert(0, bold("Article number", "Barcode", "Description", "Comment"))
    write_workbook(path, {"Articles": SheetPlan(rows)})


def dates_of_1904(path: Path) -> None:
    """Dates counted from 1904, as old office suites did."""
    write_workbook(path, {"Members": SheetPlan([bold(*PEOPLE_HEADER), *people(8)])}, is_1904=True)


def hidden_rows_and_sheets(path: Path) -> None:
    """A hidden row inside the data, and a hidden sheet with data of its own."""
    visible = SheetPlan([bold(*PEOPLE_HEADER), *people(8)], hidden_rows=[4])
    hidden = SheetPlan([bold(*ORDERS_HEADER), *orders(5)], state="hidden")
    write_workbook(path, {"Members": visible, "Archive": hidden})


def formulas_and_errors(path: Path) -> None:
    """Formulas with the values they had, and cells where a formula failed."""
    rows: list[list[Any]] = [bold(*ORDERS_HEADER, "Amount")]
    for number in range(8):
        cells = order(number)
        amount = (
            Error("#N/A") if number == 4 else Formula(f"E{number + 2}*F{number + 2}", round(cells[4] * cells[5], 2))
        )
        rows.append([*cells, amount])
    write_workbook(path, {"Orders": SheetPlan(rows)})


def sheets_with_other_names(path: Path) -> None:
    """The same kind of table on three sheets, each with its own words for the columns."""
    german = ("Mitgliedsnummer", "Vorname", "Nachname", "E-Mail-Adresse", "Eintrittsdatum")
    french = ("N° de membre", "Prénom", "Nom de famille", "Courriel", "Date d'adhésion")
    plans = {
        "London": SheetPlan([bold(*PEOPLE_HEADER), *people(6)]),
        "Berlin": SheetPlan([bold(*german), *people(6, start=6)]),
        "Paris": SheetPlan([bold(*french), *people(6, start=12)]),
    }
    write_workbook(path, plans)


def values_with_issues(path: Path) -> None:
    """Missing, repeated and malformed values, for a configuration to find."""
    data = people(8)
    data[1][3] = "not an address"
    data[2][0] = data[0][0]
    data[4][2] = None
    data[5][4] = "some day"
    data[6][0] = " mb100222 "
    write_workbook(path, {"Members": SheetPlan([bold(*PEOPLE_HEADER), *data])})


def members_list(path: Path) -> None:
    """A bit of everything, for the first look: a title, other names for columns, a totals row, values gone wrong."""
    members = [(number, *person(number)) for number in range(24)]
    data = [[key, f"{first} {last}", mail, day, _CITIES[number % 4]] for number, key, first, last, mail, day in members]
    for row in data[3::7]:
        row[0] = f" {row[0].lower()} "
    for row in data[2::6]:
        row[2] = row[2].upper()
    data[5][2] = "ask at the desk"
    data[9][0] = data[1][0]
    data[14][3] = "spring 2023"
    data[17][0] = "MB12"
    rows = [
        bold("Members of the reading circle"),
        ["State of 1 March, front desk"],
        None,
        bold("Employee ID", "Name", "E-Mail", "Member since", "City"),
        *data,
        ["Grand total", None, None, None, len(data)],
    ]
    write_workbook(path, {"Members": SheetPlan(rows)})


SAMPLES: dict[str, Callable[[Path], None]] = {
    "title_above_header.xlsx": title_above_header,
    "offset.xlsx": offset,
    "side_by_side.xlsx": side_by_side,
    "stacked_tables.xlsx": stacked_tables,
    "transposed.xlsx": transposed,
    "merged_headers.xlsx": merged_headers,
    "totals_and_notes.xlsx": totals_and_notes,
    "group_rows.xlsx": group_rows,
    "blank_rows.xlsx": blank_rows,
    "without_header.xlsx": without_header,
    "semicolon_latin_1.csv": semicolon_latin_1,
    "leading_zeros_and_long_numbers.xlsx": leading_zeros_and_long_numbers,
    "dates_of_1904.xlsx": dates_of_1904,
    "hidden_rows_and_sheets.xlsx": hidden_rows_and_sheets,
    "formulas_and_errors.xlsx": formulas_and_errors,
    "sheets_with_other_names.xlsx": sheets_with_other_names,
    "values_with_issues.xlsx": values_with_issues,
    "members_list.xlsx": members_list,
}


def main(folder: Path) -> None:
    """Write all samples into a folder."""
    for name, make in SAMPLES.items():
        make(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)

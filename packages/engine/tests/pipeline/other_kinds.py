"""Documents of 32 kinds that have nothing to do with each other; several share headers with common configurations."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

Row = Sequence[Any] | None
_PEOPLE = ("Ann Lee", "Bo Chen", "Cy Ortiz", "Di Novak", "Ed Kaya", "Flo Rossi", "Gus Hahn", "Ida Berg")
_CITIES = ("Lyon", "Graz", "Turin", "Leeds", "Porto", "Ghent")
_GOODS = ("Chair", "Desk", "Lamp", "Shelf", "Stool", "Mirror")
_TEAMS = ("Sales", "Finance", "Support", "Stores")


def other_kinds(seed: int = 25) -> dict[str, list[Row]]:
    """Return the rows of each document by its kind; the same seed gives the same rows."""
    return {name: make(random.Random(f"{seed} {name}")) for name, make in _KINDS.items()}


def _table(header: str, *columns: Callable[[random.Random, int], Any], rows: int = 12) -> Callable[..., list[Row]]:
    def make(chance: random.Random) -> list[Row]:
        return [header.split("|"), *([column(chance, number) for column in columns] for number in range(rows))]

    return make


def _of(*values: Any) -> Callable[[random.Random, int], Any]:
    return lambda chance, _: chance.choice(values)


def _code(shape: str, first: int = 1) -> Callable[[random.Random, int], str]:
    return lambda _, number: shape.format(first + number)


def _whole(least: int, most: int) -> Callable[[random.Random, int], int]:
    return lambda chance, _: chance.randint(least, most)


def _money(least: float, most: float) -> Callable[[random.Random, int], float]:
    return lambda chance, _: round(chance.uniform(least, most), 2)


def _day(first: date) -> Callable[[random.Random, int], date]:
    return lambda chance, _: first + timedelta(days=chance.randint(0, 300))


def _row_number(_: random.Random, number: int) -> int:
    return number + 1


def _email(chance: random.Random, number: int) -> str:
    return f"{chance.choice(_PEOPLE).split()[0].lower()}{number}@example.org"


def _lines(*lines: str | Sequence[Any] | None) -> Callable[[random.Random], list[Row]]:
    rows: list[Row] = [[line] if isinstance(line, str) else line for line in lines]
    return lambda _: rows


def _invoice(chance: random.Random) -> list[Row]:
    lines = [[good, chance.randint(1, 9), round(chance.uniform(5, 90), 2)] for good in _GOODS]
    body = [[good, count, price, round(count * price, 2)] for good, count, price in lines]
    total = round(sum(row[3] for row in body), 2)
    head = [["Invoice 2024-117"], ["To: Birch & Co, 4 Mill Lane"], ["Date:", date(2024, 5, 3)], None]
    return [*head, ["Description", "Qty", "Unit price", "Line total"], *body, [None, None, "Subtotal", total],
            [None, None, "VAT 20%", round(total / 5, 2)], [None, None, "Total", round(total * 1.2, 2)],
            None, ["Payable within 30 days. Thank you."]]  # fmt: skip


def _budget(chance: random.Random) -> list[Row]:
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"]
    rows = [[name, *(chance.randint(100, 900) for _ in months)] for name in ("Rent", "Wages", "Travel", "Power")]
    totals = ["Total", *(sum(row[place] for row in rows) for place in range(1, 7))]
    return [["Budget of the first half-year"], None, ["Budget line", *months], *rows, totals]


def _statistics(chance: random.Random) -> list[Row]:
    rows = [[city, *(chance.randint(10_000, 900_000) for _ in range(4))] for city in _CITIES]
    note = ["Source: yearbook. Figures at the end of the year."]
    return [["Table 4. Population by city"], None, ["City", 2019, 2020, 2021, 2022], *rows, None, note]


def _time_sheet(chance: random.Random) -> list[Row]:
    days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
    rows = [[task, *(chance.choice([None, 1, 2, 4]) for _ in days)] for task in ("Design", "Tests", "Calls")]
    return [["Employee:", "Ann Lee"], ["Week:", 22], None, ["Task", *days], *rows]


def _form(_: random.Random) -> list[Row]:
    pairs = [("Applicant", "Bo Chen"), ("Street", "4 Mill Lane"), ("Town", "Leeds"), ("Signature", None)]
    return [["Application for a parking permit"], None, *map(list, pairs)]


def _matrix(chance: random.Random) -> list[Row]:
    return [[round(chance.gauss(0, 1), 4) for _ in range(8)] for _ in range(20)]


_since_2020, _this_year = _day(date(2020, 1, 1)), _day(date(2024, 1, 1))
_KINDS: dict[str, Callable[[random.Random], list[Row]]] = {
    "letter": _lines(
        "Dear Ms Berg,",
        None,
        "thank you for the list that you sent us in May.",
        "The amount of 40.00 was paid on the third.",
        None,
        "Kind regards",
        "Ed Kaya",
    ),
    "invoice": _invoice,
    "budget": _budget,
    "statistics": _statistics,
    "blank": _lines([None, None, None], [None, None, None]),
    "one word": _lines("draft"),
    "header alone": _lines(["Name", "Amount", "Email", "Date", "Status", "Remark", "Owner"]),
    "price list": _table(
        "Article|Description|Unit|List price", _code("A-{:04}"), _of(*_GOODS), _of("pc", "box"), _money(2, 90)
    ),
    "time sheet": _time_sheet,
    "payroll": _table(
        "Name|Department|Gross|Tax|Net",
        _of(*_PEOPLE),
        _of(*_TEAMS),
        _whole(2000, 5000),
        _whole(200, 900),
        _whole(1500, 4000),
    ),
    "bank statement": _table(
        "Booking date|Text|Amount|Balance", _this_year, _of("Rent", "Fee", "Salary"), _money(-900, 900), _money(0, 9000)
    ),
    "stock": _table(
        "SKU|Item|On hand|Reorder level|Bin",
        _code("S{:05}"),
        _of(*_GOODS),
        _whole(0, 90),
        _whole(1, 9),
        _code("B{:02}"),
    ),
    "sensor readings": _table(
        "Timestamp|Temperature|Humidity|Status",
        _code("2024-06-01T{:02}:00:00"),
        _money(10, 30),
        _whole(30, 90),
        _of("ok", "fault"),
    ),
    "league table": _table(
        "Pos|Team|Played|Won|Drawn|Lost|Points",
        _row_number,
        _of(*_CITIES),
        _whole(20, 30),
        _whole(0, 20),
        _whole(0, 9),
        _whole(0, 9),
        _whole(0, 60),
    ),
    "recipe": _table(
        "Ingredient|Amount|Remark", _of("Flour", "Sugar", "Milk"), _of("200 g", "2 cups", "1 pinch"), _of(None, "fresh")
    ),
    "marks": _table(
        "Student|Maths|Physics|History|Average", _of(*_PEOPLE), _whole(1, 6), _whole(1, 6), _whole(1, 6), _money(1, 6)
    ),
    "library": _table(
        "ISBN|Title|Author|Year|Status",
        _code("978-0-00-{:06}-1"),
        _of("Sea", "Stone", "Storm"),
        _of(*_PEOPLE),
        _whole(1950, 2024),
        _of("on loan", "in"),
    ),
    "flights": _table(
        "Flight|From|To|Departure|Gate|Status",
        _code("LX{:03}"),
        _of(*_CITIES),
        _of(*_CITIES),
        _code("{:02}:15"),
        _code("A{}"),
        _of("boarding", "left"),
    ),
    "bugs": _table(
        "ID|Title|Status|Priority|Assignee|Created",
        _code("BUG-{}"),
        _of("Crash", "Slow"),
        _of("active", "closed"),
        _of("P1", "P2"),
        _of(*_PEOPLE),
        _since_2020,
    ),
    "suppliers": _table(
        "Company|Contact|Email|Phone|City",
        _of("Acme", "Birch", "Cedar"),
        _of(*_PEOPLE),
        _email,
        _code("+44 20 7946 {:04}"),
        _of(*_CITIES),
    ),
    "newsletter": _table("Email|Opened|Clicked|Bounced", _email, _whole(0, 9), _whole(0, 9), _of("yes", "no")),
    "rota": _table(
        "Shift|Monday|Tuesday|Wednesday",
        _of("early", "late", "night"),
        _of(*_PEOPLE),
        _of(*_PEOPLE),
        _of(*_PEOPLE),
        rows=6,
    ),
    "translations": _table(
        "Key|English|German|French",
        _code("menu.{}"),
        _of("Open", "Save"),
        _of("Öffnen", "Sichern"),
        _of("Ouvrir", "Garder"),
    ),
    "servers": _table(
        "Name|IP address|Memory|Status",
        _code("web-{:02}"),
        _code("10.0.0.{}"),
        _of("8 GB", "16 GB"),
        _of("active", "down"),
    ),
    "patients": _table(
        "Case|Born|Blood group|Weight (kg)|Height (cm)",
        _code("C{:05}"),
        _day(date(1960, 1, 1)),
        _of("A+", "0-", "B+"),
        _whole(50, 99),
        _whole(150, 199),
    ),
    "survey": _table(
        "Question|Strongly agree|Agree|Disagree|No answer",
        _code("Q{}"),
        _whole(0, 50),
        _whole(0, 50),
        _whole(0, 50),
        _whole(0, 9),
    ),
    "elections": _table(
        "District|Candidate|Party|Votes|Share",
        _of(*_CITIES),
        _of(*_PEOPLE),
        _of("Blue", "Green"),
        _whole(100, 9000),
        _money(0, 1),
    ),
    "trades": _table(
        "Ticker|Side|Quantity|Price|Date",
        _of("ABC", "XYZ"),
        _of("buy", "sell"),
        _whole(1, 500),
        _money(10, 90),
        _this_year,
    ),
    "fixed assets": _table(
        "Asset|Bought on|Cost|Depreciation|Book value",
        _code("FA-{:03}"),
        _since_2020,
        _money(100, 9000),
        _money(10, 90),
        _money(50, 8000),
    ),
    "form": _form,
    "numbers": _matrix,
    "expenses": _table(
        "Date|Category|Amount|Currency|Receipt",
        _this_year,
        _of("Hotel", "Taxi"),
        _money(5, 300),
        _of("EUR", "CHF"),
        _of("yes", "no"),
    ),
}

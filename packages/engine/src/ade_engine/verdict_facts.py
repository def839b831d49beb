"""What the rules of a verdict ask of an artifact: which tables fit, which fields they lack, which columns are new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ade_engine.records import record
from ade_engine.verdict_words import cut

_KNOWN = ("ignored", "kept", "unpivoted")  # columns without a field, as the configuration wants it
Entry = Mapping[str, Any]


@record(kw_only=True)
class Facts:
    """What the rules ask of an artifact: `fitting` are the tables in which a field was found."""

    sheets: Sequence[Entry]
    tables: Sequence[Entry]
    fitting: Sequence[Entry]
    expected: Sequence[Entry]
    places: Mapping[int, str]  # by the identity of a table
    outputs: Sequence[Entry]

    @classmethod
    def of(cls, artifact: Entry) -> Facts:
        """Return what an artifact says."""
        sheets = artifact["sheets"]
        tables = [table for sheet in sheets for table in sheet["tables"]]
        places = {
            id(table): place_of(sheet["name"], table["range"] if len(sheet["tables"]) > 1 else None)
            for sheet in sheets
            for table in sheet["tables"]
        }
        return cls(
            sheets=sheets,
            tables=tables,
            fitting=[table for table in tables if table["transform"]],
            expected=artifact["configuration"]["expected"],
            places=places,
            outputs=artifact.get("outputs", ()),
        )

    def sheet_of(self, table: Entry) -> str | None:
        """Return the name of the sheet that a table is in."""
        names = (sheet["name"] for sheet in self.sheets if any(one is table for one in sheet["tables"]))
        name: str | None = next(names)
        return name

    def share_without(self, field: str) -> float:
        """Return the share of rows in tables that fit and lack the field."""
        weights = [max(1, table["rows"]["written"]) for table in self.fitting]
        lacking = [
            weight for table, weight in zip(self.fitting, weights, strict=True) if field not in table["transform"]
        ]
        return sum(lacking) / sum(weights) if weights else 1.0

    @property
    def cell_count(self) -> int:
        """Return how many cells of fields the tables have."""
        return sum(int(table["rows"]["written"]) * len(table["transform"]) for table in self.fitting)

    def named(self, tables: Sequence[Entry]) -> list[str]:
        """Return the places of tables, when it is not all of them."""
        return [] if len(tables) == len(self.tables) else [self.places[id(table)] for table in tables]


def place_of(sheet: str | None, area: str | None) -> str:
    """Return where a table is, in words."""
    return " ".join(cut(part) for part in (sheet, area) if part) or "the table"


def wanted_columns(table: Entry) -> list[Entry]:
    """Return the columns of a table without those the configuration leaves out or makes rows of."""
    return [column for column in table["columns"] if column["reason"] not in _KNOWN]


def unknown_headers(tables: Sequence[Entry]) -> list[str]:
    """Return the headers of columns that are no field."""
    found = (column["header"] for table in tables for column in wanted_columns(table) if column["target"] is None)
    return [header for header in dict.fromkeys(found) if header]


def candidates(tables: Sequence[Entry], fields: Sequence[str]) -> list[str]:
    """Return the headers of columns that are likely to be one of the fields."""
    found = [
        column["header"]
        for table in tables
        for column in table["columns"]
        if any(suggestion["field"] in fields for suggestion in column["suggestions"])
    ]
    return [header for header in dict.fromkeys(found) if header]

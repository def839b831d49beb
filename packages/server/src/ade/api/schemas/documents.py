"""Documents, over the wire."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from ade.api.schemas.base import Answer, Body, Id, Name, Text
from ade.database.views.run_lists import ListedRun
from ade.domain.run import RunStatus
from ade.domain.verdict import Verdict
from ade.operations.content import documents

MOST_LISTED_SHEETS = 10


class Sheet(Answer):
    """A sheet of a document."""

    index: int
    name: str | None = Field(description="null for formats without sheets, such as csv.")
    visibility: Literal["visible", "hidden", "very_hidden"] = "visible"
    is_active: bool = False


class NewestRun(Answer):
    """What the newest run of a document came to: neither cancelled, nor a test run of a draft."""

    id: Id
    status: RunStatus
    verdict: Verdict | None
    verdict_reason: str | None

    @classmethod
    def of(cls, row: ListedRun | None) -> "NewestRun | None":
        """Return a run as documents name it."""
        if row is None:
            return None
        return cls(
            id=row.id,
            status=RunStatus(row.status),
            verdict=Verdict(row.verdict) if row.verdict and row.status == RunStatus.SUCCEEDED else None,
            verdict_reason=row.verdict_reason if row.status == RunStatus.SUCCEEDED else None,
        )


class Document(Answer):
    """A file someone uploaded."""

    id: Id
    workspace_id: Id
    name: str = Field(examples=["members.xlsx"])
    media_type: str
    size_bytes: int
    sha256: str
    sheets: list[Sheet] = Field(description=f"In lists the first {MOST_LISTED_SHEETS}.")
    sheet_count: int
    encoding: str | None = Field(description="The encoding chosen for its text; null: it is detected.")
    tags: list[str]
    duplicate_of: str | None = Field(description="An older document of the workspace with the same bytes.")
    produced_by: str | None = Field(description="The run whose output it is.")
    newest_run: NewestRun | None = Field(None, description="In lists: the outcome of its newest run.")
    created_by: str | None
    created_at: datetime
    links: dict[str, str]

    @classmethod
    def of(cls, document: documents.Document, *, most_sheets: int | None = None) -> "Document":
        """Return a document over the wire, with all of its sheets or the first ones."""
        row = document.row
        address = f"/api/v1/documents/{row.id}"
        return cls.from_row(
            row,
            sheets=[Sheet.model_validate(sheet) for sheet in row.sheets[:most_sheets]],
            sheet_count=len(row.sheets),
            tags=document.tags,
            duplicate_of=document.duplicate_of,
            newest_run=NewestRun.of(document.newest_run),
            links={"self": address, "content": f"{address}/content", "cells": f"{address}/cells"},
        )


class Documents(Answer):
    """Several documents that were uploaded together."""

    items: list[Document]


class DocumentChange(Body):
    """What to change of a document; what is left out stays."""

    name: Name | None = None
    tags: list[Text] | None = Field(None, max_length=50, examples=[["2026", "members"]])
    encoding: Text | None = Field(
        None, max_length=40, description='Encoding of a csv document; "auto": detect it.', examples=["cp1250"]
    )


class Tag(Answer):
    """A tag and how many documents have it."""

    tag: str
    document_count: int


class Tags(Answer):
    """The tags in use."""

    items: list[Tag]


def _without_default(schema: dict[str, Any]) -> None:
    """Leave the default out, so that clients do not expect the key in every answer."""
    del schema["default"]


class Cell(Answer):
    """What a cell holds; dates and times are ISO 8601, whole numbers beyond 2^53 are text."""

    type: Literal["text", "number", "boolean", "date", "datetime", "time", "duration", "error"]
    value: str | bool | int | float
    is_cut: bool = Field(
        default=False,
        exclude_if=lambda is_cut: not is_cut,  # almost no cell is
        json_schema_extra=_without_default,
        description="Whether the text is longer than shown here; left out if it is not.",
    )


class CellRow(Answer):
    """A row that has at least one cell; `cells` starts at the first column of the range."""

    row: int
    is_hidden: bool
    cells: list[Cell | None]


class SheetName(Answer):
    """Which sheet it is."""

    index: int
    name: str | None


class SeenColumn(Answer):
    """A column of a table that was found."""

    column: str = Field(examples=["B"])
    header: str


class SeenTable(Answer):
    """A table that was found, and what its special rows are; the others hold data."""

    range: str = Field(examples=["A3:F20"])
    columns: list[SeenColumn]
    header_rows: list[int]
    title_rows: list[int]
    totals_rows: list[int]
    note_rows: list[int]
    group_rows: list[int]
    repeated_header_rows: list[int]
    score: float
    margin: float = Field(description="The lead over the next best choice of header rows.")


class Structure(Answer):
    """The tables of a sheet, to lay over its cells."""

    sheet: SheetName
    tables: list[SeenTable]

    @classmethod
    def of(cls, found: dict[str, Any]) -> "Structure":
        """Return the model of what the engine found."""
        return cls.model_validate(found)


class FoundCells(Answer):
    """Cells that contain a text, in reading order."""

    items: list[str] = Field(examples=[["C7", "D9"]])
    next_row: int | None = Field(description="The row from which to continue the search; null: the search is complete.")
    searched_to: int | None = Field(
        description="The last row that can be searched, if the sheet is too large to be searched completely."
    )


class InferredField(Answer):
    """A field that a configuration would get from a document, and what the document has of it."""

    name: str = Field(examples=["member_id"])
    label: str = Field(examples=["Member ID"])
    type: str | None = Field(description="null: values stay unchanged.")
    kind: str | None = Field(description="The kind of most values, such as email.")
    day_first: bool | None
    required: bool
    unique: bool
    aliases: list[str]
    value_count: int
    filled_count: int
    different_count: int
    samples: list[Cell]


class InferredFields(Answer):
    """The fields of a document, in the order of its columns."""

    items: list[InferredField]

    @classmethod
    def of(cls, found: dict[str, Any]) -> "InferredFields":
        """Return the model of what the engine found."""
        return cls.model_validate({"items": found["fields"]})


class Cells(Answer):
    """The cells of a range; rows without any are left out."""

    sheet: SheetName
    range: str = Field(examples=["A1:H50"])
    rows: list[CellRow]
    merged: list[str]
    hidden_columns: list[int]
    has_more_rows: bool
    last_row: int | None = Field(default=None, description="The last row of the sheet; null while it is being read.")
    is_whole: bool = Field(
        default=True, description="False: the sheet continues after last_row, and is too large to be shown completely."
    )
    encoding: str | None = Field(default=None, description="The encoding a csv document was read in.")
    other_encoding: str | None = Field(default=None, description="An encoding that is almost as likely.")

    @classmethod
    def of(cls, found: dict[str, Any]) -> "Cells":
        """Return the model of what the engine found."""
        return cls.model_validate(found)

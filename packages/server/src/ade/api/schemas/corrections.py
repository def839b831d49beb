"""Corrections, over the wire."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from ade.api.schemas.base import Body, Id, Number, Priority, Reason, Text
from ade_engine.cells import is_cell_of_sheet, parse_range

Label = Annotated[Text, Field(min_length=1, max_length=1000)]
FieldName = Annotated[Text, Field(min_length=1, max_length=200)]
Kept = Annotated[bool | None, Field(description="Without a field: kept unchanged, and no longer unknown.")]
OnSheet = Annotated[Label | None, Field(description="Only on this sheet; by default on all.")]
Type = Literal["text", "integer", "number", "money", "percent", "date", "datetime", "time", "boolean"]
Value = Annotated[Text, Field(max_length=1000)] | Annotated[float, Field(allow_inf_nan=False)] | bool | None


class HeaderCorrection(Body):
    """Columns of a header are a field, or left out."""

    kind: Literal["header"]
    header: Label
    sheet: OnSheet = None
    field: FieldName | None = Field(description="null: the columns are left out, or kept.")
    kept: Kept = None


class ColumnCorrection(Body):
    """A column is a field whatever its header, or left out; in a table that is turned, a row by its number."""

    kind: Literal["column"]
    column: Annotated[str, Field(pattern="^([A-Z]{1,3}|[1-9][0-9]{0,6})$", examples=["C"])]
    sheet: OnSheet = None
    field: FieldName | None = Field(description="null: the column is left out, or kept.")
    kept: Kept = None


class ValueCorrection(Body):
    """A value of a field is replaced, is right as it is, or has its rows left out."""

    kind: Literal["value"]
    field: FieldName
    value: Label = Field(description="The value as it is written in documents.")
    new: Value = Field(default=None, description="null: the cell is made empty.")
    outcome: Literal["accept", "drop"] | None = Field(
        default=None, description="accept: the value is correct. drop: its rows are left out. null: it is replaced."
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> "ValueCorrection":
        if (self.outcome is None) != ("new" in self.model_fields_set):
            raise ValueError("needs either new or outcome")
        return self


class SheetCorrection(Body):
    """A sheet is not read, or read again."""

    kind: Literal["sheet"]
    sheet: Label
    ignored: bool = True


class RowCorrection(Body):
    """A row is of a type: a header, data, a total."""

    kind: Literal["row"]
    row: Number
    sheet: OnSheet = None
    label: Literal["title", "header", "group", "data", "total", "note", "blank"]


class CellCorrection(Body):
    """A cell of one document holds another value. It is converted and validated like any value of its field."""

    kind: Literal["cell"]
    cell: Annotated[
        str | None, Field(pattern="^[A-Z]{1,3}[1-9][0-9]{0,6}$", examples=["C7"], description="Of the document.")
    ] = None
    row: Annotated[Number | None, Field(description="Row of the document, if the value comes from no cell.")] = None
    field: Annotated[
        FieldName | None, Field(description="With row: the field whose value is replaced, after its rules.")
    ] = None
    sheet: Annotated[Label | None, Field(description="Sheet of the document; by default its only one.")] = None
    new: Value = Field(description="null: the cell is made empty.")
    found: Value = Field(
        default=None,
        description="The value of the cell when it was corrected. If it is given and the document has another value,"
        " the cell is left unchanged, with an issue.",
    )

    @model_validator(mode="after")
    def _names_one_place(self) -> "CellCorrection":
        given = {name for name in ("cell", "row", "field") if getattr(self, name) is not None}
        if given not in ({"cell"}, {"row", "field"}):
            raise ValueError("needs either cell, or row and field")
        if self.cell is not None and not is_cell_of_sheet(self.cell):
            raise ValueError(f"{self.cell} is no cell of a sheet")
        return self


class RangeCorrection(Body):
    """A rectangle of cells is one table, in place of every table that was found in any of them."""

    kind: Literal["range"]
    range: Annotated[str, Field(pattern="^[A-Z]{1,3}[1-9][0-9]{0,6}:[A-Z]{1,3}[1-9][0-9]{0,6}$", examples=["B4:F20"])]
    sheet: OnSheet = None
    header_rows: Annotated[int, Field(ge=0, le=100, description="How many of its first rows are the header.")]
    transposed: bool | None = Field(
        default=None,
        description="true: the fields are rows, and header_rows is the number of first columns that hold their names.",
    )

    @model_validator(mode="after")
    def _is_drawn_from_its_corner(self) -> "RangeCorrection":
        place = parse_range(self.range)
        if place.a1 != self.range:
            raise ValueError(f"range must begin at its upper left corner: {place.a1}")
        rows, columns = place.last_row - place.first_row + 1, place.last_column - place.first_column + 1
        if self.header_rows > (columns if self.transposed else rows):
            sides = "columns" if self.transposed else "rows"
            raise ValueError(f"header_rows must be no more than the range has {sides}")
        return self


class FieldCorrection(Body):
    """A field has another type, or another order of day and month."""

    kind: Literal["field"]
    field: FieldName
    type: Type | None = None
    day_first: bool | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "FieldCorrection":
        if self.type is None and self.day_first is None:
            raise ValueError("needs type or day_first")
        return self


class NewFieldCorrection(Body):
    """A field that the configuration has no rules for."""

    kind: Literal["new_field"]
    field: Annotated[FieldName, Field(examples=["member_since"])]
    label: Label
    type: Type | None = None

    @field_validator("field")
    @classmethod
    def _is_name(cls, name: str) -> str:
        if not name.isidentifier() or name != name.lower() or name.startswith("_"):
            raise ValueError("must be a name such as member_since")
        return name


Correction = Annotated[
    HeaderCorrection
    | ColumnCorrection
    | ValueCorrection
    | SheetCorrection
    | RowCorrection
    | CellCorrection
    | RangeCorrection
    | FieldCorrection
    | NewFieldCorrection,
    Field(discriminator="kind"),
]
Corrections = Annotated[list[Correction], Field(max_length=200)]


def _of_no_single_cell(corrections: Corrections) -> Corrections:
    """Refuse corrections of cells among those that apply from now on: the next document has something else there."""
    if any(one.kind == "cell" for one in corrections):
        raise ValueError(
            "a cell correction is for one document: send it in only_this_document, or run the document again"
        )
    return corrections


LastingCorrections = Annotated[Corrections, AfterValidator(_of_no_single_cell)]


class CorrectedRun(Body):
    """Corrections that apply from now on, and the document to run with them."""

    input_document_id: Id
    corrections: LastingCorrections = Field(default_factory=list)
    undone: list[Id] = Field(default_factory=list, max_length=200, description="Ids of corrections to undo.")
    only_this_document: Corrections = Field(
        default_factory=list, description="Further corrections for this document only; they apply to the run."
    )
    earlier_run_id: Id | None = Field(
        None, description="A run of the document; its corrections for this document apply too."
    )
    accepts_proposal_of: Id | None = Field(
        None, description="A run with a proposal of an operator, which is accepted with this request."
    )
    note: Reason | None = Field(None, description="Of the new version.")
    priority: Priority = "high"
    skip_tests: Annotated[
        bool, Field(description="Publish even if the cases of the configuration were not run with the corrections.")
    ] = False


class DraftCorrections(Body):
    """Corrections that a draft is started with, to test them before they are published."""

    input_document_id: Id | None = Field(
        None, description="The document that led to them; not needed to undo corrections."
    )
    corrections: LastingCorrections = Field(default_factory=list)
    undone: list[Id] = Field(default_factory=list, max_length=200, description="Ids of corrections to undo.")
    note: Reason | None = None

    @model_validator(mode="after")
    def _names_a_document(self) -> "DraftCorrections":
        if self.corrections and self.input_document_id is None:
            raise ValueError("corrections need input_document_id")
        return self


def plain(corrections: Corrections) -> list[dict[str, Any]]:
    """Return corrections as they are kept: without what is not said."""
    optional = ("sheet", "type", "day_first", "kept", "outcome", "cell", "row", "transposed")
    return [
        {
            key: value
            for key, value in one.model_dump().items()
            if not (value is None and key in optional)
            and not (value is None and key == "field" and one.kind == "cell")
            and not (key in ("new", "found") and key not in one.model_fields_set)
        }
        for one in corrections
    ]

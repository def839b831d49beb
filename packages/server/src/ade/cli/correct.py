"""ade correct: what a person decides about documents, kept in the configuration as data."""

from getpass import getuser
from pathlib import Path
from typing import Annotated, Any

import typer

from ade.cli.output import printable, refuse
from ade.clock import SystemClock, as_text
from ade.ids import new_id

correct = typer.Typer(no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(help="Configuration folder.", exists=True, file_okay=False)]
FieldName = Annotated[str | None, typer.Argument(help="The field; without it, the column is left out.")]
Sheet = Annotated[str | None, typer.Option(help="Only on this sheet.")]
Keep = Annotated[bool, typer.Option("--keep", help="Without a field: keep the column unchanged.")]
Document = Annotated[str | None, typer.Option(help="Name of the document that led to it.")]


@correct.command("header")
def correct_header(
    folder: Folder,
    header: Annotated[str, typer.Argument(help="A header.")],
    field: FieldName = None,
    sheet: Sheet = None,
    is_kept: Keep = False,
    document: Document = None,
) -> None:
    """Map columns with a header to a field, leave them out, or keep them unchanged."""
    _add(
        folder,
        {"kind": "header", "header": header, "sheet": sheet, "field": field, **_kept(field, is_kept=is_kept)},
        document,
    )


@correct.command("column")
def correct_column(
    folder: Folder,
    column: Annotated[str, typer.Argument(help="Letters of a column, such as C.")],
    field: FieldName = None,
    sheet: Sheet = None,
    is_kept: Keep = False,
    document: Document = None,
) -> None:
    """Map a column to a field by its position, leave it out, or keep it unchanged."""
    _add(
        folder,
        {"kind": "column", "column": column.upper(), "sheet": sheet, "field": field, **_kept(field, is_kept=is_kept)},
        document,
    )


@correct.command("value")
def correct_value(
    folder: Folder,
    field: Annotated[str, typer.Argument(help="The field.")],
    value: Annotated[str, typer.Argument(help="A value as it is written in documents.")],
    new: Annotated[str | None, typer.Argument(help="The new value; without it, the cell is made empty.")] = None,
    is_accepted: Annotated[bool, typer.Option("--accept", help="Accept the value: report no issue.")] = False,
    are_rows_dropped: Annotated[bool, typer.Option("--drop-rows", help="Leave out its rows.")] = False,
    document: Document = None,
) -> None:
    """Replace a value of a field, accept it, or leave out its rows."""
    if [new is not None, is_accepted, are_rows_dropped].count(True) > 1:
        refuse("Give only one of a new value, --accept and --drop-rows.")
    outcome = {"outcome": "accept"} if is_accepted else {"outcome": "drop"} if are_rows_dropped else {"new": new}
    _add(folder, {"kind": "value", "field": field, "value": value, **outcome}, document)


@correct.command("sheet")
def correct_sheet(
    folder: Folder,
    sheet: Annotated[str, typer.Argument(help="Name of a sheet.")],
    is_read: Annotated[bool, typer.Option("--read", help="Read it again.")] = False,
    document: Document = None,
) -> None:
    """Leave a sheet out."""
    _add(folder, {"kind": "sheet", "sheet": sheet, "ignored": not is_read}, document)


@correct.command("row")
def correct_row(
    folder: Folder,
    row: Annotated[int, typer.Argument(help="Number of a row of the sheet.", min=1)],
    label: Annotated[str, typer.Argument(help="header, data, group, total, title, note or blank.")],
    sheet: Sheet = None,
    document: Document = None,
) -> None:
    """Declare what a row is: a header, data, a total."""
    _add(folder, {"kind": "row", "row": row, "sheet": sheet, "label": label}, document)


@correct.command("cell")
def correct_cell(
    folder: Folder,
    cell: Annotated[str, typer.Argument(help="A cell of the document, such as C7; with --field, the number of a row.")],
    new: Annotated[str | None, typer.Argument(help="The new value; without it, the cell is made empty.")] = None,
    *,
    document: Annotated[str, typer.Option(help="Name of the document; the correction applies to no other.")],
    field: Annotated[str | None, typer.Option(help="The field of the row, if its value comes from no cell.")] = None,
    found: Annotated[str | None, typer.Option(help="The current value; any other value is left unchanged.")] = None,
    sheet: Annotated[str | None, typer.Option(help="The sheet; without it, the only one.")] = None,
) -> None:
    """Replace the value of a cell in one document."""
    if field is not None and not (cell.isascii() and cell.isdecimal()):
        refuse(f"With --field, give the number of a row instead of {cell}.")
    place = {"cell": cell.upper()} if field is None else {"row": int(cell), "field": field}
    given = {} if found is None else {"found": found}
    _add(folder, {"kind": "cell", **place, "sheet": sheet, "new": new, **given}, document)


@correct.command("range")
def correct_range(
    folder: Folder,
    place: Annotated[str, typer.Argument(metavar="RANGE", help="A rectangle of cells, such as B4:F20.")],
    header_rows: Annotated[int, typer.Option(min=0, max=100, help="How many of its first rows are the header.")] = 1,
    transposed: Annotated[
        bool, typer.Option("--transposed", help="The fields are rows; --header-rows counts columns of names.")
    ] = False,
    sheet: Sheet = None,
    document: Document = None,
) -> None:
    """Set the range of a table; it replaces every table found in the range."""
    from ade_engine.cells import parse_range

    try:
        name = parse_range(place).a1
    except ValueError:
        refuse(f"{place} is not a range such as B4:F20.")
    turned = {"transposed": True} if transposed else {}
    _add(folder, {"kind": "range", "range": name, "sheet": sheet, "header_rows": header_rows, **turned}, document)


@correct.command("field")
def correct_field(
    folder: Folder,
    field: Annotated[str, typer.Argument(help="The field.")],
    type_: Annotated[str | None, typer.Option("--type", help="The type to which its values are converted.")] = None,
    day_first: Annotated[bool | None, typer.Option("--day-first/--month-first", help="How to read 03/04/2024.")] = None,
    document: Document = None,
) -> None:
    """Give a field another type, or another order of day and month."""
    given = {"type": type_, "day_first": day_first}
    chosen = {key: value for key, value in given.items() if value is not None}
    _add(folder, {"kind": "field", "field": field, **chosen}, document)


@correct.command("add-field")
def add_field(
    folder: Folder,
    field: Annotated[str, typer.Argument(help="Its name, such as member_since.")],
    label: Annotated[str, typer.Argument(help="Its header in the result.")],
    type_: Annotated[str | None, typer.Option("--type", help="The type to which its values are converted.")] = None,
    document: Document = None,
) -> None:
    """Add a field that has no rules of its own."""
    given = {} if type_ is None else {"type": type_}
    _add(folder, {"kind": "new_field", "field": field, "label": label, **given}, document)


@correct.command("list")
def list_corrections(folder: Folder) -> None:
    """List the corrections in force."""
    from ade_engine.configuration.corrections_file import read_corrections
    from ade_engine.corrections import in_force, in_words

    entries, problems = read_corrections(folder)
    for problem in problems:
        refuse(str(problem))
    for entry in in_force(entries):
        at, by = str(entry.get("at") or ""), entry.get("by") or "-"
        typer.echo(printable(f"{entry['id']}  {at[:10]}  {by}  {in_words(entry)}"))


@correct.command("undo")
def undo(
    folder: Folder, correction: Annotated[str, typer.Argument(help="Id of a correction: ade correct list FOLDER.")]
) -> None:
    """Undo a correction; an earlier one that it replaced is in force again."""
    from ade_engine.configuration.corrections_file import undo_correction
    from ade_engine.corrections import in_words
    from ade_engine.errors import ConfigurationError

    try:
        taken = undo_correction(folder, correction)
    except ConfigurationError as error:
        refuse(str(error))
    typer.echo(printable(f"Undone: {in_words(taken)}"))


def _kept(field: str | None, *, is_kept: bool) -> dict[str, Any]:
    if is_kept and field is not None:
        refuse("A column is given to a field or kept unchanged, not both.")
    return {"kept": True} if is_kept else {}


def _add(folder: Path, entry: dict[str, Any], document: str | None) -> None:
    """Add a correction, unless the configuration would be wrong with it."""
    from ade_engine.configuration.check import static_problems  # which executes no rule
    from ade_engine.configuration.corrections_file import FILE, add_correction, undo_correction
    from ade_engine.corrections import in_words
    from ade_engine.errors import ConfigurationError

    at = as_text(SystemClock().now().replace(microsecond=0))
    made = {"id": new_id(), **entry, "by": getuser(), "at": at, "document": document}
    try:
        add_correction(folder, made)
    except ConfigurationError as error:
        refuse(str(error))
    wrong = [problem for problem in static_problems(folder) if problem.file == FILE]
    if wrong:
        undo_correction(folder, made["id"])
        refuse(str(wrong[0]))
    typer.echo(printable(f"{made['id']}  {in_words(made)}"))

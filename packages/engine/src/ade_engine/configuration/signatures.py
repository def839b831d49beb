"""Which functions a configuration may define, and what each may ask for."""

from __future__ import annotations

from ade_engine.records import record

FOLDERS = ("columns", "row_types", "hooks")
LABELS = ("title", "header", "group", "data", "total", "note", "blank")
_ABOUT_COLUMN = ("column", "table", "field", "context")
_ABOUT_CELL = ("value", "row", "source", *_ABOUT_COLUMN)


@record
class Signature:
    """What a function may ask for, what it must ask for at least one of, and what it gives back."""

    parameters: tuple[str, ...]
    needs: tuple[str, ...]
    returns: str  # number, value, values, message, messages, choice, condition, rows, nothing


_COLUMN_FUNCTIONS = {
    "detect_*": Signature(_ABOUT_COLUMN, ("column", "table"), "number"),
    "combine": Signature(("values", "field", "context"), ("values",), "value"),
    "transform": Signature(_ABOUT_CELL, (), "value"),
    "transform_column": Signature(("values", *_ABOUT_COLUMN), ("values",), "values"),
    "validate": Signature(_ABOUT_CELL, ("value", "row", "source"), "message"),
    "validate_column": Signature(("values", *_ABOUT_COLUMN), ("values",), "messages"),
    "validate_*": Signature(_ABOUT_CELL, ("value", "row", "source"), "message"),
}
_ROW_FUNCTIONS = {"detect_*": Signature(("row", "sheet", "context"), ("row",), "number")}
_HOOKS = {
    "on_workbook_start": Signature(("workbook", "context"), (), "nothing"),
    "on_sheet_start": Signature(("sheet", "context"), (), "choice"),
    "on_table_start": Signature(("table", "context"), (), "choice"),
    "on_table_mapped": Signature(("table", "mapping", "context"), (), "nothing"),
    "expand": Signature(("row", "table", "context"), ("row",), "rows"),
    "keep": Signature(("row", "source", "table", "context"), ("row", "source"), "condition"),
    "before_write": Signature(("table", "output", "context"), (), "nothing"),
    "on_table_end": Signature(("table", "summary", "context"), (), "message"),
    "on_workbook_end": Signature(("workbook", "summary", "context"), (), "nothing"),
}
FUNCTIONS = {"columns": _COLUMN_FUNCTIONS, "row_types": _ROW_FUNCTIONS, "hooks": _HOOKS}
HOOKS = tuple(_HOOKS)


def signature_of(folder: str, name: str) -> Signature | None:
    """Return the signature a function of this name has in this folder, or None when the name means nothing there."""
    known = FUNCTIONS[folder]
    if name in known:
        return known[name]
    prefix = name.split("_", 1)[0] + "_*"
    return known.get(prefix) if len(name) > len(prefix) - 1 else None

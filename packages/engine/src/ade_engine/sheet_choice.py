"""Chooses the sheets a run reads.

Hidden sheets hold lists for drop-downs, caches and old data more often than records, so they are listed and not read,
unless the settings say otherwise or somebody names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ade_engine.errors import InputError
from ade_engine.readers.base import SheetInfo

Choice = str | Sequence[str]


def chosen_sheets(
    sheets: Sequence[SheetInfo], choice: Choice, *, reads_hidden: bool
) -> Iterator[tuple[SheetInfo, bool]]:
    """Yield the sheets asked for, in the order of the workbook, each with whether it is read."""
    wanted = _wanted(sheets, choice)
    is_named = choice not in ("all", "active")
    for info in wanted:
        yield info, is_named or reads_hidden or info.visibility == "visible"


def _wanted(sheets: Sequence[SheetInfo], choice: Choice) -> Sequence[SheetInfo]:
    if choice == "all":
        return sheets
    if choice == "active":
        visible = [info for info in sheets if info.visibility == "visible"]
        return ([info for info in sheets if info.is_active] or visible or list(sheets))[:1]
    wanted = [choice] if isinstance(choice, str) else list(choice)
    known = [info.name for info in sheets]
    for name in wanted:
        if name not in known:
            raise InputError(f'The document has no sheet "{name[:31]}"{_those_it_has(known)}', cause="no_sheet")
    return [info for info in sheets if info.name in wanted]


def _those_it_has(names: Sequence[str | None]) -> str:
    named = [f'"{name}"' for name in names if name is not None]
    if not named:
        return ", nor any other: leave the choice of sheets out."
    return f"; it has {', '.join(named[:5])}{' and more' if len(named) > 5 else ''}."

"""The view of an output that an address requests: sorted, or only some of its rows."""

from typing import Annotated, Any, Literal

from fastapi import Depends, Query
from pydantic import StringConstraints

from ade_engine.cells import parse_cell

MOST_CONDITIONS = 20
Letters = Annotated[str, StringConstraints(pattern="^[A-Z]{1,3}$")]
Condition = Annotated[str, StringConstraints(pattern="^[A-Z]{1,3}:[^\r\n]{0,200}$")]
OF_COLUMN = "A column and a text, such as C:Leeds. Case does not matter; several conditions must all be met."


def output_view(
    sort: Annotated[Letters | None, Query(description="A column; rows without a value in it come last.")] = None,
    contains: Annotated[
        list[Condition],
        Query(max_length=MOST_CONDITIONS, description=f"Only rows with a text in a column. {OF_COLUMN}"),
    ] = [],  # noqa: B006 - fastapi copies it
    equals: Annotated[
        list[Condition],
        Query(
            max_length=MOST_CONDITIONS,
            description=f"Only rows with exactly this text in a column; `C:` means an empty cell. {OF_COLUMN}",
        ),
    ] = [],  # noqa: B006 - as above
    only: Annotated[
        Literal["issues", "changes"] | None,
        Query(description="Only rows with issues of cells, or with values that differ from the document."),
    ] = None,
    *,
    descending: Annotated[bool, Query(description="The largest first.")] = False,
) -> dict[str, Any] | None:
    """Return what is looked at as the reader takes it; None for the output as it is."""
    conditions = [
        [_column(one.partition(":")[0]), is_equal, one.partition(":")[2]]
        for found, is_equal in ((contains, False), (equals, True))
        for one in found
    ]
    if sort is None and not conditions and only is None:
        return None
    column = _column(sort) if sort is not None else None
    return {"sort": column, "is_descending": descending, "conditions": conditions, "only": only}


def _column(letters: str) -> int:
    return parse_cell(f"{letters}1")[1]


OutputView = Annotated[dict[str, Any] | None, Depends(output_view)]

"""What readers of workbooks report about a sheet as a whole."""

from __future__ import annotations

from ade_engine.issues import Finding

NOT_A_DATE = Finding(
    "cell.not_a_date",
    "warning",
    "cells are formatted as dates, but the calendar has no day for their number; they are read as numbers",
)
UNKNOWN_CHARACTERS = Finding(
    "text.unknown_characters",
    "warning",
    "texts hold bytes that are not valid in the encoding of the workbook; each is read as a replacement character",
)

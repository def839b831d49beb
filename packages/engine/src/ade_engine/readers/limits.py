"""How much a document may ask for before a reader refuses it."""

from __future__ import annotations

from ade_engine.records import record

MIB = 1024 * 1024

LAST_ROW = 1_048_576
LAST_COLUMN = 16_384


@record(kw_only=True)
class ReadLimits:
    """Bounds of one document. Each one refuses with an InputError that names it."""

    file_bytes: int = 1024 * MIB
    entries: int = 20_000
    """Members of a zip container."""
    unpacked_bytes: int = 4096 * MIB
    """All members of a zip container together, as the container states their sizes."""
    part_bytes: int = 4096 * MIB
    """One inflated member of a zip container."""
    small_part_bytes: int = 64 * MIB
    """Styles, relationships and the workbook part, which are parsed with their nesting."""
    ratio: int = 400
    """Inflated to deflated bytes; asked from `ratio_free_bytes` on, because small parts may be very regular."""
    ratio_free_bytes: int = 32 * MIB
    row_bytes: int = 64 * MIB
    """The text of one row."""
    line_characters: int = 16 * MIB
    """One line of a delimited text file, and one record of several lines: each of its cells is an object."""
    cells: int = 100_000_000
    """Cells of one sheet, counted up to the last filled column of each row."""
    merged_ranges: int = 250_000
    string_bytes: int = 1000 * MIB
    """All shared strings of a workbook."""
    string_memory_bytes: int = 48 * MIB
    """Shared strings kept in memory; what goes beyond waits in a temporary file."""
    columns: int = LAST_COLUMN
    rows: int = LAST_ROW
    unordered_cells: int = 4_000_000
    """Cells of an xls sheet whose rows are not in order: they are held to be sorted."""
    repeated_cells: int = 4_000_000
    """Cells of an ods sheet that are not written, but stand for a repetition of others."""


DEFAULT_LIMITS = ReadLimits()

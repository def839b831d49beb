"""The formats of documents that are read: their names, media types and file suffixes.

The content of a file decides what it is, never its name; suffixes only help people and programs to choose files.
"""

from __future__ import annotations

from ade_engine.records import record


@record
class Format:
    """One format of documents."""

    name: str
    media_type: str
    suffixes: tuple[str, ...]


FORMATS = (
    Format("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", (".xlsx", ".xltx")),
    Format("xlsm", "application/vnd.ms-excel.sheet.macroEnabled.12", (".xlsm", ".xltm")),
    Format("xlsb", "application/vnd.ms-excel.sheet.binary.macroEnabled.12", (".xlsb",)),
    Format("xls", "application/vnd.ms-excel", (".xls", ".xlt")),
    Format("ods", "application/vnd.oasis.opendocument.spreadsheet", (".ods",)),
    Format("csv", "text/csv", (".csv", ".txt")),
    Format("tsv", "text/tab-separated-values", (".tsv", ".tab")),
)
SUFFIXES = tuple(suffix for one in FORMATS for suffix in one.suffixes)
MEDIA_TYPES = {one.name: one.media_type for one in FORMATS}

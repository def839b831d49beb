"""A look into a document or a configuration without running anything of the user's.

The server asks one question per process, which is shut in like a run: documents come from strangers. The options of the
request name the question; the answer is a file of the output folder.

    sheets     the sheets of a document
    tables     the tables the built-in rules find on a sheet, with their header and other rows
    index      writes a sheet so that any of its rows is found at once (sheet_index.py)
    view       the same of an output with its rows sorted, or only some of them (sheet_view.py)
    check      what is wrong with a configuration, as far as reading it shows
    values     what the cells hold that a run has issues of, counted
    starter    writes a first configuration
    fields     the fields that a document has, with what it has of each
    infer      writes a configuration with the fields of a document, all or those that were chosen
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ade_engine.cells import column_letters
from ade_engine.errors import ConfigurationError, EngineError, InputError
from ade_engine.protocol import ANSWER, ISSUES, LOOKED_AT, MOST_ANSWER_BYTES, MOST_INDEX_BYTES, Request
from ade_engine.sheet_index import lines_of, write_index
from ade_engine.shown import LONGEST_TEXT

MOST_SHEETS_BYTES = 64 * 1024  # they are kept with the document and part of every list
MOST_TABLES = 200
MOST_ROWS = 1000  # of one kind that are listed
MOST_MERGED = 10_000


def look(request: Request) -> dict[str, Any]:
    """Answer one question and write the answer to the output folder; an error of ours is an answer too."""
    options = dict(request.options)
    question = options.pop("question")
    try:
        answer = _QUESTIONS[question](request, **options)
    except EngineError as error:
        answer = _refusal(error.code, getattr(error, "cause", None), str(error))
    except (MemoryError, RecursionError):
        answer = _too_large("Reading it needs more memory than a preview may use. A run may use more.")
    except Exception as error:  # noqa: BLE001 - a message may quote a cell, and the answer goes to a log
        answer = _refusal("internal_error", None, f"{type(error).__name__} at {_place_of(error)}")
    content = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    if len(content) > (MOST_SHEETS_BYTES if question == "sheets" else MOST_ANSWER_BYTES):
        answer = _too_large("The document has more sheets or columns than can be listed. Split it into several.")
        content = json.dumps(answer).encode()
    (Path(request.output_folder) / ANSWER).write_bytes(content)
    return answer


def _refusal(code: str, cause: str | None, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "cause": cause, "message": message}}


def _too_large(message: str) -> dict[str, Any]:
    return _refusal("resource_limit", "too_large", message)


def _place_of(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _sheets(request: Request, unpacked_bytes: int | None = None, encoding: str | None = None) -> dict[str, Any]:
    """Return the format and the sheets of a document, which may unpack to this many bytes."""
    from ade_engine.readers import open_workbook
    from ade_engine.readers.limits import DEFAULT_LIMITS, ReadLimits

    limits = ReadLimits(unpacked_bytes=unpacked_bytes) if unpacked_bytes else DEFAULT_LIMITS
    workbook = open_workbook(_document(request), limits=limits, encoding=encoding)
    try:
        listed = [
            {"index": info.index, "name": info.name, "visibility": info.visibility, "is_active": info.is_active}
            for info in workbook.sheets
        ]
        return {"format": workbook.format, "sheets": listed}
    finally:
        workbook.close()


def _tables(request: Request, sheet: int, encoding: str | None = None) -> dict[str, Any]:
    """Return the tables of one sheet as the built-in rules see them: where they are, and what each kind of row is."""
    from ade_engine.readers import open_workbook
    from ade_engine.structure import find_tables

    workbook = open_workbook(_document(request), encoding=encoding)
    try:
        info = _sheet(workbook, sheet)
        listed: list[dict[str, Any]] = []
        for table in find_tables(workbook.open_sheet(info)):
            table.skip()  # how far it reaches is known only then
            listed.append(_table(table))
            if len(listed) == MOST_TABLES:
                break
        return {"sheet": _named(info), "tables": listed}
    finally:
        workbook.close()


def _index(
    request: Request,
    sheet: int,
    first_row: int = 1,
    most_bytes: int = MOST_INDEX_BYTES,
    encoding: str | None = None,
) -> dict[str, Any]:
    """Write the index of a sheet, from a row on, into the output folder."""
    from ade_engine.readers import open_workbook
    from ade_engine.readers.base import encodings_of

    workbook = open_workbook(_document(request), encoding=encoding)
    try:
        info = _sheet(workbook, sheet)
        opened = workbook.open_sheet(info)
        about = {
            "sheet": _named(info),
            "merged": [span.a1 for span in sorted(opened.merged)[:MOST_MERGED]],
            "hidden_columns": sorted(opened.hidden_columns),
            **encodings_of(workbook),
        }
        folder = Path(request.output_folder)
        lines = lines_of(opened, first_row)
        return write_index(lines, folder, about=about, first_row=first_row, most_bytes=most_bytes)
    finally:
        workbook.close()


def _view(
    request: Request,
    sheet: int,
    table: int,
    view: dict[str, Any],
    first_row: int = 1,
    most_bytes: int = MOST_INDEX_BYTES,
    encoding: str | None = None,
) -> dict[str, Any]:
    """Write the index of a view of an output; the folder has the files of the run and its document."""
    from ade_engine.sheet_view import View, view_lines

    with view_lines(Path(_document(request)), sheet, View(**view), table=table, encoding=encoding) as (info, lines):
        about = {"sheet": _named(info), "merged": [], "hidden_columns": []}
        folder = Path(request.output_folder)
        return write_index(lines, folder, about=about, first_row=first_row, most_bytes=most_bytes)


def _document(request: Request) -> str:
    if request.input_path is None:
        raise InputError("The question is about a document, and none was named.", cause="not_found")
    return request.input_path


def _named(info: Any) -> dict[str, Any]:
    return {"index": info.index, "name": None if info.name is None else info.name[:LONGEST_TEXT]}


def _table(table: Any) -> dict[str, Any]:
    kinds = ("header_rows", "title_rows", "totals_rows", "note_rows", "group_rows", "repeated_header_rows")
    columns = [{"column": column_letters(one.position), "header": one.header[:LONGEST_TEXT]} for one in table.columns]
    rows = {kind: list(getattr(table, kind))[:MOST_ROWS] for kind in kinds}
    return {"range": table.range.a1, "columns": columns, **rows, "score": table.score, "margin": table.margin}


def _sheet(workbook: Any, number: int) -> Any:
    found = [info for info in workbook.sheets if info.index == number]
    if not found:
        raise InputError(f"The document has no sheet number {number}.", cause="no_such_sheet")
    return found[0]


def _values(request: Request, encoding: str | None = None) -> dict[str, Any]:
    """Return the values that the issues of a run are about, most frequent first; the folder has both files."""
    from ade_engine.issue_values import count_values

    folder = Path(_document(request))
    [document] = [path for path in folder.iterdir() if path.name != ISSUES]
    return count_values(document, folder / ISSUES, encoding=encoding)


def _check(request: Request) -> dict[str, Any]:
    """Return what reading a configuration finds wrong; nothing of it is executed."""
    from ade_engine.configuration.check import static_problems
    from ade_engine.configuration.problems import errors_of

    problems = sorted(static_problems(Path(request.configuration_path or "")))
    return {"is_valid": not errors_of(problems), "problems": [problem.as_json() for problem in problems]}


def _starter(request: Request, template: str) -> dict[str, Any]:
    """Write a first configuration and name its files."""
    from ade_engine.configuration.starter import init_configuration

    root = Path(request.output_folder) / LOOKED_AT
    return {"files": list(_relative(root, init_configuration(root, template)))}


def _fields(request: Request, encoding: str | None = None) -> dict[str, Any]:
    """Return the fields that a configuration would get from a document, with a few values of each."""
    from ade_engine.configuration.chosen_fields import described_fields
    from ade_engine.configuration.examples import example_tables
    from ade_engine.configuration.starter import example_fields

    tables = example_tables(_document(request), encoding=encoding)
    return {"fields": described_fields(example_fields(tables), tables)}


def _infer(
    request: Request, encoding: str | None = None, choices: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Write a configuration with the fields, types and names a document has, and name its files."""
    from ade_engine.configuration.check import static_problems
    from ade_engine.configuration.chosen_fields import chosen_fields
    from ade_engine.configuration.examples import example_tables
    from ade_engine.configuration.problems import errors_of
    from ade_engine.configuration.starter import example_fields, write_fields

    root = Path(request.output_folder) / LOOKED_AT
    tables = example_tables(_document(request), encoding=encoding)
    fields = example_fields(tables)
    if choices is not None:
        fields = chosen_fields(fields, choices)
    files = write_fields(root, fields, tables)
    if choices is not None and (wrong := errors_of(sorted(static_problems(root)))):
        raise ConfigurationError(f"{wrong[0].message[0].upper()}{wrong[0].message[1:]}.")
    return {"files": list(_relative(root, files))}


def _relative(root: Path, paths: list[Path]) -> Iterator[str]:
    return (path.relative_to(root).as_posix() for path in paths)


_QUESTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "sheets": _sheets,
    "tables": _tables,
    "index": _index,
    "view": _view,
    "check": _check,
    "values": _values,
    "starter": _starter,
    "fields": _fields,
    "infer": _infer,
}

"""What a run left behind: its artifact, its output, its issues, its log."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, SystemDependency
from ade.api.downloads import Sent, download
from ade.api.output_views import OutputView
from ade.api.paging import Cursor, decode, encode, whole
from ade.api.responses import binary
from ade.api.schemas.base import Page, Text
from ade.api.schemas.documents import Cells, FoundCells
from ade.api.schemas.runs import Combination, Issue, IssueCounts, IssueGroup, IssueValues
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.errors import DocumentTooLarge, FileMissing
from ade.operations.content import documents, inspection
from ade.operations.content.combining import combined_output, output_folders
from ade.operations.queue.free_disk import MIB
from ade.operations.views.issue_files import IssueFilter, count_issues, list_issues
from ade.operations.views.run_files import artifact_key, issues_key, log_key, output_key, output_names
from ade.operations.views.run_views import get_run_row
from ade.system import System
from ade_engine.protocol import ARTIFACT, ISSUES

router = APIRouter(tags=["runs"])
Viewer = Annotated[Access, requires(Role.VIEWER, "run")]
OUTPUT_TYPES = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
Table = Annotated[
    int, Query(ge=1, le=100_000, description="Which table, if the format has no sheets and each table has a file.")
]
LAST_ROW = 9_999_999
Row = Annotated[int | None, Query(ge=1, le=LAST_ROW, description="Only cells of these rows.")]
IssueWord = Annotated[str | None, Query(max_length=255, description="Only issues of this one.")]
Tail = Annotated[
    int | None, Query(ge=1, le=10_000_000, description="Only this many bytes from the end, starting with a whole line.")
]


@router.get(
    "/runs/{run_id}/artifact",
    response_class=Response,
    responses={
        200: {"description": "Every decision and its reasons.", "content": {"application/json": {"schema": {}}}}
    },
)
def get_artifact(run_id: PathId, request: Request, system: SystemDependency, access: Viewer) -> Response:
    """Return the artifact of a finished run."""
    key = system.database.read(lambda tx: artifact_key(tx, run_id))
    return download(request, system.files, key, media_type="application/json", name=ARTIFACT, is_shown=True)


@router.get(
    "/runs/{run_id}/output",
    response_class=Response,
    responses={200: binary("The normalised workbook.", *OUTPUT_TYPES.values()), 206: binary("A part.", "*/*")},
)
def get_output(
    run_id: PathId, request: Request, system: SystemDependency, access: Viewer, table: Table = 1
) -> Response:
    """Download the output of a run that succeeded: a workbook, or one of the files that hold a table each."""
    key, name = _output(system, run_id, table)
    return download(request, system.files, key, media_type=OUTPUT_TYPES[key.rpartition(".")[2]], name=name)


@router.post(
    "/workspaces/{workspace_id}/combined-output",
    response_class=Response,
    responses={200: binary("One document.", *OUTPUT_TYPES.values(), "application/zip")},
)
def combine_outputs(
    workspace_id: PathId,
    body: Combination,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
) -> Response:
    """Download the outputs of several runs as one document: tables of the same name become one.

    Formats without sheets have a file for each table; several come as a zip archive.
    """
    folders = system.database.read(lambda tx: output_folders(tx, body.run_ids, workspace_id=workspace_id))
    found = combined_output(
        system.files,
        folders,
        output_format=body.format,
        owner=access.owner,
        kept_free_bytes=system.settings.min_free_disk_mb * MIB,
    )
    media_type = OUTPUT_TYPES.get(found.name.rpartition(".")[2], "application/zip")
    headers = {
        "Content-Length": str(found.size_bytes),
        "Content-Disposition": f'attachment; filename="{found.name}"',
    }
    return Sent(found.read(), media_type=media_type, headers=headers)


@router.get("/runs/{run_id}/output/cells")
def get_output_cells(
    run_id: PathId,
    system: SystemDependency,
    access: Viewer,
    sheet: Annotated[int, Query(ge=0, le=10_000)] = 0,
    range: Annotated[  # noqa: A002 - its name over the wire
        str, Query(pattern="^[A-Za-z]{1,3}[0-9]{1,7}(:[A-Za-z]{1,3}[0-9]{1,7})?$")
    ] = "A1:Z100",
    view: OutputView = None,
) -> Cells:
    """Return cells of the output, to compare with those of the document.

    Where rows are sorted or filtered, the range counts the rows that are left, below the header, and each row of the
    answer has the number it has in the output.
    """
    stored, sheet = _output_sheet(system, access, run_id, sheet, view)
    return Cells.of(inspection.cells_of(stored, sheet=sheet, wanted=range))


@router.get("/runs/{run_id}/output/cells/find")
def find_output_cells(
    run_id: PathId,
    system: SystemDependency,
    access: Viewer,
    text: Annotated[Text, Query(min_length=1, max_length=200)],
    sheet: Annotated[int, Query(ge=0, le=10_000)] = 0,
    first_row: Annotated[int, Query(ge=1, le=10_000_000, description="Where to begin.")] = 1,
    view: OutputView = None,
) -> FoundCells:
    """Find the cells of the output that contain a text, whatever its case; some rows at a time.

    Where rows are sorted or filtered, cells are named by the place of their row among those that are left.
    """
    stored, sheet = _output_sheet(system, access, run_id, sheet, view)
    return FoundCells.model_validate(inspection.cells_with(stored, sheet=sheet, text=text, first_row=first_row))


def _output_sheet(
    system: System, access: Access, run_id: str, number: int, view: dict[str, Any] | None
) -> tuple[inspection.Stored, int]:
    """Return the file of the output that holds a table, the number of its sheet, and the other files its view needs."""
    key, name = _output(system, run_id, number + 1, or_only=True)
    stored = inspection.Stored(files=system.files, key=key, name=name, owner=access.owner)
    sheet = number if stored.suffix == ".xlsx" else 0
    if view is None:
        return stored, sheet

    def about(tx: Transaction) -> tuple[str, str, inspection.Stored]:
        row = documents.get_document(tx, get_run_row(tx, run_id).input_document_id).row
        return artifact_key(tx, run_id), issues_key(tx, run_id), inspection.Stored.of(system.files, row, access.owner)

    artifact, issues, document = system.database.read(about)
    beside = [(ARTIFACT, artifact)]
    if view["only"] == "issues":
        if system.files.size(issues) > inspection.MOST_ISSUE_BYTES:
            raise DocumentTooLarge("The run has too many issues to filter its rows by. Download them instead.")
        beside.append((ISSUES, issues))
    if view["only"] == "changes":
        beside.append((f"document{document.suffix}", document.key))
    shown = {"view": view, "table": number}
    return replace(stored, encoding=document.encoding, view=shown, beside=tuple(beside)), sheet


def _output(system: System, run_id: str, number: int, *, or_only: bool = False) -> tuple[str, str]:
    """Return the key of the file that holds a table, and the name it is downloaded under."""
    folder, stem = system.database.read(lambda tx: output_key(tx, run_id))
    names = output_names(system.files.keys(folder))
    if not names:
        raise FileMissing("The run has no output.")
    if number > len(names) and not (or_only and len(names) == 1):
        raise FileMissing(f"The output has {len(names)} file{'s' * (len(names) > 1)}, so there is no file {number}.")
    name = names[min(number, len(names)) - 1]
    return f"{folder}/{name}", f"{stem}-{name}"


@router.get(
    "/runs/{run_id}/issues",
    response_class=Response,
    responses={
        200: {"description": "One issue a line.", "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
    },
)
def get_issues(run_id: PathId, request: Request, system: SystemDependency, access: Viewer) -> Response:
    """Return everything a finished run found wrong in the data, one JSON document a line."""
    key = system.database.read(lambda tx: issues_key(tx, run_id))
    return download(request, system.files, key, media_type="application/x-ndjson", name=ISSUES, is_shown=True)


@router.get("/runs/{run_id}/issues/counts")
def get_issue_counts(run_id: PathId, system: SystemDependency, access: Viewer) -> IssueCounts:
    """Count the issues of a finished run by sheet, field, rule and severity; ask again while it is not complete."""
    key = system.database.read(lambda tx: issues_key(tx, run_id))
    counts = count_issues(system.files, key)
    groups = [IssueGroup(**group._asdict(), count=count) for group, count in counts.groups.items()]
    return IssueCounts(groups=groups, other_count=counts.other_count, is_complete=counts.is_complete)


@router.get("/runs/{run_id}/issues/values")
def get_issue_values(run_id: PathId, system: SystemDependency, access: Viewer) -> IssueValues:
    """Count the values that issues of a finished run are about, by field and rule; read from the document itself."""

    def about(tx: Transaction) -> tuple[str, documents.Document]:
        return issues_key(tx, run_id), documents.get_document(tx, get_run_row(tx, run_id).input_document_id)

    key, document = system.database.read(about)
    stored = inspection.Stored.of(system.files, document.row, access.owner)
    return IssueValues.of(inspection.issue_values_of(stored, key))


@router.get("/runs/{run_id}/issues/list")
def list_some_issues(
    run_id: PathId,
    system: SystemDependency,
    access: Viewer,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Maximum number of items to return.")] = 100,
    sheet: IssueWord = None,
    field: IssueWord = None,
    has_no_field: Annotated[bool, Query(description="Only issues that do not concern a field.")] = False,
    rule: IssueWord = None,
    severity: IssueWord = None,
    first_row: Row = None,
    last_row: Row = None,
) -> Page[Issue]:
    """List the issues of a finished run as they were found; a part may be short, or empty, although more follow."""
    key = system.database.read(lambda tx: issues_key(tx, run_id))
    place = decode(cursor, whole)
    rows = None if first_row is None and last_row is None else (first_row or 1, last_row or LAST_ROW)
    wanted = IssueFilter(sheet=sheet, field=field, has_no_field=has_no_field, rule=rule, severity=severity, rows=rows)
    found, end = list_issues(system.files, key, wanted, start=max(0, place[0]) if place else 0, limit=limit)
    items = [Issue(**issue._asdict()) for issue in found]
    return Page(items=items, next_cursor=None if end is None else encode((end,)))


@router.get(
    "/runs/{run_id}/logs",
    response_class=Response,
    responses={200: {"description": "The log.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_logs(
    run_id: PathId,
    request: Request,
    system: SystemDependency,
    access: Viewer,
    tail: Tail = None,
) -> Response:
    """Return the log of a run, as far as it is written; empty before it starts."""
    key = system.database.read(lambda tx: log_key(tx, "run", run_id))
    return log_of(request, system, key, tail)


def log_of(request: Request, system: System, key: str | None, tail: int | None) -> Response:
    """Return a log, or its end; one that was not begun is empty."""
    headers: dict[str, Any] = {"X-Log-Bytes": "0"}
    if key is None or not system.files.exists(key):
        return Response("", media_type="text/plain; charset=utf-8", headers=headers)
    if tail is None:
        answer = download(request, system.files, key, media_type="text/plain; charset=utf-8", name=None)
        answer.headers["X-Log-Bytes"] = str(system.files.size(key))
        return answer
    size_bytes = system.files.size(key)
    start = max(0, size_bytes - tail)
    chunks = system.files.read(key, start=start)
    return Sent(
        _from_a_line_on(chunks) if start else chunks,
        media_type="text/plain; charset=utf-8",
        headers={"X-Log-Bytes": str(size_bytes)},
    )


def _from_a_line_on(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what follows the first line break. As it is read: many whole logs at once would fill the memory."""
    for chunk in chunks:
        _, found, rest = chunk.partition(b"\n")
        if found:
            yield rest
            break
    yield from chunks

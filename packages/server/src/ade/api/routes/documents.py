"""Documents."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, RulesDependency, SystemDependency
from ade.api.downloads import download
from ade.api.etags import IfMatch, quoted, require_unchanged, tag_of
from ade.api.idempotency import IdempotencyKey, create
from ade.api.network import network_rule
from ade.api.paging import Cursor, Limit, decode, instant, next_cursor, word
from ade.api.responses import NoContent, binary
from ade.api.schemas.base import Page, Text
from ade.api.schemas.documents import (
    MOST_LISTED_SHEETS,
    Cells,
    Document,
    DocumentChange,
    Documents,
    FoundCells,
    InferredFields,
    Structure,
    Tag,
    Tags,
)
from ade.api.uploads import FORM, Uploaded, on_disk, upload_limits
from ade.database.content.documents import DocumentFilter, tags_in_use
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.errors import OutcomeUnknown, Unavailable
from ade.operations.content import documents, inspection
from ade.operations.queue.free_disk import crowded, is_disk_scarce
from ade.operations.queue.upload_runs import run_on_upload
from ade.system import System

router = APIRouter(tags=["documents"])
Viewer = Annotated[Access, requires(Role.VIEWER, "document")]
Operator = Annotated[Access, requires(Role.OPERATOR, "document")]
SearchedText = Annotated[Text, Query(min_length=1, max_length=200)]
FirstRow = Annotated[int, Query(ge=1, le=10_000_000, description="Where to begin.")]


@router.post(
    "/workspaces/{workspace_id}/documents",
    status_code=201,
    response_model=Document | Documents,
    openapi_extra=FORM,
)
def upload(
    workspace_id: PathId,
    request: Request,
    access: Annotated[Access, requires(Role.OPERATOR, "workspace")],  # before the body is read
    sent: Uploaded,
    system: SystemDependency,
    rules: RulesDependency,
    idempotency_key: IdempotencyKey = None,
    encoding: Annotated[
        Text | None,
        Query(max_length=40, description="Encoding of csv documents, such as cp1250; by default it is detected."),
    ] = None,
) -> Response:
    """Upload documents: one is answered with itself, several with a list, all or none."""
    _require_share_of_disk(system, workspace_id)
    received: list[documents.Upload] = []
    try:
        for part in sent:
            with on_disk(part) as path:
                limits = upload_limits(system.settings)
                name = part.filename or ""
                stored = documents.receive(
                    system.files, path, name, limits=limits, owner=access.owner, encoding=encoding
                )
                received.append(stored)

        def work(tx: Transaction) -> Document | Documents:
            added = [documents.add_document(tx, one, workspace_id=workspace_id, actor=access.actor) for one in received]
            run_on_upload(
                tx, workspace_id, [one.id for one in received], network=network_rule(system, access),
                actor=access.actor, rules=rules,
            )  # fmt: skip
            items = [Document.of(one) for one in added]
            return items[0] if len(items) == 1 else Documents(items=items)

        described = "\n".join(f"{one.name} {one.sha256} {one.encoding or ''}" for one in received)
        digest = hashlib.sha256(described.encode()).digest()
        answer = create(request, system, access, key=idempotency_key, body=digest, work=work, status=201)
    except OutcomeUnknown:
        raise  # there may be documents that name them
    except BaseException:
        _discard(system, received)
        raise
    if "Idempotent-Replayed" in answer.headers:
        _discard(system, received)
    return answer


def _require_share_of_disk(system: SystemDependency, workspace_id: str) -> None:
    """Refuse another document of a workspace that holds much while disk is scarce: one must not fill it for all."""
    if not is_disk_scarce(system.settings):
        return
    reasons = system.database.read(lambda tx: crowded(tx, system.settings, workspace_id))
    if workspace_id in reasons:
        raise Unavailable(reasons[workspace_id])


def _discard(system: SystemDependency, received: list[documents.Upload]) -> None:
    """Remove stored files that no document names."""
    for one in received:
        system.files.delete(one.file_key)


@router.get("/workspaces/{workspace_id}/documents")
def list_all(
    workspace_id: PathId,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
    cursor: Cursor = None,
    limit: Limit = 50,
    name: Annotated[Text | None, Query(max_length=255, description="Part of the name.")] = None,
    tag: Annotated[Text | None, Query(max_length=64)] = None,
    sha256: Annotated[str | None, Query(pattern="^[0-9a-f]{64}$")] = None,
    includes_outputs: Annotated[bool, Query(description="Also list outputs of plan phases.")] = False,
) -> Page[Document]:
    """List documents, newest first."""
    chosen = DocumentFilter(
        workspace_id=workspace_id, name=name, tag=tag and tag.strip(), sha256=sha256, includes_outputs=includes_outputs
    )
    after = decode(cursor, instant, word)
    found = system.database.read(lambda tx: documents.list_documents(tx, chosen, after=after, limit=limit))
    return Page(
        items=[Document.of(one, most_sheets=MOST_LISTED_SHEETS) for one in found],
        next_cursor=next_cursor(found, limit, lambda one: (one.row.created_at, one.row.id)),
    )


@router.get("/workspaces/{workspace_id}/tags")
def list_tags(
    workspace_id: PathId,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
) -> Tags:
    """List the tags of a workspace's documents: all, or the thousand that most documents have."""
    found = system.database.read(lambda tx: tags_in_use(tx, workspace_id))
    return Tags(items=[Tag(tag=tag, document_count=count) for tag, count in found])


@router.get("/documents/{document_id}")
def get_one(document_id: PathId, response: Response, system: SystemDependency, access: Viewer) -> Document:
    """Return a document."""
    found = system.database.read(lambda tx: documents.get_document(tx, document_id))
    response.headers["ETag"] = quoted(tag_of(found.row.name, found.tags, found.row.encoding))
    return Document.of(found)


@router.patch("/documents/{document_id}")
def change_one(
    document_id: PathId,
    body: DocumentChange,
    response: Response,
    system: SystemDependency,
    access: Operator,
    if_match: IfMatch = None,
) -> Document:
    """Rename a document, tag it or choose its encoding; with If-Match only if it has not changed since it was read."""

    def work(tx: Transaction) -> documents.Document:
        before = documents.get_document(tx, document_id)
        require_unchanged(if_match, before.row.name, before.tags, before.row.encoding)
        return documents.change_document(
            tx, document_id, name=body.name, tags=body.tags, encoding=body.encoding, actor=access.actor
        )

    changed = system.database.write(work)
    response.headers["ETag"] = quoted(tag_of(changed.row.name, changed.tags, changed.row.encoding))
    return Document.of(changed)


@router.delete("/documents/{document_id}", status_code=204, response_class=NoContent, response_model=None)
def delete_one(document_id: PathId, system: SystemDependency, access: Operator) -> NoContent:
    """Delete a document; runs of it stay."""
    system.database.write(lambda tx: documents.delete_document(tx, document_id, actor=access.actor))
    return NoContent()


@router.get(
    "/documents/{document_id}/content",
    response_class=Response,
    responses={
        200: binary("The bytes as they were uploaded.", "application/octet-stream"),
        206: binary("A part.", "*/*"),
    },
)
def get_content(document_id: PathId, request: Request, system: SystemDependency, access: Viewer) -> Response:
    """Download a document."""
    row = system.database.read(lambda tx: documents.get_document(tx, document_id)).row
    return download(request, system.files, row.file_key, media_type=row.media_type, name=row.name)


@router.get("/documents/{document_id}/cells")
def get_cells(
    document_id: PathId,
    system: SystemDependency,
    access: Viewer,
    sheet: Annotated[int, Query(ge=0, le=10_000, description="Which sheet, counted from 0.")] = 0,
    range: Annotated[  # noqa: A002 - its name over the wire
        str, Query(pattern="^[A-Za-z]{1,3}[0-9]{1,7}(:[A-Za-z]{1,3}[0-9]{1,7})?$", description="Such as A1:H50.")
    ] = "A1:Z100",
) -> Cells:
    """Return the cells of a range, as the file has them."""
    return Cells.of(inspection.cells_of(_stored(system, access, document_id), sheet=sheet, wanted=range))


@router.get("/documents/{document_id}/cells/find")
def find_cells(
    document_id: PathId,
    system: SystemDependency,
    access: Viewer,
    text: SearchedText,
    sheet: Annotated[int, Query(ge=0, le=10_000, description="Which sheet, counted from 0.")] = 0,
    first_row: FirstRow = 1,
) -> FoundCells:
    """Find the cells of a sheet that contain a text, whatever its case; some rows at a time."""
    stored = _stored(system, access, document_id)
    return FoundCells.model_validate(inspection.cells_with(stored, sheet=sheet, text=text, first_row=first_row))


@router.get("/documents/{document_id}/structure")
def get_structure(
    document_id: PathId,
    system: SystemDependency,
    access: Viewer,
    sheet: Annotated[int, Query(ge=0, le=10_000, description="Which sheet, counted from 0.")] = 0,
) -> Structure:
    """Return the tables of a sheet as the built-in rules see them; a run's artifact has what a configuration saw."""
    return Structure.of(inspection.tables_of(_stored(system, access, document_id), sheet=sheet))


@router.get("/documents/{document_id}/fields")
def get_fields(document_id: PathId, system: SystemDependency, access: Viewer) -> InferredFields:
    """Return the fields that a configuration made from this document would have, with a few values of each."""
    return InferredFields.of(inspection.fields_of(_stored(system, access, document_id)))


def _stored(system: System, access: Access, document_id: str) -> inspection.Stored:
    row = system.database.read(lambda tx: documents.get_document(tx, document_id)).row
    return inspection.Stored.of(system.files, row, access.owner)

"""Configurations and their versions."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import ValidationError

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, SystemDependency
from ade.api.etags import IfMatch, quoted, require_unchanged, tag_of
from ade.api.idempotency import IdempotencyKey, create
from ade.api.paging import Cursor, Limit, decode, instant, next_cursor, whole, word
from ade.api.problems import MOST_ERRORS, shown
from ade.api.responses import binary
from ade.api.routes.configuration_files import encoded
from ade.api.schemas.base import Number, Page, Text
from ade.api.schemas.configurations import (
    CaseReports,
    CheckResult,
    Configuration,
    ConfigurationChange,
    Difference,
    FileDifference,
    FileEdits,
    NewCase,
    NewConfiguration,
    NewDraft,
    Publication,
    SavedCase,
    Version,
)
from ade.api.schemas.corrections import DraftCorrections, plain
from ade.database.content import configuration_files
from ade.database.content.configurations import VersionRow
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.domain.configuration_files import LARGEST_FILE_BYTES, pack, unpack
from ade.domain.differences import changes_between
from ade.errors import Invalid, NotFound, TooLarge, UnsupportedType
from ade.operations.content import configurations, documents, inspection
from ade.operations.content.combining import expected_files, output_folders
from ade.operations.content.configuration_files import edited
from ade.operations.content.configurations import working_version
from ade.operations.content.corrections import document_name, draft_with_corrections
from ade.operations.queue.case_tests import (
    case_document_name,
    case_name,
    draft_tests,
    publish_tested,
    request_tests,
    save_case,
)
from ade.operations.queue.free_disk import MIB
from ade.operations.views.run_views import get_run_row
from ade.system import System

router = APIRouter(tags=["configurations"])
Viewer = Annotated[Access, requires(Role.VIEWER, "configuration")]
Author = Annotated[Access, requires(Role.AUTHOR, "configuration")]
VersionNumber = Annotated[
    Number | None, Query(description="A version; by default the draft, or the published one if there is no draft.")
]
ZIP = {"application/zip", "application/x-zip-compressed"}


def _inlined(schema: Any, models: Mapping[str, Any]) -> Any:
    """Return a schema with the models it refers to in their places: a body that is read by hand has no others."""
    if isinstance(schema, list):
        return [_inlined(one, models) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(models[schema["$ref"].rpartition("/")[2]], models)
    return {key: _inlined(value, models) for key, value in schema.items() if key != "$defs"}


_SCHEMA = NewConfiguration.model_json_schema()
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": _inlined(_SCHEMA, _SCHEMA["$defs"]),
                "example": {"name": "Members", "template": "example"},
            },
            "application/zip": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


_ZIP_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}


async def _body(request: Request) -> bytes:
    return await request.body()


@router.get("/workspaces/{workspace_id}/configurations")
def list_all(
    workspace_id: PathId,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "workspace")],
    cursor: Cursor = None,
    limit: Limit = 50,
    is_archived: bool = False,
) -> Page[Configuration]:
    """List configurations, newest first."""
    after = decode(cursor, instant, word)
    found = system.database.read(
        lambda tx: configurations.list_configurations(
            tx, workspace_id=workspace_id, is_archived=is_archived, after=after, limit=limit
        )
    )
    return Page(
        items=[Configuration.of(one) for one in found],
        next_cursor=next_cursor(found, limit, lambda one: (one.row.created_at, one.row.id)),
    )


@router.post(
    "/workspaces/{workspace_id}/configurations", status_code=201, response_model=Configuration, openapi_extra=_BODY
)
def create_one(
    workspace_id: PathId,
    request: Request,
    access: Annotated[Access, requires(Role.AUTHOR, "workspace")],  # before the body is read
    sent: Annotated[bytes, Depends(_body)],
    system: SystemDependency,
    name: Annotated[Text | None, Query(max_length=200, description="The name, when a zip is sent.")] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Create a configuration with a draft: from a template, from a document's columns, or from a zip archive."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ZIP:
        title, files = (name or "").strip() or "Imported", unpack(sent)
    elif kind == "application/json":
        body = _from_json(sent)
        title, files = body.name, _files_for(system, access, body)
    else:
        raise UnsupportedType("Send JSON with a name, or a zip archive as application/zip.")

    def work(tx: Transaction) -> Configuration:
        made = configurations.create_configuration(
            tx, workspace_id=workspace_id, name=title, files=files, actor=access.actor
        )
        return Configuration.of(made)

    return create(request, system, access, key=idempotency_key, body=sent, work=work, status=201)


def _from_json(sent: bytes) -> NewConfiguration:
    try:
        return NewConfiguration.model_validate_json(sent)
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, shown(item['loc'])))}: {item['msg']}" for item in error.errors()[:MOST_ERRORS])
        raise Invalid("; ".join(problems)) from None


def _files_for(system: System, access: Access, body: NewConfiguration) -> dict[str, bytes]:
    if body.from_document_id is None:
        return inspection.starter_files(body.template or "example", owner=access.owner)
    row = system.database.read(lambda tx: documents.get_document(tx, body.from_document_id or "")).row
    if row.workspace_id != access.workspace_id:
        raise NotFound(f"There is no document {body.from_document_id}.")
    choices = None if body.fields is None else [one.model_dump(exclude_unset=True) for one in body.fields]
    return inspection.inferred_files(inspection.Stored.of(system.files, row, access.owner), choices=choices)


@router.get("/configurations/{configuration_id}")
def get_one(configuration_id: PathId, response: Response, system: SystemDependency, access: Viewer) -> Configuration:
    """Return a configuration."""
    found = system.database.read(lambda tx: configurations.get_configuration(tx, configuration_id))
    response.headers["ETag"] = quoted(tag_of(found.row.name, found.row.archived_at))
    return Configuration.of(found)


@router.patch("/configurations/{configuration_id}")
def change_one(
    configuration_id: PathId,
    body: ConfigurationChange,
    response: Response,
    system: SystemDependency,
    access: Author,
    if_match: IfMatch = None,
) -> Configuration:
    """Rename, archive or restore a configuration; with If-Match only if it has not changed since it was read."""

    def work(tx: Transaction) -> configurations.Configuration:
        before = configurations.get_configuration(tx, configuration_id).row
        require_unchanged(if_match, before.name, before.archived_at)
        return configurations.change_configuration(
            tx, configuration_id, name=body.name, is_archived=body.is_archived, actor=access.actor
        )

    changed = system.database.write(work)
    response.headers["ETag"] = quoted(tag_of(changed.row.name, changed.row.archived_at))
    return Configuration.of(changed)


@router.get("/configurations/{configuration_id}/versions")
def list_versions(
    configuration_id: PathId, system: SystemDependency, access: Viewer, cursor: Cursor = None, limit: Limit = 200
) -> Page[Version]:
    """List the versions, newest first."""
    place = decode(cursor, whole)
    below = place[0] if place else None
    rows = system.database.read(lambda tx: configurations.list_versions(tx, configuration_id, below=below, limit=limit))
    return Page(
        items=[Version.of(row) for row in rows], next_cursor=next_cursor(rows, limit, lambda row: (row.number,))
    )


@router.post("/configurations/{configuration_id}/versions", status_code=201)
def create_draft(
    configuration_id: PathId, system: SystemDependency, access: Author, body: NewDraft | None = None
) -> Version:
    """Start a draft from a version: from an older one, this restores it."""
    wanted = body or NewDraft()
    row = system.database.write(
        lambda tx: configurations.create_draft(
            tx, configuration_id, of=wanted.from_version, note=wanted.note, actor=access.actor
        )
    )
    return Version.of(row)


@router.post("/configurations/{configuration_id}/corrections/draft", status_code=201)
def draft_corrections(
    configuration_id: PathId, body: DraftCorrections, system: SystemDependency, access: Author
) -> Version:
    """Start a draft with corrections, to run the cases of the configuration before it is published."""

    def work(tx: Transaction) -> VersionRow:
        led, workspace = body.input_document_id, access.workspace_id
        return draft_with_corrections(
            tx, configuration_id, plain(body.corrections), undone=body.undone,
            document=None if led is None else document_name(tx, led, workspace_id=workspace),
            note=body.note, actor=access.actor,
        )  # fmt: skip

    return Version.of(system.database.write(work))


@router.put("/configurations/{configuration_id}/draft", openapi_extra=_ZIP_BODY)
def push(
    configuration_id: PathId,
    request: Request,
    access: Author,  # before the body is read
    sent: Annotated[bytes, Depends(_body)],
    system: SystemDependency,
    note: Annotated[Text | None, Query(max_length=500, description="What is new.")] = None,
) -> Version:
    """Make the files of a zip archive the draft; a draft with other files is archived, and can be restored.

    The draft or the published version is answered unchanged when it has these files already.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in ZIP:
        raise UnsupportedType("Send a zip archive as application/zip.")
    files = unpack(sent)
    row = system.database.write(
        lambda tx: configurations.replace_draft(tx, configuration_id, files, note=note, actor=access.actor)
    )
    return Version.of(row)


@router.delete("/configurations/{configuration_id}/versions/{number}")
def archive_version(configuration_id: PathId, number: Number, system: SystemDependency, access: Author) -> Version:
    """Discard the draft, or withdraw the published version."""
    row = system.database.write(
        lambda tx: configurations.archive_version(tx, configuration_id, number, actor=access.actor)
    )
    return Version.of(row)


@router.post("/configurations/{configuration_id}/publish")
def publish(
    configuration_id: PathId, system: SystemDependency, access: Author, body: Publication | None = None
) -> Version:
    """Publish the draft: new runs use it, the version before is archived."""
    wanted = body or Publication()
    row = system.database.write(
        lambda tx: publish_tested(
            tx, configuration_id, note=wanted.note, is_untested=wanted.skip_tests, actor=access.actor
        )
    )
    return Version.of(row)


@router.post("/configurations/{configuration_id}/tests", status_code=202)
def run_tests(configuration_id: PathId, system: SystemDependency, access: Author) -> CaseReports:
    """Run the cases of the draft on a worker, once for the files it has now; ask with GET how they came out."""
    return CaseReports.of(system.database.write(lambda tx: request_tests(tx, configuration_id, actor=access.actor)))


@router.get("/configurations/{configuration_id}/tests")
def get_tests(configuration_id: PathId, system: SystemDependency, access: Viewer) -> CaseReports:
    """Return how the cases of the draft came out, for the files it has now."""
    return CaseReports.of(system.database.read(lambda tx: draft_tests(tx, configuration_id)))


@router.post("/configurations/{configuration_id}/cases", status_code=201)
def add_case(configuration_id: PathId, body: NewCase, system: SystemDependency, access: Author) -> SavedCase:
    """Save the document and the output of a run as a case of the draft; a case of the same name is replaced."""

    def about(tx: Transaction) -> tuple[str, str, str, str]:
        [folder] = output_folders(tx, [body.run_id], workspace_id=access.workspace_id)
        row = documents.get_document(tx, get_run_row(tx, body.run_id).input_document_id).row
        return folder, row.file_key, row.name, row.media_type

    folder, key, document_name, media_type = system.database.read(about)
    if system.files.size(key) > LARGEST_FILE_BYTES:
        raise TooLarge(f"A file of a configuration has at most {LARGEST_FILE_BYTES // 1024} KB, and the document more.")
    name = case_name(body.name or PurePosixPath(document_name).stem)
    kept_free_bytes = system.settings.min_free_disk_mb * MIB
    files = expected_files(system.files, folder, owner=access.owner, kept_free_bytes=kept_free_bytes)
    files[case_document_name(document_name, media_type)] = b"".join(system.files.read(key))
    paths = system.database.write(lambda tx: save_case(tx, configuration_id, name, files, actor=access.actor))
    return SavedCase(name=name, paths=paths)


@router.post("/configurations/{configuration_id}/check")
def check(
    configuration_id: PathId,
    system: SystemDependency,
    access: Viewer,
    version: VersionNumber = None,
    body: FileEdits | None = None,
) -> CheckResult:
    """Report what is wrong in a version's files; nothing is executed. With edits: as it would be after them."""

    def files(tx: Transaction) -> dict[str, bytes]:
        return configuration_files.contents(tx, working_version(tx, configuration_id, version).id)

    edits = {file.path: encoded(file) for file in body.files} if body else {}
    wanted = edited(system.database.read(files), edits)
    return CheckResult.model_validate(inspection.check_of(wanted, owner=access.owner))


@router.get("/configurations/{configuration_id}/diff")
def compare(
    configuration_id: PathId,
    system: SystemDependency,
    access: Viewer,
    from_version: Number,
    to_version: VersionNumber = None,
) -> Difference:
    """Return how two versions differ."""

    def read(tx: Transaction) -> list[tuple[int, dict[str, bytes]]]:
        older = configurations.chosen_version(tx, configuration_id, from_version)
        newer = working_version(tx, configuration_id, to_version)
        return [(version.number, configuration_files.contents(tx, version.id)) for version in (older, newer)]

    (older, before), (newer, after) = system.database.read(read)
    files = [FileDifference.model_validate(one, from_attributes=True) for one in changes_between(before, after)]
    return Difference(from_version=older, to_version=newer, files=files)


@router.get(
    "/configurations/{configuration_id}/export",
    response_class=Response,
    responses={200: binary("A zip archive of the files.", "application/zip")},
)
def export(
    configuration_id: PathId,
    system: SystemDependency,
    access: Viewer,
    version: VersionNumber = None,
) -> Response:
    """Download a version as a zip archive."""

    def files(tx: Transaction) -> tuple[int, dict[str, bytes]]:
        chosen = working_version(tx, configuration_id, version)
        return chosen.number, configuration_files.contents(tx, chosen.id)

    number, found = system.database.read(files)
    headers = {"Content-Disposition": f'attachment; filename="configuration-{number}.zip"'}
    return Response(pack(found), media_type="application/zip", headers=headers)

"""The files of a configuration: read in any version, edited in the draft."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from ade.api.access import Access, requires
from ade.api.dependencies import PathId, SystemDependency
from ade.api.etags import IfMatch, IfNoneMatch, quoted, unquoted
from ade.api.responses import NoContent, binary
from ade.api.schemas.base import Number, Text
from ade.api.schemas.configurations import FileEdit, FileEdits, FileFacts, Files
from ade.domain.access import Role
from ade.operations.content import configuration_files as files

router = APIRouter(tags=["configurations"])
Viewer = Annotated[Access, requires(Role.VIEWER, "configuration")]
Author = Annotated[Access, requires(Role.AUTHOR, "configuration")]
VersionNumber = Annotated[
    Number | None, Query(description="A version; by default the draft, or the published one if there is no draft.")
]
_CONTENT: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


async def _body(request: Request) -> bytes:
    return await request.body()


@router.get("/configurations/{configuration_id}/files")
def list_all(
    configuration_id: PathId,
    system: SystemDependency,
    access: Viewer,
    version: VersionNumber = None,
) -> Files:
    """List the files of a version."""
    rows = system.database.read(lambda tx: files.list_files(tx, configuration_id, number=version))
    return Files(items=[FileFacts.of(row) for row in rows])


@router.patch("/configurations/{configuration_id}/files")
def change_several(configuration_id: PathId, body: FileEdits, system: SystemDependency, access: Author) -> Files:
    """Change several files of the draft, all of them or none; the answer lists those that were written."""
    edits = [
        files.Edit(
            path=file.path,
            content=encoded(file),
            seen=unquoted(file.if_match),
            is_new=file.content is not None and file.if_match is None,
        )
        for file in body.files
    ]
    rows = system.database.write(lambda tx: files.change_files(tx, configuration_id, edits, actor=access.actor))
    return Files(items=[FileFacts.of(row) for row in rows])


def encoded(edit: FileEdit) -> bytes | None:
    """Return the bytes of an edit, or None for a file that is removed."""
    return None if edit.content is None else edit.content.encode()


@router.get(
    "/configurations/{configuration_id}/files/{path:path}",
    response_class=Response,
    responses={
        200: binary("The file's content.", "application/octet-stream"),
        304: {"description": "The ETag of your copy."},
    },
)
def get_one(
    configuration_id: PathId,
    path: Text,
    system: SystemDependency,
    access: Viewer,
    version: VersionNumber = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Read a file; its ETag is needed to change it."""
    row = system.database.read(lambda tx: files.get_file(tx, configuration_id, path, number=version))
    headers = {"ETag": quoted(row.sha256), "Content-Disposition": "attachment"}
    if unquoted(if_none_match) == row.sha256:
        return Response(status_code=304, headers=headers)
    return Response(row.content, media_type="application/octet-stream", headers=headers)


@router.put("/configurations/{configuration_id}/files/{path:path}", openapi_extra=_CONTENT)
def put_one(
    configuration_id: PathId,
    path: Text,
    access: Author,  # before the body is read
    content: Annotated[bytes, Depends(_body)],
    response: Response,
    system: SystemDependency,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> FileFacts:
    """Write a file of the draft; without a draft, one is started from the published version."""
    row = system.database.write(
        lambda tx: files.put_file(
            tx,
            configuration_id,
            path,
            content,
            seen=unquoted(if_match),
            is_new=if_none_match is not None and if_none_match.strip() == "*",
            actor=access.actor,
        )
    )
    response.headers["ETag"] = quoted(row.sha256)
    return FileFacts.of(row)


@router.delete(
    "/configurations/{configuration_id}/files/{path:path}",
    status_code=204,
    response_class=NoContent,
    response_model=None,
)
def delete_one(
    configuration_id: PathId, path: Text, system: SystemDependency, access: Author, if_match: IfMatch = None
) -> NoContent:
    """Remove a file of the draft."""
    seen = unquoted(if_match)
    system.database.write(lambda tx: files.delete_file(tx, configuration_id, path, seen=seen, actor=access.actor))
    return NoContent()

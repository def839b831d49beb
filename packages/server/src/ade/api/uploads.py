"""Files that are sent: received on disk, bounded, and cleaned up."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request, UploadFile
from starlette.datastructures import UploadFile as StarletteUpload
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser

from ade.api.received import MIB
from ade.api.upload_gate import UploadGate
from ade.domain.document import UploadLimits
from ade.errors import DocumentTooLarge, Invalid, Unavailable
from ade.operations.queue.free_disk import free_disk_reason
from ade.operations.reading.scratch import scratch
from ade.settings import Settings

MOST_FILES = 100
MOST_FIELDS = 10  # that are no files; none of them is read
LARGEST_FIELD_BYTES = 16 * 1024
# Of a part, before it goes to a file. A form may have many parts, and stay unfinished for long.
MultiPartParser.spool_max_size = 16 * 1024
CHUNK_BYTES = 1024 * 1024


async def _uploaded(request: Request) -> AsyncIterator[list[UploadFile]]:
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise Invalid("Send the document as multipart/form-data in a part named `file`.")
    settings = request.app.state.system.settings
    if not settings.files_url and (reason := free_disk_reason(settings)):  # what is left is the database's
        raise Unavailable(reason)
    try:
        form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LARGEST_FIELD_BYTES)
    except HTTPException as error:
        if error.status_code == 413:
            raise DocumentTooLarge(str(error.detail)) from None
        raise
    try:
        files = [part for part in form.getlist("file") if isinstance(part, StarletteUpload)]
        if not files:
            raise Invalid("There is no part named `file` with a file name in the request.")
        gate: UploadGate = request.app.state.upload_gate
        async with gate.hold(str(request.path_params.get("workspace_id"))):
            yield [UploadFile(part.file, filename=part.filename) for part in files]
    finally:
        await form.close()


Uploaded = Annotated[list[UploadFile], Depends(_uploaded)]
FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                }
            }
        },
    }
}


@contextmanager
def on_disk(upload: UploadFile) -> Iterator[Path]:
    """Give a sent file a path for a while."""
    with scratch.folder() as folder:
        path = folder / "document"
        upload.file.seek(0)
        with path.open("wb") as file:
            while chunk := upload.file.read(CHUNK_BYTES):
                file.write(chunk)
        yield path


def upload_limits(settings: Settings) -> UploadLimits:
    """Return how much a document may ask for."""
    return UploadLimits(file_bytes=settings.max_upload_mb * MIB, unpacked_bytes=settings.max_unpacked_mb * MIB)

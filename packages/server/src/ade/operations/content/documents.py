"""Documents: received, listed, renamed, tagged, deleted. A document's bytes never change."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ade.database.content import documents
from ade.database.content.documents import DocumentFilter, DocumentRow
from ade.database.queue.events import record_audit
from ade.database.transaction import Transaction
from ade.database.views import run_lists
from ade.database.views.run_lists import ListedRun
from ade.domain.access import Actor
from ade.domain.document import MIB, UploadLimits, clean_name
from ade.errors import DocumentTooLarge, FileRemoved, Invalid, NotFound, removed_by_retention
from ade.files import FileStore, chunks_of
from ade.ids import new_id
from ade.operations.content.inspection import described
from ade.operations.reading.turns import Owner
from ade_engine.encoding_names import known_encoding, unknown_encoding
from ade_engine.formats import MEDIA_TYPES

MOST_TAGS = 50
LONGEST_TAG = 64
DETECTED = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was checked and stored, and waits for its row."""

    id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    file_key: str
    sheets: list[dict[str, Any]]
    encoding: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document with its tags, and the older one that has the same bytes."""

    row: DocumentRow
    tags: list[str]
    duplicate_of: str | None = None
    newest_run: ListedRun | None = None  # in lists


def receive(
    files: FileStore, path: Path, name: str, *, limits: UploadLimits, owner: Owner, encoding: str | None = None
) -> Upload:
    """Check a file that was sent and store it; raise what is wrong with it."""
    encoding = checked_encoding(encoding)
    name, size_bytes = clean_name(name), path.stat().st_size
    if size_bytes > limits.file_bytes:
        raise DocumentTooLarge(f"{name} has over {limits.file_bytes // MIB} MB. Split it into several documents.")
    about = described(path, owner=owner, encoding=encoding, unpacked_bytes=limits.unpacked_bytes)
    document_id = new_id()
    digest = hashlib.sha256()
    key = f"documents/{document_id}/content"
    files.write(key, _digested(path, digest))
    return Upload(
        id=document_id,
        name=name,
        media_type=MEDIA_TYPES[about["format"]],
        size_bytes=size_bytes,
        sha256=digest.hexdigest(),
        file_key=key,
        sheets=about["sheets"],
        encoding=encoding,
    )


def _digested(path: Path, digest: Any) -> Iterator[bytes]:
    for chunk in chunks_of(path):
        digest.update(chunk)
        yield chunk


def add_document(tx: Transaction, upload: Upload, *, workspace_id: str, actor: Actor) -> Document:
    """Add the row of a stored file."""
    twin = documents.first_with(tx, workspace_id=workspace_id, sha256=upload.sha256)
    row = {
        "id": upload.id,
        "workspace_id": workspace_id,
        "name": upload.name,
        "media_type": upload.media_type,
        "size_bytes": upload.size_bytes,
        "sha256": upload.sha256,
        "file_key": upload.file_key,
        "sheets": upload.sheets,
        "encoding": upload.encoding,
        "created_by": actor.name,
        "created_at": tx.now,
    }
    documents.insert(tx, row)
    _audit(tx, actor, upload.id, workspace_id, action="document.upload", changes={"name": [None, upload.name]})
    return Document(row=_row(tx, upload.id), tags=[], duplicate_of=twin)


def get_document(tx: Transaction, document_id: str) -> Document:
    """Return a document that is not deleted; raise NotFound."""
    row = _row(tx, document_id)
    twin = documents.first_with(tx, workspace_id=row.workspace_id, sha256=row.sha256) if row.sha256 else None
    tags = documents.tags_of(tx, [document_id]).get(document_id, [])
    return Document(row=row, tags=tags, duplicate_of=None if twin == document_id else twin)


def list_documents(
    tx: Transaction, chosen: DocumentFilter, *, after: tuple[datetime, str] | None, limit: int
) -> list[Document]:
    """Return documents, newest first."""
    rows = documents.page(tx, chosen, after=after, limit=limit)
    tags = documents.tags_of(tx, [row.id for row in rows]) if rows else {}
    newest = run_lists.newest_of(tx, [row.id for row in rows]) if rows else {}
    return [Document(row=row, tags=tags.get(row.id, []), newest_run=newest.get(row.id)) for row in rows]


def change_document(
    tx: Transaction,
    document_id: str,
    *,
    name: str | None,
    tags: Collection[str] | None,
    encoding: str | None = None,
    actor: Actor,
) -> Document:
    """Rename a document, give it other tags, or choose the encoding of its text."""
    before = get_document(tx, document_id)
    changes: dict[str, list[Any]] = {}
    if name is not None:
        documents.update(tx, document_id, name=clean_name(name))
        changes["name"] = [before.row.name, clean_name(name)]
    if tags is not None:
        documents.set_tags(tx, document_id, checked_tags(tags))
        changes["tags"] = [before.tags, sorted(set(checked_tags(tags)))]
    if encoding is not None:
        documents.update(tx, document_id, encoding=checked_encoding(encoding))
        changes["encoding"] = [before.row.encoding, checked_encoding(encoding)]
    if changes:
        _audit(tx, actor, document_id, before.row.workspace_id, action="document.change", changes=changes)
    return get_document(tx, document_id)


def checked_encoding(name: str | None) -> str | None:
    """Return the usual spelling of an encoding's name, None for "auto"; refuse a name that no encoding has."""
    if name is None or name == DETECTED:
        return None
    known = known_encoding(name)
    if known is None:
        raise Invalid(unknown_encoding(name))
    return known


def checked_tags(tags: Collection[str]) -> list[str]:
    """Return tags without spaces around them; refuse empty, long or too many ones."""
    trimmed = [tag.strip() for tag in tags]
    if len(trimmed) > MOST_TAGS or any(not 0 < len(tag) <= LONGEST_TAG for tag in trimmed):
        raise Invalid(f"A document has up to {MOST_TAGS} tags of 1 to {LONGEST_TAG} characters.")
    return trimmed


def delete_document(tx: Transaction, document_id: str, *, actor: Actor) -> None:
    """Hide a document. Its bytes stay for the runs that use it, until retention removes them."""
    row = _row(tx, document_id)
    documents.update(tx, document_id, deleted_at=tx.now)
    _audit(tx, actor, document_id, row.workspace_id, action="document.delete", changes={"name": [row.name, None]})


def _row(tx: Transaction, document_id: str) -> DocumentRow:
    row = documents.get(tx, document_id)
    if row is not None and row.expired_at is not None:
        raise FileRemoved(removed_by_retention("This document was", row.expired_at, "Upload it again to use it."))
    if row is None or row.deleted_at is not None:
        raise NotFound(f"There is no document {document_id}.")
    return row


def _audit(
    tx: Transaction, actor: Actor, document_id: str, workspace_id: str, *, action: str, changes: dict[str, list[Any]]
) -> None:
    subjects = [(document_id, workspace_id, changes)]
    record_audit(tx, actor, action=action, subject_kind="document", subjects=subjects)

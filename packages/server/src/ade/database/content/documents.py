"""Documents and their tags."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.paging import below, contains
from ade.database.rows import Rows
from ade.database.schema import document_tags, documents
from ade.database.transaction import Transaction

d = documents.c
MOST_LISTED_TAGS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document."""

    id: str
    workspace_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    file_key: str
    produced_by: str | None
    sheets: list[dict[str, Any]]
    encoding: str | None
    created_by: str | None
    created_at: datetime
    deleted_at: datetime | None
    expired_at: datetime | None


_DOCUMENTS = Rows(DocumentRow, documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Which documents someone wants to see."""

    workspace_id: str
    name: str | None = None
    tag: str | None = None
    sha256: str | None = None
    includes_outputs: bool = False


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a document."""
    tx.execute(sa.insert(documents).values(**row))


def get(tx: Transaction, document_id: str) -> DocumentRow | None:
    """Return a document, deleted ones included, or None."""
    return _DOCUMENTS.one_or_none(tx, _DOCUMENTS.select(d.id == document_id))


def present(tx: Transaction, document_ids: Collection[str], *, workspace_id: str) -> set[str]:
    """Return which of these documents are in a workspace and not deleted."""
    found: set[str] = set()
    wanted = sorted(document_ids)
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        chosen = sa.select(d.id).where(d.id.in_(some), d.workspace_id == workspace_id, d.deleted_at.is_(None))
        found.update(tx.execute(chosen).scalars())
    return found


def first_with(tx: Transaction, *, workspace_id: str, sha256: str) -> str | None:
    """Return the oldest document of a workspace with these very bytes, or None."""
    same = (d.workspace_id == workspace_id, d.sha256 == sha256, d.deleted_at.is_(None))
    return tx.execute(sa.select(d.id).where(*same).order_by(d.created_at, d.id).limit(1)).scalar_one_or_none()


def page(
    tx: Transaction, chosen: DocumentFilter, *, after: tuple[datetime, str] | None, limit: int
) -> Sequence[DocumentRow]:
    """Return documents, newest first."""
    query = _DOCUMENTS.select(d.workspace_id == chosen.workspace_id, d.deleted_at.is_(None))
    if not chosen.includes_outputs:
        query = query.where(d.produced_by.is_(None))
    if chosen.name:
        query = query.where(contains(d.name, chosen.name))
    if chosen.sha256:
        query = query.where(d.sha256 == chosen.sha256)
    if chosen.tag:
        tagged = sa.exists().where(document_tags.c.document_id == d.id, document_tags.c.tag == chosen.tag)
        query = query.where(tagged)
    if after is not None:
        query = query.where(below((d.created_at, d.id), after))
    return _DOCUMENTS.all(tx, query.order_by(d.created_at.desc(), d.id.desc()).limit(limit))


def update(tx: Transaction, document_id: str, **values: Any) -> bool:
    """Change a document that is not deleted; return whether there was one."""
    statement = sa.update(documents).where(d.id == document_id, d.deleted_at.is_(None)).values(**values)
    return tx.execute(statement).rowcount == 1


def tags_of(tx: Transaction, document_ids: Collection[str]) -> dict[str, list[str]]:
    """Return the tags of documents, sorted."""
    t = document_tags.c
    chosen = sa.select(t.document_id, t.tag).where(t.document_id.in_(sorted(document_ids)))
    tags: dict[str, list[str]] = {}
    for row in tx.execute(chosen.order_by(t.document_id, t.tag)):
        tags.setdefault(row.document_id, []).append(row.tag)
    return tags


def set_tags(tx: Transaction, document_id: str, tags: Collection[str]) -> None:
    """Give a document these tags and no others."""
    tx.execute(sa.delete(document_tags).where(document_tags.c.document_id == document_id))
    if tags:
        tx.execute(sa.insert(document_tags), [{"document_id": document_id, "tag": tag} for tag in sorted(set(tags))])


def tags_in_use(tx: Transaction, workspace_id: str) -> list[tuple[str, int]]:
    """Return the tags of a workspace's documents, each with how many have it; of very many, those in most use."""
    t = document_tags.c
    query = (
        sa.select(t.tag, sa.func.count().label("used"))
        .join_from(document_tags, documents, t.document_id == d.id)
        .where(d.workspace_id == workspace_id, d.deleted_at.is_(None))
        .group_by(t.tag)
        .order_by(sa.desc("used"), t.tag)
        .limit(MOST_LISTED_TAGS)
    )
    return sorted((row.tag, row.used) for row in tx.execute(query))

"""What people bring: documents to normalise, and configurations that say how."""

import sqlalchemy as sa

from ade.database.schema.columns import filtered, instant, metadata, one_of, primary_id, reference
from ade.database.types import Json, code, content, identifier, label, words
from ade.domain.configuration import VersionStatus

documents = sa.Table(
    "documents",
    metadata,
    primary_id(),
    reference("workspaces"),
    sa.Column("name", words(255), nullable=False),
    sa.Column("media_type", code(127), nullable=False),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("sha256", code(64), nullable=False),  # empty until the bytes are there
    sa.Column("file_key", code(400), nullable=False),  # where the bytes are in the file store
    sa.Column("produced_by", code(36)),  # the run whose output it is: the input of a later phase
    sa.Column("sheets", Json, nullable=False),
    sa.Column("encoding", code(40)),  # of the text, as chosen; null: detected
    sa.Column("created_by", words(254)),
    instant("created_at", nullable=False),
    instant("deleted_at"),
    instant("expired_at"),  # when retention deleted it, and no person
    sa.Index("ix_documents_listed", "workspace_id", "created_at", "id"),
    sa.Index("ix_documents_sha256", "workspace_id", "sha256"),
    filtered("ix_documents_produced_by", "produced_by", where="produced_by IS NOT NULL"),
)

document_tags = sa.Table(
    "document_tags",
    metadata,
    sa.Column("document_id", identifier(), sa.ForeignKey("documents.id"), primary_key=True),
    sa.Column("tag", label(64), primary_key=True),
    sa.Index("ix_document_tags_tag", "tag", "document_id"),
)

configurations = sa.Table(
    "configurations",
    metadata,
    primary_id(),
    reference("workspaces"),
    sa.Column("name", words(200), nullable=False),
    sa.Column("created_by", words(254)),
    instant("created_at", nullable=False),
    instant("archived_at"),
    sa.Index("ix_configurations_listed", "workspace_id", "created_at", "id"),
    filtered("uq_configurations_name", "workspace_id", "name", where="archived_at IS NULL", unique=True),
)

configuration_versions = sa.Table(
    "configuration_versions",
    metadata,
    primary_id(),
    reference("configurations"),
    sa.Column("number", sa.Integer, nullable=False),
    # The draft this is a copy of: what a test run executes must not change while the draft is edited.
    reference("configuration_versions", "snapshot_of", nullable=True),
    sa.Column("status", code(16), nullable=False),
    sa.Column("note", words(500)),
    sa.Column("digest", code(64)),  # of its files; set when published, and never changed after
    sa.Column("revision", sa.Integer, nullable=False, server_default=sa.text("1")),  # the ETag of a draft
    sa.Column("created_by", words(254)),
    instant("created_at", nullable=False),
    instant("published_at"),
    instant("archived_at"),
    one_of("status", VersionStatus),
    filtered(
        "uq_configuration_versions_number",
        "configuration_id",
        "number",
        where="snapshot_of IS NULL",
        unique=True,
    ),
    sa.Index("ix_configuration_versions_listed", "configuration_id", "number"),
    filtered("ix_configuration_versions_snapshot", "snapshot_of", "digest", where="snapshot_of IS NOT NULL"),
    filtered("uq_configuration_versions_draft", "configuration_id", where="status = 'draft'", unique=True),
    filtered("uq_configuration_versions_published", "configuration_id", where="status = 'published'", unique=True),
)

configuration_files = sa.Table(
    "configuration_files",
    metadata,
    sa.Column("version_id", identifier(), sa.ForeignKey("configuration_versions.id"), primary_key=True),
    sa.Column("path", code(255), primary_key=True),
    sa.Column("size_bytes", sa.Integer, nullable=False),
    sa.Column("sha256", code(64), nullable=False),  # also the file's ETag
    instant("updated_at", nullable=False),
    sa.Column("content", content(), nullable=False),  # last: SQLite reads past it to get at what follows
)

"""The first schema.

The column types are written out here: a step must not change when the program's own types do.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mssql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

CK_BUILDS_FAILURE_CODE = (
    "failure_code IN ('build_failed', 'earlier_phase_failed', 'timed_out', 'process_terminated', "
    "'configuration_error', 'input_error', 'resource_limit', 'isolation_unavailable', 'network_unavailable', "
    "'internal_error')"
)
CK_BUILDS_LEASE = (
    "(status = 'building' AND claim_token IS NOT NULL AND lease_expires_at IS NOT NULL) OR (status <> "
    "'building' AND lease_expires_at IS NULL)"
)
CK_RUNS_FAILURE = "(status = 'failed' AND failure_code IS NOT NULL) OR (status <> 'failed')"
CK_RUNS_LEASE = (
    "(status = 'running' AND claim_token IS NOT NULL AND lease_expires_at IS NOT NULL) OR (status <> "
    "'running' AND lease_expires_at IS NULL)"
)


def code(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mssql.NVARCHAR(length, collation="Latin1_General_BIN2"), "mssql")


def words(length: int) -> sa.types.TypeEngine[str]:
    return sa.Unicode(length).with_variant(mssql.NVARCHAR(2 * length), "mssql")


def label(length: int) -> sa.types.TypeEngine[str]:
    return sa.Unicode(length).with_variant(mssql.NVARCHAR(2 * length, collation="Latin1_General_BIN2"), "mssql")


def long_text() -> sa.types.TypeEngine[str]:
    return sa.UnicodeText().with_variant(mssql.NVARCHAR(None), "mssql")


def content() -> sa.types.TypeEngine[bytes]:
    return sa.LargeBinary().with_variant(mssql.VARBINARY("max"), "mssql")  # type: ignore[no-untyped-call]


def counter() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def create_filtered(name: str, table: str, columns: list[str], *, where: str, unique: bool) -> None:
    condition = sa.text(where)
    op.create_index(
        name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition, mssql_where=condition
    )


def not_on_postgresql(name: str, condition: str) -> sa.CheckConstraint:
    def is_wanted(*_: Any, dialect: sa.Dialect, **__: Any) -> bool:
        return dialect.name != "postgresql"

    constraint = sa.CheckConstraint(condition, name=op.f(name))
    constraint.ddl_if(callable_=is_wanted)
    return constraint


def upgrade() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("scope", code(100), nullable=False),
        sa.Column("key", code(200), nullable=False),
        sa.Column("request_digest", code(64), nullable=False),
        sa.Column("response_status", sa.Integer(), nullable=True),
        sa.Column("response_body", long_text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"], unique=False)
    op.create_table(
        "login_failures",
        sa.Column("position", counter(), autoincrement=True, nullable=False),
        sa.Column("subject", label(254), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_login_failures"),
    )
    op.create_index("ix_login_failures_at", "login_failures", ["at"], unique=False)
    op.create_index("ix_login_failures_subject", "login_failures", ["subject", "at"], unique=False)
    op.create_table(
        "oidc_logins",
        sa.Column("token_hash", code(64), nullable=False),
        sa.Column("state", code(64), nullable=False),
        sa.Column("nonce", code(64), nullable=False),
        sa.Column("verifier", code(128), nullable=False),
        sa.Column("return_to", code(400), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_oidc_logins"),
    )
    op.create_index("ix_oidc_logins_expires_at", "oidc_logins", ["expires_at"], unique=False)
    op.create_table(
        "pauses",
        sa.Column("id", code(36), nullable=False),
        sa.Column("scope", code(16), nullable=False),
        sa.Column("value", code(36), nullable=True),
        sa.Column("reason", words(500), nullable=False),
        sa.Column("created_by", words(254), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("lifted_by", words(254), nullable=True),
        sa.Column("lifted_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_pauses"),
        sa.CheckConstraint("scope IN ('all', 'priority', 'workspace', 'plan')", name=op.f("ck_pauses_scope")),
        sa.CheckConstraint(
            "(scope = 'all' AND value IS NULL) OR (scope <> 'all' AND value IS NOT NULL)", name=op.f("ck_pauses_value")
        ),
    )
    create_filtered("ix_pauses_active", "pauses", ["scope", "value"], where="lifted_at IS NULL", unique=False)
    op.create_table(
        "queue_control",
        sa.Column("name", code(32), nullable=False),
        sa.Column("clock_at", sa.BigInteger(), nullable=False),
        sa.Column("claim_sequence", sa.BigInteger(), nullable=False),
        sa.Column("run_sequence", sa.BigInteger(), nullable=False),
        sa.Column("order_version", sa.BigInteger(), nullable=False),
        sa.Column("open_run_count", sa.Integer(), nullable=False),
        sa.Column("recent_starts", long_text(), nullable=True),
        sa.Column("read_at", sa.BigInteger(), nullable=False, server_default=sa.text("0")),
        sa.Column("oldest_generation", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.PrimaryKeyConstraint("name", name="pk_queue_control"),
    )
    op.create_table(
        "queue_rejections",
        sa.Column("hour_at", sa.BigInteger(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("rejected_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("hour_at", "priority", name="pk_queue_rejections"),
    )
    op.create_table(
        "totals",
        sa.Column("name", code(64), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_totals"),
    )
    op.create_table(
        "idle_workers",
        sa.Column("worker_id", code(36), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("worker_id", name="pk_idle_workers"),
    )
    op.create_table(
        "settings",
        sa.Column("name", code(64), nullable=False),
        sa.Column("value", long_text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("updated_by", words(254), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.create_table(
        "users",
        sa.Column("id", code(36), nullable=False),
        sa.Column("email", words(254), nullable=False),
        sa.Column("email_key", label(254), nullable=False),
        sa.Column("name", words(200), nullable=False),
        sa.Column("password_hash", code(255), nullable=True),
        sa.Column("oidc_issuer", code(255), nullable=True),
        sa.Column("oidc_subject", code(255), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_login_at", sa.BigInteger(), nullable=True),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email_key", name="uq_users_email_key"),
    )
    create_filtered(
        "uq_users_oidc", "users", ["oidc_issuer", "oidc_subject"], where="oidc_subject IS NOT NULL", unique=True
    )
    op.create_table(
        "workers",
        sa.Column("id", code(36), nullable=False),
        sa.Column("name", code(200), nullable=False),
        sa.Column("host", code(255), nullable=False),
        sa.Column("process_id", sa.Integer(), nullable=False),
        sa.Column("version", code(32), nullable=False),
        sa.Column("surroundings", code(120), nullable=False, server_default=""),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("memory_mb", sa.Integer(), nullable=True),
        sa.Column("cpu_count", sa.Float(), nullable=True),
        sa.Column("isolation", code(16), nullable=True),
        sa.Column("details", long_text(), nullable=False),
        sa.Column("idle_reason", words(240), nullable=True),
        sa.Column("crowded", long_text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("heartbeat_at", sa.BigInteger(), nullable=False),
        sa.Column("drain_requested_at", sa.BigInteger(), nullable=True),
        sa.Column("stopped_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
        sa.CheckConstraint(
            "isolation IN ('open', 'limits', 'guarded', 'confined', 'isolated')", name=op.f("ck_workers_isolation")
        ),
    )
    create_filtered("uq_workers_name", "workers", ["name"], where="stopped_at IS NULL", unique=True)
    op.create_table(
        "workspaces",
        sa.Column("id", code(36), nullable=False),
        sa.Column("slug", code(64), nullable=False),
        sa.Column("name", words(200), nullable=False),
        sa.Column("preferences", long_text(), nullable=False),
        sa.Column("max_running", sa.Integer(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("archived_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_workspaces"),
        sa.UniqueConstraint("slug", name="uq_workspaces_slug"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", code(36), nullable=False),
        sa.Column("user_id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=True),
        sa.Column("name", words(200), nullable=False),
        sa.Column("prefix", code(16), nullable=False),
        sa.Column("key_hash", code(64), nullable=False),
        sa.Column("scopes", long_text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_keys_user_id"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_api_keys_workspace_id"),
        sa.UniqueConstraint("prefix", name="uq_api_keys_prefix"),
    )
    op.create_index("ix_api_keys_user_id", "api_keys", ["user_id"], unique=False)
    op.create_table(
        "audit_log",
        sa.Column("position", counter(), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor_kind", code(16), nullable=False),
        sa.Column("actor_id", code(36), nullable=True),
        sa.Column("actor_name", words(254), nullable=False),
        sa.Column("workspace_id", code(36), nullable=True),
        sa.Column("action", code(64), nullable=False),
        sa.Column("subject_kind", code(32), nullable=False),
        sa.Column("subject_id", code(64), nullable=False),
        sa.Column("changes", long_text(), nullable=False),
        sa.Column("reason", words(500), nullable=True),
        sa.Column("trace_id", code(64), nullable=True),
        sa.PrimaryKeyConstraint("position", name="pk_audit_log"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_audit_log_workspace_id"),
        sa.CheckConstraint(
            "actor_kind IN ('user', 'api_key', 'worker', 'system')", name=op.f("ck_audit_log_actor_kind")
        ),
    )
    op.create_index("ix_audit_log_subject", "audit_log", ["subject_kind", "subject_id", "position"], unique=False)
    op.create_index("ix_audit_log_workspace", "audit_log", ["workspace_id", "position"], unique=False)
    op.create_table(
        "configurations",
        sa.Column("id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("name", words(200), nullable=False),
        sa.Column("created_by", words(254), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("archived_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_configurations"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_configurations_workspace_id"),
    )
    op.create_index("ix_configurations_listed", "configurations", ["workspace_id", "created_at", "id"], unique=False)
    create_filtered(
        "uq_configurations_name", "configurations", ["workspace_id", "name"], where="archived_at IS NULL", unique=True
    )
    op.create_table(
        "documents",
        sa.Column("id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("name", words(255), nullable=False),
        sa.Column("media_type", code(127), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", code(64), nullable=False),
        sa.Column("file_key", code(400), nullable=False),
        sa.Column("produced_by", code(36), nullable=True),
        sa.Column("sheets", long_text(), nullable=False),
        sa.Column("encoding", code(40), nullable=True),
        sa.Column("created_by", words(254), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("expired_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_documents_workspace_id"),
    )
    op.create_index("ix_documents_listed", "documents", ["workspace_id", "created_at", "id"], unique=False)
    op.create_index("ix_documents_sha256", "documents", ["workspace_id", "sha256"], unique=False)
    create_filtered(
        "ix_documents_produced_by", "documents", ["produced_by"], where="produced_by IS NOT NULL", unique=False
    )
    op.create_table(
        "events",
        sa.Column("position", counter(), autoincrement=True, nullable=False),
        sa.Column("subject_kind", code(16), nullable=False),
        sa.Column("subject_id", code(36), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("workspace_id", code(36), nullable=True),
        sa.Column("type", code(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("data", long_text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_events"),
        sa.UniqueConstraint("subject_kind", "subject_id", "sequence", name="uq_events_subject"),
    )
    op.create_table(
        "memberships",
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("user_id", code(36), nullable=False),
        sa.Column("role", code(16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "user_id", name="pk_memberships"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_memberships_user_id"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_memberships_workspace_id"),
        sa.CheckConstraint("role IN ('viewer', 'operator', 'author', 'admin')", name=op.f("ck_memberships_role")),
    )
    op.create_index("ix_memberships_user_id", "memberships", ["user_id"], unique=False)
    op.create_table(
        "plans",
        sa.Column("id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("status", code(16), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("created_by", words(254), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_plans_workspace_id"),
        sa.UniqueConstraint("sequence", name="uq_plans_sequence"),
        sa.CheckConstraint("priority BETWEEN 0 AND 100", name=op.f("ck_plans_priority")),
        sa.CheckConstraint("status IN ('active', 'succeeded', 'failed', 'cancelled')", name=op.f("ck_plans_status")),
    )
    op.create_index("ix_plans_listed", "plans", ["workspace_id", "sequence"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("id", code(36), nullable=False),
        sa.Column("user_id", code(36), nullable=False),
        sa.Column("token_hash", code(64), nullable=False),
        sa.Column("user_agent", words(400), nullable=True),
        sa.Column("address", code(64), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"], unique=False)
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"], unique=False)
    op.create_table(
        "configuration_versions",
        sa.Column("id", code(36), nullable=False),
        sa.Column("configuration_id", code(36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("snapshot_of", code(36), nullable=True),
        sa.Column("status", code(16), nullable=False),
        sa.Column("note", words(500), nullable=True),
        sa.Column("digest", code(64), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("created_by", words(254), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=True),
        sa.Column("archived_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_configuration_versions"),
        sa.ForeignKeyConstraint(
            ["configuration_id"], ["configurations.id"], name="fk_configuration_versions_configuration_id"
        ),
        sa.ForeignKeyConstraint(
            ["snapshot_of"], ["configuration_versions.id"], name="fk_configuration_versions_snapshot_of"
        ),
        sa.CheckConstraint(
            "status IN ('draft', 'published', 'archived')", name=op.f("ck_configuration_versions_status")
        ),
    )
    op.create_index(
        "ix_configuration_versions_listed", "configuration_versions", ["configuration_id", "number"], unique=False
    )
    create_filtered(
        "ix_configuration_versions_snapshot",
        "configuration_versions",
        ["snapshot_of", "digest"],
        where="snapshot_of IS NOT NULL",
        unique=False,
    )
    create_filtered(
        "uq_configuration_versions_draft",
        "configuration_versions",
        ["configuration_id"],
        where="status = 'draft'",
        unique=True,
    )
    create_filtered(
        "uq_configuration_versions_number",
        "configuration_versions",
        ["configuration_id", "number"],
        where="snapshot_of IS NULL",
        unique=True,
    )
    create_filtered(
        "uq_configuration_versions_published",
        "configuration_versions",
        ["configuration_id"],
        where="status = 'published'",
        unique=True,
    )
    op.create_table(
        "document_tags",
        sa.Column("document_id", code(36), nullable=False),
        sa.Column("tag", label(64), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "tag", name="pk_document_tags"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name="fk_document_tags_document_id"),
    )
    op.create_index("ix_document_tags_tag", "document_tags", ["tag", "document_id"], unique=False)
    op.create_table(
        "builds",
        sa.Column("id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("configuration_id", code(36), nullable=False),
        sa.Column("version_id", code(36), nullable=False),
        sa.Column("fingerprint", code(64), nullable=False),
        sa.Column("surroundings", code(120), nullable=False, server_default=""),
        sa.Column("status", code(16), nullable=False),
        sa.Column("effective_priority", sa.Integer(), nullable=False),
        sa.Column("order_key", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", code(36), nullable=True),
        sa.Column("claim_token", sa.BigInteger(), nullable=True),
        sa.Column("claim_count", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("lease_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("deadline_at", sa.BigInteger(), nullable=True),
        sa.Column("failure_code", code(32), nullable=True),
        sa.Column("failure_resource", code(16), nullable=True),
        sa.Column("failure_message", words(240), nullable=True),
        sa.Column("manifest", long_text(), nullable=True),
        sa.Column("metrics", long_text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("file_key", code(400), nullable=True),
        sa.Column("files_removed_at", sa.BigInteger(), nullable=True),
        sa.Column("event_count", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.PrimaryKeyConstraint("id", name="pk_builds"),
        sa.ForeignKeyConstraint(["claimed_by"], ["workers.id"], name="fk_builds_claimed_by"),
        sa.ForeignKeyConstraint(["configuration_id"], ["configurations.id"], name="fk_builds_configuration_id"),
        sa.ForeignKeyConstraint(["version_id"], ["configuration_versions.id"], name="fk_builds_version_id"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_builds_workspace_id"),
        sa.UniqueConstraint("configuration_id", "fingerprint", name="uq_builds_configuration_id_fingerprint"),
        sa.CheckConstraint(
            "(status = 'failed' AND failure_code IS NOT NULL) OR (status <> 'failed')", name=op.f("ck_builds_failure")
        ),
        sa.CheckConstraint(CK_BUILDS_FAILURE_CODE, name=op.f("ck_builds_failure_code")),
        sa.CheckConstraint(
            "failure_resource IN ('cpu', 'memory', 'disk', 'output', 'processes')",
            name=op.f("ck_builds_failure_resource"),
        ),
        sa.CheckConstraint(CK_BUILDS_LEASE, name=op.f("ck_builds_lease")),
        sa.CheckConstraint(
            "status IN ('queued', 'building', 'ready', 'failed', 'cancelled', 'removed')", name=op.f("ck_builds_status")
        ),
    )
    create_filtered("ix_builds_building", "builds", ["claimed_by"], where="status = 'building'", unique=False)
    op.create_index("ix_builds_listed", "builds", ["configuration_id", "created_at", "id"], unique=False)
    create_filtered(
        "ix_builds_ready",
        "builds",
        ["surroundings", "effective_priority", "order_key", "sequence"],
        where="status = 'queued'",
        unique=False,
    )
    op.create_table(
        "configuration_files",
        sa.Column("version_id", code(36), nullable=False),
        sa.Column("path", code(255), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("sha256", code(64), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("content", content(), nullable=False),
        sa.PrimaryKeyConstraint("version_id", "path", name="pk_configuration_files"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["configuration_versions.id"], name="fk_configuration_files_version_id"
        ),
    )
    op.create_table(
        "runs",
        sa.Column("id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("configuration_id", code(36), nullable=False),
        sa.Column("version_id", code(36), nullable=False),
        sa.Column("input_document_id", code(36), nullable=False),
        sa.Column("build_id", code(36), nullable=False),
        sa.Column("plan_id", code(36), nullable=True),
        sa.Column("status", code(16), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("effective_priority", sa.Integer(), nullable=False),
        sa.Column("order_key", sa.BigInteger(), nullable=False),
        sa.Column("plan_sequence", sa.BigInteger(), nullable=False, server_default=sa.text("0")),
        sa.Column("phase", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("block_mask", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("scheduled_at", sa.BigInteger(), nullable=True),
        sa.Column("ready_at", sa.BigInteger(), nullable=True),
        sa.Column("placed_at", sa.BigInteger(), nullable=True),
        sa.Column("ages_at", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("deadline_at", sa.BigInteger(), nullable=True),
        sa.Column("cancel_requested_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", code(36), nullable=True),
        sa.Column("claim_token", sa.BigInteger(), nullable=True),
        sa.Column("claim_count", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("lease_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("submitted_by", words(254), nullable=True),
        sa.Column("sheets", long_text(), nullable=True),
        sa.Column("corrections", long_text(), nullable=True),
        sa.Column("is_trial", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("earlier_run_id", code(36), nullable=True),
        sa.Column("proposal", code(16), nullable=True),
        sa.Column("proposal_note", words(500), nullable=True),
        sa.Column("proposal_decided_by", words(254), nullable=True),
        sa.Column("proposal_decided_at", sa.BigInteger(), nullable=True),
        sa.Column("runtime_network_access", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("memory_mb", sa.Integer(), nullable=True),
        sa.Column("cpu_count", sa.Float(), nullable=True),
        sa.Column("trace_id", code(64), nullable=True),
        sa.Column("failure_code", code(32), nullable=True),
        sa.Column("failure_resource", code(16), nullable=True),
        sa.Column("failure_message", words(240), nullable=True),
        sa.Column("isolation", code(16), nullable=True),
        sa.Column("metrics", long_text(), nullable=True),
        sa.Column("issue_count", sa.BigInteger(), nullable=True),
        sa.Column("output_bytes", sa.BigInteger(), nullable=True),
        sa.Column("verdict", code(16), nullable=True),
        sa.Column("verdict_reason", words(240), nullable=True),
        sa.Column("fit", sa.Float(), nullable=True),
        sa.Column("file_key", code(400), nullable=True),
        sa.Column("files_removed_at", sa.BigInteger(), nullable=True),
        sa.Column("event_count", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name="fk_runs_build_id"),
        sa.ForeignKeyConstraint(["configuration_id"], ["configurations.id"], name="fk_runs_configuration_id"),
        sa.ForeignKeyConstraint(["input_document_id"], ["documents.id"], name="fk_runs_input_document_id"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name="fk_runs_plan_id"),
        sa.ForeignKeyConstraint(["version_id"], ["configuration_versions.id"], name="fk_runs_version_id"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_runs_workspace_id"),
        sa.UniqueConstraint("sequence", name="uq_runs_sequence"),
        not_on_postgresql("ck_runs_effective_priority", "effective_priority BETWEEN 0 AND 100"),
        not_on_postgresql("ck_runs_failure", CK_RUNS_FAILURE),
        not_on_postgresql("ck_runs_lease", CK_RUNS_LEASE),
        not_on_postgresql("ck_runs_priority", "priority BETWEEN 0 AND 100"),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name=op.f("ck_runs_status")
        ),
    )
    create_filtered(
        "ix_runs_ageing", "runs", ["ages_at"], where="status = 'queued' AND ages_at IS NOT NULL", unique=False
    )
    op.create_index("ix_runs_build_id", "runs", ["build_id"], unique=False)
    op.create_index("ix_runs_configuration", "runs", ["configuration_id", "sequence"], unique=False)
    op.create_index("ix_runs_document", "runs", ["input_document_id", "sequence"], unique=False)
    create_filtered(
        "ix_runs_finished", "runs", ["finished_at", "status"], where="finished_at IS NOT NULL", unique=False
    )
    create_filtered("ix_runs_plan", "runs", ["plan_id", "phase"], where="plan_id IS NOT NULL", unique=False)
    create_filtered(
        "ix_runs_queued",
        "runs",
        ["effective_priority", "order_key", "plan_sequence", "phase", "sequence"],
        where="status = 'queued'",
        unique=False,
    )
    create_filtered(
        "ix_runs_capacity",
        "runs",
        ["workspace_id", "effective_priority", "order_key", "plan_sequence", "phase", "sequence"],
        where="status = 'queued' AND block_mask = 32",
        unique=False,
    )
    create_filtered(
        "ix_runs_proposals",
        "runs",
        ["workspace_id", "proposal", "sequence"],
        where="proposal IS NOT NULL",
        unique=False,
    )
    create_filtered("ix_runs_queued_build", "runs", ["build_id"], where="status = 'queued'", unique=False)
    create_filtered(
        "ix_runs_queued_document",
        "runs",
        ["input_document_id", "effective_priority", "order_key", "plan_sequence", "phase", "sequence"],
        where="status = 'queued'",
        unique=False,
    )
    create_filtered(
        "ix_runs_ready",
        "runs",
        ["effective_priority", "order_key", "plan_sequence", "phase", "sequence"],
        where="status = 'queued' AND block_mask = 0",
        unique=False,
    )
    create_filtered("ix_runs_running", "runs", ["claimed_by"], where="status = 'running'", unique=False)
    create_filtered(
        "ix_runs_scheduled",
        "runs",
        ["scheduled_at"],
        where="status = 'queued' AND scheduled_at IS NOT NULL AND ready_at IS NULL",
        unique=False,
    )
    op.create_index("ix_runs_workspace", "runs", ["workspace_id", "sequence"], unique=False)
    create_filtered("uq_runs_running_document", "runs", ["input_document_id"], where="status = 'running'", unique=True)
    numbers = ("clock_at", "claim_sequence", "run_sequence", "order_version", "open_run_count")
    columns: list[sa.ColumnClause[Any]] = [
        sa.column("name", sa.String()),
        *(sa.column(name, sa.BigInteger()) for name in numbers),
    ]
    control = sa.table("queue_control", *columns)
    start = dict.fromkeys(numbers, 0)
    op.bulk_insert(control, [{"name": name, **start} for name in ("dispatch", "upkeep")])
    op.create_table(
        "webhooks",
        sa.Column("id", code(36), nullable=False),
        sa.Column("workspace_id", code(36), nullable=False),
        sa.Column("url", label(1000), nullable=False),
        sa.Column("secret", code(100), nullable=False),
        sa.Column("statuses", long_text(), nullable=False),
        sa.Column("is_disabled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_by", words(254), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("tells_since", sa.BigInteger(), nullable=False),
        sa.Column("looked_at", sa.BigInteger(), nullable=False),
        sa.Column("look_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name=op.f("fk_webhooks_workspace_id")),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_index("ix_webhooks_workspace_id", "webhooks", ["workspace_id"], unique=False)
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", code(36), nullable=False),
        sa.Column("webhook_id", code(36), nullable=False),
        sa.Column("run_id", code(36), nullable=True),
        sa.Column("type", code(64), nullable=False),
        sa.Column("status", code(16), nullable=False),
        sa.Column("attempt_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("answered_status", sa.Integer(), nullable=True),
        sa.Column("error", words(240), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("status IN ('pending', 'delivered', 'failed')", name=op.f("ck_webhook_deliveries_status")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_webhook_deliveries_run_id")),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_deliveries_webhook_id")),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
    )
    op.create_index(
        "ix_webhook_deliveries_listed", "webhook_deliveries", ["webhook_id", "created_at", "id"], unique=False
    )
    create_filtered(
        "uq_webhook_deliveries_run",
        "webhook_deliveries",
        ["webhook_id", "run_id"],
        where="run_id IS NOT NULL",
        unique=True,
    )
    create_filtered(
        "ix_webhook_deliveries_due", "webhook_deliveries", ["next_attempt_at"], where="status = 'pending'", unique=False
    )


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
    op.drop_table("runs")
    op.drop_table("configuration_files")
    op.drop_table("builds")
    op.drop_table("document_tags")
    op.drop_table("configuration_versions")
    op.drop_table("sessions")
    op.drop_table("plans")
    op.drop_table("memberships")
    op.drop_table("events")
    op.drop_table("documents")
    op.drop_table("configurations")
    op.drop_table("audit_log")
    op.drop_table("api_keys")
    op.drop_table("workspaces")
    op.drop_table("workers")
    op.drop_table("users")
    op.drop_table("settings")
    op.drop_table("idle_workers")
    op.drop_table("totals")
    op.drop_table("queue_rejections")
    op.drop_table("queue_control")
    op.drop_table("pauses")
    op.drop_table("oidc_logins")
    op.drop_table("login_failures")
    op.drop_table("idempotency_keys")

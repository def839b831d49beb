"""Workspaces, the people and keys that may use them, and the record of what they did."""

import sqlalchemy as sa

from ade.database.schema.columns import filtered, flag, instant, metadata, one_of, primary_id, reference
from ade.database.types import Json, code, counter, identifier, label, long_text, words
from ade.domain.access import ActorKind, Role

workspaces = sa.Table(
    "workspaces",
    metadata,
    primary_id(),
    sa.Column("slug", code(64), nullable=False),
    sa.Column("name", words(200), nullable=False),
    sa.Column("preferences", Json, nullable=False),  # retention, run on upload
    sa.Column("max_running", sa.Integer),  # runs executing at once; none: no cap of its own
    sa.Column("revision", sa.Integer, nullable=False, server_default=sa.text("1")),  # the ETag of an edit
    instant("created_at", nullable=False),
    instant("archived_at"),
    sa.UniqueConstraint("slug"),
)

users = sa.Table(
    "users",
    metadata,
    primary_id(),
    sa.Column("email", words(254), nullable=False),
    sa.Column("email_key", label(254), nullable=False),  # folded, so that one address is one account
    sa.Column("name", words(200), nullable=False),
    sa.Column("password_hash", code(255)),  # argon2id; none for those who sign in elsewhere
    sa.Column("oidc_issuer", code(255)),
    sa.Column("oidc_subject", code(255)),
    flag("is_admin"),
    instant("created_at", nullable=False),
    instant("last_login_at"),
    instant("disabled_at"),
    sa.UniqueConstraint("email_key"),
    filtered("uq_users_oidc", "oidc_issuer", "oidc_subject", where="oidc_subject IS NOT NULL", unique=True),
)

memberships = sa.Table(
    "memberships",
    metadata,
    sa.Column("workspace_id", identifier(), sa.ForeignKey("workspaces.id"), primary_key=True),
    sa.Column("user_id", identifier(), sa.ForeignKey("users.id"), primary_key=True),
    sa.Column("role", code(16), nullable=False),
    instant("created_at", nullable=False),
    one_of("role", Role),
    sa.Index("ix_memberships_user_id", "user_id"),
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    primary_id(),
    reference("users"),
    reference("workspaces", nullable=True),  # none: every workspace of its user
    sa.Column("name", words(200), nullable=False),
    sa.Column("prefix", code(16), nullable=False),  # shown in lists, found at sign-in
    sa.Column("key_hash", code(64), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    instant("created_at", nullable=False),
    instant("expires_at"),
    instant("last_used_at"),
    instant("revoked_at"),
    sa.UniqueConstraint("prefix"),
    sa.Index("ix_api_keys_user_id", "user_id"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    primary_id(),
    reference("users"),
    sa.Column("token_hash", code(64), nullable=False),
    sa.Column("user_agent", words(400)),
    sa.Column("address", code(64)),
    instant("created_at", nullable=False),
    instant("last_seen_at", nullable=False),
    instant("expires_at", nullable=False),
    sa.UniqueConstraint("token_hash"),
    sa.Index("ix_sessions_user_id", "user_id"),
    sa.Index("ix_sessions_expires_at", "expires_at"),
)

audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("position", counter(), primary_key=True, autoincrement=True),
    instant("at", nullable=False),
    sa.Column("actor_kind", code(16), nullable=False),
    sa.Column("actor_id", code(36)),  # no foreign key: the record outlives the account
    sa.Column("actor_name", words(254), nullable=False),
    reference("workspaces", nullable=True),
    sa.Column("action", code(64), nullable=False),
    sa.Column("subject_kind", code(32), nullable=False),
    sa.Column("subject_id", code(64), nullable=False),
    sa.Column("changes", Json, nullable=False),  # {name: [from, to]}
    sa.Column("reason", words(500)),
    sa.Column("trace_id", code(64)),
    one_of("actor_kind", ActorKind),
    sa.Index("ix_audit_log_workspace", "workspace_id", "position"),
    sa.Index("ix_audit_log_subject", "subject_kind", "subject_id", "position"),
)

# Failed tries to sign in, by account and by address: too many in a while, and the next must wait.
login_failures = sa.Table(
    "login_failures",
    metadata,
    sa.Column("position", counter(), primary_key=True, autoincrement=True),
    sa.Column("subject", label(254), nullable=False),
    instant("at", nullable=False),
    sa.Index("ix_login_failures_subject", "subject", "at"),
    sa.Index("ix_login_failures_at", "at"),
)

# People on their way to an OpenID provider and back: once, and within minutes.
oidc_logins = sa.Table(
    "oidc_logins",
    metadata,
    sa.Column("token_hash", code(64), primary_key=True),  # of the cookie that ties it to one browser
    sa.Column("state", code(64), nullable=False),
    sa.Column("nonce", code(64), nullable=False),
    sa.Column("verifier", code(128), nullable=False),  # PKCE
    sa.Column("return_to", code(400), nullable=False),
    instant("expires_at", nullable=False),
    sa.Index("ix_oidc_logins_expires_at", "expires_at"),
)

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("scope", code(100), primary_key=True),  # who asked, and of which route
    sa.Column("key", code(200), primary_key=True),
    sa.Column("request_digest", code(64), nullable=False),
    sa.Column("response_status", sa.Integer),  # none while the first request is still at work
    sa.Column("response_body", long_text()),
    instant("created_at", nullable=False),
    instant("expires_at", nullable=False),
    sa.Index("ix_idempotency_keys_expires_at", "expires_at"),
)

"""Users, their roles in workspaces, their sessions and API keys, and failed tries to sign in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.rows import Rows
from ade.database.schema import api_keys, login_failures, memberships, sessions, users
from ade.database.transaction import Transaction
from ade.domain.access import Role

u, m, s, k = users.c, memberships.c, sessions.c, api_keys.c


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRow:
    """Someone with an account."""

    id: str
    email: str
    name: str
    password_hash: str | None
    oidc_subject: str | None
    is_admin: bool
    created_at: datetime
    last_login_at: datetime | None
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow(UserRow):
    """A session, with its user."""

    session_id: str
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedKeyRow(UserRow):
    """A key in force, with its user."""

    key_id: str
    key_name: str
    key_hash: str
    scopes: list[str]
    last_used_at: datetime | None
    workspace_id: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeyRow:
    """A key as lists show it."""

    id: str
    workspace_id: str | None
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    email: str  # of its user


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """Someone in a workspace."""

    role: str
    created_at: datetime
    user_id: str
    email: str
    name: str


_USERS = Rows(UserRow, users)
_SESSIONS = Rows(SessionRow, users, sessions, session_id=s.id)
_USED_KEYS = Rows(UsedKeyRow, users, api_keys, key_id=k.id, key_name=k.name)
_API_KEYS = Rows(ApiKeyRow, api_keys, users)
_MEMBERS = Rows(MemberRow, memberships, users)


def insert_user(tx: Transaction, row: Mapping[str, Any]) -> bool:
    """Add a user; return whether the address was free."""
    try:
        with tx.savepoint():
            tx.execute(sa.insert(users).values(**row))
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
        return False
    return True


def user(tx: Transaction, user_id: str) -> UserRow | None:
    """Return a user, or None."""
    return _USERS.one_or_none(tx, _USERS.select(u.id == user_id))


def user_by_email(tx: Transaction, email_key: str) -> UserRow | None:
    """Return the user of a folded address, or None."""
    return _USERS.one_or_none(tx, _USERS.select(u.email_key == email_key))


def user_by_subject(tx: Transaction, issuer: str, subject: str) -> UserRow | None:
    """Return the user an OpenID provider knows by this subject, or None."""
    return _USERS.one_or_none(tx, _USERS.select(u.oidc_issuer == issuer, u.oidc_subject == subject))


def all_users(tx: Transaction) -> Sequence[UserRow]:
    """Return every user, by address."""
    return _USERS.all(tx, _USERS.select().order_by(u.email_key))


def update_user(tx: Transaction, user_id: str, **values: Any) -> None:
    """Change a user."""
    tx.execute(sa.update(users).where(u.id == user_id).values(**values))


def count_admins(tx: Transaction) -> int:
    """Count the administrators who can sign in."""
    chosen = sa.select(sa.func.count()).select_from(users).where(u.is_admin == sa.true(), u.disabled_at.is_(None))
    return int(tx.execute(chosen).scalar_one())


def roles_of(tx: Transaction, user_id: str) -> dict[str, Role]:
    """Return a user's roles by workspace."""
    chosen = sa.select(m.workspace_id, m.role).where(m.user_id == user_id)
    return {row.workspace_id: Role(row.role) for row in tx.execute(chosen)}


def members(tx: Transaction, workspace_id: str) -> Sequence[MemberRow]:
    """Return the members of a workspace with their roles, by address."""
    chosen = _MEMBERS.select(m.workspace_id == workspace_id).join_from(memberships, users, m.user_id == u.id)
    return _MEMBERS.all(tx, chosen.order_by(u.email_key))


def set_role(tx: Transaction, workspace_id: str, user_id: str, role: Role) -> Role | None:
    """Make someone a member, or give them another role; return the one they had."""
    here = sa.and_(m.workspace_id == workspace_id, m.user_id == user_id)
    before = tx.execute(sa.select(m.role).where(here)).scalar_one_or_none()
    if before is None:
        row = {"workspace_id": workspace_id, "user_id": user_id, "role": role, "created_at": tx.now}
        tx.execute(sa.insert(memberships).values(**row))
        return None
    tx.execute(sa.update(memberships).where(here).values(role=role))
    return Role(before)


def remove_member(tx: Transaction, workspace_id: str, user_id: str) -> bool:
    """End a membership; return whether there was one."""
    here = sa.delete(memberships).where(m.workspace_id == workspace_id, m.user_id == user_id)
    return tx.execute(here).rowcount == 1


def insert_session(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a session."""
    tx.execute(sa.insert(sessions).values(**row))


def session(tx: Transaction, token_hash: str) -> SessionRow | None:
    """Return a session that has not expired, with its user, or None."""
    valid = (s.token_hash == token_hash, s.expires_at > tx.now, u.disabled_at.is_(None))
    return _SESSIONS.one_or_none(tx, _SESSIONS.select(*valid).join_from(sessions, users, s.user_id == u.id))


def has_session_from(tx: Transaction, user_id: str, address: str) -> bool:
    """Return whether a user has a session that was opened from an address."""
    chosen = sa.select(s.id).where(s.user_id == user_id, s.address == address, s.expires_at > tx.now).limit(1)
    return tx.execute(chosen).first() is not None


def note_seen(tx: Transaction, session_id: str) -> None:
    """Note that a session is in use."""
    tx.execute(sa.update(sessions).where(s.id == session_id).values(last_seen_at=tx.now))


def end_session(tx: Transaction, token_hash: str) -> None:
    """Remove a session."""
    tx.execute(sa.delete(sessions).where(s.token_hash == token_hash))


def end_sessions_of(tx: Transaction, user_id: str) -> None:
    """Remove every session of a user."""
    tx.execute(sa.delete(sessions).where(s.user_id == user_id))


def insert_key(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add an API key."""
    tx.execute(sa.insert(api_keys).values(**row))


def key(tx: Transaction, prefix: str) -> UsedKeyRow | None:
    """Return the key of a prefix that is in force, with its user, or None."""
    in_force = (k.prefix == prefix, _is_in_force(tx.now), u.disabled_at.is_(None))
    chosen = _USED_KEYS.select(*in_force).join_from(api_keys, users, k.user_id == u.id)
    return _USED_KEYS.one_or_none(tx, chosen)


def keys_of(tx: Transaction, user_id: str | None, *, most_ended: int) -> Sequence[ApiKeyRow]:
    """Return the keys of a user, or of everyone, newest first: those in force, and the newest that are not."""
    chosen = _API_KEYS.select().join_from(api_keys, users, k.user_id == u.id).order_by(k.created_at.desc(), k.id.desc())
    if user_id is not None:
        chosen = chosen.where(k.user_id == user_id)
    is_in_force = _is_in_force(tx.now)
    in_force = _API_KEYS.all(tx, chosen.where(is_in_force))
    ended = _API_KEYS.all(tx, chosen.where(sa.not_(is_in_force)).limit(most_ended))
    return sorted([*in_force, *ended], key=lambda row: (row.created_at, row.id), reverse=True)


def count_keys(tx: Transaction, user_id: str) -> int:
    """Count the keys of a user that are in force."""
    chosen = sa.select(sa.func.count()).select_from(api_keys).where(k.user_id == user_id, _is_in_force(tx.now))
    return int(tx.execute(chosen).scalar_one())


def _is_in_force(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(k.revoked_at.is_(None), sa.or_(k.expires_at.is_(None), k.expires_at > now))


def revoke_key(tx: Transaction, key_id: str) -> bool:
    """End a key; return whether it was in force."""
    statement = sa.update(api_keys).where(k.id == key_id, k.revoked_at.is_(None)).values(revoked_at=tx.now)
    return tx.execute(statement).rowcount == 1


def note_key_used(tx: Transaction, key_id: str) -> None:
    """Note that a key is in use."""
    tx.execute(sa.update(api_keys).where(k.id == key_id).values(last_used_at=tx.now))


def add_login_failures(tx: Transaction, subjects: Sequence[str]) -> None:
    """Note a failed try, for the account and for the address."""
    tx.execute(sa.insert(login_failures), [{"subject": subject, "at": tx.now} for subject in subjects])


def count_login_failures(tx: Transaction, subject: str, *, since: datetime) -> int:
    """Count failed tries since an instant."""
    chosen = (login_failures.c.subject == subject, login_failures.c.at >= since)
    return int(tx.execute(sa.select(sa.func.count()).select_from(login_failures).where(*chosen)).scalar_one())


def forget_login_failures(tx: Transaction, *, subject: str | None = None, before: datetime | None = None) -> None:
    """Forget the failed tries of an account that signed in, or old ones."""
    statement = sa.delete(login_failures)
    if subject is not None:
        statement = statement.where(login_failures.c.subject == subject)
    if before is not None:
        statement = statement.where(login_failures.c.at < before)
    tx.execute(statement)


def forget_expired_sessions(tx: Transaction) -> int:
    """Remove sessions that expired."""
    return tx.execute(sa.delete(sessions).where(s.expires_at <= tx.now)).rowcount

"""Users, members and API keys: added, changed, removed; every change is audited."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ade.clock import as_text
from ade.database.access import people
from ade.database.access.people import ApiKeyRow, UserRow
from ade.database.queue.events import record_audit
from ade.database.transaction import Transaction
from ade.domain.access import SYSTEM, Actor, Caller, Role, Scope
from ade.errors import Conflict, Forbidden, Invalid, NotFound, TooManyTries
from ade.operations.access.identity import TRIES_IN, digest, fold_email, new_key
from ade.operations.access.password_checks import hash_password

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 1000
MOST_UNKNOWN_ADDRESSES = 20  # that one person names within TRIES_IN
MOST_KEYS = 100  # in force, of one person
MOST_ENDED_KEYS = 200  # in a list


def create_user(tx: Transaction, *, email: str, name: str, password_hash: str, is_admin: bool, actor: Actor) -> UserRow:
    """Add a user; raise Conflict when the address is taken."""
    user_id = tx.new_id()
    row = {
        "id": user_id,
        "email": email.strip(),
        "email_key": fold_email(email),
        "name": name,
        "password_hash": password_hash,
        "is_admin": is_admin,
        "created_at": tx.now,
    }
    if not people.insert_user(tx, row):
        raise Conflict(f"There is already an account for {email}.")
    audit_user(tx, actor, user_id, action="user.create", changes={"email": [None, email], "is_admin": [None, is_admin]})
    return get_user(tx, user_id)


def checked_password(password: str) -> str:
    """Return a password's hash; raise Invalid when it is too short to be one."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Invalid(f"A password has at least {SHORTEST_PASSWORD} characters; a few random words are best.")
    return hash_password(password)


def get_user(tx: Transaction, user_id: str) -> UserRow:
    """Return a user; raise NotFound."""
    row = people.user(tx, user_id)
    if row is None:
        raise NotFound(f"There is no user {user_id}.")
    return row


def change_user(tx: Transaction, user_id: str, values: dict[str, Any], *, actor: Actor) -> UserRow:
    """Rename, promote, disable or give another password; a user who is disabled or got a password is signed out."""
    before = get_user(tx, user_id)
    if values:
        people.update_user(tx, user_id, **values)
        if {"password_hash", "disabled_at"} & set(values):
            people.end_sessions_of(tx, user_id)
        if not people.count_admins(tx):
            raise Conflict("This is the last administrator. Make another one first.")
        audit_user(tx, actor, user_id, action="user.change", changes=_changes(before, values))
    return get_user(tx, user_id)


def _changes(before: UserRow, values: dict[str, Any]) -> dict[str, list[Any]]:
    secret = ["***", "***"]
    return {
        name: secret if name == "password_hash" else [_word(getattr(before, name)), _word(value)]
        for name, value in values.items()
    }


def _word(value: Any) -> Any:
    return as_text(value) if isinstance(value, datetime) else value


def set_member(tx: Transaction, workspace_id: str, user_id: str, role: Role, *, actor: Actor) -> None:
    """Make a person a member of a workspace, or give them another role."""
    user = get_user(tx, user_id)
    before = people.set_role(tx, workspace_id, user_id, role)
    changes: dict[str, list[Any]] = {"role": [before, role], "email": [user.email, user.email]}
    _audit(tx, actor, workspace_id, workspace_id, action="member.set", kind="workspace", changes=changes)


def add_member(tx: Transaction, workspace_id: str, email: str, role: Role, *, caller: Caller) -> str:
    """Make the person with this address a member of a workspace; return their id.

    Raise NotFound without an account that may sign in, and Conflict for a member: a role is changed by its owner's id.
    Raise TooManyTries when the caller named too many unknown addresses lately: they could find out who has an account.
    """
    if people.count_login_failures(tx, _guesses_of(caller), since=tx.now - TRIES_IN) >= MOST_UNKNOWN_ADDRESSES:
        raise TooManyTries(
            "Too many of the addresses had no account. Wait a quarter of an hour, or ask for the right addresses."
        )
    user = people.user_by_email(tx, fold_email(email))
    if user is None or user.disabled_at is not None:
        raise NotFound(f"There is no account for {email}. Accounts are made by an administrator of the deployment.")
    if workspace_id in people.roles_of(tx, user.id):
        raise Conflict(f"{email} is already a member of this workspace.")
    set_member(tx, workspace_id, user.id, role, actor=caller.actor)
    return str(user.id)


def note_unknown_address(tx: Transaction, caller: Caller) -> None:
    """Count an address without an account that a caller named; in a transaction of its own, since theirs is undone."""
    people.add_login_failures(tx, [_guesses_of(caller)])


def _guesses_of(caller: Caller) -> str:
    return f"guesses:{caller.person}"


def remove_member(tx: Transaction, workspace_id: str, user_id: str, *, actor: Actor) -> None:
    """End a membership."""
    if not people.remove_member(tx, workspace_id, user_id):
        raise NotFound(f"There is no member {user_id} in this workspace.")
    changes = {"member": [user_id, None]}
    _audit(tx, actor, workspace_id, workspace_id, action="member.remove", kind="workspace", changes=changes)


def create_key(
    tx: Transaction,
    caller: Caller,
    *,
    name: str,
    scopes: Sequence[Scope],
    workspace_id: str | None,
    expires_at: datetime | None,
) -> tuple[str, str]:
    """Add an API key of the caller; return its id and the key itself, which is shown this once."""
    if caller.user_id is None:
        raise Conflict("API keys belong to users, and in local mode there are none. Set ADE_AUTH_MODE=team first.")
    _refuse_to_grow(caller, scopes, workspace_id, expires_at)
    if workspace_id is not None and caller.role_in(workspace_id) is None:
        raise NotFound(f"There is no workspace {workspace_id}.")
    if people.count_keys(tx, caller.user_id) >= MOST_KEYS:
        raise Conflict(f"You have {MOST_KEYS} API keys in force, which is the maximum. Revoke keys you no longer use.")
    (secret, prefix), key_id = new_key(), tx.new_id()
    row = {
        "id": key_id,
        "user_id": caller.user_id,
        "workspace_id": workspace_id,
        "name": name,
        "prefix": prefix,
        "key_hash": digest(secret),
        "scopes": sorted(set(scopes)),
        "created_at": tx.now,
        "expires_at": expires_at,
    }
    people.insert_key(tx, row)
    changes: dict[str, list[Any]] = {"name": [None, name], "scopes": [None, sorted(set(scopes))]}
    _audit(tx, caller.actor, key_id, workspace_id, action="api_key.create", kind="api_key", changes=changes)
    return key_id, secret


def _refuse_to_grow(
    caller: Caller, scopes: Sequence[Scope], workspace_id: str | None, expires_at: datetime | None
) -> None:
    """Refuse a key that may do more, in more workspaces or for longer than the one it is asked for with."""
    is_stronger = any(scope.role.rank > caller.limit.rank for scope in scopes)
    is_wider = caller.bound_to is not None and workspace_id != caller.bound_to
    is_longer = caller.ends_at is not None and (expires_at is None or expires_at > caller.ends_at)
    if is_stronger or is_wider or is_longer:
        raise Forbidden("A key cannot make a key with more rights, for other workspaces, or for a longer time.")


def list_keys(tx: Transaction, caller: Caller) -> Sequence[ApiKeyRow]:
    """Return the caller's keys; an administrator sees everyone's, a key of one workspace only those of it."""
    found = people.keys_of(tx, None if caller.may_administer else caller.user_id, most_ended=MOST_ENDED_KEYS)
    return [row for row in found if caller.bound_to is None or row.workspace_id == caller.bound_to]


def revoke_key(tx: Transaction, caller: Caller, key_id: str) -> None:
    """End a key of the caller, or anyone's as an administrator."""
    own = {row.id: row for row in list_keys(tx, caller)}
    if key_id in own and any(Scope(scope).role.rank > caller.limit.rank for scope in own[key_id].scopes):
        raise Forbidden("A key cannot revoke a key with more rights.")
    if key_id not in own or not people.revoke_key(tx, key_id):
        raise NotFound(f"There is no key {key_id} in force.")
    _audit(tx, caller.actor, key_id, None, action="api_key.revoke", kind="api_key", changes={})


def create_key_of(tx: Transaction, email: str, *, name: str, scopes: Sequence[Scope]) -> str:
    """Add an API key of the user with this address and return it; for `ade users`, which needs no permission."""
    row = people.user_by_email(tx, fold_email(email))
    if row is None:
        raise NotFound(f"There is no account for {email}.")
    owner = Caller(actor=SYSTEM, user_id=row.id, is_admin=row.is_admin)
    return create_key(tx, owner, name=name, scopes=scopes, workspace_id=None, expires_at=None)[1]


def audit_user(tx: Transaction, actor: Actor, user_id: str, *, action: str, changes: dict[str, list[Any]]) -> None:
    """Write who changed what of a user."""
    _audit(tx, actor, user_id, None, action=action, kind="user", changes=changes)


def _audit(
    tx: Transaction,
    actor: Actor,
    subject_id: str,
    workspace_id: str | None,
    *,
    action: str,
    kind: str,
    changes: dict[str, list[Any]],
) -> None:
    record_audit(tx, actor, action=action, subject_kind=kind, subjects=[(subject_id, workspace_id, changes)])

"""Callers: sessions of people who signed in, API keys, and the limits on tries."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from datetime import timedelta

from ade.database.access import people
from ade.database.access.people import UsedKeyRow, UserRow
from ade.database.queue.events import record_audit
from ade.database.transaction import Database, Transaction
from ade.domain.access import Actor, ActorKind, Caller, Role, Scope
from ade.errors import NotSignedIn, TooManyTries
from ade.operations.access.password_checks import is_right, network_of

KEY_PREFIX = "ade_"
TRIES_IN = timedelta(minutes=15)
MOST_TRIES = 10  # of one account from one address
MOST_TRIES_OF_ACCOUNT = 100  # from all addresses together
MOST_TRIES_FROM_ADDRESS = 50  # of all accounts together; beyond it they are checked one at a time
SEEN_EVERY = timedelta(minutes=5)
_WRONG = "The address or the password is wrong."


def fold_email(email: str) -> str:
    """Return an address as it is compared: without capitals of ASCII.

    Other letters that compare alike in Unicode, such as ß and ss, may be in the address of another person.
    """
    return "".join(letter.lower() if letter.isascii() else letter for letter in email.strip())


def digest(secret: str) -> str:
    """Return a random secret as it is kept: it has too many possibilities to be guessed from a quick hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_token(session_token: str) -> str:
    """Return what a page must send with every change; another site cannot know it."""
    return digest(f"csrf:{session_token}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A session that was just opened."""

    token: str
    user: UserRow


def sign_in(
    database: Database, *, email: str, password: str, address: str, user_agent: str | None, lasts: timedelta
) -> SignedIn:
    """Open a session; raise NotSignedIn, or TooManyTries when there were too many failures lately.

    The password is checked between two transactions: that takes long on purpose, and must not hold the database.
    """
    network = network_of(address)
    account = f"account:{digest(fold_email(email))}"
    pair = f"{account}:{network}"
    user, is_suspect = database.read(lambda tx: _candidate(tx, email, account=account, pair=pair, address=address))
    password_hash = user.password_hash if user is not None and user.disabled_at is None else None
    if not is_right(password, password_hash, network=network, is_suspect=is_suspect) or user is None:
        database.write(lambda tx: _note_failure(tx, [account, pair, f"address:{network}"]))
        raise NotSignedIn(_WRONG)
    token = secrets.token_urlsafe(32)

    def work(tx: Transaction) -> None:
        open_session(tx, user.id, token, email=user.email, address=address, user_agent=user_agent, lasts=lasts)
        for subject in (account, pair):
            people.forget_login_failures(tx, subject=subject)

    database.write(work)
    return SignedIn(token=token, user=user)


def open_session(
    tx: Transaction,
    user_id: str,
    token: str,
    *,
    email: str,
    address: str,
    user_agent: str | None,
    lasts: timedelta,
) -> None:
    """Open a session of someone who proved who they are; the token is new, whatever the browser sent before."""
    row = {
        "id": tx.new_id(),
        "user_id": user_id,
        "token_hash": digest(token),
        "user_agent": (user_agent or "")[:400],
        "address": address[:64],
        "created_at": tx.now,
        "last_seen_at": tx.now,
        "expires_at": tx.now + lasts,
    }
    people.insert_session(tx, row)
    people.update_user(tx, user_id, last_login_at=tx.now)
    actor = Actor(ActorKind.USER, email, user_id)
    subjects = [(user_id, None, {"address": [None, address[:64]]})]
    record_audit(tx, actor, action="session.open", subject_kind="user", subjects=subjects)
    people.forget_expired_sessions(tx)


def _candidate(tx: Transaction, email: str, *, account: str, pair: str, address: str) -> tuple[UserRow | None, bool]:
    """Return the user of an email address, or None, and whether many wrong tries came from the caller's address.

    Raise TooManyTries when the account had too many: from this address, or from all of them together, where this one
    is none that its owner is signed in from. An address alone is never refused, because people share those of proxies.
    """
    since = tx.now - TRIES_IN
    user = people.user_by_email(tx, fold_email(email))
    is_over = people.count_login_failures(tx, pair, since=since) >= MOST_TRIES
    if not is_over and people.count_login_failures(tx, account, since=since) >= MOST_TRIES_OF_ACCOUNT:
        is_over = user is None or not people.has_session_from(tx, user.id, address[:64])
    if is_over:
        minutes = int(TRIES_IN.total_seconds() // 60)
        raise TooManyTries(f"Wait up to {minutes} minutes, then try again, or ask an administrator.")
    from_address = people.count_login_failures(tx, f"address:{network_of(address)}", since=since)
    return user, from_address >= MOST_TRIES_FROM_ADDRESS


def _note_failure(tx: Transaction, subjects: list[str]) -> None:
    people.add_login_failures(tx, subjects)
    people.forget_login_failures(tx, before=tx.now - TRIES_IN)  # or failed tries would fill the table


def sign_out(tx: Transaction, token: str) -> None:
    """Close a session."""
    people.end_session(tx, digest(token))


def caller_of_session(database: Database, token: str) -> Caller | None:
    """Return who a session belongs to, or None when it is not in force."""

    def look(tx: Transaction) -> tuple[Caller, str | None] | None:
        row = people.session(tx, digest(token))
        if row is None:
            return None
        stale = row.session_id if tx.now - row.last_seen_at > SEEN_EVERY else None
        return _caller(tx, row, Actor(ActorKind.USER, row.email, row.id)), stale

    found = database.read(look)
    if found is None:
        return None
    caller, stale = found
    if stale is not None:
        database.write(lambda tx: people.note_seen(tx, stale))
    return caller


def caller_of_key(database: Database, secret: str) -> Caller | None:
    """Return who an API key belongs to, limited to its scopes and workspace, or None when it is not in force."""

    def look(tx: Transaction) -> tuple[Caller, str | None] | None:
        row = people.key(tx, _prefix_of(secret))
        if row is None or not hmac.compare_digest(row.key_hash, digest(secret)):
            return None
        is_stale = row.last_used_at is None or tx.now - row.last_used_at > SEEN_EVERY
        return _caller_of_key(tx, row), row.key_id if is_stale else None

    found = database.read(look) if secret.startswith(KEY_PREFIX) else None
    if found is None:
        return None
    caller, stale = found
    if stale is not None:
        database.write(lambda tx: people.note_key_used(tx, stale))
    return caller


def _prefix_of(secret: str) -> str:
    return secret[: len(KEY_PREFIX) + 8]


def _caller_of_key(tx: Transaction, row: UsedKeyRow) -> Caller:
    actor = Actor(ActorKind.API_KEY, f"{row.email} ({row.key_name})"[:254], row.key_id)
    limit = max((Scope(scope).role for scope in row.scopes), key=lambda role: role.rank, default=Role.VIEWER)
    caller = replace(_caller(tx, row, actor, limit=limit), bound_to=row.workspace_id, ends_at=row.expires_at)
    if row.workspace_id is None:
        return caller
    role = caller.role_in(row.workspace_id)
    return replace(caller, is_admin=False, roles={} if role is None else {row.workspace_id: role})


def _caller(tx: Transaction, row: UserRow, actor: Actor, *, limit: Role = Role.ADMIN) -> Caller:
    return Caller(actor=actor, user_id=row.id, is_admin=row.is_admin, roles=people.roles_of(tx, row.id), limit=limit)


def new_key() -> tuple[str, str]:
    """Return a new API key and the part of it that is shown in lists."""
    secret = f"{KEY_PREFIX}{secrets.token_hex(4)}{secrets.token_urlsafe(24)}"
    return secret, _prefix_of(secret)

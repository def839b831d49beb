"""Signing in at an OpenID provider: what is remembered on the way there, and whose account it is on the way back."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from ade.database.access import oidc, people
from ade.database.access.oidc import LoginRow
from ade.database.access.people import UserRow
from ade.database.content import workspaces
from ade.database.transaction import Transaction
from ade.domain.access import SYSTEM, Role
from ade.errors import Conflict, Forbidden, NotSignedIn
from ade.operations.access.identity import digest, fold_email
from ade.operations.access.people import audit_user, get_user, remove_member, set_member

WAY_BACK = timedelta(minutes=10)
LONGEST_RETURN = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Someone on their way to the provider."""

    token: str  # the cookie
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whom the provider says it is."""

    issuer: str
    subject: str
    email: str
    is_email_verified: bool
    name: str
    groups: Sequence[str] = ()


def depart(tx: Transaction, departure: Departure, *, return_to: str) -> None:
    """Remember someone who is sent to the provider."""
    oidc.insert(
        tx,
        {
            "token_hash": digest(departure.token),
            "state": departure.state,
            "nonce": departure.nonce,
            "verifier": departure.verifier,
            "return_to": safe_return(return_to),
            "expires_at": tx.now + WAY_BACK,
        },
    )


def new_departure() -> Departure:
    """Return new secrets for one way there and back."""
    return Departure(
        token=secrets.token_urlsafe(32),
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(48),
    )


def safe_return(path: str) -> str:
    """Return a path of this server; anything that could lead elsewhere is the first page."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()
    return path if is_ours and len(path) <= LONGEST_RETURN and "\\" not in path else "/"


def arrive(tx: Transaction, token: str, state: str) -> LoginRow:
    """Return what was remembered of a person on the way back from the provider; raise NotSignedIn for anyone else."""
    row = oidc.take(tx, digest(token))
    if row is None or not secrets.compare_digest(row.state.encode(), state.encode()):
        raise NotSignedIn("This sign-in was not started here, was already used, or took too long. Start again.")
    return row


def account_of(tx: Transaction, identity: Identity, *, group_roles: str) -> str:
    """Return the id of the account of someone the provider knows, made or linked when it is their first time."""
    user = people.user_by_subject(tx, identity.issuer, identity.subject)
    if user is None:
        user = _link(tx, identity) or _add(tx, identity)
    if user.disabled_at is not None:
        raise Forbidden("This account is disabled. Ask an administrator.")
    if group_roles:
        _give_roles(tx, user, set(identity.groups), group_roles)
    return user.id


def _link(tx: Transaction, identity: Identity) -> UserRow | None:
    """Return the account of the same address, now known by its subject; only where the provider checked the address."""
    user = people.user_by_email(tx, fold_email(identity.email)) if identity.email else None
    if user is None:
        return None
    if user.oidc_subject is not None:
        raise Forbidden(
            "The account with this address belongs to another account at the provider. Ask an administrator."
        )
    if not identity.is_email_verified:
        raise Forbidden("There is already an account with this address, and the provider has not verified the address.")
    people.update_user(tx, user.id, oidc_issuer=identity.issuer, oidc_subject=identity.subject)
    audit_user(tx, SYSTEM, user.id, action="user.link", changes={"oidc_issuer": [None, identity.issuer]})
    return get_user(tx, user.id)


def _add(tx: Transaction, identity: Identity) -> UserRow:
    if not identity.email:
        raise Forbidden("The provider sent no address. Request the scope email.")
    user_id = tx.new_id()
    row = {
        "id": user_id,
        "email": identity.email,
        "email_key": fold_email(identity.email),
        "name": identity.name or identity.email,
        "oidc_issuer": identity.issuer,
        "oidc_subject": identity.subject,
        "created_at": tx.now,
    }
    if not people.insert_user(tx, row):  # by another sign-in of the same person at this moment
        added = people.user_by_subject(tx, identity.issuer, identity.subject)
        if added is None:
            raise Conflict("An account was just made for this address. Sign in again.")
        return added
    changes = {"email": [None, identity.email], "oidc_issuer": [None, identity.issuer]}
    audit_user(tx, SYSTEM, user_id, action="user.create", changes=changes)
    return get_user(tx, user_id)


def _give_roles(tx: Transaction, user: UserRow, groups: set[str], group_roles: str) -> None:
    """Give the roles of someone's groups, and take those whose group they left; others stay as they are."""
    present = people.roles_of(tx, user.id)
    for slug, role in _wanted(groups, group_roles):
        if slug is None:
            if user.is_admin != (role is not None):
                people.update_user(tx, user.id, is_admin=role is not None)
                changes = {"is_admin": [user.is_admin, role is not None]}
                audit_user(tx, SYSTEM, user.id, action="user.change", changes=changes)
            continue
        workspace = workspaces.find(tx, slug)
        if workspace is None or present.get(workspace.id) == role:
            continue
        if role is not None:
            set_member(tx, workspace.id, user.id, role, actor=SYSTEM)
        else:
            remove_member(tx, workspace.id, user.id, actor=SYSTEM)


def _wanted(groups: set[str], group_roles: str) -> Iterator[tuple[str | None, Role | None]]:
    """Yield for each workspace the setting speaks of (None: the deployment) the best role, or None."""
    best: dict[str | None, Role | None] = {}
    for pair in filter(None, (part.strip() for part in group_roles.split(","))):
        group, _, given = (part.strip() for part in pair.partition("="))
        slug, _, role = given.rpartition(":")
        place = slug or None
        offered = Role(role) if group in groups else None
        best[place] = max((one for one in (best.get(place), offered) if one), key=lambda one: one.rank, default=None)
    yield from best.items()

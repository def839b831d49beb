"""The caller of a request and their permissions: every route names the least role it needs, and in what."""

from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Literal

from fastapi import Depends, Request

from ade.api.admission import SESSION_COOKIE, place_in
from ade.api.dependencies import SystemDependency
from ade.api.received import share_in
from ade.database.content import workspaces
from ade.domain.access import LOCAL, MONITOR, Actor, Caller, Role
from ade.errors import Forbidden, NotFound, NotSignedIn
from ade.operations.access.identity import caller_of_key, caller_of_session, csrf_token
from ade.operations.reading.turns import Owner
from ade.system import System

CSRF_HEADER = "x-csrf-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# What a permission is about: one thing of a workspace, named in the path; the deployment as a whole, for its
# administrators; its metrics, for them and for monitors; the queue that all workspaces share, for people
# who have the role in one of them; or whatever of all workspaces the caller sees, which the route itself filters.
Subject = Literal[
    "workspace",
    "document",
    "configuration",
    "run",
    "build",
    "plan",
    "webhook",
    "deployment",
    "metrics",
    "queue",
    "everything",
    "oneself",
    "nothing",
]
MOST_OWNERS = 10_000
_IN_WORKSPACES = {"document", "configuration", "run", "build", "plan", "webhook"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The caller of a request, and the workspace of what it is about."""

    caller: Caller
    workspace_id: str

    @property
    def actor(self) -> Actor:
        """Return who the audit log shall name."""
        return self.caller.actor

    def has(self, role: Role) -> bool:
        """Return whether the caller has a role in that workspace."""
        own = self.caller.role_in(self.workspace_id)
        return own is not None and own.rank >= role.rank

    @property
    def owner(self) -> Owner:
        """Return on whose behalf documents are read."""
        return Owner(self.workspace_id, self.caller.person)


class Requires:
    """The permission of a route: at least this role in the workspace of what its path names."""

    def __init__(self, role: Role, of: Subject) -> None:
        self.role = role
        self.of = of

    def __call__(self, request: Request, system: SystemDependency) -> Access:
        """Return the caller; raise NotFound for what they may not see, Forbidden for what they may not do."""
        if self.of == "metrics" and _is_monitor(request, system):
            return Access(caller=MONITOR, workspace_id="")
        caller = identify(request, system)
        if self.of in _IN_WORKSPACES:
            return self._in_workspace(request, caller, _owner(request, system, self.of))
        if self.of == "workspace":
            return self._in_workspace(request, caller, request.path_params["workspace_id"])
        self._require_reach(caller)
        if self.role.rank > caller.limit.rank:
            raise Forbidden(f"The API key does not allow this: it needs the role {self.role}.")
        return Access(caller=caller, workspace_id="")

    def _require_reach(self, caller: Caller) -> None:
        """Raise Forbidden when what concerns several workspaces is not for the caller."""
        is_for_admins = self.of in {"deployment", "metrics"}
        if is_for_admins and not caller.is_admin:
            raise Forbidden("This needs an administrator of the deployment.")
        if is_for_admins and self.role == Role.ADMIN and not caller.may_administer:
            raise Forbidden("This needs an administrator of the deployment, and a key with the scope admin.")
        if self.of == "queue" and not caller.has_role_somewhere(self.role):
            raise Forbidden(f"This needs the role {self.role} in a workspace.")

    def _in_workspace(self, request: Request, caller: Caller, workspace_id: str) -> Access:
        role = caller.role_in(workspace_id)
        if role is None:
            raise _unknown(request, self.of)
        if role.rank < self.role.rank:
            raise Forbidden(f"You are {role} in this workspace; this needs the role {self.role}.")
        return Access(caller=caller, workspace_id=workspace_id)


def requires(role: Role, of: Subject) -> Any:
    """Return the dependency that checks a permission."""
    return Depends(Requires(role, of))


def _owner(request: Request, system: System, kind: str) -> str:
    row_id = request.path_params[f"{kind}_id"]
    known: dict[str, str] = request.app.state.owners if kind == "configuration" else {}  # these neither move nor go
    if row_id in known:
        return known[row_id]
    owner = system.database.read(lambda tx: workspaces.owner_of(tx, kind, row_id)) if _is_plain(row_id) else None
    if owner is None:
        raise _unknown(request, kind)
    if len(known) < MOST_OWNERS:
        known[row_id] = owner
    return owner


def _unknown(request: Request, kind: str) -> NotFound:
    """Return the answer for what is not there, and the same for what the caller may not know of."""
    return NotFound(f"There is no {kind} {request.path_params[f'{kind}_id'][:60]}.")


def _is_plain(row_id: str) -> bool:
    return row_id.isascii() and row_id.isprintable()


def is_secure(request: Request) -> bool:
    """Return whether people reach us by HTTPS, also when a proxy before us ends it."""
    system: System = request.app.state.system
    return request.url.scheme == "https" or system.settings.public_url.startswith("https:")


def _is_monitor(request: Request, system: System) -> bool:
    """Return whether the request carries ADE_METRICS_TOKEN."""
    scheme, _, sent = request.headers.get("authorization", "").partition(" ")
    token = system.settings.metrics_token
    return bool(token) and scheme.lower() == "bearer" and compare_digest(sent.strip().encode(), token.encode())


def identify(request: Request, system: System) -> Caller:
    """Return the caller, by API key or by session; in local mode it is the one person at this machine."""
    if system.settings.auth_mode == "local":
        return LOCAL
    caller = _by_key(request, system) or _by_session(request, system)
    if caller is None:
        raise NotSignedIn("Sign in, or send an API key: Authorization: Bearer ade_...")
    if place := place_in(request.scope):
        place.belongs_to(caller.person)
    if share := share_in(request.scope):
        share.belongs_to(caller.person)
    return caller


def _by_key(request: Request, system: System) -> Caller | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    caller = caller_of_key(system.database, secret.strip()) if _is_plain(secret) else None
    if caller is None:
        raise NotSignedIn("The API key is unknown, expired or revoked.")
    return caller


def _by_session(request: Request, system: System) -> Caller | None:
    token = request.cookies.get(SESSION_COOKIE)
    if not token or not _is_plain(token):
        return None
    caller = caller_of_session(system.database, token)
    if caller is None:
        return None
    if request.method not in SAFE_METHODS and request.headers.get(CSRF_HEADER) != csrf_token(token):
        raise Forbidden(f"A change needs the header {CSRF_HEADER}; GET /api/v1/session has its value.")
    return caller

"""Who may do what: roles in a workspace, what an API key is limited to, and the actor of an audit row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """What a member may do in a workspace; each role includes those before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    AUTHOR = "author"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """Return how much the role may do; higher is more."""
        return list(Role).index(self)


class Scope(StrEnum):
    """What an API key may be used for, at most; its owner's role still holds."""

    READ = "read"
    RUN = "run"
    WRITE = "write"
    ADMIN = "admin"

    @property
    def role(self) -> Role:
        """Return the role whose rights a key of this scope has."""
        return dict(zip(Scope, Role, strict=True))[self]


class ActorKind(StrEnum):
    """Kinds of actors in the audit log."""

    USER = "user"
    API_KEY = "api_key"
    WORKER = "worker"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change, as the audit log names them."""

    kind: ActorKind
    name: str
    id: str | None = None


SYSTEM = Actor(ActorKind.SYSTEM, "system")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A person, a key or the system that makes a request, and what they may do."""

    actor: Actor
    user_id: str | None = None
    is_admin: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)  # by workspace
    limit: Role = Role.ADMIN  # what an API key is limited to
    bound_to: str | None = None  # the one workspace an API key is for
    ends_at: datetime | None = None  # when an API key expires

    def role_in(self, workspace_id: str) -> Role | None:
        """Return what the caller may do in a workspace; None: they do not even see it."""
        role = Role.ADMIN if self.is_admin else self.roles.get(workspace_id)
        return None if role is None else min(role, self.limit, key=lambda one: one.rank)

    def has_role_somewhere(self, role: Role) -> bool:
        """Return whether the caller has this role, or a higher one, in any workspace."""
        among = [Role.ADMIN] if self.is_admin else self.roles.values()
        return any(min(one, self.limit, key=lambda each: each.rank).rank >= role.rank for one in among)

    @property
    def person(self) -> str:
        """Return an id of the caller, the same for all credentials of a person."""
        return self.user_id or self.actor.name

    @property
    def may_administer(self) -> bool:
        """Return whether the caller may change what concerns the whole deployment."""
        return self.is_admin and self.limit == Role.ADMIN

    @property
    def workspaces(self) -> frozenset[str] | None:
        """Return the workspaces the caller sees; None: all of them."""
        return None if self.is_admin else frozenset(self.roles)


LOCAL = Caller(actor=Actor(ActorKind.USER, "local"), is_admin=True)
MONITOR = Caller(actor=Actor(ActorKind.SYSTEM, "metrics"), limit=Role.VIEWER)

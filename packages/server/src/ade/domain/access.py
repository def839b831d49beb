"""Who may do what: roles in a workspace, and who an audit row speaks of."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a member may do in a workspace; each role includes those before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    AUTHOR = "author"
    ADMIN = "admin"


class ActorKind(StrEnum):
    """Who did what the audit log tells."""

    USER = "user"
    API_KEY = "api_key"
    WORKER = "worker"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, as the audit log names them."""

    kind: ActorKind
    name: str
    id: str | None = None


SYSTEM = Actor(ActorKind.SYSTEM, "system")

"""People for tests of who may do what: accounts, sessions and keys, made the short way."""

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from ade.database.access import people as store
from ade.database.transaction import Transaction
from ade.domain.access import SYSTEM, Caller, Role, Scope
from ade.ids import new_id
from ade.operations.access.password_checks import hash_password
from ade.operations.access.people import create_key, create_user
from ade.system import System

PASSWORD = "correct horse battery"
_HASH = hash_password(PASSWORD)


@dataclass(frozen=True)
class Person:
    """Someone with an account and a key."""

    id: str
    email: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        """Return what a program of this person sends."""
        return {"Authorization": f"Bearer {self.key}"}


def add_person(
    system: System,
    *,
    workspace_id: str | None = None,
    role: Role | None = None,
    is_admin: bool = False,
    scope: Scope = Scope.ADMIN,
    email: str = "",
) -> Person:
    """Add someone, perhaps as a member of a workspace, with a key of all their rights."""
    email = email or f"{new_id()[-12:]}@example.org"

    def work(tx: Transaction) -> Person:
        user: Any = create_user(tx, email=email, name="Someone", password_hash=_HASH, is_admin=is_admin, actor=SYSTEM)
        if workspace_id is not None and role is not None:
            store.set_role(tx, workspace_id, user.id, role)
        caller = Caller(actor=SYSTEM, user_id=user.id, is_admin=is_admin)
        _, key = create_key(tx, caller, name="test", scopes=[scope], workspace_id=None, expires_at=None)
        return Person(user.id, email, key)

    return system.database.write(work)


def sign_in(client: TestClient, email: str, password: str = PASSWORD) -> Any:
    """Sign in; the client keeps the cookie, the answer has the token for changes."""
    return client.post("/api/v1/session", json={"email": email, "password": password})

"""Signing in and out; users, members and API keys."""

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response

from ade.api.access import Access, is_secure, requires
from ade.api.admission import SESSION_COOKIE
from ade.api.dependencies import PathId, SystemDependency
from ade.api.responses import NoContent
from ade.api.schemas.people import (
    ApiKey,
    ApiKeys,
    CreatedApiKey,
    Member,
    Members,
    Membership,
    NewApiKey,
    NewMember,
    NewRole,
    NewUser,
    Session,
    SignIn,
    User,
    UserChange,
    Users,
)
from ade.database.access import people as store
from ade.database.transaction import Transaction
from ade.domain.access import Caller, Role
from ade.errors import Conflict, NotFound, NotSignedIn
from ade.operations.access import people
from ade.operations.access.identity import caller_of_session, csrf_token, sign_in, sign_out
from ade.system import System

router = APIRouter(tags=["people"])
Administrator = Annotated[Access, requires(Role.ADMIN, "deployment")]
WorkspaceAdmin = Annotated[Access, requires(Role.ADMIN, "workspace")]
Oneself = Annotated[Access, requires(Role.VIEWER, "oneself")]


@router.post("/session")
def open_session(body: SignIn, request: Request, response: Response, system: SystemDependency) -> Session:
    """Sign in; the answer sets the session's cookie."""
    if system.settings.auth_mode == "local":
        raise Conflict("In local mode there is no login. Set ADE_AUTH_MODE=team to have one.")
    signed_in = sign_in(
        system.database,
        email=body.email,
        password=body.password,
        address=request.client.host if request.client else "",
        user_agent=request.headers.get("user-agent"),
        lasts=timedelta(hours=system.settings.session_hours),
    )
    response.set_cookie(
        SESSION_COOKIE,
        signed_in.token,
        max_age=int(system.settings.session_hours * 3600),
        httponly=True,
        samesite="lax",
        secure=is_secure(request),
    )
    caller = caller_of_session(system.database, signed_in.token)
    if caller is None:
        raise NotSignedIn("The account was disabled just now.")
    return _session(system, caller, signed_in.token)


@router.get("/session")
def get_session(request: Request, system: SystemDependency, access: Oneself) -> Session:
    """Return your account, what you may do, and the token that changes must carry."""
    return _session(system, access.caller, request.cookies.get(SESSION_COOKIE))


@router.delete("/session", status_code=204, response_class=NoContent, response_model=None)
def close_session(request: Request, system: SystemDependency, access: Oneself) -> NoContent:
    """Sign out."""
    answer = NoContent()
    token = request.cookies.get(SESSION_COOKIE)
    if token:
        system.database.write(lambda tx: sign_out(tx, token))
        answer.delete_cookie(SESSION_COOKIE)
    return answer


def _session(system: System, caller: Caller, token: str | None) -> Session:
    user_id = caller.user_id
    user = system.database.read(lambda tx: store.user(tx, user_id)) if user_id else None
    return Session(
        mode=system.settings.auth_mode,
        user_id=user_id,
        email=user.email if user else None,
        name=user.name if user else caller.actor.name,
        is_admin=caller.may_administer,
        memberships=[Membership(workspace_id=one, role=role) for one, role in sorted(caller.roles.items())],
        csrf_token=csrf_token(token) if token and user else None,
    )


@router.get("/users")
def list_users(system: SystemDependency, access: Administrator) -> Users:
    """List everyone with an account."""
    return Users(items=[User.of(row) for row in system.database.read(store.all_users)])


@router.post("/users", status_code=201)
def create_user(body: NewUser, system: SystemDependency, access: Administrator) -> User:
    """Add an account."""
    hashed = people.checked_password(body.password)

    def work(tx: Transaction) -> User:
        made = people.create_user(
            tx, email=body.email, name=body.name, password_hash=hashed, is_admin=body.is_admin, actor=access.actor
        )
        return User.of(made)

    return system.database.write(work)


@router.patch("/users/{user_id}")
def change_user(user_id: PathId, body: UserChange, system: SystemDependency, access: Administrator) -> User:
    """Rename, promote, disable, or give another password; a disabled account is signed out at once."""
    hashed = None if body.password is None else people.checked_password(body.password)
    given = {"name": body.name, "is_admin": body.is_admin, "password_hash": hashed}
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}

    def work(tx: Transaction) -> User:
        disabled = {} if body.is_disabled is None else {"disabled_at": tx.now if body.is_disabled else None}
        return User.of(people.change_user(tx, user_id, {**values, **disabled}, actor=access.actor))

    return system.database.write(work)


@router.get("/workspaces/{workspace_id}/members")
def list_members(
    workspace_id: PathId, system: SystemDependency, access: Annotated[Access, requires(Role.VIEWER, "workspace")]
) -> Members:
    """List the members of a workspace."""
    return Members(items=[Member.of(row) for row in system.database.read(lambda tx: store.members(tx, workspace_id))])


@router.post("/workspaces/{workspace_id}/members", status_code=201)
def add_member(workspace_id: PathId, body: NewMember, system: SystemDependency, access: WorkspaceAdmin) -> Member:
    """Make someone with an account a member, by the whole email address."""

    def work(tx: Transaction) -> Member:
        user_id = people.add_member(tx, workspace_id, body.email, body.role, caller=access.caller)
        return Member.of(next(row for row in store.members(tx, workspace_id) if row.user_id == user_id))

    try:
        return system.database.write(work)
    except NotFound:
        system.database.write(lambda tx: people.note_unknown_address(tx, access.caller))
        raise


@router.put("/workspaces/{workspace_id}/members/{user_id}")
def set_member(
    workspace_id: PathId, user_id: PathId, body: NewRole, system: SystemDependency, access: WorkspaceAdmin
) -> Member:
    """Make someone a member, or give them another role."""

    def work(tx: Transaction) -> Member:
        people.set_member(tx, workspace_id, user_id, body.role, actor=access.actor)
        return Member.of(next(row for row in store.members(tx, workspace_id) if row.user_id == user_id))

    return system.database.write(work)


@router.delete(
    "/workspaces/{workspace_id}/members/{user_id}", status_code=204, response_class=NoContent, response_model=None
)
def remove_member(workspace_id: PathId, user_id: PathId, system: SystemDependency, access: WorkspaceAdmin) -> NoContent:
    """End a membership."""
    system.database.write(lambda tx: people.remove_member(tx, workspace_id, user_id, actor=access.actor))
    return NoContent()


@router.get("/api-keys")
def list_keys(system: SystemDependency, access: Oneself) -> ApiKeys:
    """List your API keys; an administrator sees everyone's."""
    rows = system.database.read(lambda tx: people.list_keys(tx, access.caller))
    return ApiKeys(items=[ApiKey.of(row) for row in rows])


@router.post("/api-keys", status_code=201)
def create_key(body: NewApiKey, system: SystemDependency, access: Oneself) -> CreatedApiKey:
    """Make an API key; it is shown this once."""
    key_id, secret = system.database.write(
        lambda tx: people.create_key(
            tx,
            access.caller,
            name=body.name,
            scopes=body.scopes,
            workspace_id=body.workspace_id,
            expires_at=body.expires_at,
        )
    )
    return CreatedApiKey(id=key_id, key=secret)


@router.delete("/api-keys/{key_id}", status_code=204, response_class=NoContent, response_model=None)
def revoke_key(key_id: PathId, system: SystemDependency, access: Oneself) -> NoContent:
    """Revoke an API key."""
    system.database.write(lambda tx: people.revoke_key(tx, access.caller, key_id))
    return NoContent()

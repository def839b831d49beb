"""Sessions, users, members and API keys, over the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ade.api.schemas.base import Answer, Body, Id, Moment, Name, Text
from ade.database.access.people import ApiKeyRow, MemberRow, UserRow
from ade.domain.access import Role, Scope

Email = Annotated[Text, Field(pattern=r"^[^@\s]+@[^@\s]+$", min_length=3, max_length=254, examples=["ada@example.org"])]
Password = Annotated[Text, Field(min_length=12, max_length=1000)]


class SignIn(Body):
    """Who signs in."""

    email: Annotated[Text, Field(max_length=254)]
    password: Annotated[Text, Field(max_length=1000)]


class SignInWays(Answer):
    """How one signs in here; `sign_on_url` is where a browser goes to sign in at the OpenID provider."""

    mode: Literal["local", "team"]
    has_password: bool
    sign_on_url: str | None = Field(examples=["/api/v1/sign-on"])


class Membership(Answer):
    """What someone may do in a workspace."""

    workspace_id: Id
    role: Role


class Session(Answer):
    """Who you are; `csrf_token` goes into the header X-CSRF-Token of every change."""

    mode: Literal["local", "team"]
    user_id: str | None
    email: str | None
    name: str
    is_admin: bool
    memberships: list[Membership]
    csrf_token: str | None


class User(Answer):
    """Someone with an account."""

    id: Id
    email: str
    name: str
    is_admin: bool
    created_at: datetime
    last_login_at: datetime | None
    disabled_at: datetime | None

    @classmethod
    def of(cls, row: UserRow) -> "User":
        """Return the model of a row."""
        return cls.from_row(row)


class Users(Answer):
    """Everyone with an account, by address."""

    items: list[User]


class NewUser(Body):
    """An account to make."""

    email: Email
    name: Name
    password: Password
    is_admin: bool = False


class UserChange(Body):
    """What to change of an account; what is left out stays."""

    name: Name | None = None
    password: Password | None = None
    is_admin: bool | None = None
    is_disabled: bool | None = None


class Member(Answer):
    """A member of a workspace."""

    user_id: Id
    email: str
    name: str
    role: Role
    created_at: datetime

    @classmethod
    def of(cls, row: MemberRow) -> "Member":
        """Return the model of a row."""
        return cls.from_row(row)


class Members(Answer):
    """The members of a workspace, by address."""

    items: list[Member]


class NewMember(Body):
    """Someone with an account, to be made a member: by the whole address, because accounts are not for all to list."""

    email: Email
    role: Role


class NewRole(Body):
    """The role a member shall have."""

    role: Role


class ApiKey(Answer):
    """A key for programs; the key itself is shown once, when it is made."""

    id: Id
    name: str
    prefix: str
    scopes: list[Scope]
    workspace_id: str | None
    email: str = Field(description="Owner of the key.")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    @classmethod
    def of(cls, row: ApiKeyRow) -> "ApiKey":
        """Return the model of a row."""
        return cls.from_row(row)


class ApiKeys(Answer):
    """API keys, newest first."""

    items: list[ApiKey]


class NewApiKey(Body):
    """A key to make."""

    name: Name
    scopes: list[Scope] = Field(default=[Scope.READ], min_length=1, max_length=4)
    workspace_id: Id | None = Field(None, description="Only for this workspace; by default for all of yours.")
    expires_at: Moment | None = None


class CreatedApiKey(Answer):
    """A new key: this is the only time it is shown."""

    id: Id
    key: str = Field(examples=["ade_1a2b3c4d..."])

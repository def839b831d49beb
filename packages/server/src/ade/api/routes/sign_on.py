"""Signing in at an OpenID provider: there, and back."""

import secrets
from contextlib import nullcontext
from datetime import timedelta
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse

from ade.api.access import is_secure
from ade.api.admission import SESSION_COOKIE
from ade.api.dependencies import SystemDependency
from ade.api.oidc import Provider
from ade.api.schemas.base import Text
from ade.api.schemas.people import SignInWays
from ade.database.transaction import Transaction
from ade.errors import NotFound, NotSignedIn
from ade.operations.access import sign_on
from ade.operations.access.identity import open_session
from ade.operations.access.password_checks import network_of
from ade.system import System

router = APIRouter(tags=["people"])
COOKIE = "ade_sign_on"
PATH = "/api/v1/sign-on"
_making = Lock()
_AWAY: dict[int | str, dict[str, Any]] = {
    303: {"description": "Go there.", "headers": {"Location": {"schema": {"type": "string"}}}}
}


@router.get("/sign-in")
def get_ways(system: SystemDependency) -> SignInWays:
    """Return how one signs in here."""
    is_team = system.settings.auth_mode == "team"
    return SignInWays(
        mode=system.settings.auth_mode,
        has_password=is_team,
        sign_on_url=PATH if is_team and system.settings.oidc_issuer else None,
    )


@router.get("/sign-on", status_code=303, response_class=RedirectResponse, responses=_AWAY)
def leave(
    request: Request,
    system: SystemDependency,
    return_to: Annotated[
        Text, Query(max_length=400, description="Where to go afterwards: a path of this server.")
    ] = "/",
) -> RedirectResponse:
    """Go to the OpenID provider to sign in."""
    provider, departure = _provider(request, system), sign_on.new_departure()
    with nullcontext() if provider.is_described else provider.place(_network(request)):
        target = provider.address_for(departure, redirect_uri=_redirect_uri(request, system))
    system.database.write(lambda tx: sign_on.depart(tx, departure, return_to=return_to))
    answer = RedirectResponse(target, status_code=303)
    _set(answer, request, COOKIE, departure.token, seconds=int(sign_on.WAY_BACK.total_seconds()), path=PATH)
    return answer


@router.get("/sign-on/callback", status_code=303, response_class=RedirectResponse, responses=_AWAY)
def come_back(
    request: Request,
    system: SystemDependency,
    code: Annotated[Text, Query(max_length=4000)] = "",
    state: Annotated[Text, Query(max_length=200)] = "",
    error: Annotated[Text, Query(max_length=200)] = "",
) -> RedirectResponse:
    """Come back from the provider, and be signed in."""
    provider, sent = _provider(request, system), request.cookies.get(COOKIE, "")
    with provider.place(_network(request)):
        begun = system.database.write(lambda tx: sign_on.arrive(tx, sent, state))
        if error or not code:
            raise NotSignedIn(f"The provider refused the sign-in: {error or 'no code'}.")
        identity = provider.identify(
            code, verifier=begun.verifier, nonce=begun.nonce, redirect_uri=_redirect_uri(request, system)
        )
    token, lasts = secrets.token_urlsafe(32), timedelta(hours=system.settings.session_hours)

    def work(tx: Transaction) -> None:
        user_id = sign_on.account_of(tx, identity, group_roles=system.settings.oidc_group_roles)
        open_session(
            tx,
            user_id,
            token,
            email=identity.email or identity.subject,
            address=request.client.host if request.client else "",
            user_agent=request.headers.get("user-agent"),
            lasts=lasts,
        )

    system.database.write(work)
    answer = RedirectResponse(begun.return_to, status_code=303)
    answer.delete_cookie(COOKIE, path=PATH)
    _set(answer, request, SESSION_COOKIE, token, seconds=int(lasts.total_seconds()), path="/")
    return answer


def _provider(request: Request, system: System) -> Provider:
    if system.settings.auth_mode != "team" or not system.settings.oidc_issuer:
        raise NotFound("There is no provider for signing in. Set ADE_OIDC_ISSUER.")
    state = request.app.state
    with _making:
        if state.provider is None:
            state.provider = Provider(system.settings, system.clock)
    provider: Provider = state.provider
    return provider


def _network(request: Request) -> str:
    return network_of(request.client.host if request.client else "")


def _redirect_uri(request: Request, system: System) -> str:
    base = system.settings.public_url or str(request.base_url)
    return f"{base.rstrip('/')}{PATH}/callback"


def _set(answer: RedirectResponse, request: Request, name: str, value: str, *, seconds: int, path: str) -> None:
    secure = is_secure(request)
    answer.set_cookie(name, value, max_age=seconds, path=path, httponly=True, samesite="lax", secure=secure)

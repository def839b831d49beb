"""An OpenID provider, as far as signing in needs it: where it is, which people it lets through, and what it signs."""

import base64
import hashlib
import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import httpx2

from ade.clock import Clock
from ade.errors import InvalidSettings, NotSignedIn, ProviderUnreachable
from ade.operations.access.sign_on import Departure, Identity
from ade.settings import Settings

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

DISCOVERY = "/.well-known/openid-configuration"
KEPT_FOR = timedelta(hours=1)
KEYS_ASKED_EVERY = timedelta(minutes=1)
LEEWAY_SECONDS = 60
LARGEST_ANSWER_BYTES = 1024 * 1024
# Only what the provider alone can sign: with a shared secret, or without a signature, anyone could.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"]


class Provider:
    """The provider named in the settings. Its documents are kept for an hour, its keys until one is unknown."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        if not settings.oidc_client_id:
            raise InvalidSettings("ADE_OIDC_CLIENT_ID: the provider needs a client id")
        self._settings = settings
        self._clock = clock
        self._http = httpx2.Client(timeout=10, follow_redirects=False)
        self._lock = threading.Lock()
        self._found: tuple[datetime, dict[str, Any]] | None = None
        self._keys: tuple[datetime, KeySet] | None = None

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def address_for(self, departure: Departure, *, redirect_uri: str) -> str:
        """Return the address of the provider at which a person signs in."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(departure.verifier.encode()).digest()).rstrip(b"=")
        query = {
            "response_type": "code",
            "client_id": self._settings.oidc_client_id,
            "redirect_uri": redirect_uri,
            "scope": self._settings.oidc_scopes,
            "state": departure.state,
            "nonce": departure.nonce,
            "code_challenge": challenge.decode(),
            "code_challenge_method": "S256",
        }
        endpoint = self._discover()["authorization_endpoint"]
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def identify(self, code: str, *, verifier: str, nonce: str, redirect_uri: str) -> Identity:
        """Return the person the provider let through with this code; raise NotSignedIn."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
            "client_id": self._settings.oidc_client_id,
        }
        answer = self._ask("POST", self._discover()["token_endpoint"], data=form, headers=self._proof())
        if not isinstance(answer.get("id_token"), str):
            raise NotSignedIn("The provider did not accept the code. Sign in again.")
        return self._identity(self._claims(answer["id_token"], nonce))

    def _proof(self) -> dict[str, str]:
        if not self._settings.oidc_client_secret:
            return {}
        pair = (quote(part, safe="") for part in (self._settings.oidc_client_id, self._settings.oidc_client_secret))
        return {"Authorization": f"Basic {base64.b64encode(':'.join(pair).encode()).decode()}"}

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError

        rules = jwt.JWTClaimsRegistry(
            now=int(self._clock.now().timestamp()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self._settings.oidc_issuer},
            aud={"essential": True, "value": self._settings.oidc_client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            try:
                claims = jwt.decode(token, self._key_set(), algorithms=ALGORITHMS).claims
            except InvalidKeyIdError:  # signed with a key that is newer than what we know
                claims = jwt.decode(token, self._key_set(is_new_wanted=True), algorithms=ALGORITHMS).claims
            rules.validate(claims)
        except (JoseError, ValueError) as error:
            raise NotSignedIn(f"The provider's token is not valid: {error}") from None
        is_for_several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if (
            claims.get("azp", None if is_for_several else self._settings.oidc_client_id)
            != self._settings.oidc_client_id
        ):
            raise NotSignedIn("The provider's token is meant for another client.")
        return claims

    def _identity(self, claims: dict[str, Any]) -> Identity:
        groups = claims.get(self._settings.oidc_groups_claim)
        return Identity(
            issuer=self._settings.oidc_issuer,
            subject=str(claims["sub"])[:255],
            email=_plain(claims.get("email"), 254),
            is_email_verified=claims.get("email_verified") is True,
            name=_plain(claims.get("name"), 200),
            groups=[str(group) for group in groups] if isinstance(groups, list) else [],
        )

    def _discover(self) -> dict[str, Any]:
        with self._lock:
            now = self._clock.now()
            if self._found is None or now - self._found[0] > KEPT_FOR:
                found = self._ask("GET", self._settings.oidc_issuer.rstrip("/") + DISCOVERY)
                wanted = ("authorization_endpoint", "token_endpoint", "jwks_uri")
                if found.get("issuer") != self._settings.oidc_issuer or not all(
                    isinstance(found.get(name), str) for name in wanted
                ):
                    raise ProviderUnreachable("The provider has another issuer. Check ADE_OIDC_ISSUER.")
                self._found = (now, found)
            return self._found[1]

    def _key_set(self, *, is_new_wanted: bool = False) -> "KeySet":
        from joserfc.jwk import KeySet

        address = self._discover()["jwks_uri"]
        with self._lock:
            now = self._clock.now()
            age = None if self._keys is None else now - self._keys[0]
            if age is None or age > KEPT_FOR or (is_new_wanted and age > KEYS_ASKED_EVERY):
                self._keys = (now, KeySet.import_key_set(self._ask("GET", address)))  # type: ignore[arg-type]
            if self._keys is None:
                raise ProviderUnreachable("The provider has no keys.")
            return self._keys[1]

    def _ask(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        try:
            answer = self._http.request(method, address, **options)
            content = answer.json() if len(answer.content) <= LARGEST_ANSWER_BYTES else None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ProviderUnreachable(f"The answer is not that of an OpenID provider: {error}") from None
        if answer.status_code >= 500 or not isinstance(content, dict):
            raise ProviderUnreachable(f"The provider answered {answer.status_code}.")
        return content


def _plain(value: Any, longest: int) -> str:
    text = value if isinstance(value, str) else ""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:longest]

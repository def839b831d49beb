"""An OpenID provider, as far as signing in needs it: where it is, which people it lets through, and what it signs."""

import base64
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import httpx2

from ade.clock import Clock
from ade.errors import InvalidSettings, NotSignedIn, ProviderUnreachable
from ade.operations.access.password_checks import Line
from ade.operations.access.sign_on import Departure, Identity
from ade.settings import Settings

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

DISCOVERY = "/.well-known/openid-configuration"
KEPT_FOR = timedelta(hours=1)
KEYS_ASKED_EVERY = timedelta(minutes=1)
LEEWAY_SECONDS = 60
LARGEST_ANSWER_BYTES = 1024 * 1024
ANSWER_SECONDS = 15
FAILURE_KEPT_SECONDS = 5
AT_ONCE = 8
MOST_IN_LINE = 16  # each holds one of the server's threads
FEW_FAILURES = 3
FAILURES_KEPT_FOR = timedelta(minutes=15)
MOST_NETWORKS = 10_000
BUSY = "Too many people are signing in at this moment. Try again in a few seconds."
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
        self._line = Line(at_once=AT_ONCE, most=MOST_IN_LINE, busy=BUSY)
        self._failures: Counter[str] = Counter()  # codes that were refused, by network
        self._failures_since = clock.now()
        self._lock_of_failures = threading.Lock()
        self._found: tuple[datetime, dict[str, Any]] | None = None
        self._failed: tuple[float, str] | None = None
        self._keys: tuple[datetime, KeySet] | None = None

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    @property
    def is_described(self) -> bool:
        """Return whether the addresses of the provider are known, so that nobody has to ask for them."""
        return self._found is not None and self._clock.now() - self._found[0] <= KEPT_FOR

    @contextmanager
    def place(self, network: str) -> Iterator[None]:
        """Wait for one of the places of those who are signing in; raise TooManyTries where too many wait.

        Whoever signs in has no account yet that could have a share of the threads, and a provider may be slow. Networks
        whose codes were refused lately go last.
        """
        with self._line.turn(network, is_suspect=self._failures[network] >= FEW_FAILURES):
            try:
                yield
            except NotSignedIn:
                self._note_failure(network)
                raise

    def _note_failure(self, network: str) -> None:
        with self._lock_of_failures:
            now = self._clock.now()
            if now - self._failures_since > FAILURES_KEPT_FOR or len(self._failures) >= MOST_NETWORKS:
                self._failures_since, self._failures = now, Counter()
            self._failures[network] += 1

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
            email=_address(claims.get("email")),
            is_email_verified=claims.get("email_verified") is True,
            name=_plain(claims.get("name"), 200),
            groups=[str(group) for group in groups] if isinstance(groups, list) else [],
        )

    def _discover(self) -> dict[str, Any]:
        with self._lock:
            now = self._clock.now()
            if self._found is None or now - self._found[0] > KEPT_FOR:
                self._found = (now, self._description())
            return self._found[1]

    def _description(self) -> dict[str, Any]:
        """Ask the provider for its description; one that did not answer is left alone for some seconds."""
        if self._failed is not None and time.monotonic() - self._failed[0] < FAILURE_KEPT_SECONDS:
            raise ProviderUnreachable(self._failed[1])
        try:
            found = self._ask("GET", self._settings.oidc_issuer.rstrip("/") + DISCOVERY)
        except ProviderUnreachable as error:
            self._failed = (time.monotonic(), str(error))
            raise
        endpoints = [found.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
        if found.get("issuer") != self._settings.oidc_issuer or not all(map(_is_address, endpoints)):
            raise ProviderUnreachable("The provider has another issuer. Check ADE_OIDC_ISSUER.")
        return found

    def _key_set(self, *, is_new_wanted: bool = False) -> "KeySet":
        address = self._discover()["jwks_uri"]
        with self._lock:
            now = self._clock.now()
            kept_for = KEYS_ASKED_EVERY if is_new_wanted else KEPT_FOR
            if self._keys is None or now - self._keys[0] > kept_for:
                self._keys = (now, _keys_in(self._ask("GET", address)))
            return self._keys[1]

    def _ask(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        try:
            with self._http.stream(method, address, **options) as answer:
                content = json.loads(_content(answer))
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
            raise ProviderUnreachable(f"The answer is not that of an OpenID provider: {error}") from None
        if answer.status_code >= 500 or not isinstance(content, dict):
            raise ProviderUnreachable(f"The provider answered {answer.status_code}.")
        return content


def _content(answer: httpx2.Response) -> bytes:
    """Return an answer that is neither too large nor too slow as a whole, however it comes."""
    content, ends_at = bytearray(), time.monotonic() + ANSWER_SECONDS
    for piece in answer.iter_bytes():
        content += piece
        if len(content) > LARGEST_ANSWER_BYTES:
            raise ValueError(f"its answer is larger than {LARGEST_ANSWER_BYTES} bytes")
        if time.monotonic() > ends_at:
            raise ValueError(f"its answer takes longer than {ANSWER_SECONDS} seconds")
    return bytes(content)


def _keys_in(answer: dict[str, Any]) -> "KeySet":
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    keys = answer.get("keys")
    if not isinstance(keys, list) or not keys or not all(isinstance(key, dict) for key in keys):
        raise ProviderUnreachable("The provider has no keys.")
    try:
        return KeySet.import_key_set({"keys": keys})
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise ProviderUnreachable(f"The keys of the provider cannot be read: {error}") from None


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and value.startswith(("https://", "http://"))


def _address(value: Any) -> str:
    """Return an email address as it was sent; one that would have to be changed is somebody else's or nobody's."""
    text = value if isinstance(value, str) else ""
    return text if text == _plain(text, 254) else ""


def _plain(value: Any, longest: int) -> str:
    text = value if isinstance(value, str) else ""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:longest]

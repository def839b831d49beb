"""A small OpenID provider on a real port: code flow with PKCE, signed tokens, and the lies a test asks it to tell."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT_ID = "ade"
CLIENT_SECRET = "between us & nobody:else"


@dataclass
class Provider:
    """What the provider knows and says."""

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "42", "email": "grace@example.org", "name": "Grace"})
    lies: dict[str, Any] = field(default_factory=dict)  # claims that replace the true ones
    algorithm: str = "RS256"
    keys: list[RSAKey] = field(default_factory=list)
    signs_with: RSAKey | None = None  # None: the newest of its keys
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    now: datetime = field(default_factory=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    asked: list[str] = field(default_factory=list)
    odd: dict[str, bytes] = field(default_factory=dict)  # answers that replace the true ones, by path
    is_quick: threading.Event = field(default_factory=threading.Event)  # a code is answered once this is set

    def rotate(self) -> None:
        """Sign with a new key from now on."""
        self.keys = [RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"}), *self.keys[:1]]

    def authorize(self, query: dict[str, str]) -> str:
        """Let the person through; return where the browser goes."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Return the tokens of a code, once, to the client that asked for it."""
        asked = self.codes.pop(form.get("code", ""), None)
        pair = base64.b64encode(b"ade:between%20us%20%26%20nobody%3Aelse").decode()
        if asked is None or authorization != f"Basic {pair}" or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": int(self.now.timestamp()),
            "exp": int((self.now + timedelta(minutes=5)).timestamp()),
            "nonce": asked["nonce"],
            **self.person,
            **self.lies,
        }
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self._sign(claims)}

    def _sign(self, claims: dict[str, Any]) -> str:
        told = {name: value for name, value in claims.items() if value is not None}
        key = self.signs_with or self.keys[0]
        if self.algorithm == "none":
            return ".".join(_part(part) for part in ({"alg": "none"}, told)) + "."
        if self.algorithm == "HS256":  # with the public key as the secret
            signed = ".".join(_part(part) for part in ({"alg": "HS256", "kid": key.kid}, told))
            mac = hmac.new(key.as_pem(private=False), signed.encode(), hashlib.sha256).digest()
            return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
        return jwt.encode({"alg": self.algorithm, "kid": key.kid}, told, key)


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@contextmanager
def provider() -> Iterator[Provider]:
    """Yield a provider that answers on a port of this machine."""
    state = Provider()
    state.is_quick.set()
    state.rotate()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            state.asked.append(address.path)
            if address.path in state.odd:
                self._answer(200, state.odd[address.path])
            elif address.path == "/.well-known/openid-configuration":
                names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
                self._answer(200, {"issuer": state.issuer, **{n: f"{state.issuer}/{p}" for n, p in names.items()}})
            elif address.path == "/keys":
                self._answer(200, dict(KeySet(list(state.keys)).as_dict(private=False)))
            else:
                query = {name: values[0] for name, values in parse_qs(address.query).items()}
                self.send_response(302)
                self.send_header("Location", state.authorize(query))
                self.end_headers()

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(sent).items()}
            state.asked.append(self.path)
            state.is_quick.wait()
            self._answer(*state.exchange(form, self.headers.get("Authorization", "")))

        def _answer(self, status: int, body: dict[str, Any] | bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    state.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield state
    finally:
        state.is_quick.set()
        server.shutdown()
        thread.join()
        server.server_close()

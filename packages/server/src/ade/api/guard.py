"""Guards every request: the host names we answer to, the size of requests, and the headers of answers."""

import asyncio
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ade.api.admission import Admission, credential_in, leaving_at_start
from ade.api.problems import problem
from ade.api.received import IN_MEMORY, MIB, ON_DISK, Received, Share
from ade.errors import TooManyRequests
from ade.operations.access.password_checks import network_of
from ade.settings import Settings

PROBES = frozenset({"/healthz", "/readyz"})
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# What is read into memory as a whole: JSON, and otherwise a file or an archive of a configuration. Everything wrong in
# a JSON document is listed before we see any of it: a megabyte of unknown names takes a second and 200 MB.
LARGEST_JSON_BYTES = 1 * MIB
LARGEST_FILE_BYTES = 16 * MIB
# A stranger may send this one.
SIGN_IN = "/api/v1/session"
LARGEST_SIGN_IN_BYTES = 16 * 1024
# The server refuses longer ones while it waits for their end, but not what arrives in one piece.
LARGEST_HEADERS_BYTES = 16 * 1024
SILENCE_SECONDS = 60
SLOWEST_BYTES_A_SECOND = 1024
# What is refused before any route is asked: code, status and the message.
REFUSALS = {
    "headers_too_large": (
        431,
        f"The address and the headers of a request have at most {LARGEST_HEADERS_BYTES // 1024} kB.",
    ),
    "wrong_host": (421, "This server does not answer to that name; ADE_ALLOWED_HOSTS adds names."),
    "wrong_origin": (
        403,
        "Pages of other sites may not change anything here. If it is this server's page behind a proxy, set "
        "ADE_PUBLIC_URL.",
    ),
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURE_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"content-security-policy", CONTENT_POLICY.encode()),
]


class Guard:
    """Refuses requests from other sites' pages and under strange names, and bounds what may be sent."""

    def __init__(self, app: ASGIApp, settings: Settings, admission: Admission) -> None:
        self.app = app
        # In local mode there is one person, and nobody else to be fair to.
        self._admission = admission if settings.auth_mode == "team" else None
        self._names = allowed_names(settings)
        self._public_place = _place_of(settings.public_url)
        self._most_bytes = settings.max_request_mb * MIB
        self._in_memory, self._on_disk = Received(IN_MEMORY), Received(ON_DISK)
        # Monitors ask by address too. In local mode callers are not authenticated, so a page elsewhere could read it.
        self._under_any_name = PROBES | ({"/metrics"} if settings.auth_mode == "team" else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_missing(message["headers"], scope)]
            await send(message)

        code = self._refusal(scope, headers)
        if code is not None:
            status, detail = REFUSALS[code]
            answer = problem(Request(scope), status=status, code=code, title="The request was refused", detail=detail)
            await answer(scope, receive, send_safely)
            return
        is_form = is_form_of_documents(scope, headers)
        most = self._most_bytes if is_form else _most_in_memory(scope["path"], headers)
        with self._share(scope, is_form=is_form) as share:
            bounded = _bounded(receive, headers, most, share)
            credential = None if is_form or scope["path"] in PROBES else credential_in(headers)
            if self._admission is None or credential is None:
                await self.app(scope, bounded, send_safely)
            else:
                await self._admitted(self._admission, credential, scope, bounded, send_safely)

    async def _admitted(
        self, admission: Admission, credential: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve one request once its caller may have another one under way."""
        try:
            place = await admission.enter(scope, credential)
        except TooManyRequests as error:
            answer = problem(Request(scope), status=429, code=error.code, title="Too many requests", detail=str(error))
            await answer(scope, receive, send)
            return
        try:
            await self.app(scope, receive, leaving_at_start(send, place))
        finally:
            place.give_up()

    def _share(self, scope: Scope, *, is_form: bool) -> AbstractContextManager[Share]:
        """Return what a request may hold: of the disk for an upload, which is read for members of the workspace."""
        if is_form:
            return self._on_disk.upload(scope, scope["path"].split("/")[4])
        return self._in_memory.request(_network(scope))

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        if _size_of_head(scope) > LARGEST_HEADERS_BYTES:
            return "headers_too_large"
        host = headers.get("host", "")
        # A page elsewhere can point its own name at 127.0.0.1 and read our answers as its own.
        # Health checks reach a container by its address.
        is_named = scope["path"] in self._under_any_name or self._names is None or host_name(host) in self._names
        if not is_named:
            return "wrong_host"
        origin = headers.get("origin")
        # A proxy before us may ask under a name of its own; then the operator says what people see.
        place = _place_of(origin) if origin else host
        is_ours = bool(place) and place in {host, self._public_place}
        is_from_elsewhere = not is_ours if origin else headers.get("sec-fetch-site") == "cross-site"
        if scope["method"] not in SAFE_METHODS and is_from_elsewhere:
            return "wrong_origin"
        return None


def _size_of_head(scope: Scope) -> int:
    of_headers = sum(len(name) + len(value) for name, value in scope["headers"])
    return of_headers + len(scope["raw_path"]) + len(scope["query_string"])


def _network(scope: Scope) -> str:
    return network_of((scope.get("client") or ("",))[0])


def allowed_names(settings: Settings) -> frozenset[str] | None:
    """Return the names we answer to; None: any, since sessions protect a team's server."""
    named = frozenset(name.strip().lower() for name in settings.allowed_hosts.split(",") if name.strip())
    if settings.auth_mode == "team" and not named:
        return None
    return LOOPBACK | named


def is_form_of_documents(scope: Scope, headers: Headers) -> bool:
    """Return whether a request uploads documents. Every other route reads what it is sent as a whole."""
    is_form = headers.get("content-type", "").lower().startswith("multipart/")
    path = scope["path"]
    return (
        is_form
        and scope["method"] == "POST"
        and path.startswith("/api/v1/workspaces/")
        and path.split("/")[5:] == ["documents"]
    )


def _most_in_memory(path: str, headers: Headers) -> int:
    """Return how large a body may be that is no form.

    FastAPI reads the body of a route with a schema before the route asks who the caller is. The two routes that take
    files ask first.
    """
    if path == SIGN_IN:
        return LARGEST_SIGN_IN_BYTES
    takes_files = "/files/" in path or path.endswith("/configurations")
    return LARGEST_FILE_BYTES if takes_files and not is_json(headers) else LARGEST_JSON_BYTES


def is_json(headers: Headers) -> bool:
    """Return whether a body says it is JSON, or does not say what it is."""
    kind = headers.get("content-type", "").lower()
    return "json" in kind or not kind


def host_name(host: str) -> str:
    """Return a Host header without its port; nothing for one that is more than a name and a port."""
    try:
        parts = urlsplit(f"//{host}")
    except ValueError:
        return ""
    return parts.hostname or "" if parts.netloc == host and "@" not in host else ""


def _place_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _missing(present: list[tuple[bytes, bytes]], scope: Scope) -> list[tuple[bytes, bytes]]:
    names = {name.lower() for name, _ in present}
    wanted = list(SECURE_HEADERS)
    if scope["path"].startswith("/api/"):
        wanted.append((b"cache-control", b"no-store"))
    if scope.get("scheme") == "https":
        wanted.append((b"strict-transport-security", b"max-age=31536000"))
    return [(name, value) for name, value in wanted if name not in names]


def _too_large(most: int) -> str:
    return f"A request of this kind has at most {f'{most // MIB} MB' if most >= MIB else f'{most // 1024} kB'}."


def _bounded(receive: Receive, headers: Headers, most: int, share: Share) -> Receive:
    """Count what is sent and end what is too much or does not come; nothing is counted once the body is complete."""
    announced = headers.get("content-length", "")
    received, is_complete = 0, False
    started_at = asyncio.get_running_loop().time()

    async def receive_bounded() -> Message:
        nonlocal received, is_complete
        if is_complete:
            return await receive()
        if announced.isdecimal() and int(announced[:18]) > most:
            raise HTTPException(413, _too_large(most))
        # Bytes that drip hold a place as well as none do.
        due_at = started_at + SILENCE_SECONDS + received / SLOWEST_BYTES_A_SECOND
        left = min(SILENCE_SECONDS, due_at - asyncio.get_running_loop().time())
        try:
            message = await asyncio.wait_for(receive(), left)
        except TimeoutError:
            raise HTTPException(408, "The request was not received in time. Send it again.") from None
        received += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        if received > most:
            raise HTTPException(413, _too_large(most))
        share.take(len(message.get("body", b"")))
        return message

    return receive_bounded

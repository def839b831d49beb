"""Gives every request a trace id: in its logs, its answer and its problems."""

import re
import time

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ade.ids import new_id

_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
log = structlog.get_logger()


class Tracing:
    """Takes the caller's W3C trace id, or makes one; logs each request once."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request under its trace id."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        trace_id = trace_id_of(scope)
        scope.setdefault("state", {})["trace_id"] = trace_id
        status = 500

        async def send_traced(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-trace-id", trace_id.encode())]
            await send(message)

        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(trace_id=trace_id):
            try:
                await self.app(scope, receive, send_traced)
            finally:
                duration_ms = round((time.perf_counter() - started) * 1000, 1)
                log.info("request", method=scope["method"], path=scope["path"], status=status, duration_ms=duration_ms)


def trace_id_of(scope: Scope) -> str:
    """Return the trace id the caller sent in a valid traceparent, or a new one."""
    sent = dict(scope["headers"]).get(b"traceparent", b"")
    found = _TRACEPARENT.fullmatch(sent)
    return found.group(1).decode() if found else new_id().replace("-", "")

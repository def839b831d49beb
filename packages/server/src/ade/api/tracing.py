"""Gives every request a trace id: in its logs, its answer and its problems."""

import re
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ade.ids import new_id
from ade.logs import bound_contextvars, get_logger
from ade.telemetry import span

_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
log = get_logger()


class Tracing:
    """Takes the caller's W3C trace id, or makes one; logs each request once."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request under its trace id."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        trace_id, parent_id = trace_of(scope)
        scope.setdefault("state", {})["trace_id"] = trace_id
        status = 500

        async def send_traced(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-trace-id", trace_id.encode())]
            await send(message)

        started = time.perf_counter()
        facts = {"http.request.method": scope["method"], "url.path": scope["path"]}
        with (
            bound_contextvars(trace_id=trace_id),
            span(scope["method"], trace_id=trace_id, parent_id=parent_id, **facts) as measured,
        ):
            try:
                await self.app(scope, receive, send_traced)
            finally:
                if measured is not None:
                    name_span(measured, scope, status)
                duration_ms = round((time.perf_counter() - started) * 1000, 1)
                log.info("request", method=scope["method"], path=scope["path"], status=status, duration_ms=duration_ms)


def trace_of(scope: Scope) -> tuple[str, str | None]:
    """Return the trace id and the span that the caller sent in a valid traceparent, or a new trace."""
    sent = dict(scope["headers"]).get(b"traceparent", b"")
    found = _TRACEPARENT.fullmatch(sent)
    if found is None or not int(found.group(1), 16) or not int(found.group(2), 16):
        return new_id().replace("-", ""), None
    return found.group(1).decode(), found.group(2).decode()


def name_span(measured: Any, scope: Scope, status: int) -> None:
    """Call the span of a request what its route is called, and note how it was answered."""
    route = scope["path"] if status != 404 else "(unknown)"
    for name, value in scope.get("path_params", {}).items():
        route = route.replace(str(value), f"{{{name}}}") if value else route
    measured.update_name(f"{scope['method']} {route}")
    measured.set_attribute("http.route", route)
    measured.set_attribute("http.response.status_code", status)

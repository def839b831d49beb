"""Gives every request a trace id: in its logs, its answer and its problems."""

import re
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ade.api.http_figures import HttpFigures
from ade.ids import new_id
from ade.logs import bound_contextvars, get_logger
from ade.telemetry import span

_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
log = get_logger()


class Tracing:
    """Takes the caller's W3C trace id, or makes one; logs and counts each request once."""

    def __init__(self, app: ASGIApp, figures: HttpFigures) -> None:
        self.app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request under its trace id."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        trace_id, parent_id = trace_of(scope)
        scope.setdefault("state", {})["trace_id"] = trace_id
        status = 500
        began_after: float | None = None

        async def send_traced(message: Message) -> None:
            nonlocal status, began_after
            if message["type"] == "http.response.start":
                status, began_after = message["status"], time.perf_counter() - started
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
                duration = time.perf_counter() - started
                # A stream continues for minutes: what counts is how long its beginning was waited for.
                self._figures.note(scope, status=status, seconds=duration if began_after is None else began_after)
                duration_ms = round(duration * 1000, 1)
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

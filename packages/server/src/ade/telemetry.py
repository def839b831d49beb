"""Traces by OpenTelemetry, for those who want them: requests and runs as spans of the trace the request began.

Without ADE_OTLP_ENDPOINT nothing is imported and a span costs nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ade import __version__
from ade.errors import InvalidSettings

_trace_id: ContextVar[str | None] = ContextVar("trace_id", default=None)
_tracer: Any = None
_provider: Any = None


def configure_telemetry(endpoint: str, *, part: str) -> None:
    """Send traces to an OTLP endpoint from now on; an empty one: to nowhere. `part` is server or worker."""
    global _tracer, _provider
    if not endpoint:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise InvalidSettings("ADE_OTLP_ENDPOINT: needs the extra `telemetry` of ade-server") from None
    resource = Resource.create({"service.name": f"ade-{part}", "service.version": __version__})
    _provider = TracerProvider(resource=resource, id_generator=_ids())
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    _provider.add_span_processor(BatchSpanProcessor(exporter))
    _tracer = _provider.get_tracer("ade", __version__)


def close_telemetry() -> None:
    """Send what was not sent yet, then stop."""
    global _tracer, _provider
    if _provider is not None:
        _provider.shutdown()
    _tracer = _provider = None


@contextmanager
def span(name: str, *, trace_id: str | None = None, parent_id: str | None = None, **attributes: Any) -> Iterator[Any]:
    """Measure what the block does; the outermost span joins the given trace, behind the caller's span if known."""
    if _tracer is None:
        yield None
        return
    token = _trace_id.set(trace_id)
    told = {f"ade.{key}" if "." not in key else key: value for key, value in attributes.items() if value is not None}
    try:
        with _tracer.start_as_current_span(name, context=_behind(trace_id, parent_id), attributes=told) as started:
            yield started
    finally:
        _trace_id.reset(token)


def _behind(trace_id: str | None, parent_id: str | None) -> Any:
    if trace_id is None or parent_id is None:
        return None
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    caller = SpanContext(int(trace_id, 16), int(parent_id, 16), is_remote=True, trace_flags=TraceFlags(1))
    return set_span_in_context(NonRecordingSpan(caller))


def _ids() -> Any:
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class Ids(IdGenerator):
        """A trace has the id that its logs, its answer and its run have."""

        def generate_trace_id(self) -> int:
            told = _trace_id.get()
            return int(told, 16) if told and int(told, 16) else secrets.randbits(128) or 1

        def generate_span_id(self) -> int:
            return secrets.randbits(64) or 1

    return Ids()

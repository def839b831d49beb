"""Traces reach a collector: requests and runs are spans of the trace the caller named."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ade.errors import InvalidSettings
from ade.system import System
from ade.telemetry import close_telemetry, configure_telemetry, span
from api.conftest import Place, submit

pytestmark = pytest.mark.req("A4")
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a collector and the spans it got."""
    spans: list[Any] = []

    class Collecting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
            spans.extend(
                one for resource in told.resource_spans for scope in resource.scope_spans for one in scope.spans
            )
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collecting)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", spans
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_requests_and_runs_are_spans_of_one_trace(client: TestClient, system: System, place: Place) -> None:
    with collector() as (address, spans):
        configure_telemetry(address, part="server")
        try:
            client.headers["traceparent"] = f"00-{TRACE}-{CALLER}-01"
            run = submit(client, place)
            del client.headers["traceparent"]
            alone = client.get("/healthz").headers["x-trace-id"]
            with span("run", trace_id=TRACE, run_id=run["id"]), span("step execute"):
                pass
        finally:
            close_telemetry()

    by_name = {one.name: one for one in spans}
    submitted = by_name["POST /api/v1/configurations/{configuration_id}/runs"]
    run_span, step = by_name["run"], by_name["step execute"]
    assert (submitted.trace_id.hex(), submitted.parent_span_id.hex()) == (TRACE, CALLER)
    assert (run_span.trace_id.hex(), step.parent_span_id) == (TRACE, run_span.span_id)
    assert by_name["GET /healthz"].trace_id.hex() == alone
    told = {one.key: one.value for one in submitted.attributes}
    assert told["http.response.status_code"].int_value == 202


def test_without_a_collector_a_span_is_nothing() -> None:
    configure_telemetry("", part="server")
    with span("run", trace_id=TRACE) as measured:
        assert measured is None


def test_without_the_extra_the_setting_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(InvalidSettings, match="telemetry"):
        configure_telemetry("http://127.0.0.1:1", part="server")

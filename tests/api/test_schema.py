"""The application keeps to its OpenAPI document, whatever it is sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CHECKS

from ade.api.app import create_app, openapi_of
from ade.database.transaction import Database
from ade.system import System
from api.conftest import ROOT, furnish, make_system

COMMITTED = ROOT / "docs/reference/openapi.json"
SCHEMA: dict[str, Any] = json.loads(COMMITTED.read_text())
HOST = {"Host": "127.0.0.1:8000"}
CHECKED = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
ENDLESS = {path for path in SCHEMA["paths"] if path.endswith("/stream") or path == "/api/v1/events"}
OPERATIONS = [
    (path, method)
    for path, methods in sorted(SCHEMA["paths"].items())
    for method in sorted(methods)
    if path not in ENDLESS
]


@pytest.fixture(scope="module")
def application(backend: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    """Yield the application with something in it, and the ids of that."""
    folder = tmp_path_factory.mktemp("schema")
    database = Database(backend.fresh_url(folder))
    system = make_system(database, folder)
    place = furnish(system)
    yield create_app(system), vars(place)
    database.close()


@pytest.mark.req("A1")
def test_the_committed_document_is_what_the_application_says(system: System) -> None:
    assert openapi_of(create_app(system)) == SCHEMA


@pytest.mark.req("A1")
def test_the_document_is_openapi_3_1_and_describes_every_call() -> None:
    assert SCHEMA["openapi"].startswith("3.1")
    for path, methods in SCHEMA["paths"].items():
        for method, operation in methods.items():
            assert operation.get("description"), (method, path)
            assert "default" in operation["responses"], (method, path)


@pytest.mark.req("A1")
@pytest.mark.slow
@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[f"{method} {path}" for path, method in OPERATIONS])
def test_no_request_breaks_the_schema(application: tuple[Any, dict[str, str]], path: str, method: str) -> None:
    app, ids = application
    operation = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=HOST)[path][method.upper()]
    checks = CHECKS.get_by_names(CHECKED)

    @settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(case=operation.as_strategy())
    def call(case: Any) -> None:
        for name in ids:
            if case.path_parameters and name in case.path_parameters:
                case.path_parameters[name] = ids[name]
        case.call_and_validate(headers=HOST, checks=checks)

    call()

"""The application keeps to its OpenAPI document, whatever it is sent."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from jsonschema_rs import validator_for
from schemathesis.checks import CHECKS

from ade.api.app import create_app, openapi_of
from ade.database.transaction import Database
from ade.system import System
from api.conftest import ROOT, furnish, make_system

COMMITTED = ROOT / "docs/reference/openapi.json"
SCHEMA: dict[str, Any] = json.loads(COMMITTED.read_text())
# How much is sent to each call: a few in every run of the tests; ADE_TEST_EXAMPLES=500 looks for longer.
EXAMPLES = int(os.environ.get("ADE_TEST_EXAMPLES", "8"))
HOST = {"Host": "127.0.0.1:8000"}
CHECKED = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
ENDLESS = {path for path in SCHEMA["paths"] if path.endswith("/stream") or path == "/api/v1/events"}
OPERATIONS = [
    (path, method)
    for path, methods in sorted(SCHEMA["paths"].items())
    for method in sorted(methods)
    if path not in ENDLESS
]


@schemathesis.serializer("application/zip")
def as_it_is(_: Any, value: Any) -> Any:
    """Send what is generated for an archive: bytes that are none."""
    return value.data if hasattr(value, "data") else value


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
def test_every_call_has_an_example_that_its_own_schema_allows() -> None:
    bodies = [
        (f"{method} {path}", described)
        for path, methods in SCHEMA["paths"].items()
        for method, operation in methods.items()
        for body in [operation.get("requestBody", {}), *operation["responses"].values()]
        for kind, described in body.get("content", {}).items()
        if "json" in kind and described.get("schema") and "ndjson" not in kind
    ]

    assert len(bodies) > 100
    for call, described in bodies:
        schema = {**described["schema"], "components": SCHEMA["components"]}
        assert "example" in described, call
        wrong = [error.message for error in validator_for(schema).iter_errors(described["example"])]
        assert wrong == [], call


@pytest.mark.req("A1")
@pytest.mark.slow
@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[f"{method} {path}" for path, method in OPERATIONS])
def test_no_request_breaks_the_schema(application: tuple[Any, dict[str, str]], path: str, method: str) -> None:
    app, ids = application
    operation = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=HOST)[path][method.upper()]
    checks = CHECKS.get_by_names(CHECKED)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=not os.environ.get("ADE_TEST_RANDOM"),
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(case=operation.as_strategy())
    def call(case: Any) -> None:
        for name in ids:
            if case.path_parameters and name in case.path_parameters:
                case.path_parameters[name] = ids[name]
        case.call_and_validate(headers=HOST, checks=checks)

    call()

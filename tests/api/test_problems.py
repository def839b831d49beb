"""Every error is a problem document with a stable code and a trace id."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ade import errors
from ade.api.http_figures import HttpFigures
from ade.api.problems import STATUS, install_problems
from ade.api.tracing import Tracing

KEYS = {"type", "title", "status", "detail", "code", "trace_id"}


def all_errors(base: type[errors.AdeError] = errors.AdeError) -> list[type[errors.AdeError]]:
    return [base, *(error for child in base.__subclasses__() for error in all_errors(child))]


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()
    install_problems(app)
    app.add_middleware(Tracing, figures=HttpFigures(app.routes))

    @app.get("/raise/{code}")
    def throw(code: str) -> None:
        raise next(error for error in all_errors() if error.code == code)("What happened.")

    @app.get("/bug")
    def bug() -> None:
        raise ZeroDivisionError("secret detail")

    @app.get("/number/{number}")
    def number(number: int) -> int:
        return number

    return TestClient(app, raise_server_exceptions=False)


def test_every_error_has_a_status_and_a_code_of_its_own() -> None:
    assert set(STATUS) == set(all_errors())
    codes = [error.code for error in all_errors()]
    assert len(codes) == len(set(codes))


@pytest.mark.req("A1")
@pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.code)
def test_our_errors_become_problems(client: TestClient, error: type[errors.AdeError]) -> None:
    answer = client.get(f"/raise/{error.code}")

    assert answer.status_code == STATUS[error]
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert set(body) == KEYS
    assert (body["code"], body["detail"], body["status"]) == (error.code, "What happened.", STATUS[error])
    assert body["trace_id"] == answer.headers["x-trace-id"]


@pytest.mark.req("A1")
def test_a_bug_is_a_problem_that_tells_no_secrets(client: TestClient) -> None:
    answer = client.get("/bug")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert answer.json()["trace_id"]


@pytest.mark.req("A1")
def test_an_invalid_request_lists_what_is_wrong_without_repeating_it(client: TestClient) -> None:
    answer = client.get("/number/hunter2")

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert answer.json()["errors"][0]["loc"] == ["path", "number"]
    assert "hunter2" not in answer.text


@pytest.mark.req("A1")
@pytest.mark.parametrize(
    ("method", "path", "code"), [("GET", "/nowhere", "not_found"), ("PUT", "/bug", "method_not_allowed")]
)
def test_what_the_framework_refuses_is_a_problem_too(client: TestClient, method: str, path: str, code: str) -> None:
    answer = client.request(method, path)

    assert answer.json()["code"] == code
    assert set(answer.json()) == KEYS


@pytest.mark.req("A4")
def test_the_callers_trace_id_is_kept(client: TestClient) -> None:
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"

    answer = client.get("/bug", headers={"traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"})
    forged = client.get("/bug", headers={"traceparent": "00-<script>-00f067aa0ba902b7-01"})

    assert answer.json()["trace_id"] == trace_id
    assert "script" not in forged.text

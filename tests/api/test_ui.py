"""Pages beside the API: which addresses are theirs, and how long a browser may keep them."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ade.api.problems import install_problems
from ade.api.ui import install_ui


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/index-abc123.js").write_text("export {}")
    (tmp_path / "index.html").write_text("<!doctype html><title>ADE</title>")
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path.parent / "secret.txt").write_text("secret")
    return tmp_path


@pytest.fixture
def client(built: Path) -> Iterator[TestClient]:
    with TestClient(application(built)) as client:
        yield client


def application(built: Path) -> FastAPI:
    app = FastAPI()
    install_problems(app)
    install_ui(app, built)
    return app


@pytest.mark.req("U1")
@pytest.mark.parametrize("path", ["/", "/runs/01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10", "/configurations/x/edit?file=a"])
def test_every_address_of_a_page_answers_with_the_page_and_is_asked_for_again(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br", "br"), ("gzip;q=0.5", "gzip"), ("identity", None), ("zstd", None)],
)
def test_a_file_is_sent_in_the_smallest_form_that_the_browser_takes(
    client: TestClient, built: Path, accepted: str, encoding: str | None
) -> None:
    text = b"export const all = 1;" * 100
    script = built / "assets/index-abc123.js"
    script.write_bytes(text)
    script.with_name(f"{script.name}.gz").write_bytes(gzip.compress(text))
    script.with_name(f"{script.name}.br").write_bytes(b"as brotli")
    with client.stream("GET", "/assets/index-abc123.js", headers={"Accept-Encoding": accepted}) as answer:
        sent = b"".join(answer.iter_raw())
    assert answer.headers.get("content-encoding") == encoding
    assert sent == {"br": b"as brotli", "gzip": gzip.compress(text), None: text}[encoding]
    assert "javascript" in answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]


def test_a_file_with_a_hash_in_its_name_is_kept_for_ever(client: TestClient) -> None:
    answer = client.get("/assets/index-abc123.js")
    assert "javascript" in answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]


def test_a_file_with_a_plain_name_is_asked_for_again(client: TestClient) -> None:
    assert client.get("/icon.svg").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/assets/gone-1.js", "/metrics/more", "/healthz/x"])
def test_what_is_no_page_is_a_problem_and_not_a_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.req("S7")
@pytest.mark.parametrize(
    "path", ["/..%2Fsecret.txt", "/assets/..%2F..%2Fsecret.txt", "/%2e%2e/secret.txt", "//etc/passwd"]
)
def test_no_address_leads_out_of_the_folder(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert "secret" not in answer.text
    assert "root:" not in answer.text


def test_without_a_built_ui_the_page_says_how_to_build_it(tmp_path: Path) -> None:
    with TestClient(application(tmp_path / "nothing")) as client:
        answer = client.get("/runs")
    assert answer.status_code == 200
    assert "The web UI is not built" in answer.text

"""ade doctor looks behind the addresses of the settings, quickly, and says what is wrong in words."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ade.cli import doctor_network
from ade.cli.doctor_network import check_addresses, check_collector, check_issuer, check_public_url
from ade.settings import load_settings

pytestmark = pytest.mark.req("C1")
NOBODY = "http://127.0.0.1:1"


@contextmanager
def answering(answers: dict[str, bytes]) -> Iterator[str]:
    """Serve these bodies by path; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answers.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_nothing_is_looked_at_that_is_not_set(tmp_path: Path) -> None:
    assert list(check_addresses(load_settings(data_dir=tmp_path))) == []


def test_the_public_address_leads_to_ade() -> None:
    with answering({"/healthz": b'{"status": "ok", "version": "1.2.3"}'}) as url:
        found = check_public_url(url)

    assert (found.verdict, found.found) == ("ok", f"{url}, ADE 1.2.3")


def test_a_public_address_with_another_program_behind_it_is_a_warning() -> None:
    with answering({"/healthz": b"<html>"}) as url:
        page = check_public_url(url)
    with answering({}) as url:
        nothing = check_public_url(url)

    assert (page.verdict, page.found.rpartition(": ")[2]) == ("warning", "no JSON under /healthz")
    assert nothing.found.rpartition(": ")[2] == "it answers 404 under /healthz"


def test_a_provider_that_is_away_or_has_another_name_fails() -> None:
    away = check_issuer(NOBODY)
    with answering({doctor_network.DISCOVERY: json.dumps({"issuer": "https://other.example.org"}).encode()}) as url:
        other = check_issuer(url)

    assert away.verdict == other.verdict == "failed"
    assert away.found.startswith(f"{NOBODY}: no answer")
    assert other.found.endswith("the provider calls itself https://other.example.org")


def test_a_provider_under_its_own_name_is_well() -> None:
    answers: dict[str, bytes] = {}
    with answering(answers) as url:
        answers[doctor_network.DISCOVERY] = json.dumps({"issuer": url}).encode()
        assert check_issuer(url).verdict == "ok"


def test_a_collector_is_well_when_something_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        well = check_collector(f"http://127.0.0.1:{listener.getsockname()[1]}")

    assert well.verdict == "ok"
    assert check_collector(NOBODY).verdict == "warning"


def test_a_server_that_says_nothing_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_network, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found = check_issuer(f"http://127.0.0.1:{silent.getsockname()[1]}")

    assert found.found.endswith("no answer within 0.2 seconds")


@pytest.mark.parametrize("url", ["login.example.org", "ftp://x", "http://", "http://host:port"])
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    for check in (check_public_url, check_issuer, check_collector):
        found = check(url)
        assert (found.verdict, "no address" in found.found) == ("failed", True)


def test_a_password_in_an_address_is_not_shown() -> None:
    for check in (check_public_url, check_issuer, check_collector):
        assert "hunter2" not in str(check("http://ada:hunter2@127.0.0.1:1"))


def test_a_team_behind_a_proxy_nobody_named_is_warned(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, auth_mode="team", public_url=NOBODY)
    named = load_settings(data_dir=tmp_path, auth_mode="team", public_url=NOBODY, trusted_proxies="10.0.0.1")

    assert "proxies" in {check.name for check in check_addresses(settings)}
    assert "proxies" not in {check.name for check in check_addresses(named)}

"""How many tries to sign in there are: bounded for each account, without locking its owner out."""

import http.client
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.api.app import create_app
from ade.database.schema import audit_log, login_failures, sessions
from ade.database.transaction import Database, Transaction
from ade.errors import InvalidSettings, TooManyTries
from ade.operations.access.identity import MOST_TRIES, MOST_TRIES_FROM_ADDRESS, MOST_TRIES_OF_ACCOUNT
from ade.operations.access.password_checks import MOST_FROM_SITE, MOST_IN_LINE, Line, network_of, site_of
from ade.settings import load_settings
from ade.system import System
from api.conftest import HERE, make_system
from api.people import PASSWORD, Person, add_person, sign_in
from api.serving import serving
from postgres import wait_until
from repeatable import FakeClock

pytestmark = pytest.mark.req("S7")


@pytest.fixture
def system(database_url: str, tmp_path: Path, clock: FakeClock) -> Iterator[System]:
    database = Database(database_url, clock=clock)
    yield make_system(database, tmp_path, auth_mode="team")
    database.close()


@pytest.fixture
def person(system: System) -> Person:
    return add_person(system)


def client_at(system: System, address: str) -> TestClient:
    """Return a client that asks from an address."""
    return TestClient(create_app(system), base_url=HERE, client=(address, 40_000))


def note_failures(system: System, count: int, subject: str) -> None:
    """Note failures as wrong tries do, without the work of checking each."""

    def work(tx: Transaction) -> None:
        tx.execute(sa.insert(login_failures), [{"subject": subject, "at": tx.now} for _ in range(count)])

    system.database.write(work)


def subjects(system: System) -> list[str]:
    return [row.subject for row in system.database.read(lambda tx: tx.execute(sa.select(login_failures)).all())]


def test_wrong_tries_from_one_address_do_not_refuse_a_right_password(system: System, person: Person) -> None:
    """Behind a proxy that is not named in ADE_TRUSTED_PROXIES everybody has its address."""
    note_failures(system, 10 * MOST_TRIES_FROM_ADDRESS, "address:203.0.113.7")

    assert sign_in(client_at(system, "203.0.113.7"), person.email).status_code == 200


def test_an_account_is_closed_to_the_address_that_guesses_and_open_to_its_owner(system: System, person: Person) -> None:
    guesser, owner = client_at(system, "203.0.113.7"), client_at(system, "198.51.100.2")
    wrong = [sign_in(guesser, person.email, "guess guess guess").status_code for _ in range(MOST_TRIES)]

    assert wrong == [401] * MOST_TRIES
    assert sign_in(guesser, person.email).status_code == 429
    assert sign_in(owner, person.email).status_code == 200


def test_guesses_from_many_addresses_are_bounded_and_spare_where_the_owner_is_signed_in(
    system: System, person: Person
) -> None:
    owner = client_at(system, "198.51.100.2")
    assert sign_in(owner, person.email).status_code == 200
    sign_in(client_at(system, "203.0.113.1"), person.email, "guess guess guess")
    account = next(one for one in subjects(system) if one.startswith("account:") and one.count(":") == 1)
    note_failures(system, MOST_TRIES_OF_ACCOUNT, account)

    assert sign_in(client_at(system, "203.0.113.99"), person.email).status_code == 429
    assert sign_in(owner, person.email).status_code == 200


def test_all_addresses_of_an_ipv6_host_count_as_one(system: System, person: Person) -> None:
    for number in range(MOST_TRIES):
        sign_in(client_at(system, f"2001:db8:1:2::{number:x}"), person.email, "guess guess guess")

    assert sign_in(client_at(system, "2001:db8:1:2:ffff::1"), person.email).status_code == 429
    assert network_of("::ffff:203.0.113.7") == "203.0.113.7"
    assert len(network_of("x" * 1000)) == 64


def test_failures_that_no_longer_count_are_removed_by_the_next_one(
    system: System, person: Person, clock: FakeClock
) -> None:
    client = client_at(system, "203.0.113.7")
    note_failures(system, 500, "address:192.0.2.1")
    clock.advance(timedelta(minutes=16))
    sign_in(client, person.email, "guess guess guess")

    assert len(subjects(system)) == 3


class Queue:
    """Tries in threads of their own, each held in its check until it may leave."""

    def __init__(self) -> None:
        self.line, self.leave = Line(), threading.Event()
        self.refused: list[str] = []
        self._threads: list[threading.Thread] = []

    def join(self, network: str, *, is_suspect: bool = False) -> None:
        def wait() -> None:
            try:
                with self.line.turn(network, is_suspect=is_suspect):
                    self.leave.wait(30)
            except TooManyTries:
                self.refused.append(network)

        count = len(self.line) + len(self.refused)
        thread = threading.Thread(target=wait)
        self._threads.append(thread)
        thread.start()
        wait_until(lambda: len(self.line) + len(self.refused) != count, what="the try to be in line or refused")

    def end(self) -> None:
        self.leave.set()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def queue() -> Iterator[Queue]:
    opened = Queue()
    yield opened
    opened.end()


def test_a_flood_of_tries_waits_in_a_short_line_that_one_site_cannot_fill(queue: Queue) -> None:
    for number in range(MOST_FROM_SITE + 2):
        queue.join(network_of(f"2001:db8:1:{number:x}::1"))

    assert len(queue.refused) == 2
    assert MOST_IN_LINE > MOST_FROM_SITE, "others would not get a turn"
    assert site_of("2001:db8:1:5::/64") != site_of("2001:db8:2:5::/64")


def test_a_network_without_failures_takes_the_place_of_one_with_many(queue: Queue) -> None:
    for number in range(MOST_IN_LINE):
        queue.join(f"203.0.113.{number}", is_suspect=True)
    queue.join("203.0.113.99", is_suspect=True)
    queue.join("198.51.100.2")
    queue.end()

    assert queue.refused == ["203.0.113.99", f"203.0.113.{MOST_IN_LINE - 1}"]


def test_a_suspect_network_has_one_check_at_a_time(queue: Queue) -> None:
    queue.join("203.0.113.7", is_suspect=True)
    queue.join("203.0.113.7", is_suspect=True)

    assert queue.refused == ["203.0.113.7"]


def session_of(system: System) -> str:
    """Return the address the last session was opened from."""
    chosen = sa.select(sessions.c.address).order_by(sessions.c.created_at.desc())
    return str(system.database.read(lambda tx: tx.execute(chosen).scalars().first()))


def sign_in_over_http(port: int, email: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"email": email, "password": PASSWORD})
    connection.request("POST", "/api/v1/session", body, {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers.get("set-cookie", "").lower()


FORGED = {"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Proto": "https"}


def test_nobody_is_believed_to_ask_from_elsewhere_unless_a_proxy_is_named(system: System, person: Person) -> None:
    with serving(system) as port:
        status, cookie = sign_in_over_http(port, person.email, **FORGED)

    assert (status, session_of(system)) == (200, "127.0.0.1")
    assert "secure" not in cookie


def test_a_named_proxy_says_who_asks_and_only_what_it_added_is_believed(
    database_url: str, tmp_path: Path, clock: FakeClock
) -> None:
    database = Database(database_url, clock=clock)
    system = make_system(database, tmp_path, auth_mode="team", trusted_proxies="127.0.0.1, 10.0.0.0/8")
    person = add_person(system)
    added = {**FORGED, "X-Forwarded-For": "6.6.6.6, 198.51.100.2, 10.1.2.3"}
    with serving(system) as port:
        status, cookie = sign_in_over_http(port, person.email, **added)

    assert (status, session_of(system)) == (200, "198.51.100.2")
    assert "secure" in cookie
    opened = sa.select(audit_log.c.changes).where(audit_log.c.action == "session.open")
    assert database.read(lambda tx: tx.execute(opened).scalar_one()) == {"address": [None, "198.51.100.2"]}
    database.close()


@pytest.mark.parametrize("given", ["*", "proxy.internal", "10.0.0.1/8", "10.0.0.1;10.0.0.2"])
def test_proxies_are_addresses_or_networks_and_nothing_else(given: str) -> None:
    with pytest.raises(InvalidSettings, match="ADE_TRUSTED_PROXIES: must be addresses or networks"):
        load_settings(trusted_proxies=given)

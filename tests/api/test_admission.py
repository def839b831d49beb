"""Many requests of one person delay nobody else."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.datastructures import Headers

from ade.api.admission import (
    MOST_STREAMS,
    MOST_WAITING,
    OF_ONE_CREDENTIAL,
    OF_ONE_PERSON,
    THREADS,
    Admission,
    Place,
    credential_in,
)
from ade.database.transaction import Database, Transaction
from ade.domain.access import Role
from ade.errors import TooManyRequests
from api.conftest import furnish, make_system
from api.people import Person, add_person
from api.serving import Listener, serving
from postgres import wait_until


async def enter(admission: Admission, credential: str) -> Place:
    return await admission.enter({}, credential)


def test_requests_of_one_credential_wait_and_others_do_not() -> None:
    async def play() -> None:
        admission = Admission()
        held = [await enter(admission, "a") for _ in range(OF_ONE_CREDENTIAL)]
        waiting = asyncio.create_task(enter(admission, "a"))
        other = await asyncio.wait_for(enter(admission, "b"), 5)
        assert not waiting.done()
        held[0].give_up()
        held[0].give_up()  # a second time gives nothing up
        await asyncio.wait_for(waiting, 5)
        one_more = asyncio.create_task(enter(admission, "a"))
        await asyncio.sleep(0)
        assert not one_more.done()
        one_more.cancel()
        for place in [*held, other, waiting.result()]:
            place.give_up()
        await asyncio.gather(one_more, return_exceptions=True)
        assert admission.is_idle

    asyncio.run(play())


def test_too_many_waiting_requests_of_one_credential_are_refused() -> None:
    async def play() -> None:
        admission = Admission()
        held = [await enter(admission, "a") for _ in range(OF_ONE_CREDENTIAL)]
        waiting = [asyncio.create_task(enter(admission, "a")) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await enter(admission, "a")
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for place in held:
            place.give_up()
        assert admission.is_idle

    asyncio.run(play())


def test_a_person_with_several_credentials_is_refused_beyond_their_share() -> None:
    async def play() -> None:
        admission = Admission()
        places = [await enter(admission, f"key {number}") for number in range(OF_ONE_PERSON + 1)]
        for place in places[:-1]:
            place.belongs_to("ada")
        with pytest.raises(TooManyRequests):
            places[-1].belongs_to("ada")
        for place in places:
            place.give_up()
        assert admission.is_idle

    asyncio.run(play())


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"authorization": "Bearer k", "cookie": "ade_session=s"}, "key Bearer k"),
        ({"cookie": "a=1; ade_session=s; b=2"}, "session s"),
        ({"cookie": "other=1"}, None),
        ({}, None),
    ],
)
def test_callers_are_told_apart_by_key_or_session(headers: dict[str, str], expected: str | None) -> None:
    assert credential_in(Headers(headers)) == expected


class _Slow(Database):
    """A database whose reads of one table take as long as the test wants."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.is_slow = False
        self.reading = 0
        self.go_on = threading.Event()

    def read(self, work: Callable[[Transaction], Any]) -> Any:
        if self.is_slow and "list_runs" in repr(work.__code__.co_names):
            self.reading += 1
            self.go_on.wait(60)
        return super().read(work)


@pytest.fixture
def slow(database_url: str, tmp_path: Path) -> Iterator[tuple[_Slow, int, Person, Person, str]]:
    with closing(_Slow(database_url)) as database:
        system = make_system(database, tmp_path, auth_mode="team")
        workspace = furnish(system).workspace_id
        people = [add_person(system, workspace_id=workspace, role=Role.VIEWER) for _ in range(2)]
        with serving(system) as port:
            try:
                yield database, port, people[0], people[1], workspace
            finally:
                database.go_on.set()


@pytest.mark.slow
@pytest.mark.req("S7")
def test_slow_requests_of_one_person_leave_threads_for_others(
    slow: tuple[_Slow, int, Person, Person, str],
) -> None:
    database, port, greedy, other, workspace = slow
    base = f"http://127.0.0.1:{port}"
    database.is_slow = True

    def ask(_: int) -> int:
        address = f"{base}/api/v1/workspaces/{workspace}/runs"
        return httpx2.get(address, headers=greedy.headers, timeout=120).status_code

    with ThreadPoolExecutor(THREADS + 20) as pool:
        asked = [pool.submit(ask, number) for number in range(THREADS + 20)]
        wait_until(lambda: database.reading >= OF_ONE_CREDENTIAL, what="the slow requests to be under way")
        documents = httpx2.get(f"{base}/api/v1/workspaces/{workspace}/documents", headers=other.headers, timeout=30)
        ready = httpx2.get(f"{base}/readyz", timeout=30)
        reading = database.reading
        database.go_on.set()
        answers = [one.result() for one in asked]

    assert (documents.status_code, ready.status_code) == (200, 200)
    assert reading == OF_ONE_CREDENTIAL
    assert set(answers) == {200}


@pytest.mark.slow
def test_a_person_has_a_limited_number_of_event_streams(slow: tuple[_Slow, int, Person, Person, str]) -> None:
    _, port, greedy, other, _ = slow
    opened = [Listener(port, "/api/v1/events", **greedy.headers) for _ in range(MOST_STREAMS)]
    for listener in opened:
        assert listener.next()[1] == "heartbeat"

    refused = httpx2.get(f"http://127.0.0.1:{port}/api/v1/events", headers=greedy.headers, timeout=30)
    welcome = Listener(port, "/api/v1/events", **other.headers)

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert welcome.response.status == 200
    for listener in [*opened, welcome]:
        listener.close()


def test_streams_that_are_opened_at_the_same_moment_count() -> None:
    admission = Admission()
    with ExitStack() as opened:
        opened.enter_context(admission.stream("one", followed=MOST_STREAMS // 2))

        with pytest.raises(TooManyRequests):
            opened.enter_context(admission.stream("one", followed=MOST_STREAMS // 2))

        opened.enter_context(admission.stream("two", followed=MOST_STREAMS // 2))
    assert admission.is_idle

"""Shares the server's threads between people, so that many slow requests of one person do not delay others.

Requests with the same credential wait for each other beyond a few at once. A person with several credentials is refused
beyond twice as many. A request holds its place until its answer begins: downloads and streams need no thread meanwhile.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Message, Scope, Send

from ade.errors import TooManyRequests

SESSION_COOKIE = "ade_session"
THREADS = 40
OF_ONE_CREDENTIAL = 8
OF_ONE_PERSON = 20  # a page and a program of theirs side by side
MOST_WAITING = 200  # of one credential
MOST_STREAMS = 100  # of one person, with the runs they follow
_PLACE = "ade.place"


class Place:
    """One request's hold on its share. It is given up once, however often that is called."""

    def __init__(self, admission: "Admission", credential: str) -> None:
        self._admission = admission
        self._credential = credential
        self._person: str | None = None
        self._is_held = True
        self._lock = Lock()

    def belongs_to(self, person: str) -> None:
        """Note whose request this is; raise TooManyRequests when they have too many under way."""
        with self._lock:
            if self._person is not None or not self._is_held:
                return
            self._person = person
            count = self._admission.count_person(person, 1)
        if count > OF_ONE_PERSON:
            raise TooManyRequests("You have too many requests under way. Wait for some of them, then try again.")

    def give_up(self) -> None:
        """Let the next request have the place."""
        with self._lock:
            is_held, self._is_held = self._is_held, False
        if not is_held:
            return
        self._admission.leave(self._credential)
        if self._person is not None:
            self._admission.count_person(self._person, -1)


class Admission:
    """The requests that are under way, by credential and by person."""

    def __init__(self) -> None:
        self._people: Counter[str] = Counter()
        self._lock = Lock()  # people are known in threads; all else happens in the event loop
        self.streams: Counter[str] = Counter()
        self._gates: dict[str, asyncio.Semaphore] = {}
        self._counts: Counter[str] = Counter()

    async def enter(self, scope: Scope, credential: str) -> Place:
        """Wait for a place; raise TooManyRequests when too many wait already."""
        if self._counts[credential] >= OF_ONE_CREDENTIAL + MOST_WAITING:
            raise TooManyRequests("Too many requests are under way with this credential. Send fewer at once.")
        self._counts[credential] += 1
        gate = self._gates.setdefault(credential, asyncio.Semaphore(OF_ONE_CREDENTIAL))
        try:
            await gate.acquire()
        except BaseException:
            self._forget(credential)
            raise
        place = Place(self, credential)
        scope[_PLACE] = place
        return place

    def leave(self, credential: str) -> None:
        """Give a place back."""
        self._gates[credential].release()
        self._forget(credential)

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is under way and nothing is remembered."""
        return not (self._people or self._counts or self._gates or self.streams)

    def count_person(self, person: str, change: int) -> int:
        """Count one request of a person more or less; return how many they have under way."""
        with self._lock:
            self._people[person] += change
            count = self._people[person]
            if not count:
                del self._people[person]
            return count

    def _forget(self, credential: str) -> None:
        _decrease(self._counts, credential)
        if credential not in self._counts:
            del self._gates[credential]

    @contextmanager
    def stream(self, person: str, *, followed: int) -> Iterator[None]:
        """Count an event stream, and the runs it follows, while it is open.

        Raise TooManyRequests when a person would follow too much. Asked and counted in one step: streams that are
        opened at the same moment count too.
        """
        if self.streams[person] + 1 + followed > MOST_STREAMS:
            raise TooManyRequests(
                f"Event streams and the runs they follow are {MOST_STREAMS} at most. Close some, then try again."
            )
        self.streams[person] += 1 + followed
        try:
            yield
        finally:
            _decrease(self.streams, person, by=1 + followed)


def place_in(scope: Any) -> Place | None:
    """Return the place of a request."""
    place: Place | None = scope.get(_PLACE)
    return place


def credential_in(headers: Headers) -> str | None:
    """Return what tells callers apart before they are identified: a key or a session.

    Requests without one share nothing: they get the page, or sign in, where passwords have a line of their own.
    """
    if authorization := headers.get("authorization"):
        return f"key {authorization[:200]}"
    session = cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE)
    return f"session {session[:200]}" if session else None


def leaving_at_start(send: Send, place: Place) -> Send:
    """Return `send` that gives the place up when the answer begins."""

    async def send_and_leave(message: Message) -> None:
        if message["type"] == "http.response.start":
            place.give_up()
        await send(message)

    return send_and_leave


def _decrease(counts: Counter[str], key: str, *, by: int = 1) -> None:
    counts[key] -= by
    if counts[key] <= 0:
        del counts[key]

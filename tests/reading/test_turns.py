"""Turns: those of the person with the least reading come first, and a long reading makes room for others."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from ade.errors import Unavailable
from ade.operations.reading.turns import Owner, Stopped, Turn, Turns

ADA, GRACE, LIN = Owner("one", "ada"), Owner("one", "grace"), Owner("two", "lin")
SECONDS = 30


class Reading:
    """A reading that continues until it is let go or stopped."""

    def __init__(self) -> None:
        self.starts = 0
        self.share_seconds: list[float] = []
        self.is_running = Event()
        self._end = Event()
        self._is_let_go = False

    def __call__(self, turn: Turn) -> str:
        self.starts += 1
        self.share_seconds.append(turn.share_seconds)
        turn.stop_with(self._end.set)
        self.is_running.set()
        assert self._end.wait(SECONDS)
        if self._is_let_go:
            return "read"
        self._end.clear()
        raise Stopped

    def let_go(self) -> None:
        self._is_let_go = True
        self._end.set()


@pytest.fixture
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=8)


def started(turns: Turns, pool: ThreadPoolExecutor, owner: Owner) -> tuple[Reading, Callable[[], str]]:
    reading = Reading()
    answer = pool.submit(turns.run, owner, reading)
    assert reading.is_running.wait(SECONDS)
    return reading, lambda: answer.result(SECONDS)


@pytest.mark.req("S3")
def test_nobody_takes_all_places_however_long_their_documents_take(pool: ThreadPoolExecutor) -> None:
    turns = Turns(at_once=4, share_seconds=1e9)
    ours = [started(turns, pool, owner) for owner in (ADA, ADA, GRACE)]

    quick = turns.run(LIN, lambda _: "at once")

    assert (quick, [reading.starts for reading, _ in ours]) == ("at once", [1, 1, 1])
    for reading, answer in ours:
        reading.let_go()
        assert answer() == "read"


def test_a_reading_that_had_its_share_makes_room_and_begins_again_with_twice_the_share(
    pool: ThreadPoolExecutor,
) -> None:
    turns = Turns(at_once=1, share_seconds=0.001)
    reading, answer = started(turns, pool, ADA)

    quick = turns.run(LIN, lambda _: "soon")
    reading.let_go()

    assert (quick, answer()) == ("soon", "read")
    assert reading.share_seconds[:2] == [0.001, 0.002]


def test_a_reading_within_its_share_is_not_stopped(pool: ThreadPoolExecutor) -> None:
    turns = Turns(at_once=1, share_seconds=1e9)
    reading, answer = started(turns, pool, ADA)
    other = pool.submit(turns.run, LIN, lambda _: "later")

    reading.let_go()

    assert (answer(), other.result(SECONDS), reading.starts) == ("read", "later", 1)


def test_whoever_reads_least_comes_first_and_then_whoever_came_first(pool: ThreadPoolExecutor) -> None:
    turns = Turns(at_once=3, share_seconds=1e9)
    ours = [started(turns, pool, owner) for owner in (ADA, GRACE, LIN)]
    order: list[str] = []
    waiting = []
    for place, owner in enumerate((ADA, GRACE, LIN), start=1):
        waiting.append(pool.submit(turns.run, owner, lambda turn: order.append(turn.owner.person)))
        wait_until(partial(waits, turns, place))

    ours[2][0].let_go()  # nobody reads for the second workspace now
    waiting[2].result(SECONDS)
    first = list(order)
    for reading, _ in ours[:2]:
        reading.let_go()
    for one in waiting:
        one.result(SECONDS)

    assert first == ["lin"]
    assert sorted(order[1:]) == ["ada", "grace"]


def test_two_readings_at_once_never_have_the_same_slot(pool: ThreadPoolExecutor) -> None:
    turns = Turns(at_once=4, share_seconds=1e9)
    ours = [started(turns, pool, owner) for owner in (ADA, GRACE, LIN)]

    slots = {turn.slot for turn in turns._running}

    for reading, answer in ours:
        reading.let_go()
        answer()
    assert slots == {0, 1, 2}


def test_a_reading_that_nobody_wants_any_longer_is_given_up(pool: ThreadPoolExecutor) -> None:
    turns = Turns(at_once=1, share_seconds=0.001)
    reading = Reading()
    answer = pool.submit(turns.run, ADA, reading, is_wanted=lambda: False)
    assert reading.is_running.wait(SECONDS)

    turns.run(LIN, lambda _: "soon")

    with pytest.raises(Unavailable):
        answer.result(SECONDS)
    assert reading.starts == 1


def waits(turns: Turns, count: int) -> bool:
    return len(turns._waiting) == count


def wait_until(condition: Callable[[], bool]) -> None:
    tries = Event()
    for _ in range(SECONDS * 100):
        if condition():
            return
        tries.wait(0.01)
    raise AssertionError("it never came true")

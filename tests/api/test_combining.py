"""What many ask at once is done together, and each gets their own answer."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from ade.api.combining import Combining
from ade.errors import DatabaseBusy, NotFound


class Busy:
    """Work that waits for a sign, so that others come meanwhile."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, asked: Sequence[int]) -> list[str]:
        self.batches.append(list(asked))
        self.begun.set()
        self.go_on.wait(60)
        if any(number < 0 for number in asked):
            raise NotFound(f"{asked}")
        return [str(number) for number in asked]


def ask_all(work: Busy, numbers: list[int]) -> list[str | Exception]:
    """Let the first begin, then let all others come, then let it go on."""
    combining: Combining[int, str] = Combining()

    def ask(number: int) -> str | Exception:
        try:
            return combining.do("key", number, work)
        except NotFound as error:
            return error

    with ThreadPoolExecutor(len(numbers)) as pool:
        first = pool.submit(ask, numbers[0])
        work.begun.wait(60)
        others = [pool.submit(ask, number) for number in numbers[1:]]
        while len(combining._waiting["key"]) < len(others):
            pass
        work.go_on.set()
        answers = [one.result(60) for one in (first, *others)]
    assert combining._waiting == {}
    return answers


def test_who_comes_while_one_is_busy_is_served_together() -> None:
    work = Busy()

    assert ask_all(work, list(range(30))) == [str(number) for number in range(30)]
    assert [len(batch) for batch in work.batches] == [1, 29]


def test_who_asks_for_nonsense_fails_alone() -> None:
    work = Busy()

    answers = ask_all(work, [1, 2, -3, 4])

    assert [answers[0], answers[1], answers[3]] == ["1", "2", "4"]
    assert isinstance(answers[2], NotFound)


def test_what_may_have_been_saved_is_not_tried_again() -> None:
    tries: list[Sequence[int]] = []

    def work(asked: Sequence[int]) -> list[str]:
        tries.append(asked)
        raise DatabaseBusy("busy")

    with pytest.raises(DatabaseBusy):
        Combining[int, str]().do("key", 1, work)
    assert len(tries) == 1


def test_after_a_failure_the_next_to_come_begins_anew() -> None:
    combining: Combining[int, str] = Combining()
    with pytest.raises(ZeroDivisionError):
        combining.do("key", 1, lambda asked: [str(1 // 0)])

    assert combining.do("key", 2, lambda asked: [str(number) for number in asked]) == "2"

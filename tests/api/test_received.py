"""How much of the bodies of requests is held at once, and for whom."""

from contextlib import ExitStack
from dataclasses import replace

import pytest
from starlette.exceptions import HTTPException

from ade.api.received import IN_MEMORY, MIB, ON_DISK, Received

pytestmark = pytest.mark.req("S7")


def hold(received: Received, held: ExitStack, sender: str, size: int) -> bool:
    """Hold bytes for a sender until the block ends; return whether there was room."""
    share = held.enter_context(received.request(sender))
    try:
        share.take(size)
    except HTTPException:
        return False
    return True


def test_one_sender_holds_its_share_at_most() -> None:
    received = Received(IN_MEMORY)
    with ExitStack() as held:
        assert hold(received, held, "one", IN_MEMORY.of_one)
        assert not hold(received, held, "one", 1)
        assert hold(received, held, "two", MIB)


def test_a_few_who_hold_everything_leave_room_for_a_body_of_everyone_else() -> None:
    received = Received(IN_MEMORY)
    with ExitStack() as held:
        for number in range(IN_MEMORY.shared // IN_MEMORY.of_one):
            assert hold(received, held, f"greedy {number}", IN_MEMORY.of_one)
        assert hold(received, held, "one", MIB)
        assert not hold(received, held, "one", 1)
        assert hold(received, held, "two", MIB)


def test_all_together_hold_no_more_than_the_bound() -> None:
    received = Received(IN_MEMORY)
    with ExitStack() as held:
        taken = sum(hold(received, held, f"one of many {number}", MIB) for number in range(600))

    assert taken * MIB == IN_MEMORY.most


def test_the_requests_of_one_sender_and_of_all_are_counted_too() -> None:
    received = Received(replace(IN_MEMORY, requests_of_one=2, requests=3, requests_besides=0))
    with ExitStack() as held:
        assert [hold(received, held, "one", 1) for _ in range(3)] == [True, True, False]
        assert [hold(received, held, "two", 1) for _ in range(2)] == [True, False]


def test_a_few_who_hold_every_request_leave_some_for_everyone_else() -> None:
    received = Received(replace(ON_DISK, requests_of_one=4, requests=8, requests_besides=1, most_requests=10))
    with ExitStack() as held:
        assert [hold(received, held, sender, 1) for sender in ("one", "two") for _ in range(5)].count(True) == 8
        assert [hold(received, held, "three", 1) for _ in range(2)] == [True, False]
        assert [hold(received, held, sender, 1) for sender in ("four", "five")] == [True, False]


def test_what_was_held_is_given_back() -> None:
    received = Received(replace(IN_MEMORY, requests_of_one=1))
    for _ in range(3):
        with ExitStack() as held:
            assert hold(received, held, "one", IN_MEMORY.of_one)

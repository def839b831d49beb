"""How much memory the bodies of requests may take, and who gets it."""

from contextlib import ExitStack

import pytest
from starlette.exceptions import HTTPException

from ade.api.body_memory import MIB, MOST, MOST_OF_NETWORK, MOST_SHARED, BodyMemory

pytestmark = pytest.mark.req("S7")


def hold(memory: BodyMemory, held: ExitStack, address: str, size: int) -> bool:
    """Hold bytes for an address until the block ends; tell whether there was room."""
    share = held.enter_context(memory.request(address))
    try:
        share.take(size)
    except HTTPException:
        return False
    return True


def test_one_address_holds_its_share_at_most() -> None:
    memory = BodyMemory()
    with ExitStack() as held:
        assert hold(memory, held, "10.0.0.1", MOST_OF_NETWORK)
        assert not hold(memory, held, "10.0.0.1", 1)
        assert hold(memory, held, "10.0.0.2", MIB)


def test_addresses_of_one_ipv6_network_share() -> None:
    memory = BodyMemory()
    with ExitStack() as held:
        assert hold(memory, held, "2001:db8::1", MOST_OF_NETWORK)
        assert not hold(memory, held, "2001:db8::2", 1)


def test_a_few_who_hold_everything_leave_room_for_a_body_of_everyone_else() -> None:
    memory = BodyMemory()
    with ExitStack() as held:
        for number in range(MOST_SHARED // MOST_OF_NETWORK):
            assert hold(memory, held, f"10.0.0.{number}", MOST_OF_NETWORK)
        assert hold(memory, held, "10.0.1.1", MIB)
        assert not hold(memory, held, "10.0.1.1", 1)
        assert hold(memory, held, "10.0.1.2", MIB)


def test_all_together_hold_no_more_than_the_bound() -> None:
    memory = BodyMemory()
    with ExitStack() as held:
        taken = sum(hold(memory, held, f"10.0.{number // 250}.{number % 250}", MIB) for number in range(600))

    assert taken * MIB == MOST


def test_what_was_held_is_given_back() -> None:
    memory = BodyMemory()
    for _ in range(3):
        with ExitStack() as held:
            assert hold(memory, held, "10.0.0.1", MOST_OF_NETWORK)

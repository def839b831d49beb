"""Places: how many requests may wait, so that no person or workspace takes every thread."""

from contextlib import ExitStack

import pytest

from ade.errors import Unavailable
from ade.operations.reading.places import MOST, MOST_OF_PERSON, MOST_OF_WORKSPACE, Places
from ade.operations.reading.turns import Owner


def test_a_person_and_a_workspace_hold_a_bounded_number_of_places() -> None:
    places = Places()
    with ExitStack() as held:
        for _ in range(MOST_OF_PERSON):
            held.enter_context(places.hold(Owner("one", "ada")))
        with pytest.raises(Unavailable):
            held.enter_context(places.hold(Owner("one", "ada")))
        for _ in range(MOST_OF_WORKSPACE - MOST_OF_PERSON):
            held.enter_context(places.hold(Owner("one", "grace")))
        with pytest.raises(Unavailable):
            held.enter_context(places.hold(Owner("one", "lin")))

        held.enter_context(places.hold(Owner("two", "ada")))


def test_when_all_places_are_held_the_newest_of_the_largest_workspace_gives_way() -> None:
    places = Places()
    with ExitStack() as held:
        ours = [
            held.enter_context(places.hold(Owner(f"{number % 2}", f"{number // MOST_OF_PERSON}")))
            for number in range(MOST)
        ]
        held.enter_context(places.hold(Owner("other", "lin")))
        displaced = [place for place in ours if place.is_displaced]

        assert len(displaced) == 1
        with pytest.raises(Unavailable):
            displaced[0].require()


def test_when_every_workspace_holds_as_few_the_next_one_waits() -> None:
    places = Places()
    with ExitStack() as held:
        ours = [held.enter_context(places.hold(Owner(str(number), "ada"))) for number in range(MOST)]
        with pytest.raises(Unavailable):
            held.enter_context(places.hold(Owner("other", "lin")))
        assert not any(place.is_displaced for place in ours)


def test_a_place_is_free_again_once_the_request_is_answered() -> None:
    places = Places()
    for _ in range(3 * MOST):
        with places.hold(Owner("one", "ada")) as place:
            place.require()

"""The places of combinations that are under way."""

from threading import Thread

import pytest

from ade.errors import Unavailable
from ade.operations.reading.combining_places import MOST_OF_PERSON, CombiningPlaces
from ade.operations.reading.turns import Owner

ADA = Owner("w", "ada")


@pytest.mark.req("S7")
def test_a_place_that_was_given_back_is_free() -> None:
    places = CombiningPlaces()
    for _ in range(MOST_OF_PERSON):
        places.take(ADA)
    with pytest.raises(Unavailable):
        places.take(ADA)
    places.give_back(ADA)
    places.take(ADA)


@pytest.mark.req("S7")
def test_a_place_can_be_given_back_by_the_thread_that_is_taking_one() -> None:
    places = CombiningPlaces()

    def collect() -> None:
        with places._lock:  # as when garbage is collected there
            places.give_back(ADA)

    thread = Thread(target=collect, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()

"""The starts that totals are compared with: the last that fits is found, and few of the others are looked at."""

import random
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from ade_engine.total_starts import TotalStarts

MOST = 1000


def near(found, number):
    return abs(found - number) <= min(0.005, 0.0005 * abs(number)) + 1e-9 * max(1.0, abs(number))


def expected(starts, numbers, count, sums):
    for above, before in reversed(starts[-MOST:]):
        if above < count and all(near(sums[place] - before[place], number) for place, number in numbers.items()):
            return count - above
    return 0


@given(
    seed=st.integers(0, 10_000),
    size=st.sampled_from([1, 10, 1000, 10**7, 10**12]),
    length=st.sampled_from([40, MOST + 200]),
    endless=st.booleans(),
)
def test_the_last_start_is_found_whose_sums_are_those_of_the_row(seed, size, length, endless):
    pick = random.Random(seed)
    sums = dict.fromkeys(range(1, pick.randint(2, 4)), 0.0)
    starts, found = [(0, dict(sums))], TotalStarts(sums)
    found.add(0, sums)
    for count in range(1, length):
        for place in sums:
            sums[place] += pick.choice((pick.randint(0, size), round(pick.uniform(-size, size), 2)))
        if endless and pick.random() < 0.01:
            sums[1] += pick.choice((inf, -inf))
        if pick.random() < 0.1:
            _, before = pick.choice(starts[-MOST:])
            numbers = {place: sums[place] - before[place] + pick.choice((0, 0, 0.004, 0.006)) for place in sums}
            assert found.count_of(numbers, count=count, sums=sums) == expected(starts, numbers, count, sums)
        if pick.random() < 0.9:
            starts.append((count, dict(sums)))
            found.add(count, sums)


class Counted(dict):
    """Numbers that count how often they were gone through."""

    count = 0

    def items(self):
        self.count += 1
        return super().items()


def test_a_row_that_is_no_sum_is_not_compared_with_every_start():
    found, sums = TotalStarts([1]), {1: 0.0}
    for count in range(MOST):
        found.add(count, sums)
        sums[1] += 7
    numbers = Counted({1: 3.0})
    assert found.count_of(numbers, count=MOST, sums=sums) == 0
    assert numbers.count < 5

"""One worker is woken for a run that any can take, all for what only some can; nobody is forgotten."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta

import pytest

from ade.database.queue.wakeups import Listener, Wake, listen
from ade.database.schema import idle_workers
from ade.operations.queue import claiming as queue
from ade.operations.queue import workers as worker_operations
from ade.operations.queue.claiming import Room
from scene import Scene

NOW = timedelta(0)
SOON = timedelta(seconds=60)


@pytest.fixture
def listeners(scene: Scene) -> Iterator[dict[str, Listener]]:
    """Yield what three workers that wait for work listen with, by their ids in the order in which they began to."""
    if scene.database.dialect == "mssql":
        pytest.skip("SQL Server wakes nobody: its workers look at each tick")
    with ExitStack() as stack:
        found = {}
        for name in ("first", "second", "third"):
            worker = scene.add_worker(name)
            assert scene.claim(2, worker=worker) == []
            scene.advance(timedelta(milliseconds=1))
            found[worker] = stack.enter_context(closing(listen(scene.database)))
        yield found


def waiting(scene: Scene) -> set[str]:
    """Return the workers that are noted to wait."""
    return {row.worker_id for row in scene.read(idle_workers.select()) if row.since is not None}


def test_as_many_are_woken_as_runs_are_ready_those_first_that_waited_longest(
    scene: Scene, listeners: dict[str, Listener]
) -> None:
    first, second, third = listeners

    scene.submit_many(2)

    assert [listeners[worker].wait(SOON, worker) for worker in (first, second)] == [Wake.NAMED, Wake.NAMED]
    assert listeners[third].wait(NOW, third) is Wake.NONE
    assert waiting(scene) == {third}


def test_all_are_woken_for_a_run_that_needs_something_and_for_a_build(
    scene: Scene, listeners: dict[str, Listener]
) -> None:
    scene.submit(memory_mb=500)
    assert {listener.wait(SOON, worker) for worker, listener in listeners.items()} == {Wake.ALL}

    scene.submit(build=scene.new_build(status=None))
    assert {listener.wait(SOON, worker) for worker, listener in listeners.items()} == {Wake.ALL}


def test_nobody_is_woken_for_a_run_that_waits_for_its_time(scene: Scene, listeners: dict[str, Listener]) -> None:
    later = scene.run(scene.submit(priority=90)).created_at + timedelta(hours=1)
    for worker, listener in listeners.items():
        listener.wait(NOW, worker)
    left = waiting(scene)

    scene.submit(scheduled_at=later)

    assert waiting(scene) == left


def test_a_worker_waits_while_it_has_slots_left_and_not_when_it_is_full(scene: Scene) -> None:
    if scene.database.dialect == "mssql":
        pytest.skip("SQL Server wakes nobody: none is noted to wait")
    worker = scene.worker
    scene.submit()
    scene.claim(2)
    assert waiting(scene) == {worker}
    scene.submit()
    scene.claim(1)
    assert waiting(scene) == set()


def test_a_worker_that_was_picked_and_is_full_wakes_another(scene: Scene, listeners: dict[str, Listener]) -> None:
    first, second, _ = listeners
    scene.submit()
    scene.submit(priority=10)
    for worker in (first, second):
        listeners[worker].wait(SOON, worker)

    def take(worker: str) -> int:
        return len(
            scene.write(
                lambda tx: queue.finish_and_claim(
                    tx, worker, [], rules=scene.rules, room=Room(slots=1), is_waiting=True
                )
            )[1]
        )

    assert take(first) == 1
    third = list(listeners)[2]
    assert listeners[third].wait(SOON, third) is Wake.NAMED


def test_a_worker_that_stops_is_not_picked_and_others_look_instead(
    scene: Scene, listeners: dict[str, Listener]
) -> None:
    first, second, _ = listeners

    scene.write(lambda tx: worker_operations.retire_worker(tx, first))

    assert listeners[second].wait(SOON, second) is Wake.ALL
    assert first not in waiting(scene)


def test_a_look_without_the_lock_finds_runs_builds_and_upkeep(scene: Scene) -> None:
    def is_due(memory_mb: int = 1000) -> bool:
        room = Room(slots=1, memory_mb=memory_mb)
        return scene.write(lambda tx: queue.is_turn_due(tx, rules=scene.rules, room=room))

    scene.claim()  # does the upkeep that is due
    assert not is_due()
    scene.submit(memory_mb=500)
    assert (is_due(), is_due(memory_mb=499)) == (True, False)
    scene.claim()
    assert not is_due()
    scene.submit(build=scene.new_build(status=None))
    assert is_due()
    scene.claim()
    assert not is_due()
    scene.advance(scene.rules.tick)
    assert is_due()
    scene.claim()
    scene.advance(-timedelta(hours=1))
    assert is_due()  # the queue's clock advances only when it is locked

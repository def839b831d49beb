"""Limits: of the deployment, of a workspace, of the start rate. Exact, and nothing stays parked when they go."""

import math
from datetime import timedelta

import pytest
import sqlalchemy as sa

import rows
from ade.database.schema import runs, workspaces
from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.operations.queue.claiming import Room
from ade.operations.queue.free_disk import MIB, crowded
from ade.operations.views.waiting_reasons import until_next_start
from ade.settings import load_settings
from scene import Scene


def cap(scene: Scene, most: int | None, workspace_id: str | None = None) -> None:
    chosen = workspace_id or scene.build.workspace_id
    scene.write(lambda tx: tx.execute(sa.update(workspaces).where(workspaces.c.id == chosen).values(max_running=most)))


@pytest.mark.req("Q5")
def test_a_deployment_never_runs_more_than_its_limit(scene: Scene) -> None:
    scene.rules = QueueRules(max_running=3)
    scene.submit_many(10)

    first = scene.claim(2)
    second = scene.claim(5, worker=scene.add_worker("two"))

    assert (len(first), len(second)) == (2, 1)
    assert scene.claim(5) == []
    scene.succeed(first[0])
    assert len(scene.claim(5)) == 1


@pytest.mark.req("Q5")
def test_a_workspace_never_runs_more_than_its_cap_and_others_go_on(scene: Scene) -> None:
    capped = scene.submit_many(5)
    other = scene.submit(build=scene.new_build(workspace_id=scene.add_workspace()), priority=90)
    cap(scene, 2)

    claimed = scene.claim(5)

    assert [claim.id for claim in claimed] == [*capped[:2], other]
    assert scene.claim(5) == []
    scene.succeed(claimed[0])
    assert [claim.id for claim in scene.claim(5)] == [capped[2]]


@pytest.mark.req("Q5", "Q2")
def test_runs_parked_for_a_cap_keep_their_order(scene: Scene) -> None:
    waiting = scene.submit_many(6)
    cap(scene, 1)

    assert scene.drain(slots=3) == waiting


@pytest.mark.req("Q5")
@pytest.mark.parametrize("most", [None, 4])
def test_a_cap_that_is_raised_or_removed_frees_what_it_held(scene: Scene, most: int | None) -> None:
    waiting = scene.submit_many(4)
    cap(scene, 1)
    [running] = scene.claim(4)
    assert scene.claim(4) == []

    cap(scene, most)
    scene.advance(scene.rules.tick)

    assert [claim.id for claim in scene.claim(4)] == waiting[1:]
    scene.succeed(running)


@pytest.mark.req("Q5", "Q4")
def test_a_cap_and_a_busy_document_together_strand_nothing(scene: Scene) -> None:
    document = scene.document()
    waiting = [scene.submit(document) for _ in range(3)] + scene.submit_many(3)
    cap(scene, 2)

    first = scene.claim(5)
    assert [claim.id for claim in first] == [waiting[0], waiting[3]]
    assert scene.claim(5) == []
    for claim in first:
        scene.succeed(claim)
    assert scene.drain(slots=5) == [waiting[1], waiting[4], waiting[2], waiting[5]]


@pytest.mark.req("Q5")
def test_a_cap_of_zero_stops_a_workspace(scene: Scene) -> None:
    scene.submit()
    cap(scene, 0)

    assert scene.claim() == []
    cap(scene, None)
    scene.upkeep()
    assert len(scene.claim()) == 1


@pytest.mark.req("Q5")
@pytest.mark.parametrize("rate", [0.5, 2, 2.5, 3, 7])
def test_no_second_holds_more_starts_than_the_rate_and_all_together_reach_it(scene: Scene, rate: float) -> None:
    scene.rules = QueueRules(max_starts_per_second=rate, lease=timedelta(hours=1))
    scene.submit_many(60)
    started = [len(scene.claim(60))]
    for _ in range(40):
        scene.advance(timedelta(milliseconds=100))
        started.append(len(scene.claim(60)))

    most = math.ceil(rate)
    assert max(sum(started[first : first + 10]) for first in range(len(started))) == most
    assert 4 * rate <= sum(started) <= most + 4 * rate


@pytest.mark.req("Q5")
@pytest.mark.parametrize("pace", [0.05, 0.24, 0.3, 0.37, 0.99])
def test_no_second_holds_more_starts_than_the_rate_however_claims_are_spaced(scene: Scene, pace: float) -> None:
    scene.rules = QueueRules(max_starts_per_second=4, lease=timedelta(hours=1))
    scene.submit_many(60)
    starts: list[float] = []
    for number in range(int(4 / pace)):
        starts += [number * pace for _ in scene.claim(1 + number % 3)]
        scene.advance(timedelta(seconds=pace))

    assert all(later - earlier > 0.999 for earlier, later in zip(starts, starts[4:], strict=False))
    assert len(starts) >= 4 * min(4, 1 / pace) * 0.75


@pytest.mark.req("Q5")
def test_a_worker_learns_when_the_next_start_is_due(scene: Scene) -> None:
    scene.rules = QueueRules(max_starts_per_second=2)
    scene.submit_many(3)
    assert waits(scene) == timedelta(0)
    scene.claim(1)
    scene.advance(timedelta(milliseconds=300))
    assert waits(scene) == timedelta(0)
    scene.claim(1)

    assert waits(scene) == timedelta(milliseconds=700)
    scene.advance(timedelta(milliseconds=700))
    assert len(scene.claim(3)) == 1


def waits(scene: Scene) -> timedelta:
    return scene.database.read(lambda tx: until_next_start(tx, rules=scene.rules))


@pytest.mark.req("Q5")
def test_time_without_work_is_not_saved_up_for_a_flood_of_starts(scene: Scene) -> None:
    scene.rules = QueueRules(max_starts_per_second=2)
    scene.advance(timedelta(hours=1))
    scene.submit_many(10)

    assert len(scene.claim(10)) == 2


@pytest.mark.req("Q16")
def test_a_worker_claims_only_what_fits_its_processors(scene: Scene) -> None:
    wide, narrow = scene.submit(cpu_count=8), scene.submit(cpu_count=1)
    room = Room(slots=4, cpu_count=4)

    assert [claim.id for claim in scene.claim_into(room)] == [narrow]
    assert [claim.id for claim in scene.claim_into(Room(slots=4, cpu_count=8))] == [wide]


@pytest.mark.req("Q5", "Q16")
@pytest.mark.parametrize("most", [None, 2])
def test_a_workspace_that_is_held_back_starts_nothing_until_it_is_let_go(scene: Scene, most: int | None) -> None:
    held_back = scene.submit_many(3)
    other = scene.submit(build=scene.new_build(workspace_id=scene.add_workspace()), priority=90)
    cap(scene, most)
    room = Room(slots=4, crowded=frozenset({scene.build.workspace_id}))

    assert [claim.id for claim in scene.claim_into(room)] == [other]
    scene.advance(2 * scene.rules.tick)  # upkeep is due in the next turn
    assert scene.claim_into(room) == []
    assert {scene.run(run_id).block_mask for run_id in held_back} == {Block.CAPACITY}, "looked at again in every turn"
    scene.advance(2 * scene.rules.tick)
    assert [claim.id for claim in scene.claim(4)] == held_back[:most]


@pytest.mark.req("Q16")
def test_workspaces_are_held_back_for_what_documents_and_outputs_take_together(scene: Scene) -> None:
    settings = load_settings(min_free_disk_mb=10)

    def look() -> dict[str, str]:
        return scene.database.read(lambda tx: crowded(tx, settings))

    greedy = scene.build.workspace_id
    scene.write(lambda tx: rows.add_document(tx, workspace_id=greedy, size_bytes=6 * MIB))
    scene.submit()
    scene.succeed(scene.claim_one(), output_bytes=5 * MIB)
    assert look() == {}, "there is only one workspace"
    modest = scene.add_workspace()
    scene.write(lambda tx: rows.add_document(tx, workspace_id=modest, size_bytes=9 * MIB))

    assert set(look()) == {greedy}
    assert "those of this one take 11 MB" in look()[greedy]
    assert set(scene.database.read(lambda tx: crowded(tx, settings, modest))) == set()
    scene.write(lambda tx: tx.execute(sa.update(runs).values(file_key=None)))  # as retention does
    assert look() == {}

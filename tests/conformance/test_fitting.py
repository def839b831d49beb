"""Builds belong to an engine, a Python and a platform: who makes them, who uses them, and what nobody could make."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from ade.database.schema import builds
from ade.domain.fingerprint import Surroundings
from ade.domain.queue import Claim
from ade.errors import LeaseLost
from ade.operations.queue import fitting, workers
from ade.operations.queue.claiming import Room
from ade.operations.queue.surroundings import here
from ade.operations.queue.workers import WorkerFacts
from conformance.test_cost import heads_plan
from scene import Scene

pytestmark = pytest.mark.req("B1", "B4")
NEWER = Surroundings(engine_version="99.0", python_version="CPython 3.99", platform="Linux x86_64")


def start_newer_worker(scene: Scene, name: str = "newer") -> str:
    """Start a worker of another engine."""
    facts = WorkerFacts(name=name, host="here", process_id=1, version="0", slots=2, surroundings=str(NEWER))
    return scene.write(lambda tx: workers.register_worker(tx, facts, rules=scene.rules))


def claim_with(scene: Scene, worker: str, surroundings: Surroundings = NEWER, *, slots: int = 1) -> list[Claim]:
    return scene.claim_into(Room(slots=slots, surroundings=surroundings), worker=worker)


def fit(scene: Scene, claim: Claim, surroundings: Surroundings = NEWER) -> Any:
    return scene.write(lambda tx: fitting.fit_run(tx, claim, surroundings))


def build_of(scene: Scene, run_id: str) -> sa.Row[Any]:
    return scene.read(sa.select(builds).where(builds.c.id == scene.run(run_id).build_id))[0]


def test_a_build_is_claimed_by_a_worker_it_fits_and_by_no_other(scene: Scene) -> None:
    scene.submit(build=scene.new_build(status=None))
    newer, fitting_worker = start_newer_worker(scene), scene.worker

    assert claim_with(scene, newer, slots=2) == []
    [claimed] = scene.claim(2, worker=fitting_worker)
    assert claimed.kind == "build"


def test_a_run_of_anothers_ready_build_is_executed_with_ones_own_at_once_when_that_is_ready(scene: Scene) -> None:
    first, second = scene.submit_many(2, build=scene.new_build(status=None))
    scene.finish_build(scene.claim_one())
    newer = start_newer_worker(scene)
    [claimed] = claim_with(scene, newer)
    assert fit(scene, claimed) is None  # its build must be made first
    [making] = claim_with(scene, newer, slots=2)
    scene.finish_build(making)

    [again] = claim_with(scene, newer)
    older = scene.claim_one()
    back = fit(scene, older, here())

    assert (again.id, older.id) == (first, second)
    assert str(NEWER) == fit(scene, again).surroundings == build_of(scene, first).surroundings
    assert str(here()) == back.surroundings == build_of(scene, second).surroundings
    scene.succeed(again)
    scene.succeed(older)
    assert scene.statuses() == {"succeeded": 2}


def test_the_runs_of_a_build_wait_together_for_the_one_that_fits(scene: Scene) -> None:
    run_ids = scene.submit_many(3)
    elsewhere = scene.submit(build=scene.new_build(), priority=90)
    newer = start_newer_worker(scene)

    [claimed] = claim_with(scene, newer)
    assert fit(scene, claimed) is None

    assert {scene.run(run_id).block_mask for run_id in run_ids} == {4}
    assert scene.run(run_ids[0]).claim_count == 0
    assert [claim.id for claim in scene.claim(5)] == [elsewhere]
    [making] = claim_with(scene, newer, slots=5)
    scene.finish_build(making)
    assert [claim.id for claim in claim_with(scene, newer, slots=5)] == run_ids


def test_only_who_holds_a_run_fits_it(scene: Scene) -> None:
    run_id = scene.submit()
    newer = start_newer_worker(scene)
    [lost] = claim_with(scene, newer)
    scene.return_uncounted(lost)
    before = scene.run(run_id)

    with pytest.raises(LeaseLost):
        fit(scene, lost)

    assert scene.run(run_id) == before
    assert len(scene.read(sa.select(builds))) == 1


def test_a_build_that_no_living_worker_could_make_is_made_for_one_that_lives(scene: Scene) -> None:
    wanted = scene.new_build(status=None)
    run_ids = scene.submit_many(2, build=wanted)
    newer = start_newer_worker(scene)

    scene.advance(scene.rules.tick)
    [making] = claim_with(scene, newer, slots=3)  # upkeep is due: nobody of the other kind ever lived
    scene.finish_build(making)

    assert scene.the_build(wanted).status == "cancelled"
    assert [claim.id for claim in claim_with(scene, newer, slots=3)] == run_ids


def test_a_build_is_left_to_the_living_worker_that_fits_it(scene: Scene) -> None:
    scene.submit(build=scene.new_build(status=None))
    fitting_worker, newer = scene.worker, start_newer_worker(scene)

    scene.advance(scene.rules.tick)
    assert claim_with(scene, newer, slots=3) == []
    assert scene.claim_one(worker=fitting_worker).kind == "build"


def test_the_runs_of_an_upgraded_deployment_go_on_when_the_last_old_worker_is_gone(scene: Scene) -> None:
    """A build that is ready for the new ones already lets them go on at once."""
    old = scene.worker
    wanted = scene.new_build(status=None)
    first = scene.submit(build=wanted)
    newer = start_newer_worker(scene)
    scene.advance(2 * scene.rules.lease + timedelta(seconds=1))
    scene.heartbeat(newer)
    [making] = claim_with(scene, newer)
    scene.finish_build(making)
    second = scene.submit(build=wanted)  # an old server still asks for the old build

    scene.advance(scene.rules.tick)
    claimed = claim_with(scene, newer, slots=3)

    assert old != newer
    assert [claim.id for claim in claimed] == [first, second]
    assert build_of(scene, second).surroundings == str(NEWER)


@pytest.mark.req("Q18")
@pytest.mark.parametrize("mark", ["'builds'", "'build' AS kind"])  # whether any waits, and the best of them
def test_builds_for_others_cost_a_claim_nothing(scene: Scene, mark: str) -> None:
    if scene.database.dialect == "mssql":
        pytest.skip("plans are those of SQLite and PostgreSQL")
    request = scene.new_build(status=None)
    scene.submit(build=request)
    row = asdict(scene.the_build(request))

    def fill(tx: Any) -> None:
        others = [{**row, "id": f"o{n}", "fingerprint": f"{n:064}", "surroundings": str(NEWER)} for n in range(2000)]
        tx.execute(sa.insert(builds), others)

    scene.write(fill)
    scene.write(lambda tx: tx.execute(sa.text("ANALYZE")))

    plan = heads_plan(scene, mark=mark)
    line = next(line for line in plan.splitlines() if "ix_builds_ready" in line)
    assert "surroundings" in line if scene.database.dialect == "sqlite" else "surroundings" in plan
    scene.write(lambda tx: tx.execute(sa.delete(builds).where(builds.c.id.like("o%"))))


def test_a_run_that_is_cancelled_meanwhile_ends_and_the_others_wait(scene: Scene) -> None:
    first, second = scene.submit_many(2)
    newer = start_newer_worker(scene)
    [claimed] = claim_with(scene, newer)
    scene.cancel(first)

    assert fit(scene, claimed) is None

    assert (scene.status(first), scene.run(second).block_mask) == ("cancelled", 4)

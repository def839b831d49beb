"""Pauses: they compose, running runs finish, and what was held back keeps its order."""

from itertools import permutations

import pytest
import sqlalchemy as sa

import sent
from ade.database.schema import runs
from ade.domain.pause import PauseScope
from ade.errors import Invalid, NotFound
from scene import Scene


@pytest.mark.req("Q12")
def test_overlapping_pauses_hold_until_the_last_one_is_lifted_and_keep_the_order(scene: Scene) -> None:
    """Case 36, lifted in every order."""
    for number, lifted in enumerate(permutations(range(3))):
        waiting = scene.submit_many(3)
        pauses = [
            scene.pause(PauseScope.PRIORITY, "normal"),
            scene.pause(PauseScope.WORKSPACE, scene.build.workspace_id),
            scene.pause(PauseScope.ALL),
        ]
        worker = scene.add_worker(f"w{number}")
        for index in lifted:
            assert scene.claim(3, worker=worker) == []
            scene.resume(pauses[index])
        assert scene.drain(worker=worker) == waiting


@pytest.mark.req("Q12")
@pytest.mark.parametrize("scope", list(PauseScope))
def test_a_pause_holds_back_what_it_names_and_nothing_else(scene: Scene, scope: PauseScope) -> None:
    plan_id, [phase] = scene.submit_plan(1, priority=70)
    elsewhere = scene.new_build(workspace_id=scene.add_workspace())
    other = scene.submit(build=elsewhere)
    values = {
        PauseScope.ALL: None,
        PauseScope.PRIORITY: "70",
        PauseScope.WORKSPACE: scene.build.workspace_id,
        PauseScope.PLAN: plan_id,
    }
    pause = scene.pause(scope, values[scope])

    assert scene.drain() == ([] if scope == PauseScope.ALL else [other])
    scene.resume(pause)
    assert phase in scene.drain()


@pytest.mark.req("Q12")
def test_running_runs_finish_under_a_pause(scene: Scene) -> None:
    scene.submit()
    claim = scene.claim_one()
    scene.pause(PauseScope.ALL)

    assert scene.heartbeat() is not None
    assert scene.succeed(claim) == "succeeded"


@pytest.mark.req("Q12")
def test_upkeep_goes_on_under_a_pause_of_everything(scene: Scene) -> None:
    scene.submit()
    claim = scene.claim_one()
    scene.pause(PauseScope.ALL)
    scene.advance(2 * scene.rules.lease)

    assert scene.claim() == []
    assert scene.status(claim.id) == "queued"


@pytest.mark.req("Q12")
def test_a_phase_released_under_its_plans_pause_stays_held_back(scene: Scene) -> None:
    plan_id, [_, second] = scene.submit_plan(2)
    claim = scene.claim_one()
    pause = scene.pause(PauseScope.PLAN, plan_id)
    scene.succeed(claim)

    assert scene.claim() == []
    scene.resume(pause)
    assert scene.claim_one().id == second


@pytest.mark.req("Q12", "Q4")
def test_a_paused_head_lets_siblings_that_are_not_paused_go_on(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    plan_id, [head] = scene.submit_plan([scene.request(document)], priority=10)
    sibling = scene.submit(document)
    scene.claim()  # parks both behind the busy document
    scene.succeed(running)
    pause = scene.pause(PauseScope.PLAN, plan_id)

    assert scene.drain() == [sibling]
    scene.resume(pause)
    assert scene.drain() == [head]


@pytest.mark.req("Q12", "Q18")
def test_a_claim_does_not_walk_down_the_runs_of_a_paused_document(scene: Scene) -> None:
    """It parks the head and leaves the parked siblings alone, instead of waking and parking them one by one."""
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    requests = [scene.request(document)] * 50
    siblings = scene.submit_all(requests)
    scene.claim()
    scene.succeed(running)
    pause = scene.pause(PauseScope.WORKSPACE, scene.build.workspace_id)

    with sent.noted() as statements:
        assert scene.claim() == []

    assert len(statements) < 20
    parked = scene.read(sa.select(runs.c.id).where(runs.c.block_mask == 16))
    assert [row.id for row in parked] == siblings[:1]
    scene.resume(pause)
    assert scene.drain() == siblings


@pytest.mark.req("Q12", "Q10")
def test_pausing_and_resuming_is_audited(scene: Scene) -> None:
    pause = scene.pause(PauseScope.PRIORITY, "low")
    scene.resume(pause)

    paused, resumed = scene.audit(pause)
    assert (paused.action, paused.reason, paused.actor_name) == ("queue.pause", "night", "ada@example.org")
    assert paused.changes == {"scope": [None, "priority"], "value": [None, "70"]}
    assert resumed.action == "queue.resume"


@pytest.mark.req("Q12")
def test_what_makes_no_sense_is_refused(scene: Scene) -> None:
    with pytest.raises(Invalid, match="Name the workspace"):
        scene.pause(PauseScope.WORKSPACE)
    with pytest.raises(Invalid, match="priority must be one of"):
        scene.pause(PauseScope.PRIORITY, "soon")
    with pytest.raises(NotFound):
        scene.resume("none")
    pause = scene.pause(PauseScope.ALL)
    scene.resume(pause)
    with pytest.raises(NotFound):
        scene.resume(pause)

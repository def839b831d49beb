"""Plans: a phase is ready when the one before it succeeded; a failed one fails those behind it."""

from datetime import timedelta

import pytest

from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.errors import Invalid, NotFound
from ade.operations.queue import ordering
from calls import PERSON
from scene import Scene


@pytest.mark.req("Q9")
def test_a_phase_becomes_ready_in_the_transaction_in_which_the_one_before_it_succeeds(scene: Scene) -> None:
    """Case 30."""
    plan_id, [first, second, third] = scene.submit_plan(3)
    assert Block(scene.run(second).block_mask) == Block.EARLIER_PHASE
    claim = scene.claim_one()
    assert claim.id == first
    assert scene.claim(3) == []

    scene.advance(timedelta(seconds=1))
    scene.succeed(claim)

    assert scene.run(second).ready_at == scene.run(first).finished_at
    assert scene.run(third).block_mask == Block.EARLIER_PHASE
    assert scene.drain() == [second, third]
    assert scene.plan(plan_id).status == "succeeded"


@pytest.mark.req("Q9")
def test_a_failed_phase_fails_the_later_ones_with_a_clear_message(scene: Scene) -> None:
    """Case 30."""
    plan_id, [_, *later] = scene.submit_plan(3)

    scene.fail(scene.claim_one())

    for run_id in later:
        run = scene.run(run_id)
        assert (run.status, run.failure_code) == ("failed", "earlier_phase_failed")
        assert "Phase 1 failed" in str(run.failure_message)
    assert scene.plan(plan_id).status == "failed"
    assert scene.control().open_run_count == 0


@pytest.mark.req("Q9", "R5")
@pytest.mark.parametrize("is_running", [False, True])
def test_a_cancelled_phase_cancels_the_later_ones(scene: Scene, *, is_running: bool) -> None:
    plan_id, phases = scene.submit_plan(3)
    if is_running:
        claim = scene.claim_one()
        scene.cancel(phases[0])
        scene.succeed(claim)
    else:
        scene.cancel(phases[0])

    assert [scene.status(run_id) for run_id in phases] == ["cancelled"] * 3
    assert scene.plan(plan_id).status == "cancelled"
    assert scene.control().open_run_count == 0


@pytest.mark.req("Q9")
def test_a_phase_that_times_out_or_loses_its_workers_fails_the_plan(scene: Scene) -> None:
    scene.rules = QueueRules(max_claims=1)
    plan_id, phases = scene.submit_plan(2)
    scene.claim_one()
    scene.advance(scene.rules.lease + timedelta(seconds=1))
    scene.upkeep()

    assert [scene.run(run_id).failure_code for run_id in phases] == ["process_terminated", "earlier_phase_failed"]
    assert scene.plan(plan_id).status == "failed"


@pytest.mark.req("Q9", "B6")
def test_the_failed_build_of_a_later_phase_fails_the_plan_once(scene: Scene) -> None:
    requests = [scene.request(), scene.request(build=scene.new_build(status=None)), scene.request()]
    plan_id, [first, second, third] = scene.submit_plan(requests)
    run, build = sorted(scene.claim(2), key=lambda claim: claim.kind, reverse=True)

    scene.fail_build(build)
    scene.succeed(run)

    assert [scene.run(run_id).failure_code for run_id in (first, second, third)] == [
        None,
        "build_failed",
        "earlier_phase_failed",
    ]
    assert scene.plan(plan_id).status == "failed"
    assert scene.control().open_run_count == 0


@pytest.mark.req("Q9")
def test_a_phase_that_waits_for_its_build_too_is_ready_when_both_are_there(scene: Scene) -> None:
    unbuilt = scene.new_build(status=None)
    _, [first, second] = scene.submit_plan([scene.request(), scene.request(build=unbuilt)])
    claims = {claim.kind: claim for claim in scene.claim(2)}
    scene.succeed(claims["run"])
    assert Block(scene.run(second).block_mask) == Block.BUILD
    assert scene.run(second).ready_at is None

    scene.finish_build(claims["build"])

    assert scene.run(second).ready_at is not None
    assert scene.drain() == [second]
    assert scene.status(first) == "succeeded"


@pytest.mark.req("Q9", "Q4")
def test_phases_of_one_document_run_one_after_the_other(scene: Scene) -> None:
    document = scene.document()
    _, phases = scene.submit_plan([scene.request(document) for _ in range(3)])

    assert scene.drain(slots=3) == phases


@pytest.mark.req("Q9", "Q10")
def test_phases_inherit_the_priority_of_the_plan_and_its_changes(scene: Scene) -> None:
    plan_id, phases = scene.submit_plan([scene.request(priority=90), scene.request(priority=10)], priority=70)
    assert [scene.run(run_id).priority for run_id in phases] == [70, 70]
    scene.claim_one()

    scene.write(lambda tx: ordering.change_plan_priority(tx, plan_id, 20, rules=scene.rules, actor=PERSON))

    assert [scene.run(run_id).priority for run_id in phases] == [70, 20]  # the first one runs already
    assert scene.plan(plan_id).priority == 20
    [row] = scene.audit(phases[1])
    assert (row.action, row.changes) == ("run.priority", {"priority": [70, 20]})


@pytest.mark.req("Q2", "Q9")
def test_runs_of_the_same_ready_time_go_by_plan_then_phase_then_submission(scene: Scene) -> None:
    _, [a1, a2] = scene.submit_plan(2)
    _, [b1, b2] = scene.submit_plan(2)
    single = scene.submit()

    assert scene.drain(slots=2) == [single, a1, a2, b1, b2]


def test_a_plan_needs_a_phase_and_a_known_id(scene: Scene) -> None:
    with pytest.raises(Invalid):
        scene.submit_plan([])
    with pytest.raises(NotFound):
        scene.write(lambda tx: ordering.change_plan_priority(tx, "none", 10, rules=scene.rules, actor=PERSON))

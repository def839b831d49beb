"""What a host failed: it waits again, where another host or a later hour may do better, and not for ever."""

import pytest

from ade.domain.queue import QueueRules
from scene import Scene


@pytest.mark.req("Q7", "W6")
def test_a_run_that_its_host_failed_goes_back_to_its_place_until_its_claims_are_used(scene: Scene) -> None:
    scene.rules = QueueRules(max_claims=2)
    first, second = scene.submit(), scene.submit()
    zombie = scene.claim_one()

    assert scene.return_counted(zombie)
    assert not scene.return_counted(zombie)  # its worker no longer holds it

    last = scene.claim_one()
    assert (last.id, scene.run(first).claim_count) == (first, 2)
    assert not scene.return_counted(last)
    assert scene.events(first) == ["run.queued", "run.claimed", "run.requeued", "run.claimed"]
    scene.succeed(last)
    assert scene.drain() == [second]


@pytest.mark.req("R5", "W6")
def test_a_run_that_its_host_failed_and_somebody_cancelled_is_not_handed_back(scene: Scene) -> None:
    run_id = scene.submit()
    claim = scene.claim_one()
    scene.cancel(run_id)

    assert not scene.return_counted(claim)
    scene.fail(claim)
    assert scene.status(run_id) == "cancelled"


@pytest.mark.req("B3", "W6")
def test_a_build_that_its_host_failed_waits_again_until_its_claims_are_used(scene: Scene) -> None:
    scene.rules = QueueRules(max_claims=2)
    run_id = scene.submit(build=scene.new_build(status=None))

    assert scene.return_counted(scene.claim_one())
    last = scene.claim_one()
    assert not scene.return_counted(last)
    scene.finish_build(last)
    assert scene.drain() == [run_id]

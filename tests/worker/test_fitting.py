"""Servers and workers of two versions at once: a worker executes with builds of its own engine, Python and platform."""

import pytest
import sqlalchemy as sa

from ade.database.schema import builds, runs
from ade.operations.queue.surroundings import here
from worker.stage import SIMPLE, Stage, assert_gapless

OLDER = "ade-engine 0.0.1, CPython 3.11, Linux x86_64"


def make_older(stage: Stage, run_id: str) -> str:
    """Let the build of a run be one that an older server asked for; return its id."""
    build_id = str(stage.run(run_id).build_id)
    changed = sa.update(builds).where(builds.c.id == build_id).values(surroundings=OLDER, fingerprint=build_id)
    stage.write(lambda tx: tx.execute(changed))
    return build_id


@pytest.mark.slow
@pytest.mark.req("B1", "W4")
def test_an_upgraded_worker_executes_what_was_submitted_before_the_upgrade(stage: Stage) -> None:
    """Both a run that waits for its build and one whose build is ready."""
    configuration = stage.configuration(SIMPLE)
    [waiting] = stage.submit(configuration)
    unmade = make_older(stage, waiting)
    stage.work_off([waiting])
    made = make_older(stage, waiting)
    [ready] = stage.submit(configuration)
    chosen = sa.update(runs).where(runs.c.id == ready).values(build_id=made, block_mask=0)
    stage.write(lambda tx: tx.execute(chosen))

    stage.work_off([ready])

    assert [stage.run(run_id).status for run_id in (waiting, ready)] == ["succeeded", "succeeded"]
    assert stage.run(ready).claim_count == 1
    assert stage.build_of(ready).surroundings == str(here())
    statuses = {row.id: row.status for row in stage.read(sa.select(builds.c.id, builds.c.status))}
    assert (statuses[unmade], statuses[made]) == ("cancelled", "ready")
    assert_gapless(stage.events(waiting))
    assert_gapless(stage.events(ready))
    assert stage.work_folders() == []

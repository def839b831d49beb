"""What a claim costs: it reads the head of one index, however much waits. Counted in rows and steps, never in time."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

import calls
import sent
from ade.database.queue.waiting import MOST_PARKED
from ade.database.schema import workspaces
from ade.database.transaction import Transaction
from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.operations.queue import attempts
from ade.operations.queue.claiming import Room
from repeatable import FakeClock
from scene import Scene

MANY = 20_000  # counted, not timed: what grows with the queue shows as well as with a million
STEPS = 10  # of the virtual machine, counted as one
# The rest of a row is the same for all; {…} are filled in below.
FILL = """
INSERT INTO runs (id, workspace_id, configuration_id, version_id, input_document_id, build_id, status, priority,
                  effective_priority, order_key, plan_sequence, phase, sequence, block_mask, created_at, ages_at,
                  claim_count, runtime_network_access, event_count)
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
SELECT 'filler-' || n, r.workspace_id, r.configuration_id, r.version_id, {document}, {build}, 'queued', {priority},
       {priority}, n, 0, 0, 1000000 + n, {mask}, r.created_at, r.ages_at, 0, r.runtime_network_access, 0
FROM numbers, runs r WHERE r.id = '{like}'
"""
DOCUMENTS = """
INSERT INTO documents (id, workspace_id, name, media_type, size_bytes, sha256, file_key, sheets, created_at)
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
SELECT 'filler-' || n, d.workspace_id, d.name, d.media_type, 1, d.sha256, d.file_key, d.sheets, d.created_at
FROM numbers, documents d WHERE d.id = '{like}'
"""

pytestmark = pytest.mark.slow


def cap(scene: Scene, most: int, workspace_id: str) -> None:
    capped = sa.update(workspaces).where(workspaces.c.id == workspace_id).values(max_running=most)
    scene.write(lambda tx: tx.execute(capped))


@pytest.fixture
def scene(database_url: str, clock: FakeClock) -> Iterator[Scene]:
    """Yield a scene that nobody looks through at the end: it is too big."""
    opened = Scene(database_url, clock=clock, rules=QueueRules(queue_size=10**6))
    if opened.database.dialect == "mssql":
        opened.close()
        pytest.skip("costs are counted by SQLite and PostgreSQL")
    yield opened
    opened.close()


def fill(scene: Scene, like: str, *, priority: int = 10, **columns: str) -> None:
    """Add many runs that stand before all others; most columns as in the run `like`."""
    given = {"document": "r.input_document_id", "build": "r.build_id", "mask": "0", **columns}
    statement = FILL.format(count=MANY, like=like, priority=priority, **given)
    scene.write(lambda tx: tx.execute(sa.text(statement)))
    scene.write(lambda tx: tx.execute(sa.text(f"UPDATE queue_control SET open_run_count = open_run_count + {MANY}")))
    scene.write(lambda tx: tx.execute(sa.text("ANALYZE")))


def cost_of(scene: Scene, work: Callable[[Transaction], Any]) -> int:
    """Return what a transaction costs: rows of runs it reads on PostgreSQL, steps of the virtual machine on SQLite."""
    return scene.write(lambda tx: _cost_on_sqlite(tx, work) if tx.dialect == "sqlite" else _rows_read(tx, work))


def _cost_on_sqlite(tx: Transaction, work: Callable[[Transaction], Any]) -> int:
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    driver: Any = tx.connection.connection.driver_connection
    driver.set_progress_handler(count, STEPS)
    work(tx)
    driver.set_progress_handler(None, 0)
    return steps


_READ = "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'runs'"


def _rows_read(tx: Transaction, work: Callable[[Transaction], Any]) -> int:
    before = int(tx.execute(sa.text(_READ)).scalar_one())
    work(tx)
    return int(tx.execute(sa.text(_READ)).scalar_one()) - before


def cost_of_claim(scene: Scene) -> int:
    """Return what a claim of one run costs, and finish it."""
    worker = scene.worker
    found: list[Any] = []

    def claim(tx: Transaction) -> None:
        found.extend(calls.claim(tx, worker, rules=scene.rules, room=Room(slots=1)))

    cost = cost_of(scene, claim)
    assert len(found) == 1
    scene.succeed(found[0])
    return cost


def usual_cost(scene: Scene) -> int:
    """Return what a claim costs in a queue of three."""
    scene.submit_many(8)
    scene.claim()  # upkeep, and the first look at everything
    costs = [cost_of_claim(scene) for _ in range(2)]
    return max(costs)


def assert_cheap(scene: Scene, usual: int) -> None:
    """A second claim costs about what one costs in a queue of three; the first may have had to park."""
    claim_at_last(scene)
    cost = cost_of_claim(scene)
    assert cost <= 2 * usual + 20, (cost, usual)


def claim_at_last(scene: Scene) -> None:
    """Claim until there is something: many that may not start are set aside in parts."""
    assert any(scene.claim() for _ in range(MANY // MOST_PARKED + 2))


def heads_plan(scene: Scene, *, mark: str = "running_run") -> str:
    """Return the plan of the first statement of a claim that has these words: the look for its heads, if not told."""
    with sent.noted() as statements:
        scene.claim()
    first = next(statement for statement in statements if mark in statement.sql)
    return scene.write(first.plan)


@pytest.mark.req("Q18")
def test_beginning_a_run_costs_the_same_however_many_documents_there_are(scene: Scene) -> None:
    scene.submit_many(2)
    first, second = scene.claim(2)
    usual = cost_of(scene, lambda tx: attempts.begin_run(tx, first, folder=""))
    documents = DOCUMENTS.format(like=scene.document())
    scene.write(lambda tx: tx.execute(sa.text(documents)))

    assert cost_of(scene, lambda tx: attempts.begin_run(tx, second, folder="")) <= 2 * usual + 20


@pytest.mark.req("Q18")
def test_a_claim_costs_the_same_before_many_ready_runs(scene: Scene) -> None:
    """Case 38; the benchmark has a million."""
    usual = usual_cost(scene)
    like = scene.submit(priority=90)
    documents = DOCUMENTS.format(like=scene.document())
    scene.write(lambda tx: tx.execute(sa.text(documents)))
    fill(scene, like, document="'filler-' || (n % 1000 + 1)", priority=50)

    assert "ix_runs_ready" in heads_plan(scene)
    assert_cheap(scene, usual)


@pytest.mark.req("Q18", "Q4")
def test_a_claim_costs_the_same_behind_many_runs_of_a_busy_document(scene: Scene) -> None:
    """Case 7; and what ends lets the next one come forward at no more cost."""
    usual = usual_cost(scene)
    scene.submit(priority=0)
    running = scene.claim_one()
    fill(scene, running.id)

    assert_cheap(scene, usual)
    assert "ix_runs_ready" in heads_plan(scene)
    scene.submit(scene.run(running.id).input_document_id, priority=0)  # one more, which the claim has to park
    assert cost_of_claim(scene) <= 3 * usual + 20
    assert cost_of(scene, lambda tx: calls.succeed(tx, running)) <= 2 * usual + 20
    assert scene.run(scene.claim_one().id).priority == 0


@pytest.mark.req("Q18", "B4")
def test_a_claim_costs_the_same_behind_many_runs_that_wait_for_a_build(scene: Scene) -> None:
    usual = usual_cost(scene)
    waiting = scene.submit(build=scene.new_build(status=None), priority=0)
    assert scene.claim_one().kind == "build"
    fill(scene, waiting, mask="4")

    assert_cheap(scene, usual)
    assert "ix_runs_ready" in heads_plan(scene)


@pytest.mark.req("Q18", "Q12")
def test_a_claim_costs_the_same_behind_many_runs_that_are_paused(scene: Scene) -> None:
    """Also when one more of them comes, which the claim has to park."""
    usual = usual_cost(scene)
    elsewhere = scene.new_build(workspace_id=scene.add_workspace())
    like = scene.submit(build=elsewhere, priority=90)
    fill(scene, like)
    scene.pause(PauseScope.WORKSPACE, elsewhere.workspace_id)
    claim_at_last(scene)
    scene.submit(build=elsewhere, priority=0)

    assert cost_of_claim(scene) <= 3 * usual + 20


@pytest.mark.req("Q18", "Q5")
def test_a_claim_costs_the_same_beside_a_capped_workspace_with_many_runs(scene: Scene) -> None:
    """Whether the cap is reached, or has room and nothing parked."""
    usual = usual_cost(scene)
    elsewhere = scene.new_build(workspace_id=scene.add_workspace())
    like = scene.submit(build=elsewhere, priority=90)
    fill(scene, like, priority=90)
    cap(scene, 1, elsewhere.workspace_id)
    scene.reprioritise(like, 0)
    assert scene.claim_one().id == like
    scene.claim_one()
    assert cost_of_claim(scene) <= 3 * usual + 20

    cap(scene, 5, elsewhere.workspace_id)
    assert cost_of_claim(scene) <= 4 * usual + 20


@pytest.mark.req("Q18", "Q17")
def test_upkeep_costs_the_same_before_many_waiting_runs(scene: Scene) -> None:
    usual = usual_cost(scene)
    like = scene.submit(build=scene.new_build(workspace_id=scene.add_workspace()), priority=90)
    fill(scene, like)

    assert cost_of(scene, scene.do_upkeep) <= 2 * usual + 20

"""What a worker has room for: disk, memory, processors."""

import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa

import rows
from ade.database.schema import documents
from ade.domain.queue import Claim
from ade.operations.queue.free_disk import MIB
from ade.operations.queue.rules import queue_rules
from ade.operations.views.positions import Place
from ade.operations.views.run_views import get_run
from ade.settings import load_settings
from ade.worker.held import Held
from ade.worker.room import room_for
from ade.worker.start import first_uid
from postgres import wait_until
from worker.conftest import OpenStage
from worker.stage import SIMPLE, SLOW, Stage


@pytest.mark.slow
@pytest.mark.req("Q16", "W6")
def test_without_free_disk_a_worker_claims_nothing_and_says_why(open_stage: OpenStage) -> None:
    stage = open_stage(min_free_disk_mb=10**9)
    run_id = stage.submit_one()

    with stage.worker() as worker:
        wait_until(lambda: _idle_reason(stage) is not None, what="a reason", seconds=120)
        stage.wait_for_heartbeats(worker.worker_id, 3)
        assert stage.run(run_id).status == "queued"
        assert stage.build_of(run_id).status == "queued"

        assert "ADE_MIN_FREE_DISK_MB" in str(_idle_reason(stage))
        place = _place(stage, run_id)
        assert (place.waiting_for, place.estimate) == ("worker", None)
        assert "ADE_MIN_FREE_DISK_MB" in place.reason


@pytest.mark.slow
@pytest.mark.req("Q14", "Q16", "W6")
def test_the_last_of_the_disk_is_for_runs_of_workspaces_with_little_on_it(
    open_stage: OpenStage, tmp_path: Path
) -> None:
    stage = open_stage(min_free_disk_mb=shutil.disk_usage(tmp_path).free // MIB // 2)
    stage.write(lambda tx: rows.add_document(tx, workspace_id=stage.workspace, size_bytes=10**15))
    greedy, held_back = stage.workspace, stage.submit_one()
    stage.workspace = stage.write(rows.add_workspace)
    modest = stage.submit_one()

    with stage.worker() as worker:
        stage.wait_for(modest, "succeeded")
        stage.wait_for_heartbeats(worker.worker_id, 3)
        assert stage.run(held_back).status == "queued"
        place = _place(stage, held_back)
        assert (place.waiting_for, place.estimate) == ("worker", None)
        assert "ADE_MIN_FREE_DISK_MB" in place.reason
        stage.write(lambda tx: tx.execute(sa.delete(documents).where(documents.c.size_bytes == 10**15)))
        stage.wait_for(held_back, "succeeded")

    assert stage.run(held_back).workspace_id == greedy


@pytest.mark.slow
@pytest.mark.req("Q14", "Q16")
def test_a_run_that_needs_more_than_the_worker_has_says_how_much_it_has(open_local: OpenStage) -> None:
    local = open_local(memory_budget_mb=1000, cpu_budget=2)
    [deep] = local.submit(local.configuration(SIMPLE), memory_mb=4000)
    [wide] = local.submit(local.configuration(SIMPLE), cpu_count=2.5)

    with local.worker():
        small = local.submit_one()
        local.wait_for(small, "succeeded")
        told = {run_id: _place(local, run_id) for run_id in (deep, wide)}

    assert told[deep].reason == "It needs 4000 MB of memory; the largest live worker has 1000 MB of memory."
    assert told[wide].reason == "It needs 2.5 processors; the largest live worker has 2 processors."
    assert {place.waiting_for for place in told.values()} == {"worker"}
    assert {place.estimate for place in told.values()} == {None}


def _place(stage: Stage, run_id: str) -> Place:
    rules = queue_rules(stage.system.settings)
    place = stage.system.database.read(lambda tx: get_run(tx, run_id, rules=rules)).place
    assert place is not None
    return place


def _idle_reason(stage: Stage) -> str | None:
    living = stage.living_workers()
    return living[0].idle_reason if living else None


@pytest.mark.slow
@pytest.mark.req("Q16")
def test_runs_that_need_memory_start_only_while_there_is_room_for_them(open_local: OpenStage) -> None:
    local = open_local(memory_budget_mb=1000, worker_mem_mb=256)
    configuration = local.configuration(SLOW)
    [large] = local.submit(configuration, memory_mb=700)

    with local.worker(slots=3) as worker:
        local.wait_for_event(large, "engine.run.started")
        [second] = local.submit(configuration, memory_mb=400)
        [small] = local.submit(local.configuration(SIMPLE), memory_mb=200)
        local.wait_for(small, "succeeded")
        local.wait_for_heartbeats(worker.worker_id, 3)
        assert local.run(second).status == "queued"
        local.cancel(large)
        local.wait_for_event(second, "engine.run.started")
        local.cancel(second)
        local.wait_for(second, "cancelled")


@pytest.mark.req("Q16")
def test_room_is_what_the_attempts_in_progress_leave() -> None:
    held = Held(3)
    settings = load_settings(worker_mem_mb=512, cpu_budget=4)
    empty = room_for(held, settings)

    held.add(_Fake(held.take_slot(), memory_mb=600, cpu_count=1.5))
    held.add(_Fake(held.take_slot(), memory_mb=None, cpu_count=None))
    left = room_for(held, settings)

    assert (empty.slots, empty.memory_mb, empty.cpu_count) == (3, 3 * 512, 4)
    assert (left.slots, left.memory_mb, left.cpu_count) == (1, 3 * 512 - 600 - 512, 2.5)


class _Fake:
    """An attempt as far as the room it takes."""

    def __init__(self, slot: int, *, memory_mb: int | None, cpu_count: float | None) -> None:
        from repeatable import FakeClock

        now = FakeClock().now()
        self.slot = slot
        self.claim = Claim(
            kind="run",
            id=str(slot),
            token=slot,
            lease_expires_at=now,
            deadline_at=now,
            memory_mb=memory_mb,
            cpu_count=cpu_count,
        )

    def cancel(self) -> None: ...

    def lose(self) -> None: ...

    def return_uncounted(self) -> None: ...


@pytest.mark.req("S4")
@pytest.mark.parametrize("slots", [2, 64, 100, 1024])
def test_the_slots_of_workers_on_one_host_have_users_of_their_own(slots: int) -> None:
    workers = [range(first, first + slots) for first in (first_uid(number, slots=slots) for number in (1, 2, 3))]

    assert len({uid for users in workers for uid in users}) == 3 * slots
    assert max(users[-1] for users in workers) < 65_534  # nobody, who has files of others

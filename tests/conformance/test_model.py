"""Random operations on the real queue and on a model of it give the same answers."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import databases
import oracle
from ade.database.queue import ordering
from ade.database.queue.builds import FullBuild
from ade.database.schema import builds, runs, workspaces
from ade.domain.pause import PauseScope
from ade.domain.queue import Claim, QueueRules
from ade.errors import LeaseLost, QueueFull, RunFinished, RunNotQueued
from ade.operations.queue import builds as build_operations
from ade.operations.queue.builds import BuildRequest
from model import Model, ModelBuild, ModelRun
from repeatable import FakeClock
from scene import Scene

LONG = timedelta(days=1000)
RULES = QueueRules(
    queue_size=25, max_running=5, max_claims=3, lease=timedelta(seconds=10), run_timeout=LONG, build_timeout=LONG
)
PRIORITIES = st.sampled_from([0, 10, 50, 70, 90])
PICK = st.integers(0, 10**6)


class QueueMachine(RuleBasedStateMachine):
    """Does the same to both, and compares them after each step."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.scene = Scene(url, clock=self.clock, rules=RULES)
        self.model = Model(RULES, self.clock.now())
        self.places = [self.scene.build.workspace_id, self.scene.add_workspace()]
        self.requests: dict[str, BuildRequest] = {}
        for number in range(3):
            self.requests[f"b{number}"] = self.scene.new_build(workspace_id=self.places[number % 2], status=None)
        self.documents = {place: self.scene.documents(3, place) for place in self.places}
        self.workers = [self.scene.add_worker(name) for name in ("one", "two")]
        self.ids: dict[int, str] = {}  # the model's number of a run -> its id
        self.plans: dict[int, str] = {}
        self.held: dict[int, tuple[Claim, ModelRun | ModelBuild]] = {}
        self.stale: list[Claim] = []
        self.step = 0

    def teardown(self) -> None:
        self.scene.close()

    # People

    @rule(picks=st.lists(st.tuples(PICK, PICK, PRIORITIES, st.sampled_from([0, 0, 600])), min_size=1, max_size=3))
    def submit_runs(self, picks: list[tuple[int, int, int, int]]) -> None:
        self._submit(picks, is_plan=False)

    @rule(picks=st.lists(st.tuples(PICK, PICK, st.just(50), st.just(0)), min_size=2, max_size=3))
    def submit_plan(self, picks: list[tuple[int, int, int, int]]) -> None:
        self._submit(picks, is_plan=True)

    def _submit(self, picks: list[tuple[int, int, int, int]], *, is_plan: bool) -> None:
        wanted, asked = [], []
        for document, build, priority, memory_mb in picks:
            name = f"b{2 * (build % 2)}" if is_plan else f"b{build % 3}"  # a plan's phases are of one workspace
            workspace = self.requests[name].workspace_id
            file = self.documents[workspace][document % 3]
            wanted.append((file, workspace, name, priority, memory_mb))
            asked.append(
                self.scene.request(file, build=self.requests[name], priority=priority, memory_mb=memory_mb or None)
            )
        added = self.model.submit(wanted, is_plan=is_plan)
        if added is None:
            with pytest.raises(QueueFull):
                self.scene.submit_all(asked)
            return
        if is_plan:
            plan_id, run_ids = self.scene.submit_plan(asked)
            self.plans[self.model.plan_count] = plan_id
        else:
            run_ids = self.scene.submit_all(asked)
        self.ids.update({run.number: run_id for run, run_id in zip(added, run_ids, strict=True)})

    @precondition(lambda self: self.model.runs)
    @rule(pick=PICK)
    def cancel(self, pick: int) -> None:
        run = self._pick_run(pick)
        status = self.model.cancel(run)
        if status is None:
            with pytest.raises(RunFinished):
                self.scene.cancel(self.ids[run.number])
        else:
            assert self.scene.cancel(self.ids[run.number]) == status

    @precondition(lambda self: self.model.runs)
    @rule(pick=PICK, priority=PRIORITIES)
    def reprioritise(self, pick: int, priority: int) -> None:
        run = self._pick_run(pick)
        if self.model.reprioritise(run, priority):
            self.scene.reprioritise(self.ids[run.number], priority)
        else:
            with pytest.raises(RunNotQueued):
                self.scene.reprioritise(self.ids[run.number], priority)

    @rule(first=PICK, second=PICK, is_before=st.booleans())
    def move(self, first: int, second: int, *, is_before: bool) -> None:
        line = sorted((run for run in self.model.runs if run.status == "queued"), key=lambda run: run.place)
        if not line:
            return
        moved, other = line[first % len(line)], line[second % len(line)]
        if moved is other or moved.effective_priority != other.effective_priority:
            return
        line.remove(moved)
        line.insert(line.index(other) + (not is_before), moved)
        named = {"before" if is_before else "after": self.ids[other.number]}
        self.scene.move(self.ids[moved.number], **named)
        assert self._line() == [self.ids[run.number] for run in line]
        moved.is_placed = True
        for run in line:  # which keys make that order is the queue's own business
            run.order_key = self.scene.run(self.ids[run.number]).order_key

    @rule(scope=st.sampled_from(PauseScope), pick=PICK)
    def pause(self, scope: PauseScope, pick: int) -> None:
        if len(self.model.pauses) > 1 or (scope == PauseScope.PLAN and not self.plans):
            return
        number = 1 + pick % max(1, len(self.plans))
        values: dict[PauseScope, tuple[str | None, str | None]] = {
            PauseScope.ALL: (None, None),
            PauseScope.PRIORITY: (("50", "50"), ("90", "90"))[pick % 2],
            PauseScope.WORKSPACE: (self.places[pick % 2],) * 2,
            PauseScope.PLAN: (str(number), self.plans.get(number)),
        }
        modelled, real = values[scope]
        self.model.pauses[self.scene.pause(scope, real)] = (scope.value, modelled)

    @precondition(lambda self: self.model.pauses)
    @rule(pick=PICK)
    def resume(self, pick: int) -> None:
        pause_id = sorted(self.model.pauses)[pick % len(self.model.pauses)]
        self.scene.resume(pause_id)
        del self.model.pauses[pause_id]

    @rule(pick=PICK, most=st.sampled_from([None, 0, 1, 2]))
    def cap(self, pick: int, most: int | None) -> None:
        workspace = self.places[pick % 2]
        capped = sa.update(workspaces).where(workspaces.c.id == workspace).values(max_running=most)
        self.scene.write(lambda tx: tx.execute(capped))
        self.model.caps.pop(workspace, None)
        if most is not None:
            self.model.caps[workspace] = most
        self.scene.upkeep()
        self.model.upkeep()

    # Workers and time

    @rule(slots=st.integers(1, 4), pick=st.integers(0, 1), memory_mb=st.sampled_from([500, 1000, 10**6]))
    def claim(self, slots: int, pick: int, memory_mb: int) -> None:
        self.scene.upkeep()
        self.model.upkeep()
        claimed = self.scene.claim(slots, worker=self.workers[pick], memory_mb=memory_mb)
        self.step += 1
        expected = self.model.claim(slots=slots, memory_mb=memory_mb, token=self.step, worker=self.workers[pick])
        assert [claim.id for claim in claimed] == [self._id_of(one) for one in expected]
        for claim, one in zip(claimed, expected, strict=True):
            self.held[len(self.held) + len(self.stale) + self.step * 1000] = (claim, one)

    @precondition(lambda self: self.held)
    @rule(pick=PICK, how=st.sampled_from(["well", "well", "well", "badly", "back"]))
    def finish(self, pick: int, how: str) -> None:
        key = sorted(self.held)[pick % len(self.held)]
        claim, one = self.held.pop(key)
        act = self._end_run if isinstance(one, ModelRun) else self._end_build
        if self._is_current(claim, one):
            act(claim, one, how)
        else:
            with pytest.raises(LeaseLost):
                act(claim, one, how)
        self.stale.append(claim)

    def _end_run(self, claim: Claim, run: Any, how: str) -> None:
        acts = {"well": self.scene.succeed, "badly": self.scene.fail, "back": self.scene.return_uncounted}
        status = acts[how](claim)
        if how == "back":
            self.model.return_uncounted(run)
            return
        self.model.finish(run, "succeeded" if how == "well" else "failed")
        assert status == run.status
        self.scene.upkeep()  # the turn that ended the run did it where it was due
        self.model.upkeep()

    def _end_build(self, claim: Claim, build: Any, how: str) -> None:
        if how == "back":
            self.scene.return_uncounted(claim)
            build.claim_count -= 1
            build.status, build.token = "queued", None
            return
        (self.scene.finish_build if how == "well" else self.scene.fail_build)(claim)
        self.model.end_build(build, "ready" if how == "well" else "failed")

    @precondition(lambda self: self.stale)
    @rule(pick=PICK)
    def write_as_a_zombie(self, pick: int) -> None:
        claim = self.stale[pick % len(self.stale)]
        write = self.scene.succeed if claim.kind == "run" else self.scene.finish_build
        with pytest.raises(LeaseLost):
            write(claim)

    @rule(seconds=st.sampled_from([0, 1, 4, 11, 3600]))
    def pass_time(self, seconds: int) -> None:
        self.clock.advance(timedelta(seconds=seconds))
        self.model.now = self.clock.now()

    @rule(pick=st.integers(0, 1))
    def beat(self, pick: int) -> None:
        self.scene.upkeep()
        self.model.upkeep()
        self.scene.heartbeat(self.workers[pick])
        self.model.beat(self.workers[pick])

    @rule(pick=st.integers(0, 1))
    def restart_worker(self, pick: int) -> None:
        self.model.kill(self.workers[pick])
        self.workers[pick] = self.scene.add_worker(("one", "two")[pick])

    @rule(pick=PICK, is_cancelled=st.booleans())
    def lose_a_build(self, pick: int, *, is_cancelled: bool) -> None:
        name = f"b{pick % 3}"
        build = self.model.builds.get(name)
        if build is None:
            return
        build_id = self._id_of(build)
        if not is_cancelled and build.status == "ready":
            self.scene.write(lambda tx: build_operations.rebuild(tx, build_id))
            self.model.rebuild(build)
        elif is_cancelled and build.status in {"queued", "building"}:
            self.scene.write(lambda tx: build_operations.cancel_build(tx, build_id))
            self.model.end_build(build, "cancelled")

    # Comparing

    @invariant()
    def the_two_are_the_same(self) -> None:
        found = {row.id: row for row in self.scene.read(sa.select(runs))}
        for run in self.model.runs:
            row = found[self.ids[run.number]]
            told = (row.status, row.priority, row.effective_priority, row.claim_count)
            assert told == (run.status, run.priority, run.effective_priority, run.claim_count)
            if run.failure:
                assert row.failure_code == run.failure
        line = sorted((run for run in self.model.runs if run.status == "queued"), key=lambda run: run.place)
        assert self._line() == [self.ids[run.number] for run in line]
        for build in self.model.builds.values():
            assert self._build_row(build).status == build.status

    @invariant()
    def nothing_is_wrong(self) -> None:
        assert self.scene.database.read(oracle.problems) == []

    def _line(self) -> list[str]:
        return [run.id for run in self.scene.database.read(lambda tx: ordering.page(tx, after=None, limit=1000))]

    def _pick_run(self, pick: int) -> ModelRun:
        return self.model.runs[pick % len(self.model.runs)]

    def _build_row(self, build: ModelBuild) -> FullBuild:
        name = next(name for name, known in self.model.builds.items() if known is build)
        return self.scene.the_build(self.requests[name])

    def _id_of(self, one: ModelRun | ModelBuild) -> str:
        return self.ids[one.number] if isinstance(one, ModelRun) else str(self._build_row(one).id)

    def _is_current(self, claim: Claim, one: ModelRun | ModelBuild) -> bool:
        table = runs if isinstance(one, ModelRun) else builds
        [row] = self.scene.read(sa.select(table.c.claim_token).where(table.c.id == claim.id))
        is_held = one.status == ("running" if isinstance(one, ModelRun) else "building")
        return bool(is_held and row.claim_token == claim.token)


def run_machine(backend: databases.Backend, folder: Path, *, examples: int, steps: int, is_fixed: bool) -> None:
    run_state_machine_as_test(
        lambda: QueueMachine(backend.fresh_url(folder)),  # type: ignore[arg-type]  # a factory will do
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=is_fixed,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
@pytest.mark.req("Q2", "Q3", "Q4", "Q5", "Q6", "Q9", "Q11", "Q12", "Q13")
def test_a_few_random_histories_agree_with_the_model(backend: databases.Backend, tmp_path: Path) -> None:
    """Case 40, always the same ones."""
    run_machine(backend, tmp_path, examples=4, steps=25, is_fixed=True)


@pytest.mark.slow
@pytest.mark.req("Q2", "Q3", "Q4", "Q5", "Q6", "Q9", "Q11", "Q12", "Q13")
def test_many_random_histories_agree_with_the_model(backend: databases.Backend, tmp_path: Path) -> None:
    """Case 40, new ones each time; fewer on a server, which is slower to empty."""
    examples = 25 if isinstance(backend, databases.SqliteBackend) else 5
    run_machine(backend, tmp_path, examples=examples, steps=40, is_fixed=False)

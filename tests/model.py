"""A queue in plain Python: what the real one must answer, written so that one can see it is right.

It keeps causes and recomputes everything; it knows no block masks, no parking and no locks.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ade.domain.order import one_level_up, order_key_at
from ade.domain.queue import QueueRules

OPEN = {"queued", "running"}


@dataclass
class ModelBuild:
    """A build, and the place it has among what waits."""

    number: int
    status: str
    effective_priority: int
    order_key: int
    token: int | None = None
    worker: str | None = None
    lease_expires_at: datetime | None = None
    claim_count: int = 0

    @property
    def place(self) -> tuple[int, ...]:
        return (self.effective_priority, self.order_key, -1, 0, self.number)  # before a run of the same place


@dataclass
class ModelRun:
    """A run, and everything that bears on when it starts."""

    number: int
    document: str
    workspace: str
    build: ModelBuild
    priority: int
    effective_priority: int
    order_key: int
    ages_at: datetime
    plan: int = 0
    phase: int = 0
    memory_mb: int = 0
    status: str = "queued"
    is_placed: bool = False
    is_cancel_requested: bool = False
    was_ready: bool = False
    token: int | None = None
    worker: str | None = None
    lease_expires_at: datetime | None = None
    claim_count: int = 0
    failure: str | None = None

    @property
    def place(self) -> tuple[int, ...]:
        return (self.effective_priority, self.order_key, self.plan, self.phase, self.number)


@dataclass
class Model:
    """The whole queue."""

    rules: QueueRules
    now: datetime
    runs: list[ModelRun] = field(default_factory=list)
    builds: dict[str, ModelBuild] = field(default_factory=dict)
    pauses: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    caps: dict[str, int] = field(default_factory=dict)
    plan_count: int = 0

    # What people do

    def submit(self, requests: list[tuple[str, str, str, int, int]], *, is_plan: bool) -> list[ModelRun] | None:
        """Add runs (document, workspace, build, priority, memory), or nothing when they do not fit."""
        if sum(run.status in OPEN for run in self.runs) + len(requests) > self.rules.queue_size:
            return None
        self.plan_count += is_plan
        return [
            self._add(request, requests, plan=self.plan_count if is_plan else 0, phase=phase if is_plan else 0)
            for phase, request in enumerate(requests, 1)
        ]

    def _add(
        self,
        request: tuple[str, str, str, int, int],
        requests: list[tuple[str, str, str, int, int]],
        *,
        plan: int,
        phase: int,
    ) -> ModelRun:
        document, workspace, build_name, priority, memory_mb = request
        most_urgent = min(other[3] for other in requests if other[2] == build_name)
        run = ModelRun(
            number=len(self.runs) + 1,
            document=document,
            workspace=workspace,
            build=self._build(build_name, most_urgent),
            priority=priority,
            effective_priority=priority,
            order_key=order_key_at(self.now),
            ages_at=self.now + self.rules.age_after,
            plan=plan,
            phase=phase,
            memory_mb=memory_mb,
        )
        self.runs.append(run)
        run.was_ready = not self.waits(run)
        return run

    def _build(self, name: str, priority: int) -> ModelBuild:
        build = self.builds.get(name)
        if build is None:
            build = self.builds[name] = ModelBuild(len(self.runs) + 1, "queued", priority, order_key_at(self.now))
        elif build.status in {"failed", "cancelled"}:
            build.status, build.claim_count = "queued", 0
            build.effective_priority, build.order_key = priority, order_key_at(self.now)
        elif build.status in {"queued", "building"}:
            build.effective_priority = min(build.effective_priority, priority)
        return build

    def cancel(self, run: ModelRun) -> str | None:
        if run.status == "queued":
            self._end(run, "cancelled")
        elif run.status == "running":
            run.is_cancel_requested = True
        else:
            return None
        return run.status

    def reprioritise(self, run: ModelRun, priority: int) -> bool:
        if run.status != "queued":
            return False
        run.priority = run.effective_priority = priority
        run.ages_at = self.now + self.rules.age_after
        self._hurry(run)
        return True

    def _hurry(self, run: ModelRun) -> None:
        if run.build.status in {"queued", "building"}:
            run.build.effective_priority = min(run.build.effective_priority, run.effective_priority)

    # What workers do

    def claim(self, *, slots: int, memory_mb: int, token: int, worker: str) -> list[ModelRun | ModelBuild]:
        """Take what comes first of all that may start, again and again."""
        taken: list[ModelRun | ModelBuild] = []
        if ("all", None) in self.pauses.values():
            return taken
        slots = min(slots, self._room())
        while len(taken) < slots:
            ready: list[ModelRun | ModelBuild] = [build for build in self.builds.values() if build.status == "queued"]
            ready += [run for run in self.runs if self.may_start(run) and run.memory_mb <= memory_mb]
            if not ready:
                break
            best = min(ready, key=lambda one: one.place)
            best.token, best.lease_expires_at = token, self.now + self.rules.lease
            best.claim_count += 1
            if isinstance(best, ModelRun):
                best.status, best.worker = "running", worker
                memory_mb -= best.memory_mb
            else:
                best.status, best.worker = "building", worker
            taken.append(best)
        return taken

    def _room(self) -> int:
        running = sum(run.status == "running" for run in self.runs)
        return self.rules.max_running - running if self.rules.max_running else 10**9

    def waits(self, run: ModelRun) -> bool:
        """Return whether a run waits for its build or an earlier phase."""
        if run.build.status != "ready":
            return True
        return run.phase > 1 and not any(
            other.plan == run.plan and other.phase == run.phase - 1 and other.status == "succeeded"
            for other in self.runs
        )

    def may_start(self, run: ModelRun) -> bool:
        return (
            run.status == "queued"
            and not self.waits(run)
            and not self.is_paused(run)
            and not any(other.status == "running" and other.document == run.document for other in self.runs)
            and self._running_in(run.workspace) < self.caps.get(run.workspace, 10**9)
        )

    def is_paused(self, run: ModelRun) -> bool:
        facts = {("priority", str(run.priority)), ("workspace", run.workspace), ("plan", str(run.plan))}
        return any(pause in facts for pause in self.pauses.values())

    def _running_in(self, workspace: str) -> int:
        return sum(run.status == "running" and run.workspace == workspace for run in self.runs)

    def finish(self, run: ModelRun, status: str) -> None:
        self._end(run, "cancelled" if run.is_cancel_requested else status)

    def return_uncounted(self, run: ModelRun) -> None:
        if run.is_cancel_requested:
            self._end(run, "cancelled")
            return
        run.claim_count -= 1
        self._requeue(run)

    def _requeue(self, run: ModelRun) -> None:
        run.status, run.token, run.worker = "queued", None, None
        run.was_ready = not self.waits(run)
        self._hurry(run)
        if run.build.status in {"failed", "cancelled"}:
            self.end_build(run.build, run.build.status)

    def beat(self, worker: str) -> None:
        for run in self.runs:
            if run.status == "running" and run.worker == worker:
                run.lease_expires_at = self.now + self.rules.lease
        for build in self.builds.values():
            if build.status == "building" and build.worker == worker:
                build.lease_expires_at = self.now + self.rules.lease

    def end_build(self, build: ModelBuild, status: str) -> None:
        build.status, build.token = status, None
        waiting = [run for run in self.runs if run.build is build and run.status == "queued"]
        if status == "ready":
            self._make_ready(waiting)
            return
        for run in waiting:
            run.status, run.failure = "failed", "build_failed"
        for run in waiting:
            self._end(run, "failed", failure="build_failed")

    def rebuild(self, build: ModelBuild) -> None:
        waiting = [run for run in self.runs if run.build is build and run.status == "queued"]
        build.status, build.claim_count, build.order_key = "queued", 0, order_key_at(self.now)
        build.effective_priority = min((run.effective_priority for run in waiting), default=build.effective_priority)
        for run in waiting:
            run.was_ready = False

    def _make_ready(self, released: list[ModelRun]) -> None:
        for run in released:
            if not run.was_ready and not self.waits(run):
                run.was_ready = True
                if not run.is_placed:
                    run.order_key = order_key_at(self.now)

    def _end(self, run: ModelRun, status: str, *, failure: str | None = None) -> None:
        run.status, run.failure = status, failure
        phases = [other for other in self.runs if run.plan and other.plan == run.plan and other.status == "queued"]
        if status == "succeeded":
            self._make_ready([other for other in phases if other.phase == run.phase + 1])
            return
        for other in phases:
            if other.phase > run.phase and other.status == "queued":
                other.status = status
                other.failure = "earlier_phase_failed" if status == "failed" else None

    # What time does

    def upkeep(self) -> None:
        """Recover what no longer has a lease, then let long waits move up."""
        for run in list(self.runs):
            if run.status == "running" and run.lease_expires_at is not None and run.lease_expires_at < self.now:
                self.lose(run)
        for build in self.builds.values():
            if build.status == "building" and build.lease_expires_at and build.lease_expires_at < self.now:
                self.lose_build(build)
        self._age()

    def _age(self) -> None:
        for run in self.runs:
            if run.status == "queued" and run.ages_at <= self.now:
                higher = one_level_up(run.effective_priority)
                run.ages_at = self.now + (
                    self.rules.age_after if higher < run.effective_priority else timedelta(days=10_000)
                )
                run.effective_priority = higher
                self._hurry(run)

    def kill(self, worker: str) -> None:
        """Recover what a worker of a dead process held, as its successor does."""
        for run in list(self.runs):
            if run.status == "running" and run.worker == worker:
                self.lose(run)
        for build in self.builds.values():
            if build.status == "building" and build.worker == worker:
                self.lose_build(build)

    def lose(self, run: ModelRun) -> None:
        if run.is_cancel_requested:
            self._end(run, "cancelled")
        elif run.claim_count >= self.rules.max_claims:
            self._end(run, "failed", failure="process_terminated")
        else:
            self._requeue(run)

    def lose_build(self, build: ModelBuild) -> None:
        if build.claim_count >= self.rules.max_claims:
            self.end_build(build, "failed")
        else:
            build.status, build.token = "queued", None

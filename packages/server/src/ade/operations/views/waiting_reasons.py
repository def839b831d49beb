"""Why queued runs wait: the cause, and a sentence that names it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from ade.database.queue import builds, caps, control, pauses, plans, runs
from ade.database.queue.builds import FullBuild
from ade.database.queue.pauses import PauseRow
from ade.database.queue.runs import FullRun
from ade.database.transaction import Transaction
from ade.domain.estimate import Pace
from ade.domain.fleet import Fleet, Need
from ade.domain.pause import Pause, PauseScope
from ade.domain.queue import QueueRules
from ade.domain.run import Block, WaitingFor


class Waiting(NamedTuple):
    """What a queued run waits for, as a code and in words."""

    waiting_for: WaitingFor
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """What holds runs back now, looked up once for a list of them."""

    rules: QueueRules
    fleet: Fleet
    pace: Pace
    pauses: Sequence[PauseRow]
    running_of_document: Mapping[str, str]
    builds: Mapping[str, FullBuild]
    earlier_phases: Mapping[str, tuple[int, str]]
    full_workspaces: Mapping[str, int]  # the cap of each that has as many running
    until_next_start: timedelta

    @classmethod
    def read(
        cls, tx: Transaction, listed: Sequence[FullRun], *, rules: QueueRules, fleet: Fleet, pace: Pace
    ) -> "Reasons":
        """Look up what may hold these runs back."""
        return cls(
            rules=rules,
            fleet=fleet,
            pace=pace,
            pauses=pauses.active(tx),
            running_of_document=runs.running_by_document(tx, [run.input_document_id for run in listed]),
            builds=builds.chosen(tx, {run.build_id for run in listed if Block.BUILD in Block(run.block_mask)}),
            earlier_phases=plans.open_phases(tx, _plans_that_wait(listed)),
            full_workspaces=_full_workspaces(tx, {run.workspace_id for run in listed}),
            until_next_start=until_next_start(tx, rules=rules),
        )

    def of(self, run: FullRun, position: int) -> Waiting:
        """Return what a queued run waits for: of several causes, the one that takes the longest to pass."""
        need = Need(run.memory_mb, run.cpu_count)
        return (
            self._known_at_submission(run)
            or self._paused(run)
            or self._no_worker(run, need)
            or self._build(run)
            or self._document(run)
            or self._limits(run)
            or Waiting(WaitingFor.CAPACITY, self._turn(position, need))
        )

    def _known_at_submission(self, run: FullRun) -> Waiting | None:
        mask = Block(run.block_mask)
        if Block.EARLIER_PHASE in mask:
            earlier = self.earlier_phases.get(run.plan_id or "")
            reason = f"Phase {earlier[0]} of its plan is {earlier[1]}." if earlier else "An earlier phase is open."
            return Waiting(WaitingFor.EARLIER_PHASE, reason)
        if Block.SCHEDULED in mask:
            return Waiting(WaitingFor.SCHEDULED, f"It is scheduled for {_shown(run.scheduled_at)}.")
        return None

    def _paused(self, run: FullRun) -> Waiting | None:
        reason = [_pause_in_words(pause) for pause in self.pauses if covers(pause, run)]
        return Waiting(WaitingFor.PAUSED, " ".join(reason)) if reason else None

    def _no_worker(self, run: FullRun, need: Need) -> Waiting | None:
        reason = self.fleet.reason_against(need) or self.fleet.reason_against_workspace(run.workspace_id)
        build = self.builds.get(run.build_id)
        if reason is None and build is not None and build.status == "queued":
            reason = self.fleet.reason_against_build(build.surroundings)
        return Waiting(WaitingFor.WORKER, reason) if reason else None

    def _build(self, run: FullRun) -> Waiting | None:
        build = self.builds.get(run.build_id)
        if build is None:
            return None
        if build.status == "building":
            reason = f"Its configuration has been building since {_shown(build.started_at)}; its runs start after that."
        else:
            reason = "Its configuration is built first, as soon as a worker has a free slot."
        return Waiting(WaitingFor.BUILD, reason)

    def _document(self, run: FullRun) -> Waiting | None:
        other = self.running_of_document.get(run.input_document_id)
        if other is None:
            return None
        return Waiting(WaitingFor.DOCUMENT_BUSY, f"Run {other} of the same document is running.")

    def _limits(self, run: FullRun) -> Waiting | None:
        if (cap := self.full_workspaces.get(run.workspace_id)) is not None:
            reason = f"Its workspace is at its limit of running runs: {cap}."
            return Waiting(WaitingFor.WORKSPACE_CAP, reason)
        if self.pace.free_slots and self.until_next_start > timedelta(0):
            reason = (
                f"At most {self.rules.max_starts_per_second:g} runs start within a second (ADE_MAX_STARTS_PER_SECOND)."
            )
            return Waiting(WaitingFor.START_RATE, reason)
        return None

    def _turn(self, position: int, need: Need) -> str:
        most = self.rules.max_running
        before = f" {position - 1} run{'s are' if position != 2 else ' is'} before it." if position > 1 else ""
        if most and self.pace.running_count >= most:
            return f"The deployment is at its limit of running runs: {most} (ADE_MAX_RUNNING).{before}"
        if not self.pace.free_slots:
            slots = self.pace.slots
            return f"{f'All {slots} slots are' if slots != 1 else 'The only slot is'} busy.{before}"
        if before:
            return before.strip()
        if str(need):
            return f"It starts when a worker has {need} free."
        return "It is next: a worker will start it in a moment."


def covers(pause: PauseRow, run: FullRun) -> bool:
    """Return whether a pause holds a run back."""
    return Pause(PauseScope(pause.scope), str(pause.value)).covers(run)


def _pause_in_words(pause: PauseRow) -> str:
    subjects = {PauseScope.ALL: "The queue", PauseScope.PRIORITY: f"Priority {pause.value}"}
    subject = subjects.get(PauseScope(pause.scope), f"Its {pause.scope}")
    by = f" by {pause.created_by}" if pause.created_by else ""
    return f"{subject} is paused{by} since {_shown(pause.created_at)}: {pause.reason.rstrip('.')}."


def _plans_that_wait(listed: Sequence[FullRun]) -> set[str]:
    return {run.plan_id for run in listed if run.plan_id and Block.EARLIER_PHASE in Block(run.block_mask)}


def _full_workspaces(tx: Transaction, workspace_ids: Collection[str]) -> dict[str, int]:
    capped = caps.among(tx, workspace_ids)
    running = runs.running_counts(tx) if capped else {}
    return {workspace_id: cap for workspace_id, cap in capped.items() if running.get(workspace_id, 0) >= cap}


def until_next_start(tx: Transaction, *, rules: QueueRules) -> timedelta:
    """Return how long the start rate keeps everything from starting: nothing when it does not."""
    if not rules.start_rate:
        return timedelta(0)
    now = control.queue_time(tx)
    return rules.start_rate.next_start_at(control.recent_starts(tx), now) - now


def _shown(instant: datetime | None) -> str:
    return instant.strftime("%Y-%m-%d %H:%M UTC") if instant else "a moment ago"

"""Follows a child to its end; when following fails, the child is ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ade.domain.run import FailureCode
from ade.operations.queue.free_disk import free_disk_reason
from ade.sandbox.child import Child
from ade.sandbox.ending import KILLED_FROM_OUTSIDE
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.settings import Settings
from ade.worker.log_file import LogFile
from ade.worker.steps import ChildVanished
from ade_engine.protocol import Event


def follow(
    child: Child,
    on_events: Callable[[Sequence[Event]], None],
    log: LogFile,
    *,
    settings: Settings,
    note_network: Callable[[Event], None] | None = None,
) -> Outcome:
    """Pass on the child's events and output and return how it ended.

    Raise ChildVanished when its keeper was killed or the host failed it. A child that ended by a
    signal of its own is not tried again: its code may have done that. Nor is one that blames the host, unless the
    host's disk is seen to be short.
    """
    shown = 0
    log.begin_child()
    try:
        for batch in child.batches():
            if batch.events:
                on_events(batch.events)
            if note_network is not None:
                for event in batch.network:
                    note_network(event)
            if batch.printed:
                shown += len(batch.printed)
                log.add(batch.printed)
                log.show()
    except BaseException:
        child.kill()
        child.wait()
        raise
    outcome = child.wait()
    log.add(outcome.log[shown:])  # not shown yet: a small run writes its log once
    said = outcome.result.failure if outcome.result is not None else None
    is_host_blamed = said is not None and said.code == FailureCode.INTERNAL_ERROR
    is_host_at_fault = is_host_blamed and free_disk_reason(settings) is not None
    if outcome.kind is OutcomeKind.NOT_STARTED or outcome.cause == KILLED_FROM_OUTSIDE or is_host_at_fault:
        log.show()
        raise ChildVanished(outcome)
    return outcome

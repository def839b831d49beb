"""Follows a child to its end, whatever happens to the one who follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ade.sandbox.child import Child
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.sandbox.verdict import KILLED_FROM_OUTSIDE
from ade.worker.steps import ChildVanished
from ade_engine.protocol import Event


def follow(child: Child, tell: Callable[[Sequence[Event]], None]) -> Outcome:
    """Hand on what the child tells and return how it ended; raise ChildVanished when something killed its keeper.

    A child that ended by a signal of its own is not tried again: its code may have done that.
    """
    try:
        for told in child.batches():
            tell(told)
    except BaseException:
        child.kill()
        child.wait()
        raise
    outcome = child.wait()
    if outcome.kind is OutcomeKind.NOT_STARTED or outcome.cause == KILLED_FROM_OUTSIDE:
        raise ChildVanished(outcome)
    return outcome

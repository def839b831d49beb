"""Decides how a child ended: from what was seen outside it first, and only then from what it says."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from ade.sandbox.inside.spec import MIB, Limits
from ade.sandbox.outcome import OutcomeKind
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS, Result

End = tuple[OutcomeKind, str, str]  # kind, cause, message
# The kernel counts the peak in KiB on Linux, in bytes elsewhere.
PEAK_UNIT = 1024 if sys.platform == "linux" else 1
# The share of its CPU time a process must have used for the signal to mean "too much": the kernel ends it by a count
# of ticks, which on a busy machine runs well ahead of what it reports afterwards. Anyone may send SIGKILL.
_CPU_SHARES: dict[int | None, float] = {signal.SIGXCPU: 0.5, signal.SIGKILL: 0.9}
# The cause when what watched the child is gone: nothing the child did.
KILLED_FROM_OUTSIDE = "killed from outside"


@dataclass(slots=True)
class Seen:
    """What was seen of a child. `results` and `broken_protocol` are its own doing; nothing else is."""

    limits: Limits
    is_kill_asked: bool = False
    refusal: str = ""
    network_refusal: str = ""
    trouble: str = ""
    is_started: bool = False
    is_over: bool = False
    keeper_cause: str | None = None
    is_output_exceeded: bool = False
    status: int | None = None
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    broken_protocol: str = ""
    results: list[Result] = field(default_factory=list)


def ending_of(seen: Seen) -> End:
    """Return the end that was seen; a result that the child sent counts only where nothing else was seen."""
    return next(end for end in _ends(seen) if end is not None)


def _ends(seen: Seen) -> Iterator[End | None]:
    yield _refused(seen)
    yield _limited(seen)
    yield _killed(seen)
    yield _not_started(seen)
    yield _terminated(seen)
    yield _said(seen)


def _refused(seen: Seen) -> End | None:
    if seen.network_refusal:
        return OutcomeKind.NETWORK_UNAVAILABLE, seen.network_refusal, seen.network_refusal
    return (OutcomeKind.ISOLATION_UNAVAILABLE, seen.refusal, seen.refusal) if seen.refusal else None


def _limited(seen: Seen) -> End | None:
    limits = seen.limits
    if seen.keeper_cause == "timed_out":
        message = f"The run took longer than its {limits.wall_seconds:g} seconds. Give it more, or a smaller document."
        return OutcomeKind.TIMED_OUT, "wall", message
    if seen.is_output_exceeded:
        return _over("output", f"printed more than its {limits.output_bytes // MIB} MB. Print less in rules.")
    if seen.keeper_cause == "memory" or seen.peak_bytes > limits.memory_bytes:
        return _over("memory", f"used more than its {limits.memory_bytes // MIB} MB of memory.")
    if seen.keeper_cause == "processes":
        return _over("processes", f"had more than {limits.processes} threads at once. Use fewer in rules.")
    if seen.keeper_cause == "disk":
        return _over(
            "disk",
            f"wrote more than {limits.disk_bytes // MIB} MB, {limits.file_count} files or "
            f"{limits.file_bytes // MIB} MB in one file, or the disk became full.",
        )
    if seen.keeper_cause == "cpu" or seen.cpu_seconds >= limits.cpu_seconds * _CPU_SHARES.get(_signal(seen), math.inf):
        return _over("cpu", f"used more than its {limits.cpu_seconds} seconds of CPU time.")
    return None


def _over(resource: str, did: str) -> End:
    return OutcomeKind.RESOURCE_LIMIT, resource, f"The run {did}"


def _signal(seen: Seen) -> int | None:
    return os.WTERMSIG(seen.status) if seen.status is not None and os.WIFSIGNALED(seen.status) else None


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"  # those for private use have no names, and a child may send itself any


def _killed(seen: Seen) -> End | None:
    is_killed = seen.keeper_cause == "killed" or (seen.is_kill_asked and not seen.is_over)
    return (OutcomeKind.KILLED, "asked", "The run was stopped.") if is_killed else None


def _not_started(seen: Seen) -> End | None:
    if seen.is_started and not seen.trouble:
        return None
    why = seen.trouble or "the process ended before it was ready"
    return OutcomeKind.NOT_STARTED, why, f"The run's process could not be started: {why}"[:MAX_MESSAGE_CHARACTERS]


def _terminated(seen: Seen) -> End | None:
    if seen.status is None or not seen.is_over:
        return _ended_early(KILLED_FROM_OUTSIDE)
    if (number := _signal(seen)) is not None:
        return _ended_early(_name_of(number))
    if (code := os.WEXITSTATUS(seen.status)) != 0:
        return _ended_early(f"exit {code}")
    if seen.broken_protocol:
        return _ended_early(seen.broken_protocol)
    if len(seen.results) != 1:
        return _ended_early("no result" if not seen.results else "more than one result")
    return None


def _ended_early(cause: str) -> End:
    message = f"The run's process ended before its work was done ({cause}). Its log may have the cause."
    return OutcomeKind.PROCESS_TERMINATED, cause, message


def _said(seen: Seen) -> End | None:
    failure = seen.results[0].failure
    if failure is None:
        return OutcomeKind.SUCCEEDED, "", ""
    return OutcomeKind.FAILED, failure.cause, failure.message

"""What a claim must take: in order, all that fits, nothing else. A model of the claim in plain Python."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ade.domain.run import Block
from ade.operations.queue.claiming import Room
from simulation.record import Did, Ledger
from simulation.state import Build, Run, State

SECOND = 1_000_000
CLAIMING = {"claim", "turn"}
Key = tuple[str, str]


def check(did: Did, before: State, after: State, ledger: Ledger) -> list[str]:
    """Return what is wrong with what a step started."""
    if did.kind == "look" and did.value is False:
        process = did.about["process"]
        if missed := wanted_by(process, after, ledger):
            return [f"{process.name} saw nothing without the lock, and could claim {missed}"]
    started = [event for event in after.events if event.type in {"run.claimed", "build.claimed"}]
    if did.kind not in CLAIMING:
        return [f"{did.kind} started {event.subject_id}" for event in started]
    taken = {(event.subject_kind, event.subject_id) for event in started}
    found = [*_answer(did, taken, after), *_tokens([event.told("token") for event in started], ledger)]
    now = after.dispatch.clock_at
    wanted = _wanted(did, after, taken, ledger)
    if ledger.rules.max_starts_per_second:
        found += _rate(now, len(taken), len(wanted), ledger)
        wanted = wanted[: len(taken)]
    ledger.starts += [now] * len(taken)
    if set(wanted) != taken:
        found.append(f"claimed {sorted(taken)}, the order says {wanted}")
    return found + list(_caps(taken, after))


def _answer(did: Did, taken: set[Key], after: State) -> Iterator[str]:
    if not did.is_known:
        return
    for claim in did.claims:
        row = (after.runs if claim.kind == "run" else after.builds)[claim.id]
        if row.claim_token != claim.token or row.claimed_by != did.about["process"].worker_id:
            yield f"the answer hands out {claim.kind} {claim.id} with a token it does not have"
    if {(claim.kind, claim.id) for claim in did.claims} != taken:
        yield "the answer is not what was claimed"


def _tokens(tokens: list[int], ledger: Ledger) -> Iterator[str]:
    if tokens and min(tokens) <= ledger.last_token:
        yield f"token {min(tokens)} was used before"
    ledger.last_token = max([ledger.last_token, *tokens])


def _wanted(did: Did, after: State, taken: set[Key], ledger: Ledger) -> list[Key]:
    """Return what the order says this worker gets, given how things stood just before its claim."""
    room: Room = did.about["room"]
    if any(pause.scope == "all" for pause in after.pauses):
        return []
    if after.workers[did.about["process"].worker_id].stopped_at is not None:
        return []
    running = [run for run in after.running if ("run", run.id) not in taken]
    slots = room.slots
    if ledger.rules.max_running:
        slots = min(slots, ledger.rules.max_running - len(running))
    return _in_order(after, taken, running, replace(room, slots=max(slots, 0)))


def wanted_by(process: Any, after: State, ledger: Ledger) -> list[Key]:
    """Return what a process could claim as things stand."""
    about = Did(kind="look", step=0, about={"process": process, "room": process.room})
    return _wanted(about, after, set(), ledger)


def _in_order(after: State, taken: set[Key], running: list[Run], room: Room) -> list[Key]:
    memory_mb, cpu_count = room.memory_mb, room.cpu_count
    busy = {run.input_document_id for run in running}
    of_workspace = Counter(run.workspace_id for run in running)
    chosen: list[Key] = []
    for _, key, run in _candidates(after, taken, str(room.surroundings)):
        if len(chosen) == room.slots:
            break
        if run is not None:
            if not _may_start(run, after, busy, of_workspace):
                continue
            if (run.memory_mb or 0) > memory_mb or (run.cpu_count or 0) > cpu_count:
                continue
            busy.add(run.input_document_id)
            of_workspace[run.workspace_id] += 1
            memory_mb -= run.memory_mb or 0
            cpu_count -= run.cpu_count or 0
        chosen.append(key)
    return chosen


def _candidates(after: State, taken: set[Key], surroundings: str) -> list[tuple[tuple[int, ...], Key, Run | None]]:
    """Return all that waits or was just taken, in order; a build goes before a run of the same place."""
    found: list[tuple[tuple[int, ...], Key, Run | None]] = [
        (_place_of_build(build), ("build", build.id), None)
        for build in after.builds.values()
        if (build.status == "queued" or ("build", build.id) in taken) and build.surroundings == surroundings
    ]
    for run in after.runs.values():
        if run.status == "queued" or ("run", run.id) in taken:
            level, key, *rest = run.place
            found.append(((level, key, 1, *rest), ("run", run.id), run))
    return sorted(found, key=lambda candidate: candidate[0])


def _place_of_build(build: Build) -> tuple[int, ...]:
    return (build.effective_priority, build.order_key, 0, build.sequence)


def _may_start(run: Run, after: State, busy: set[str], of_workspace: Counter[str]) -> bool:
    if after.builds[run.build_id].status != "ready" or run.block_mask & (Block.SCHEDULED | Block.EARLIER_PHASE):
        return False
    if run.input_document_id in busy or any(pause.covers(run) for pause in after.pauses):
        return False
    cap = after.caps.get(run.workspace_id)
    return cap is None or of_workspace[run.workspace_id] < cap


def _rate(now: int, taken: int, wanted: int, ledger: Ledger) -> Iterator[str]:
    """No second holds more starts than the rate, and as many start as that leaves room for.

    A rate such as 2.5 a second allows 3 in any 1.2 s.
    """
    rate = ledger.rules.max_starts_per_second
    most = math.ceil(rate)
    window = most * SECOND / rate
    recent = sum(now - instant < window for instant in ledger.starts)
    if recent + taken > most:
        yield f"{recent + taken} starts in {window / SECOND} s, {most} may"
    if taken < min(most - recent, wanted):
        yield f"started {taken} of {wanted} although {most - recent} might"


def _caps(taken: set[Key], after: State) -> Iterator[str]:
    workspaces = {after.runs[subject].workspace_id for kind, subject in taken if kind == "run"}
    for workspace in sorted(workspaces & after.caps.keys()):
        count = sum(run.workspace_id == workspace for run in after.running)
        if count > after.caps[workspace]:
            yield f"workspace {workspace} has {count} running, {after.caps[workspace]} may"

"""Who may write what: holders alone end what they hold, the living are never robbed, the dead are swept in time."""

from collections.abc import Iterator

from ade.database.types import MICROSECOND
from simulation.record import Did, Ledger
from simulation.state import Build, Run, State

ENDINGS = {"succeed": "succeeded", "fail": "failed", "return_uncounted": "queued"}
UPKEEPING = {"claim", "turn", "upkeep"}
BUILD_ENDINGS = {"succeed": "ready", "fail": "failed", "return_uncounted": "queued"}


def check(did: Did, before: State, after: State, ledger: Ledger) -> list[str]:
    """Return what a step wrote that it had no right to, or failed to sweep."""
    found = [*_recovered(did, before, after, ledger), *_leases(did, before, after, ledger)]
    if did.kind in ENDINGS:
        found += _ending(did, before, after)
    if did.kind == "turn":
        found += _turn(did, before, after)
    if did.kind == "fit":
        found += _fit(did, before, after)
    if did.kind == "return_counted":
        found += _handed_back(did, before, after, ledger)
    if did.kind == "heartbeat":
        found += _heartbeat(did, before, after, ledger)
    if did.kind in UPKEEPING and after.upkeep_at != before.upkeep_at:
        found += _swept(after, ledger)
    if did.kind in UPKEEPING and _is_due(before, after, ledger) and after.upkeep_at == before.upkeep_at:
        found.append(f"upkeep was due and {did.kind} did not do it")
    return found


def _is_due(before: State, after: State, ledger: Ledger) -> bool:
    return before.upkeep_at <= after.dispatch.clock_at - ledger.rules.tick // MICROSECOND


def _ending(did: Did, before: State, after: State) -> Iterator[str]:
    kind, subject_id = did.about["key"]
    if not did.about["is_holder"]:
        yield f"{did.kind} of {kind} {subject_id} was accepted from a worker that lost it"
        return
    if kind == "build":
        yield from _build_ended(BUILD_ENDINGS[did.kind], before.builds[subject_id], after.builds[subject_id])
        return
    yield from _run_ended(did.kind, did.about["file_key"], before.runs[subject_id], after.runs[subject_id])


def _turn(did: Did, before: State, after: State) -> Iterator[str]:
    """Each run that was to end did, in its own way, if its worker held it; the others are as they were."""
    for (_, run_id), ending in did.about["ends"].items():
        is_told = not did.is_known or run_id in did.value[0]
        if not ending.is_holder:
            if did.is_known and is_told:
                yield f"the end of run {run_id} was accepted from a worker that lost it"
            # Upkeep or the claim of the same step may change it; what this worker meant to write must not be there.
            written = {"succeed": after.runs[run_id].file_key == ending.file_key, "fail": _is_broken(after, run_id)}
            if written[ending.how] and before.runs[run_id].status == "running":
                yield f"run {run_id} was ended by a worker that lost it"
            continue
        if not is_told:
            yield f"the end of run {run_id} was refused to its holder"
        yield from _run_ended(ending.how, ending.file_key, before.runs[run_id], after.runs[run_id])


def _fit(did: Did, before: State, after: State) -> Iterator[str]:
    """A run is executed with a build that fits its worker, or waits for one."""
    _, run_id = did.about["key"]
    if not did.about["is_holder"]:
        yield f"a worker that lost run {run_id} chose its build"
        return
    run, surroundings = after.runs[run_id], str(did.about["process"].surroundings)
    if after.builds[run.build_id].surroundings != surroundings:
        yield f"run {run_id} has a build for {after.builds[run.build_id].surroundings} instead of {surroundings}"
    if run.status == "running" and after.builds[run.build_id].status != "ready":
        yield f"run {run_id} runs with a build that is {after.builds[run.build_id].status}"
    if run.status == "queued" and run.claim_count != before.runs[run_id].claim_count - 1:
        yield f"run {run_id} waits for another build and the claim still counts"


def _handed_back(did: Did, before: State, after: State, ledger: Ledger) -> Iterator[str]:
    """What a host failed waits again, and the claim counts; unless it was the last, or not the host's to return."""
    kind, subject_id = did.about["key"]
    earlier: Run | Build = (before.runs if kind == "run" else before.builds)[subject_id]
    row: Run | Build = (after.runs if kind == "run" else after.builds)[subject_id]
    is_cancelled = kind == "run" and before.runs[subject_id].cancel_requested_at is not None
    may_be = did.about["is_holder"] and not is_cancelled and earlier.claim_count < ledger.rules.max_claims
    if did.is_known and did.value != may_be:
        yield f"handing back {kind} {subject_id} answered {did.value}"
    if not may_be and row != earlier:
        yield f"{kind} {subject_id} was handed back, and must not be"
    if may_be and row.claim_count != earlier.claim_count:
        yield f"{kind} {subject_id} was handed back and the claim does not count"
    build_failed = kind == "run" and after.runs[subject_id].failure_code == "build_failed"  # meanwhile
    if may_be and row.status != "queued" and not build_failed:
        yield f"{kind} {subject_id} was handed back and is {row.status}"


def _is_broken(state: State, run_id: str) -> bool:
    """Return whether a run failed in the way a worker says, and upkeep never does."""
    return state.runs[run_id].failure_code == "input_error"


def _build_ended(wanted: str, earlier: Build, build: Build) -> Iterator[str]:
    if build.status != wanted:
        yield f"build {build.id} is {build.status} instead of {wanted}"
    if wanted == "queued" and build.claim_count != earlier.claim_count - 1:
        yield f"build {build.id} was given back and the claim still counts"


def _run_ended(how: str, file_key: str, earlier: Run, run: Run) -> Iterator[str]:
    wanted = "cancelled" if earlier.cancel_requested_at is not None else ENDINGS[how]
    if wanted == "queued" and run.status == "failed" and run.failure_code == "build_failed":
        return  # its build was made again meanwhile and failed: there is nothing left to wait for
    if run.status != wanted:
        yield f"run {run.id} is {run.status} instead of {wanted}"
    if wanted == "queued" and run.claim_count != earlier.claim_count - 1:
        yield f"run {run.id} was given back and the claim still counts"
    if how == "succeed" and run.file_key != file_key:
        yield f"run {run.id} points to {run.file_key} instead of {file_key}"


def _heartbeat(did: Did, before: State, after: State, ledger: Ledger) -> Iterator[str]:
    worker_id = did.about["process"].worker_id
    if before.workers[worker_id].stopped_at is not None:
        if did.is_known and did.value is not None:
            yield f"worker {worker_id} was declared dead and its heartbeat accepted"
        return
    mine = {key for key, holder in ledger.holders.items() if holder.worker_id == worker_id}
    if did.is_known and (did.value is None or {(lease.kind, lease.id) for lease in did.value} != mine):
        yield f"the heartbeat of {worker_id} answers {did.value}, it holds {sorted(mine)}"
    now = after.workers[worker_id].heartbeat_at
    for kind, subject_id in mine:
        row = (after.runs if kind == "run" else after.builds)[subject_id]
        if row.lease_expires_at != now + ledger.rules.lease // MICROSECOND:
            yield f"the heartbeat of {worker_id} did not extend {kind} {subject_id}"
        earlier = (before.runs if kind == "run" else before.builds)[subject_id]
        unheard = max(0, now - (earlier.lease_expires_at or now))
        if row.deadline_at != (earlier.deadline_at or 0) + unheard:
            yield f"{kind} {subject_id} was not heard of for {unheard} us, and its deadline moved otherwise"


def _leases(did: Did, before: State, after: State, ledger: Ledger) -> Iterator[str]:
    """Only the holder's own heartbeat moves a lease that was not claimed again."""
    beating = [*ledger.slipped_in, *([did.about["process"].worker_id] if did.kind == "heartbeat" else [])]
    for earlier, row in _held_on(before, after):
        if row.lease_expires_at != earlier.lease_expires_at and row.claimed_by not in beating:
            yield f"{did.kind} moved the lease of {row.id}"


def _held_on(before: State, after: State) -> Iterator[tuple[Run | Build, Run | Build]]:
    pairs: list[tuple[Run | Build | None, Run | Build]] = [(before.runs.get(r.id), r) for r in after.running]
    pairs += [(before.builds.get(b.id), b) for b in after.builds.values() if b.status == "building"]
    for earlier, row in pairs:
        if earlier is not None and earlier.lease_expires_at is not None and earlier.claim_token == row.claim_token:
            yield earlier, row


def _recovered(did: Did, before: State, after: State, ledger: Ledger) -> Iterator[str]:
    """What a living worker holds in time is nobody else's to end."""
    now = after.dispatch.clock_at
    for event in after.events:
        kind, subject_id = event.subject_kind, event.subject_id
        rows = before.runs if kind == "run" else before.builds
        row = rows.get(subject_id)
        if row is None or row.status not in {"running", "building"} or event.type.endswith("cancel_requested"):
            continue
        if did.about.get("key") == (kind, subject_id) or (kind, subject_id) in did.about.get("ends", {}):
            continue  # its holder returns it, or a person cancels the build
        yield from _taken_away(did, row, now, ledger)
        if _is_timed_out(after, kind, subject_id) and (row.lease_expires_at or 0) < now:
            yield f"{kind} {subject_id} timed out in a time in which nobody heard of it"
        if event.type.endswith(".requeued") and row.claim_count >= ledger.rules.max_claims:
            yield f"{kind} {subject_id} was queued again after {row.claim_count} claims"


def _is_timed_out(state: State, kind: str, subject_id: str) -> bool:
    row = (state.runs if kind == "run" else state.builds)[subject_id]
    return row.failure_code == "timed_out"


def _taken_away(did: Did, row: Run | Build, now: int, ledger: Ledger) -> Iterator[str]:
    is_late = row.deadline_at is not None and row.deadline_at < now
    is_expired = (row.lease_expires_at or 0) < now and row.claimed_by not in ledger.slipped_in
    is_replaced = did.kind == "register" and row.claimed_by in did.about["predecessors"]
    if not (is_late or is_expired or is_replaced):
        yield f"{did.kind} took {row.id} from worker {row.claimed_by}, which lives"


def _swept(after: State, ledger: Ledger) -> Iterator[str]:
    """After upkeep nothing is overdue."""
    now = after.dispatch.clock_at
    held: list[Run | Build] = [*after.running]
    held += [build for build in after.builds.values() if build.status == "building"]
    for row in held:
        if (row.lease_expires_at or 0) < now or (row.deadline_at or now) < now:
            yield f"{row.id} is overdue, and upkeep left it"
    for run in after.queued:
        if run.block_mask & 1 and (run.scheduled_at or now) <= now:
            yield f"run {run.id} is due since {run.scheduled_at}, and upkeep left it"
        if run.ages_at is not None and run.ages_at <= now:
            yield f"run {run.id} should have aged, and upkeep left it"

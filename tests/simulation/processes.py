"""The steps of worker processes: they start, claim, beat, finish, give back, crash, and come back as if nothing was."""

from typing import Any

from ade.domain.queue import Claim, Failure
from ade.domain.run import FailureCode
from ade.errors import LeaseLost
from ade.operations import builds, queue, runs, upkeep, workers
from simulation.record import Did
from simulation.world import Held, Key, Process, World

CRASHED_BUILD = Failure(code=FailureCode.CONFIGURATION_ERROR, message="The configuration cannot be imported.")
BROKEN_INPUT = Failure(code=FailureCode.INPUT_ERROR, message="The document has no table.")


def start(world: World, name: str | None = None) -> bool:
    """Start a process: a new one, the successor of a crashed one, or a twin of one that only stalled."""
    rng = world.rng
    if name is None:
        names = [*world.vacant_names, *(process.name for process in world.processes), f"p{world.step}"]
        name = rng.choice(names)
    slots, memory_mb = rng.choice([1, 2, 2, 3, 5]), rng.choice([256, 1024, 4096])
    facts = workers.WorkerFacts(name=name, host="h", process_id=1, version="0", slots=slots)
    predecessors = [row.id for row in world.state.workers.values() if row.name == name and row.stopped_at is None]
    did = world.do(
        "register",
        f"{name} starts with {slots} slots, {memory_mb} MB",
        lambda tx: workers.register_worker(tx, facts, rules=world.rules),
        predecessors=predecessors,
        shown=short,
    )
    if did.is_known:
        world.vacant_names = [vacant for vacant in world.vacant_names if vacant != name]
        world.processes.append(Process(name=name, worker_id=did.value, slots=slots, memory_mb=memory_mb))
    return True


def crash(world: World) -> bool:
    """Let a process vanish with all it holds."""
    if not world.processes:
        return False
    process = world.processes.pop(world.rng.randrange(len(world.processes)))
    world.vacant_names.append(process.name)
    world.note(f"{process.name} crashes holding {shown_keys(process)}")
    return True


def claim(world: World, process: Process | None = None) -> bool:
    """Claim for the free slots, or for fewer."""
    process = process or _any(world)
    if process is None or process.free_slots <= 0:
        return False
    room = queue.Room(slots=process.free_slots, memory_mb=process.free_memory_mb)
    did = world.do(
        "claim",
        f"{process.name} claims for {room.slots} slots, {room.memory_mb} MB",
        lambda tx: queue.claim_next(tx, process.worker_id, rules=world.rules, room=room),
        process=process,
        room=room,
        shown=shown_claims,
    )
    if did.is_known:
        for taken in did.value:
            process.held[(taken.kind, taken.id)] = Held(taken, did.step, _memory_of(world, taken))
    elif did.is_committed:
        process.is_unsure = True
    return True


def beat(world: World, process: Process | None = None) -> bool:
    """Send a heartbeat; let go of what is lost (or be stubborn), take in what an unknown claim left."""
    process = process or _any(world)
    if process is None:
        return False
    did = world.do(
        "heartbeat",
        f"{process.name} beats",
        lambda tx: queue.heartbeat(tx, process.worker_id, rules=world.rules),
        process=process,
        shown=lambda leases: "declared dead" if leases is None else f"{len(leases)} leases",
    )
    is_stubborn = world.rng.random() < world.faults.stubbornness
    if not did.is_known or is_stubborn:
        return True
    if did.value is None:
        world.processes.remove(process)
        return True
    _believe(world, process, did)
    return True


def _believe(world: World, process: Process, did: Did) -> None:
    leases = {(lease.kind, lease.id): lease for lease in did.value}
    process.held = {key: held for key, held in process.held.items() if key in leases}
    if not process.is_unsure:
        return
    process.is_unsure = False
    for key, lease in leases.items():
        holder = world.oracle.holder_of(*key)
        if key not in process.held and holder is not None:
            at = world.clock.now()
            found = Claim(kind=lease.kind, id=lease.id, token=lease.token, lease_expires_at=at, deadline_at=at)
            process.held[key] = Held(found, holder.since, _memory_of(world, found))


def finish(world: World, process: Process | None = None, *, is_well: bool | None = None) -> bool:
    """End something a process believes to hold."""
    process = process or _any(world, is_busy=True)
    if process is None or not process.held:
        return False
    key = world.rng.choice(list(process.held))
    is_well = world.rng.random() < 0.75 if is_well is None else is_well
    return end(world, process, key, "succeed" if is_well else "fail")


def give_back(world: World) -> bool:
    """Give one thing back."""
    process = _any(world, is_busy=True)
    if process is None:
        return False
    return end(world, process, world.rng.choice(list(process.held)), "give_back")


def drain(world: World) -> bool:
    """Stop in good order: give everything back, then retire."""
    process = _any(world)
    if process is None:
        return False
    for key in list(process.held):
        end(world, process, key, "give_back")
    if process.held:
        return True
    world.do("retire", f"{process.name} retires", lambda tx: workers.retire_worker(tx, process.worker_id))
    world.processes.remove(process)
    return True


def do_upkeep(world: World) -> bool:
    """Do the upkeep from a timer."""
    world.do("upkeep", "upkeep", lambda tx: upkeep.do_if_due(tx, rules=world.rules))
    return True


def reconcile(world: World) -> bool:
    """Count the open runs anew; the counter is never wrong."""
    did = world.do("reconcile", "reconcile", upkeep.reconcile)
    if did.is_known and did.value:
        world.fail("the count of open runs had to be corrected")
    return True


def end(world: World, process: Process, key: Key, how: str) -> bool:
    """End a run or a build under a claim that may be out of date."""
    held = process.held[key]
    holder = world.oracle.holder_of(*key)
    is_holder = holder is not None and (holder.worker_id, holder.since) == (process.worker_id, held.since)
    file_key = f"{key[1]}/{held.since}"
    did = world.do(
        how,
        f"{process.name}: {how} {key[0]} {short(key[1])} (token {held.claim.token})",
        lambda tx: _end(tx, held.claim, how, file_key),
        key=key,
        is_holder=is_holder,
        file_key=file_key,
        expects=() if is_holder else (LeaseLost,),
    )
    if did.is_known or isinstance(did.error, LeaseLost):
        del process.held[key]
    return True


def _end(tx: Any, claim: Claim, how: str, file_key: str) -> Any:
    if claim.kind == "run":
        if how == "succeed":
            return runs.succeed_run(tx, claim, file_key=file_key)
        return runs.fail_run(tx, claim, BROKEN_INPUT) if how == "fail" else runs.give_back_run(tx, claim)
    if how == "succeed":
        return builds.finish_build(tx, claim)
    return builds.fail_build(tx, claim, CRASHED_BUILD) if how == "fail" else builds.give_back_build(tx, claim)


def _any(world: World, *, is_busy: bool = False) -> Process | None:
    found = [process for process in world.processes if process.held or not is_busy]
    return world.rng.choice(found) if found else None


def _memory_of(world: World, claim: Claim) -> int:
    return (world.state.runs[claim.id].memory_mb or 0) if claim.kind == "run" else 0


def short(subject_id: Any) -> str:
    """Return the end of an id, which is all that differs."""
    return str(subject_id).rpartition("-")[2].lstrip("0")


def shown_claims(claims: list[Claim]) -> str:
    """Return claims for the trace."""
    return ", ".join(f"{claim.kind} {short(claim.id)} (token {claim.token})" for claim in claims) or "nothing"


def shown_keys(process: Process) -> str:
    """Return what a process holds, for the trace."""
    return ", ".join(f"{kind} {short(subject_id)}" for kind, subject_id in process.held) or "nothing"

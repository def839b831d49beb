"""The steps of worker processes: they start, claim, beat, finish, return, crash, and come back as if nothing was."""

from dataclasses import dataclass
from typing import Any

import calls
from ade.database.queue.wakeups import Wake
from ade.domain.queue import Claim, Ending, Failure
from ade.domain.run import FailureCode
from ade.errors import LeaseLost
from ade.operations.queue import builds, fitting, returning, upkeep, workers
from ade.operations.queue import claiming as queue
from ade.operations.queue.claiming import Room
from simulation.record import Did
from simulation.world import Held, Key, Process, World

CRASHED_BUILD = Failure(code=FailureCode.CONFIGURATION_ERROR, message="The configuration cannot be imported.")
FULL_DISK = Failure(code=FailureCode.INTERNAL_ERROR, message="The worker's disk is full.")
BROKEN_INPUT = Failure(code=FailureCode.INPUT_ERROR, message="The document has no table.")


def start(world: World, name: str | None = None) -> bool:
    """Start a process: a new one, the successor of a crashed one, or a twin of one that only stalled."""
    rng = world.rng
    if name is None:
        names = [*world.vacant_names, *(process.name for process in world.processes), f"p{world.step}"]
        name = rng.choice(names)
    slots, memory_mb, cpu_count = rng.choice([1, 2, 2, 3, 5]), rng.choice([256, 1024, 4096]), rng.choice([1, 2, 8])
    surroundings = world.any_surroundings()
    facts = workers.WorkerFacts(
        name=name, host="h", process_id=1, version="0", slots=slots, surroundings=str(surroundings)
    )
    predecessors = [row.id for row in world.state.workers.values() if row.name == name and row.stopped_at is None]
    did = world.do(
        "register",
        f"{name} starts with {slots} slots, {memory_mb} MB, {cpu_count} processors",
        lambda tx: workers.register_worker(tx, facts, rules=world.rules),
        predecessors=predecessors,
        shown=short,
    )
    if did.is_known:
        world.vacant_names = [vacant for vacant in world.vacant_names if vacant != name]
        started = Process(name, worker_id=did.value, slots=slots, memory_mb=memory_mb, cpu_count=cpu_count)
        started.surroundings = surroundings
        world.processes.append(started)
    return True


def crash(world: World) -> bool:
    """Let a process vanish with all it holds."""
    if not world.processes:
        return False
    process = world.processes.pop(world.rng.randrange(len(world.processes)))
    world.vacant_names.append(process.name)
    if process.call is not Wake.NONE:
        world.tick()
    world.note(f"{process.name} crashes holding {shown_keys(process)}")
    return True


def claim(world: World, process: Process | None = None) -> bool:
    """Claim for the free slots, or for fewer."""
    process = process or _any(world)
    if process is None or process.free_slots <= 0:
        return False
    room = process.room
    did = world.do(
        "claim",
        f"{process.name} claims for {room.slots} slots, {room.memory_mb} MB, {room.cpu_count} processors",
        lambda tx: queue.finish_and_claim(
            tx, process.worker_id, [], rules=world.rules, room=room, is_waiting=process.is_waiting
        ),
        process=process,
        room=room,
        shown=lambda value: shown_claims(value[1]),
    )
    _believe_turn(world, process, did, room)
    if did.is_known:
        _take(world, process, did)
    elif did.is_committed:
        process.is_unsure = True
    return True


def _believe_turn(world: World, process: Process, did: Did, room: Room) -> None:
    """Wait for a message, unless the turn must be taken again."""
    is_over = did.is_known and not queue.may_claim_more(did.claims, rules=world.rules)
    process.call = Wake.NONE if is_over else Wake.NAMED
    process.is_waiting = len(did.claims) < room.slots if did.is_known else True


def _take(world: World, process: Process, did: Did) -> None:
    """Note what was claimed. What the process held already, and lost without knowing, it drops."""
    for taken in did.claims:
        key = (taken.kind, taken.id)
        if key in process.held:
            _let_go(process, key)
        process.held[key] = _hold(world, taken, did.step)


def wake_up(world: World) -> bool:
    """Let a process that was woken do what it does then: take its turn, look first, or wake another instead."""
    woken = [process for process in world.processes if process.call is not Wake.NONE]
    if not woken:
        return False
    process = world.rng.choice(woken)
    if process.free_slots <= 0:
        return _pass_on(world, process)
    if process.call is Wake.NAMED:
        return claim(world, process)
    did = world.do(
        "look",
        f"{process.name} looks without the lock",
        lambda tx: queue.is_turn_due(tx, rules=world.rules, room=process.room),
        process=process,
    )
    if not did.is_known or did.value:
        return claim(world, process)
    process.call = Wake.NONE
    return True


def _pass_on(world: World, process: Process) -> bool:
    is_picked = process.call is Wake.NAMED and process.is_waiting
    process.call, process.is_waiting = Wake.NONE, False
    if is_picked:
        world.do("pass_on", f"{process.name} has no slot and wakes another", queue.pass_on)
    return True


def fit(world: World) -> bool:
    """Have a run that a process believes to hold executed with a build of the process's own surroundings."""
    held = [(process, key) for process in world.processes for key in process.held if _is_unfit(world, process, key)]
    if not held:
        return False
    process, key = world.rng.choice(held)
    is_holder = _is_holder(world, process, key)
    did = world.do(
        "fit",
        f"{process.name} fits run {short(key[1])} to {process.surroundings}",
        lambda tx: fitting.fit_run(tx, process.held[key].claim, process.surroundings),
        key=key,
        process=process,
        is_holder=is_holder,
        expects=() if is_holder else (LeaseLost,),
        shown=lambda build: "returned, until its build is made" if build is None else f"with build {short(build.id)}",
    )
    if isinstance(did.error, LeaseLost) or (did.is_known and did.value is None):
        _let_go(process, key)
    return True


def _is_unfit(world: World, process: Process, key: Key) -> bool:
    if key[0] != "run":
        return False
    build = world.state.builds[world.state.runs[key[1]].build_id]
    return build.surroundings != str(process.surroundings)


def beat(world: World, process: Process | None = None) -> bool:
    """Send a heartbeat; drop what is lost (or be stubborn), take in what an unknown claim left."""
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
        world.tick()
        return True
    _believe(world, process, did)
    return True


def _believe(world: World, process: Process, did: Did) -> None:
    leases = {(lease.kind, lease.id): lease for lease in did.value}
    if any(key not in leases for key in process.held):
        process.call = Wake.NAMED
    process.held = {key: held for key, held in process.held.items() if key in leases}
    if not process.is_unsure:
        return
    process.is_unsure = False
    for key, lease in leases.items():
        holder = world.oracle.holder_of(*key)
        if key not in process.held and holder is not None:
            at = world.clock.now()
            found = Claim(kind=lease.kind, id=lease.id, token=lease.token, lease_expires_at=at, deadline_at=at)
            process.held[key] = _hold(world, found, holder.since)


def finish(world: World) -> bool:
    """End something a process believes to hold."""
    return _end_one(world, "succeed" if world.rng.random() < 0.75 else "fail")


def turn(world: World, process: Process | None = None) -> bool:
    """End some runs a process believes to hold and claim for their slots, in one transaction, as a busy worker does."""
    process = process or _any(world)
    held = [key for key in process.held if key[0] == "run"] if process else []
    if process is None or not held:
        return False
    return end_and_claim(world, process, world.rng.sample(held, world.rng.randint(1, len(held))))


def end_and_claim(world: World, process: Process, keys: list[Key]) -> bool:
    """End these runs, most of them well, and claim for all slots that are free then."""
    ends = {key: _turn_end(world, process, key) for key in keys}
    room = process.room_without(keys)
    did = world.do(
        "turn",
        f"{process.name} ends {', '.join(short(key[1]) for key in keys)} and claims for {room.slots} slots",
        lambda tx: queue.finish_and_claim(
            tx,
            process.worker_id,
            [end.ending for end in ends.values()],
            rules=world.rules,
            room=room,
            is_waiting=process.is_waiting,
        ),
        process=process,
        room=room,
        ends=ends,
        shown=lambda value: f"{', '.join(value[0].values()) or 'none held'}; {shown_claims(value[1])}",
    )
    _believe_turn(world, process, did, room)
    if did.is_known:
        process.held = {key: held for key, held in process.held.items() if key not in ends}
        _take(world, process, did)
    elif did.is_committed:
        process.is_unsure = True
    return True


@dataclass(frozen=True)
class TurnEnd:
    """How one run of a turn ends, and whether its process still holds it."""

    ending: Ending
    how: str
    is_holder: bool
    file_key: str


def _turn_end(world: World, process: Process, key: Key) -> TurnEnd:
    held, how = process.held[key], "succeed" if world.rng.random() < 0.75 else "fail"
    file_key = f"{key[1]}/{held.since}"
    ending = Ending(
        claim=held.claim,
        failure=None if how == "succeed" else BROKEN_INPUT,
        facts={"file_key": file_key} if how == "succeed" else {},
    )
    return TurnEnd(ending, how, _is_holder(world, process, key), file_key)


def return_uncounted(world: World) -> bool:
    """Return one thing unharmed."""
    return _end_one(world, "return_uncounted")


def return_counted(world: World) -> bool:
    """Return one thing that the process's host failed, unless it was claimed too often."""
    held = [(process, key) for process in world.processes for key in process.held]
    if not held:
        return False
    process, key = world.rng.choice(held)
    claim = process.held[key].claim
    did = world.do(
        "return_counted",
        f"{process.name} returns {key[0]} {short(key[1])} (token {claim.token}), counted",
        lambda tx: returning.return_counted(tx, claim, FULL_DISK, rules=world.rules),
        key=key,
        is_holder=_is_holder(world, process, key),
    )
    if did.is_known and did.value:
        _let_go(process, key)
    return True


def _let_go(process: Process, key: Key) -> None:
    """Free the slot of what ended or was lost; the process takes a turn then."""
    del process.held[key]
    process.call = Wake.NAMED


def _end_one(world: World, how: str) -> bool:
    """End something, preferably what its process lost without knowing: there is more to go wrong with it."""
    held = [(process, key) for process in world.processes for key in process.held]
    lost = [(process, key) for process, key in held if not _is_holder(world, process, key)]
    chosen = lost if lost and world.rng.random() < 0.5 else held
    if not chosen:
        return False
    process, key = world.rng.choice(chosen)
    return end(world, process, key, how)


def _is_holder(world: World, process: Process, key: Key) -> bool:
    holder = world.oracle.holder_of(*key)
    return holder is not None and (holder.worker_id, holder.since) == (process.worker_id, process.held[key].since)


def drain(world: World) -> bool:
    """Stop in good order: return everything, then retire."""
    process = _any(world)
    if process is None:
        return False
    for key in list(process.held):
        end(world, process, key, "return_uncounted")
    if process.held:
        return True
    world.do("retire", f"{process.name} retires", lambda tx: workers.retire_worker(tx, process.worker_id))
    world.processes.remove(process)
    world.tick()
    return True


def do_upkeep(world: World) -> bool:
    """Do the upkeep from a timer."""
    world.do("upkeep", "upkeep", lambda tx: upkeep.do_if_due(tx, rules=world.rules))
    return True


def reconcile(world: World) -> bool:
    """Count the open runs again; the counter is never wrong."""
    did = world.do("reconcile", "reconcile", upkeep.reconcile)
    if did.is_known and did.value:
        world.fail("the count of open runs had to be corrected")
    return True


def end(world: World, process: Process, key: Key, how: str) -> bool:
    """End a run or a build under a claim that may be out of date."""
    held = process.held[key]
    is_holder = _is_holder(world, process, key)
    file_key = f"{key[1]}/{held.since}"
    did = world.do(
        how,
        f"{process.name}: {how} {key[0]} {short(key[1])} (token {held.claim.token})",
        lambda tx: _end(world, tx, held.claim, how, file_key),
        key=key,
        is_holder=is_holder,
        file_key=file_key,
        expects=() if is_holder else (LeaseLost,),
    )
    if did.is_known or isinstance(did.error, LeaseLost):
        _let_go(process, key)
    return True


def _end(world: World, tx: Any, claim: Claim, how: str, file_key: str) -> Any:
    rules = world.rules
    if claim.kind == "run":
        if how == "succeed":
            return calls.succeed(tx, claim, rules=rules, file_key=file_key)
        if how == "fail":
            return calls.fail(tx, claim, BROKEN_INPUT, rules=rules)
        return returning.return_uncounted(tx, claim)
    if how == "succeed":
        return builds.finish_build(tx, claim)
    return builds.fail_build(tx, claim, CRASHED_BUILD) if how == "fail" else returning.return_uncounted(tx, claim)


def _any(world: World) -> Process | None:
    return world.rng.choice(world.processes) if world.processes else None


def _hold(world: World, claim: Claim, since: int) -> Held:
    if claim.kind == "build":
        return Held(claim, since)
    run = world.state.runs[claim.id]
    return Held(claim, since, run.memory_mb or 0, run.cpu_count or 0)


def short(subject_id: Any) -> str:
    """Return the end of an id, which is all that differs."""
    return str(subject_id).rpartition("-")[2].lstrip("0")


def shown_claims(claims: list[Claim]) -> str:
    """Return claims for the trace."""
    return ", ".join(f"{claim.kind} {short(claim.id)} (token {claim.token})" for claim in claims) or "nothing"


def shown_keys(process: Process) -> str:
    """Return what a process holds, for the trace."""
    return ", ".join(f"{kind} {short(subject_id)}" for kind, subject_id in process.held) or "nothing"

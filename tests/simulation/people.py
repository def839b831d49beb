"""The steps of people: they submit, cancel, hurry, move, pause, cap, and change their minds."""

from datetime import timedelta

from ade.domain.pause import PauseScope
from ade.errors import Invalid, NotFound, QueueFull
from ade.operations import builds, caps, ordering, pauses, runs, submit
from ade.operations.builds import BuildRequest
from ade.operations.submit import RunRequest
from ade.operations.surroundings import here
from simulation.processes import short
from simulation.state import KNOWN_CAUSES, Run
from simulation.world import DOCUMENTS, PERSON, World

PRIORITIES = [5, 10, 20, 50, 60, 70, 90]
LONGEST_NAME = 20  # of a fingerprint that people ask for; others are digests


def request(world: World) -> RunRequest:
    """Return a run someone may want."""
    rng = world.rng
    workspace = rng.choice(world.workspaces)
    fingerprint = rng.choice(world.fingerprints)
    scheduled_at = None
    if rng.random() < 0.15:
        scheduled_at = world.clock.now() + timedelta(seconds=rng.choice([-5, 3, 20, 90]))
    return RunRequest(
        build=_build(workspace, fingerprint, str(world.any_surroundings())),
        input_document_id=rng.choice(DOCUMENTS[workspace][: world.documents]),
        priority=rng.choice(world.priorities),
        scheduled_at=scheduled_at,
        memory_mb=rng.choice([None, None, None, 200, 800, 3000]),
        cpu_count=rng.choice([None, None, None, None, 1, 1.5, 4]),
    )


def _build(workspace: str, fingerprint: str, surroundings: str) -> BuildRequest:
    """Return the build a server of these surroundings asks for."""
    is_usual = surroundings == str(here()) or len(fingerprint) > LONGEST_NAME
    return BuildRequest(
        workspace_id=workspace,
        configuration_id=f"{workspace}-c",
        version_id=f"{workspace}-v",
        fingerprint=fingerprint if is_usual else f"{fingerprint.partition(' ')[0]} elsewhere",
        surroundings=surroundings,
    )


def submit_some(world: World) -> bool:
    """Submit one run, or several of perhaps one document."""
    wanted = [request(world) for _ in range(world.rng.choice([1, 1, 2, 4]))]
    world.do(
        "submit",
        f"submit {', '.join(_told(one) for one in wanted)}",
        lambda tx: submit.submit_runs(tx, wanted, rules=world.rules),
        expects=_full(world, len(wanted)),
        shown=lambda ids: ", ".join(map(short, ids)),
    )
    return True


def _told(wanted: RunRequest) -> str:
    later = f" at {wanted.scheduled_at:%M:%S}" if wanted.scheduled_at else ""
    memory = f" {wanted.memory_mb} MB" if wanted.memory_mb else ""
    processors = f" {wanted.cpu_count} processors" if wanted.cpu_count else ""
    return f"{wanted.input_document_id}@{wanted.priority} on {wanted.build.fingerprint}{later}{memory}{processors}"


def _full(world: World, count: int) -> tuple[type[Exception], ...]:
    is_full = world.state.dispatch.open_run_count + count > world.rules.queue_size
    return (QueueFull,) if is_full else ()


def submit_plan(world: World) -> bool:
    """Submit a plan of two or three phases."""
    first = request(world)
    phases = [first]
    while len(phases) < world.rng.choice([2, 3]):
        phases.append(request(world))
    world.do(
        "submit",
        f"submit a plan of {', '.join(_told(one) for one in phases)} at {first.priority}",
        lambda tx: submit.submit_plan(
            tx, phases, workspace_id=first.build.workspace_id, priority=first.priority, rules=world.rules
        ),
        expects=_full(world, len(phases)),
        shown=lambda made: f"plan {short(made[0])}: {', '.join(map(short, made[1]))}",
    )
    return True


def run_again(world: World) -> bool:
    """Run something again that may have finished or not."""
    if not world.state.runs:
        return False
    run = world.rng.choice(list(world.state.runs.values()))
    build = world.state.builds[run.build_id]
    again = _build(run.workspace_id, build.fingerprint, build.surroundings)
    world.do(
        "submit",
        f"run {short(run.id)} again",
        lambda tx: submit.run_again(tx, run.id, build=again, rules=world.rules),
        expects=_full(world, 1),
        shown=short,
    )
    return True


def cancel(world: World) -> bool:
    """Cancel a run that waits or runs."""
    run = _open(world)
    if run is None:
        return False
    world.do("cancel", f"cancel run {short(run.id)}", lambda tx: runs.cancel_run(tx, run.id, actor=PERSON))
    return True


def cancel_build(world: World) -> bool:
    """Cancel a build that waits or is being made."""
    found = [build for build in world.state.builds.values() if build.is_open]
    if not found:
        return False
    build = world.rng.choice(found)
    words = f"cancel build {short(build.id)}"
    world.do("cancel_build", words, lambda tx: builds.cancel_build(tx, build.id), key=("build", build.id))
    return True


def rebuild(world: World) -> bool:
    """Lose the files of a ready build."""
    run = _open(world)
    build = world.state.builds[run.build_id] if run else None
    if build is None or build.status != "ready":
        return False
    world.do("rebuild", f"rebuild {short(build.id)}", lambda tx: builds.rebuild(tx, build.id))
    return True


def change_priority(world: World) -> bool:
    """Give a queued run another priority."""
    run = _queued(world)
    if run is None:
        return False
    priority = world.rng.choice(world.priorities)
    world.do(
        "priority",
        f"run {short(run.id)} to priority {priority}",
        lambda tx: ordering.change_priority(tx, run.id, priority, rules=world.rules, actor=PERSON),
        shown=lambda changed: f"{changed.effective_priority}",
    )
    return True


def change_plan_priority(world: World) -> bool:
    """Give a plan another priority."""
    if not world.state.plans:
        return False
    plan, priority = world.rng.choice(list(world.state.plans)), world.rng.choice(world.priorities)
    world.do(
        "priority",
        f"plan {short(plan)} to priority {priority}",
        lambda tx: ordering.change_plan_priority(tx, plan, priority, rules=world.rules, actor=PERSON),
        shown=lambda changed: f"{len(changed)} phases",
    )
    return True


def move(world: World) -> bool:
    """Drag a queued run beside another."""
    run, other = _queued(world), _queued(world)
    if run is None or other is None:
        return False
    is_before = world.rng.random() < 0.5
    is_senseless = run.id == other.id or run.effective_priority != other.effective_priority
    did = world.do(
        "move",
        f"move run {short(run.id)} {'before' if is_before else 'after'} {short(other.id)}",
        lambda tx: ordering.move_run(
            tx, run.id, actor=PERSON, before=other.id if is_before else None, after=None if is_before else other.id
        ),
        expects=(Invalid,) if is_senseless else (),
        shown=lambda _: "moved",
    )
    if did.is_committed:
        _judge_move(world, run, other, [row.id for row in world.before.queued], is_before=is_before)
    return True


def _judge_move(world: World, run: Run, other: Run, earlier: list[str], *, is_before: bool) -> None:
    wanted = [run_id for run_id in earlier if run_id != run.id]
    wanted.insert(wanted.index(other.id) + (not is_before), run.id)
    if [row.id for row in world.state.queued] != wanted:
        world.fail(f"run {run.id} was not put beside {other.id}, or others changed places")


def pause(world: World) -> bool:
    """Hold something back."""
    rng = world.rng
    scope, met = rng.choice(list(PauseScope)), _queued(world)
    plans = list(world.state.plans)
    if scope == PauseScope.PLAN and not plans:
        return False
    value = {
        PauseScope.ALL: None,
        PauseScope.PRIORITY: str(met.priority if met else rng.choice(world.priorities)),
        PauseScope.WORKSPACE: rng.choice(world.workspaces),
        PauseScope.PLAN: rng.choice(plans) if plans else None,
    }[scope]
    world.do(
        "pause",
        f"pause {scope} {short(value) if value else ''}",
        lambda tx: pauses.pause(tx, scope, value, reason="so", actor=PERSON),
        shown=short,
    )
    return True


def resume(world: World) -> bool:
    """Lift one pause, perhaps one that was lifted already."""
    if not world.state.pauses:
        return False
    chosen = world.rng.choice(world.state.pauses)
    words = f"resume {short(chosen.id)} ({chosen.scope} {chosen.value})"
    world.do("resume", words, lambda tx: pauses.resume(tx, chosen.id, actor=PERSON), expects=(NotFound,))
    return True


def cap(world: World) -> bool:
    """Set or remove a workspace's cap."""
    workspace, limit = world.rng.choice(world.workspaces), world.rng.choice([1, 1, 2, 3, None])
    world.do(
        "cap",
        f"cap {workspace} at {limit}",
        lambda tx: caps.cap_workspace(tx, workspace, limit, actor=PERSON),
    )
    return True


def _open(world: World) -> Run | None:
    if world.state.running and world.rng.random() < 0.3:
        return world.rng.choice(world.state.running)
    return _queued(world)


def _queued(world: World) -> Run | None:
    """Return a queued run, preferably one that a claim met and parked: there is more to go wrong with it."""
    parked = [run for run in world.state.queued if run.block_mask & ~KNOWN_CAUSES]
    chosen = parked if parked and world.rng.random() < 0.5 else world.state.queued
    return world.rng.choice(chosen) if chosen else None

"""The steps of people: they submit, cancel, hurry, move, pause, cap, and change their minds."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from ade.domain.fingerprint import Surroundings
from ade.domain.network import NetworkAccess, NetworkRule
from ade.domain.pause import PauseScope
from ade.errors import Invalid, NotFound, QueueFull
from ade.operations.queue import builds, caps, ordering, pauses, requests, runs
from ade.operations.queue.requests import PhaseWish
from ade.operations.queue.submit import Wish
from simulation.processes import short
from simulation.state import KNOWN_CAUSES, Run
from simulation.world import DOCUMENTS, PERSON, World

PRIORITIES = [5, 10, 20, 50, 60, 70, 90]
NO_NETWORK = NetworkRule(access=NetworkAccess.NEVER, role=None)


def wish(world: World, *, priority: int | None = None, is_plain: bool = False) -> Wish:
    """Return what someone may want of a run."""
    rng = world.rng
    scheduled_at = None
    if is_plain:
        return Wish(priority=rng.choice(world.priorities), runtime_network_access=False)
    if rng.random() < 0.15:
        scheduled_at = world.clock.now() + timedelta(seconds=rng.choice([-5, 3, 20, 90]))
    return Wish(
        priority=rng.choice(world.priorities) if priority is None else priority,
        scheduled_at=scheduled_at,
        runtime_network_access=False,
        memory_mb=rng.choice([None, None, None, 200, 800, 3000]),
        cpu_count=rng.choice([None, None, None, None, 1, 1.5, 4]),
    )


@contextmanager
def server(surroundings: Surroundings) -> Iterator[None]:
    """Let requests be made by a server of these surroundings."""
    kept = [(module, module.here) for module in (requests, builds)]
    for module, _ in kept:
        module.here = lambda: surroundings  # type: ignore[attr-defined]
    requests._fingerprints.clear()
    try:
        yield
    finally:
        requests._fingerprints.clear()
        for module, here in kept:
            module.here = here  # type: ignore[attr-defined]


def submit_some(world: World) -> bool:
    """Submit one run, or several of perhaps one document."""
    rng, surroundings = world.rng, world.any_surroundings()
    workspace, version = rng.choice(world.workspaces), rng.choice(world.versions)
    count, is_plain = rng.choice([1, 1, 2, 4]), rng.random() < 0.5
    orders = [(_document(world, workspace), wish(world, is_plain=is_plain), PERSON) for _ in range(count)]
    with server(surroundings):
        world.do(
            "submit",
            f"submit {', '.join(_told(document, one) for document, one, _ in orders)} with version {version}",
            lambda tx: requests.request_each(tx, f"{workspace}-c", orders, number=version, rules=world.rules),
            expects=_full(world, len(orders)),
            shown=lambda ids: ", ".join(map(short, ids)),
        )
    return True


def _document(world: World, workspace: str) -> str:
    return world.rng.choice(DOCUMENTS[workspace][: world.documents])


def _told(document: str | None, wanted: Wish) -> str:
    later = f" at {wanted.scheduled_at:%M:%S}" if wanted.scheduled_at else ""
    memory = f" {wanted.memory_mb} MB" if wanted.memory_mb else ""
    processors = f" {wanted.cpu_count} processors" if wanted.cpu_count else ""
    return f"{document or 'its output'}@{wanted.priority}{later}{memory}{processors}"


def _full(world: World, count: int) -> tuple[type[Exception], ...]:
    is_full = world.state.dispatch.open_run_count + count > world.rules.queue_size
    return (QueueFull,) if is_full else ()


def submit_plan(world: World) -> bool:
    """Submit a plan of two or three phases; a later one takes a document, or what the one before wrote."""
    rng, surroundings = world.rng, world.any_surroundings()
    workspace, priority = rng.choice(world.workspaces), rng.choice(world.priorities)
    phases = [
        PhaseWish(
            configuration_id=f"{workspace}-c",
            input_document_id=_document(world, workspace) if number == 0 or rng.random() < 0.7 else None,
            version=rng.choice(world.versions),
            wish=wish(world, priority=priority),
        )
        for number in range(rng.choice([2, 3]))
    ]
    with server(surroundings):
        world.do(
            "submit",
            f"submit a plan of {', '.join(_told(one.input_document_id, one.wish) for one in phases)}",
            lambda tx: requests.request_plan(tx, workspace, phases, priority=priority, actor=PERSON, rules=world.rules),
            expects=_full(world, len(phases)),
            shown=lambda plan_id: f"plan {short(plan_id)}",
        )
    return True


def run_again(world: World) -> bool:
    """Run something again that may have finished or not, with its version or the published one."""
    if not world.state.runs:
        return False
    rng, surroundings = world.rng, world.any_surroundings()
    run, version = rng.choice(list(world.state.runs.values())), rng.choice([None, *world.versions])
    with server(surroundings):
        world.do(
            "submit",
            f"run {short(run.id)} again with {f'version {version}' if version else 'what is published'}",
            lambda tx: requests.request_run_again(
                tx,
                run.id,
                number=version,
                priority=None,
                network=NO_NETWORK,
                network_asked=None,
                actor=PERSON,
                rules=world.rules,
            ),
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

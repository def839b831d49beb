"""Which steps a seed takes. Each seed leaves out some kinds of steps, so that others come together more often."""

import random
from collections.abc import Callable
from datetime import timedelta

from ade.domain.fingerprint import Surroundings
from ade.domain.queue import QueueRules
from simulation import people, processes
from simulation.faults import Faults
from simulation.world import OTHER_VERSIONS, READY_VERSION, WORKSPACES, World

Step = Callable[[World], bool]
LEASE = timedelta(seconds=15)
NEWER = Surroundings(engine_version="99", python_version="CPython 3.99", platform="Linux")


def advance(world: World) -> bool:
    """Let a little time pass, or a lease, or much."""
    world.wait(timedelta(seconds=world.rng.choice([0.4, 1.5, 4, 8, 16, 16, 45])))
    return True


def step_back(world: World) -> bool:
    """Let the clock step back, as a corrected clock does."""
    world.wait(-timedelta(seconds=world.rng.choice([0.5, 5, 600])))
    return True


def outlast(world: World) -> bool:
    """Let every lease run out, and someone claim what was lost: who held it may not know."""
    world.wait(LEASE + timedelta(seconds=2))
    idle = [process for process in world.processes if not process.held]
    return processes.claim(world, world.rng.choice(idle) if idle else None)


ALWAYS: dict[Step, int] = {
    people.submit_some: 16,
    processes.claim: 10,
    processes.wake_up: 40,
    processes.finish: 10,
    processes.turn: 6,
    advance: 4,
}
SOMETIMES: dict[Step, int] = {
    people.submit_plan: 3,
    people.run_again: 1,
    people.cancel: 3,
    people.cancel_build: 1,
    people.rebuild: 5,
    people.change_priority: 3,
    people.change_plan_priority: 2,
    people.move: 3,
    people.pause: 3,
    people.resume: 4,
    people.cap: 4,
    processes.beat: 6,
    outlast: 4,
    processes.return_uncounted: 3,
    processes.drain: 1,
    processes.crash: 2,
    processes.start: 2,
    processes.do_upkeep: 3,
    processes.reconcile: 1,
    step_back: 2,
}
LEAST_STEPS, MOST_STEPS = 8, 36


def make_world(seed: int) -> World:
    """Return the deployment a seed stands for."""
    rng = random.Random(seed)
    world = World(seed, rules=_rules(rng), faults=_faults(rng), rng=rng)
    world.workspaces = list(WORKSPACES[: rng.choice([1, 1, 2, 3])])
    world.documents = rng.choice([1, 2, 3, 4])
    world.versions = [READY_VERSION] * rng.choice([1, 4, 9]) + list(OTHER_VERSIONS)
    world.priorities = rng.sample(people.PRIORITIES, rng.choice([1, 2, 3, 5]))
    if random.Random(f"upgrade {seed}").random() < 0.3:
        world.surroundings.append(NEWER)
    return world


def play(seed: int, *, steps: int | None = None) -> World:
    """Play a seed to its end; raise Violation when a promise was broken."""
    world = make_world(seed)
    kinds = _kinds(world.rng)
    if len(world.surroundings) > 1:
        kinds[processes.fit] = 12
    if random.Random(f"full disk {seed}").random() < 0.2:
        kinds[processes.return_counted] = 8
    for number in range(world.rng.choice([1, 2, 3])):
        processes.start(world, f"p{number}")
    for _ in range(steps if steps is not None else world.rng.randint(LEAST_STEPS, MOST_STEPS)):
        _take_one(world, kinds)
    settle(world)
    return world


def settle(world: World) -> None:
    """Let all be healthy, lift the pauses and let time pass: everything ends, within a bounded number of rounds."""
    world.faults = Faults()
    for _ in world.state.pauses.copy():
        people.resume(world)
    world.processes = [process for process in world.processes if world.rng.random() < 0.5]
    world.tick()
    processes.start(world, "healthy")
    healthy = world.processes[-1]
    healthy.slots, healthy.memory_mb, healthy.cpu_count = 10, 100_000, 1000
    rounds = 40 + 2 * (len(world.state.queued) + len(world.state.builds))
    while _is_anything_open(world) and (rounds := rounds - 1) > 0:
        ended = [key for key in healthy.held if key[0] == "run"]
        if ended:
            processes.end_and_claim(world, healthy, ended)
        else:
            processes.claim(world, healthy)
        world.wait(timedelta(seconds=1 if healthy.held else 40))
        for process in world.processes:
            for key in [key for key in process.held if process is not healthy or key[0] == "build"]:
                processes.end(world, process, key, "succeed")
    if _is_anything_open(world):
        stuck = [run for run in world.state.runs.values() if run.is_open]
        world.fail(f"not everything ended, although all is well: {stuck}")


def _is_anything_open(world: World) -> bool:
    return any(run.is_open for run in world.state.runs.values()) or any(
        build.is_open for build in world.state.builds.values()
    )


def _take_one(world: World, kinds: dict[Step, int]) -> None:
    steps, weights = list(kinds), list(kinds.values())
    for _ in range(20):
        if world.rng.choices(steps, weights)[0](world):
            world.check_wakes()
            return


def _kinds(rng: random.Random) -> dict[Step, int]:
    share = rng.choice([0.2, 0.4, 0.7])
    chosen = {step: weight * rng.choice([1, 2, 4]) for step, weight in SOMETIMES.items() if rng.random() < share}
    return {**ALWAYS, **chosen}


def _rules(rng: random.Random) -> QueueRules:
    return QueueRules(
        queue_size=rng.choice([5, 12, 10_000, 10_000]),
        max_running=rng.choice([0, 0, 0, 1, 3]),
        max_starts_per_second=rng.choice([0, 0, 0, 0, 0.5, 3]),
        lease=LEASE,
        run_timeout=timedelta(seconds=rng.choice([40, 300])),
        build_timeout=timedelta(seconds=rng.choice([60, 600])),
        max_claims=rng.choice([1, 2, 3, 3]),
        age_after=timedelta(seconds=rng.choice([10, 60, 3600])),
        tick=timedelta(seconds=1),
    )


def _faults(rng: random.Random) -> Faults:
    if rng.random() < 0.3:
        return Faults(slipping_in=0.2)
    return Faults(lost_before=0.05, lost_after=0.08, slipping_in=0.2, stubbornness=0.4)

"""However a worker, a zygote, a keeper or a child dies, nothing of the child is left."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ade.sandbox.removal import remove_folder
from postgres import wait_until
from sandbox.rig import Rig, Worker
from worker import processes

# Holds a lock as long as it lives, and ignores everything that can be ignored.
LIVE = """
import fcntl, signal
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
count = 0
while True:
    count += 1
    open("beat", "w").write(str(count))
    time.sleep(0.01)
"""
DAEMON = """
import fcntl
reading, writing = os.pipe()
def start():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (0, 1, 2, 3):
                os.close(number)
            lock = open("lock", "w")
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.write(writing, b"x")
            while True:
                time.sleep(1)
        os._exit(0)
    os.read(reading, 1)
attempt("daemon", start)
while not os.path.exists("seen"):
    time.sleep(0.01)
"""


@pytest.fixture
def own_rig(rig: Rig) -> Iterator[Rig]:
    """Yield a scene with a worker that may be killed."""
    worker = Worker(rig.worker.user)
    scene = Rig(worker, rig.mode)
    yield scene
    if worker.process.returncode is None:
        worker.close()
    wait_until(lambda: not scene.is_lock_held(), what="the last child to end")
    remove_folder(scene.base)


def start_living(rig: Rig, **options: object) -> int:
    number = rig.start(LIVE, **options)  # type: ignore[arg-type]
    wait_until(rig.is_lock_held, what="the child to take its lock")
    return number


@pytest.mark.req("S1", "R5")
def test_a_killed_child_is_gone_when_wait_returns(rig: Rig) -> None:
    number = start_living(rig)

    rig.worker.order("kill", number=number)

    outcome = rig.worker.answer(number)
    assert outcome["kind"] == "killed"
    assert not rig.is_lock_held()


@pytest.mark.slow
@pytest.mark.req("S1")
def test_nothing_is_left_when_the_worker_is_killed(own_rig: Rig) -> None:
    start_living(own_rig)

    own_rig.worker.kill()

    wait_until(lambda: not own_rig.is_lock_held(), what="the child to end with its worker", seconds=2)


@pytest.mark.slow
@pytest.mark.req("S1")
def test_a_child_outlives_its_worker_without_the_layer(own_rig: Rig) -> None:
    start_living(own_rig, without=("parent_death",))
    orphans = processes.below(own_rig.worker.process.pid)

    own_rig.worker.kill()

    beat = int((own_rig.output / "beat").read_text() or 0)
    wait_until(lambda: _beat(own_rig.output) > beat + 5, what="the orphan to go on")
    assert own_rig.is_lock_held()
    for pid, _ in processes.living(orphans):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _beat(output: Path) -> int:
    return int((output / "beat").read_text() or 0)


@pytest.mark.slow
@pytest.mark.req("S1")
def test_a_run_whose_zygote_is_killed_ends_and_the_next_one_works(own_rig: Rig) -> None:
    if own_rig.mode != "zygote":
        pytest.skip("spawned children have no zygote")
    number = start_living(own_rig)

    os.kill(own_rig.zygote_pid(), signal.SIGKILL)

    assert own_rig.worker.answer(number)["kind"] == "process_terminated"
    assert not own_rig.is_lock_held()
    assert own_rig.run("print('again')")["kind"] == "succeeded"


@pytest.mark.slow
@pytest.mark.req("S1")
@pytest.mark.parametrize("generation", ["keeper", "init", "payload"])
def test_a_run_of_which_any_process_is_killed_ends(own_rig: Rig, generation: str) -> None:
    number = start_living(own_rig)
    top = own_rig.zygote_pid() if own_rig.mode == "zygote" else own_rig.worker.process.pid
    keeper = _only_child(top)
    init = _only_child(keeper)
    pids = {"keeper": keeper, "init": init, "payload": _only_child(init)}

    os.kill(pids[generation], signal.SIGKILL)

    assert own_rig.worker.answer(number)["kind"] == "process_terminated"
    wait_until(lambda: not own_rig.is_lock_held(), what="the rest to end", seconds=2)


def _only_child(pid: int) -> int:
    found = [
        int(word)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for word in (thread / "children").read_text().split()
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.req("S1")
def test_a_daemon_cannot_be_started(rig: Rig) -> None:
    (rig.output / "seen").touch()

    outcome = rig.run(DAEMON)

    assert "refused daemon" in outcome["log"]


@pytest.mark.slow
@pytest.mark.req("S1")
@pytest.mark.parametrize("without", [("seccomp",), ("seccomp", "pid_namespace"), ("seccomp", "identity")])
def test_a_daemon_started_without_the_layer_is_gone_all_the_same(rig: Rig, without: tuple[str, ...]) -> None:
    number = rig.start(DAEMON, without=without)
    wait_until(rig.is_lock_held, what="the daemon to live")  # it escaped, and this would notice if it stayed
    (rig.output / "seen").touch()

    outcome = rig.worker.answer(number)

    assert "ESCAPED daemon" in outcome["log"]
    assert not rig.is_lock_held()


@pytest.mark.req("S1")
def test_children_of_several_threads_do_not_disturb_each_other(rig: Rig) -> None:
    others = [Rig(rig.worker, rig.mode) for _ in range(4)]

    numbers = [scene.start("print(OPTIONS['who'])", who=str(place)) for place, scene in enumerate(others)]

    assert [rig.worker.answer(number)["log"] for number in numbers] == ["0\n", "1\n", "2\n", "3\n"]
    for scene in others:
        remove_folder(scene.base)


def test_the_thread_that_asks_may_end_before_its_child(tmp_path: Path) -> None:
    from ade.domain.isolation import Isolation
    from ade.sandbox.child import Child
    from ade.sandbox.launcher import Launcher
    from ade_engine.protocol import Request

    script = tmp_path / "script.py"
    script.write_text("print('done')")
    (tmp_path / "output").mkdir()
    request = Request(entry="script", output_folder=str(tmp_path / "output"), configuration_path=str(script))
    children: list[Child] = []

    with Launcher(mode="spawn", minimum=Isolation.OPEN) as launcher:
        asking = threading.Thread(target=lambda: children.append(launcher.start(request)))
        asking.start()
        asking.join()
        outcome = children[0].wait()

    assert outcome.kind == "succeeded"

"""A zygote's children share nothing that matters, and behave like spawned ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ade.domain.isolation import Isolation
from ade.sandbox.launcher import Launcher
from ade.sandbox.removal import remove_folder
from ade_engine.protocol import Request
from postgres import wait_until
from sandbox.rig import Rig, Worker

RANDOM = """
import random, tempfile, uuid
print(random.random(), next(tempfile._get_candidate_names()), uuid.uuid4(), os.urandom(8).hex())
"""

# Looks through the memory around every object for a word that is put together only here. Writing a page to a pipe
# finds out whether there is one, without dying of it.
SEARCH = """
import gc
word, page = bytes(code ^ 1 for code in OPTIONS["mask"]), 4096
reading, writing = os.pipe()
def look(address):
    if libc.write(writing, ctypes.c_void_p(address), page) != page:
        return False
    return word in os.read(reading, page)
regions = {id(each) >> 20 for each in gc.get_objects()}
found = {place for region in regions for place in range(region << 20, (region + 1) << 20, page) if look(place)}
print("pages", len(found - {place & ~(page - 1) for place in (id(word), id(word) + len(word) + 64)}))
"""


@pytest.fixture
def zygote_rig(worker: Worker) -> Iterator[Rig]:
    scene = Rig(worker, "zygote")
    yield scene
    remove_folder(scene.base)


def test_siblings_draw_different_random_numbers(zygote_rig: Rig) -> None:
    first, second = (zygote_rig.run(RANDOM)["log"].split() for _ in range(2))

    assert not set(first) & set(second)


def test_a_child_leaves_nothing_for_its_siblings(zygote_rig: Rig) -> None:
    zygote_rig.run(
        "import sys, ade_engine; sys.modules['planted'] = sys; ade_engine.planted = True; os.environ['X'] = '1'"
    )

    outcome = zygote_rig.run(
        "import ade_engine; print('planted' in sys.modules, hasattr(ade_engine, 'planted'), 'X' in os.environ)"
    )

    assert outcome["log"] == "False False False\n"


@pytest.mark.slow
@pytest.mark.req("S4")
def test_a_child_finds_nothing_of_an_earlier_run_in_its_memory(zygote_rig: Rig) -> None:
    name = "salaries-of-the-whole-board"
    zygote_rig.run("pass", document=[name] * 1000)  # larger than the next request, which would overwrite a small one

    outcome = zygote_rig.run(SEARCH, mask=[code ^ 1 for code in name.encode()])

    assert outcome["log"] == "pages 0\n"


@pytest.mark.slow
@pytest.mark.req("S4")
def test_a_child_finds_its_own_request_in_its_memory(zygote_rig: Rig) -> None:
    name = "salaries-of-the-whole-board"

    outcome = zygote_rig.run(SEARCH, document=name, mask=[code ^ 1 for code in name.encode()])

    assert outcome["log"] != "pages 0\n"  # so the search does find what is there


def test_the_zygote_never_imports_what_a_build_brings(zygote_rig: Rig) -> None:
    assert zygote_rig.run("import module")["kind"] == "succeeded"

    outcome = zygote_rig.run("print('module' in sys.modules, any('site-packages' in path for path in sys.path[:-1]))")

    assert outcome["log"] == "False False\n"


def test_a_zygote_is_replaced_after_its_share_of_runs() -> None:
    from sandbox.rig import users

    worker = Worker(users()[0])
    scene = Rig(worker, "zygote")
    try:
        pids = []
        for _ in range(4):
            assert scene.run("pass", runs_per_zygote=2)["kind"] == "succeeded"
            number = worker.order("zygote", mode="zygote", without=[], minimum="", runs_per_zygote=2)
            pids.append(worker.answer(number)["pid"])
        assert pids[1] is None  # retired with its second run
        assert pids[0] != pids[2]
        wait_until(lambda: _has_ended(pids[0]), what="the old one to end")
    finally:
        worker.close()
        remove_folder(scene.base)


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_run_goes_on_after_its_zygote_retired() -> None:
    from sandbox.rig import users

    worker = Worker(users()[0])
    scene, other = Rig(worker, "zygote"), Rig(worker, "zygote")
    try:
        code = "while not os.path.exists('go'): time.sleep(0.01)"
        slow = scene.start(code, runs_per_zygote=1)  # its zygote is retired at once
        assert other.run("pass", runs_per_zygote=1)["kind"] == "succeeded"
        (scene.output / "go").touch()
        assert worker.answer(slow)["kind"] == "succeeded"
    finally:
        worker.close()
        remove_folder(scene.base)
        remove_folder(other.base)


def test_a_zygote_that_cannot_start_leaves_the_work_to_spawned_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ade.sandbox.launcher.PRELOAD", ("ade_engine.not_a_module",))
    script = tmp_path / "script.py"
    script.write_text("print('done')")
    (tmp_path / "output").mkdir()
    request = Request(entry="script", output_folder=str(tmp_path / "output"), configuration_path=str(script))

    with Launcher(mode="zygote", minimum=Isolation.OPEN) as launcher:
        launcher.warm()
        outcome = launcher.start(request).wait()

        assert launcher.zygote_pid() is None
    assert outcome.kind == "succeeded"

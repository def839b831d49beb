"""The level is what was proven; a kernel that offers less gives a lower level, and below the minimum nothing runs."""

import os
from collections.abc import Iterator
from itertools import pairwise

import pytest

from ade.domain.isolation import Isolation
from ade.sandbox.inside.spec import LAYERS
from ade.sandbox.levels import NEEDED, level_of, missing_layers
from ade.sandbox.removal import remove_folder
from sandbox.rig import Rig, Worker, users

pytestmark = pytest.mark.req("S5")

MARK = "open('ran', 'w').close()"
LANDLOCK = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
KERNELS = {
    "no namespaces": (("unshare",), "confined"),
    "no Landlock": (LANDLOCK, "guarded"),
    "no seccomp": (("seccomp",), "limits"),
    "nothing": (("unshare", *LANDLOCK, "seccomp"), "limits"),
    "an old kernel": ((*LANDLOCK, "openat2", "close_range", "pidfd_open", "clone3"), "guarded"),
}


@pytest.fixture(scope="module")
def poor_workers() -> Iterator[dict[tuple[str, tuple[str, ...]], Worker]]:
    """Keep workers on poor kernels for as long as tests use them."""
    started: dict[tuple[str, tuple[str, ...]], Worker] = {}
    yield started
    for worker in started.values():
        worker.close()


@pytest.fixture(params=[user for user in users() if user != "root behind a closed door"])
def poor_rig(request: pytest.FixtureRequest, poor_workers: dict[tuple[str, tuple[str, ...]], Worker]) -> Iterator[Rig]:
    """Yield a scene on a kernel that lacks what the test names."""
    denied, mode = request.getfixturevalue("denied"), request.getfixturevalue("mode")
    key = (request.param, denied)
    if key not in poor_workers:
        poor_workers[key] = Worker(request.param, denied=denied)
    scene = Rig(poor_workers[key], mode)
    yield scene
    remove_folder(scene.base)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["spawn", "zygote"])
@pytest.mark.parametrize(("denied", "level"), KERNELS.values(), ids=KERNELS)
def test_a_poorer_kernel_gives_a_lower_level(poor_rig: Rig, denied: tuple[str, ...], level: str, mode: str) -> None:
    outcome = poor_rig.run(MARK, minimum="open")

    assert (outcome["kind"], outcome["level"]) == ("succeeded", level)
    assert outcome["missing"]
    assert all(outcome["missing"].values())


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["spawn", "zygote"])
@pytest.mark.parametrize(("denied", "level"), [KERNELS["no Landlock"], KERNELS["nothing"]])
def test_below_the_minimum_user_code_never_starts(
    poor_rig: Rig, denied: tuple[str, ...], level: str, mode: str
) -> None:
    outcome = poor_rig.run(MARK)  # the default minimum

    assert (outcome["kind"], outcome["level"]) == ("isolation_unavailable", level)
    assert "at least confined is required" in outcome["message"]
    assert "landlock" in outcome["message"]
    assert not (poor_rig.output / "ran").exists()


@pytest.mark.slow
@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer != "watch"])
def test_each_layer_that_is_off_is_missed(rig: Rig, layer: str) -> None:
    outcome = rig.run("pass", without=(layer,))

    if rig.worker.user == "root" and layer in ("capabilities", "not_dumpable"):
        assert outcome["level"] == "isolated"  # changing the user has done the same
        return
    assert outcome["missing"][layer] == "switched off"
    assert outcome["level"] != "isolated"


def test_a_full_set_of_layers_is_isolated() -> None:
    assert level_of(LAYERS) is Isolation.ISOLATED
    assert missing_layers([layer for layer in LAYERS if layer != "watch"], {}) == {}


@pytest.mark.parametrize("level", [level for level in Isolation if level is not Isolation.OPEN])
def test_a_level_is_lost_with_any_of_its_layers(level: Isolation) -> None:
    for layer in NEEDED[level]:
        assert level_of(NEEDED[level] - {layer}).rank < level.rank


def test_stronger_levels_need_all_that_weaker_ones_need() -> None:
    ordered = sorted(Isolation, key=lambda level: level.rank)

    for weaker, stronger in pairwise(ordered):
        assert NEEDED[weaker] < NEEDED[stronger]


def test_network_access_takes_no_layer_away(rig: Rig) -> None:
    outcome = rig.run("pass", network=True)

    assert (outcome["kind"], outcome["level"]) == ("succeeded", rig.worker.best_level)
    assert set(outcome["missing"]) == (set() if rig.worker.best_level == "isolated" else {"identity"})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its user")
def test_root_that_cannot_change_its_user_is_confined_and_says_which_folder_is_closed(rig: Rig) -> None:
    if rig.worker.user == "user":
        pytest.skip("an ordinary user is always itself")
    rig.base.chmod(0o700)  # the slot's own user could not pass

    outcome = rig.run("print(os.getuid())")

    assert (outcome["kind"], outcome["level"]) == ("succeeded", "confined")
    assert int(outcome["log"]) >= 61_000  # in its user namespace; for the host it is root
    assert outcome["missing"]["identity"].startswith("it remains root: no other user can read /")


def test_the_limit_of_processes_counts_only_when_the_kernel_was_seen_to_keep_it(rig: Rig) -> None:
    started = """
import threading
never = threading.Event()
count = 0
try:
    for count in range(100):
        threading.Thread(target=never.wait, daemon=True).start()
except RuntimeError:
    pass
print(count)
os._exit(0)
"""
    outcome = rig.run(started, limits={"processes": 30}, without=("watch",))

    has_own_user = "identity" not in outcome["missing"]
    assert has_own_user == (int(outcome["log"]) < 30)
    assert outcome["level"] == ("isolated" if has_own_user else "confined")

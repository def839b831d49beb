"""Fixtures: workers as root and as an ordinary user, children spawned and forked."""

import sys
from collections.abc import Iterator

import pytest

from ade.sandbox.removal import remove_folder
from sandbox.rig import Rig, Worker, users

if sys.platform != "linux":
    collect_ignore_glob = ["test_abuse*.py", "test_deaths.py"]


USERS = [pytest.param(user, marks=pytest.mark.slow if user == "root behind a closed door" else ()) for user in users()]


@pytest.fixture(scope="session", params=USERS)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """Yield a worker as each user there is."""
    started = Worker(request.param)
    yield started
    started.close()


@pytest.fixture(params=["spawn", "zygote"])
def rig(request: pytest.FixtureRequest, worker: Worker) -> Iterator[Rig]:
    """Yield a scene for children started both ways."""
    scene = Rig(worker, request.param)
    yield scene
    remove_folder(scene.base)

"""A launcher that cannot start a child leaves nothing of it behind."""

import os
from pathlib import Path

import pytest

from ade.sandbox.interpreter import unreachable
from ade.sandbox.launcher import Launcher
from ade_engine.protocol import Request


@pytest.mark.req("W4")
def test_a_start_that_fails_leaves_no_descriptor_open(tmp_path: Path) -> None:
    request = Request(entry="script", output_folder=str(tmp_path), configuration_path=str(tmp_path.parent))
    launcher = Launcher(mode="spawn")
    launcher.close()
    before = set(Path("/proc/self/fd").iterdir())

    with pytest.raises(RuntimeError):
        launcher.start(request)

    assert set(Path("/proc/self/fd").iterdir()) == before


def test_links_in_a_circle_are_no_closed_folder(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")

    assert unreachable([str(tmp_path / "one")], os.getuid()) is None

"""ade doctor tells the level runs really get."""

import sys
import tempfile
from pathlib import Path

import pytest

from ade.cli.doctor import check_isolation, check_network
from ade.sandbox.probe import probe

pytestmark = pytest.mark.req("S5", "C1")


def test_the_probe_reaches_what_its_child_proved_and_leaves_nothing() -> None:
    before = set(Path(tempfile.gettempdir()).glob("ade-probe-*"))

    reached = probe()

    assert reached.level.rank > 0
    assert bool(reached.missing) == (reached.level != "isolated")
    assert set(Path(tempfile.gettempdir()).glob("ade-probe-*")) <= before


def test_the_doctor_tells_the_level_and_accepts_it() -> None:
    check = check_isolation(probe(), "open")

    assert check.verdict in ("ok", "warning")
    assert check.found.startswith(str(probe().level))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing more can be asked for")
def test_the_doctor_says_when_runs_will_be_refused() -> None:
    if probe().level == "isolated":
        pytest.skip("this host gives all that can be asked for")

    check = check_isolation(probe(), "isolated")

    assert check.verdict == "failed"
    assert "ADE_MIN_ISOLATION" in check.advice


def test_the_doctor_reports_which_runs_get_network_access() -> None:
    check = check_network("never")

    assert (check.verdict, check.found.split(":")[0]) == ("ok", "never")


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's")
def test_the_doctor_reports_whether_this_host_can_give_network_access() -> None:
    check = check_network("ask")

    is_possible = "network_namespace" not in probe().missing
    assert check.verdict == ("ok" if is_possible else "warning")
    assert ("public addresses" in check.found) == is_possible

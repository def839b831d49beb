"""The systemd units: how much of the host they leave open, and that what they close does not break the sandbox."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ade
import ade_engine
from ade.sandbox.inside.syscalls import NUMBERS
from ade.sandbox.interpreter import unreachable
from deploy.described import DEPLOY, ROOT, unit
from sandbox.rig import NOBODY, SITE_PACKAGES, open_python

SYSTEM_UNITS = "/etc/systemd/system"
UNITS = ("ade-api.service", "ade-worker@.service")
IMPORTED = [
    *(str(Path(module.__file__ or "").parents[1]) for module in (ade, ade_engine)),
    str(Path(__file__).parents[1]),
    SITE_PACKAGES,
]
PROBE = """
import sys
from sandbox.runner import deny
deny(sys.argv[1:])
from ade.sandbox.probe import probe
reached = probe()
print(reached.level, sorted(reached.missing))
"""
has_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")


@has_systemd
@pytest.mark.parametrize("name", UNITS)
def test_units_are_rated_below_three(name: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(DEPLOY / "systemd" / name)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rated = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)

    assert rated is not None, said
    assert float(rated[1]) < 3, said


@pytest.mark.parametrize("name", UNITS)
def test_units_keep_what_they_write_to_themselves(name: str) -> None:
    settings = unit(name)

    assert (settings["UMask"], settings["StateDirectoryMode"]) == (["0077"], ["0700"])


@pytest.mark.parametrize("name", UNITS)
def test_the_page_makes_all_that_a_unit_names(name: str) -> None:
    page = (ROOT / "docs/how-to/deploy.md").read_text()
    commands = page[page.index("\n## systemd") :].split("```")[1]
    settings = unit(name)
    started = {line.split()[0] for key in ("ExecStartPre", "ExecStart") for line in settings.get(key, [])}
    sources = re.findall(r"(?:-r|\s)\s*((?:\./)?(?:requirements|packages|deploy)/[\w./-]+)", commands)

    assert [line.split()[-1] for line in commands.splitlines() if line.startswith("useradd")] == settings["User"]
    assert started == {"/opt/ade/bin/ade"}
    assert "python3 -m venv /opt/ade\n" in commands
    assert [line for line in commands.splitlines() if settings["EnvironmentFile"][0] in line.split()]
    assert f"cp deploy/systemd/*.service {SYSTEM_UNITS}/" in commands
    assert len(sources) >= 3
    assert all((ROOT / source).exists() for source in sources), sources


@has_systemd
@pytest.mark.slow
@pytest.mark.req("S5")
@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can become another user")
@pytest.mark.parametrize("name", UNITS)
def test_the_system_calls_a_unit_refuses_take_nothing_from_the_sandbox(name: str) -> None:
    python = open_python()
    if python is None or unreachable(IMPORTED, NOBODY):
        pytest.skip("other users cannot start this")
    refused = sorted(set(NUMBERS) - allowed_calls(unit(name)["SystemCallFilter"]))
    if "RestrictNamespaces" in unit(name) and unit(name)["RestrictNamespaces"] == ["yes"]:
        refused.append("unshare")
    free, within = (probe(python, calls) for calls in (["setns"], refused))

    if name == "ade-worker@.service":
        assert within == free
    else:
        assert within.startswith("confined")


def probe(python: str, refused: list[str]) -> str:
    return subprocess.run(
        [python, "-c", PROBE, *refused],
        env={"PYTHONPATH": ":".join(IMPORTED), "PATH": os.environ["PATH"]},
        user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def allowed_calls(lines: list[str]) -> set[str]:
    """Return the calls that a filter leaves: lines add to it, those with a tilde take away."""
    allowed: set[str] = set()
    for line in lines:
        named = {call for word in line.lstrip("~").split() for call in calls_of(word)}
        allowed = allowed - named if line.startswith("~") else allowed | named
    return allowed


def calls_of(word: str) -> set[str]:
    if not word.startswith("@"):
        return {word}
    command = ["systemd-analyze", "syscall-filter", word]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    parts = [line.strip() for line in said.stdout.splitlines()[1:] if line.strip() and "#" not in line]
    return {call for part in parts for call in calls_of(part)}

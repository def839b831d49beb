"""Finds out how far children are shut in on this host, by shutting one in."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ade.domain.isolation import Isolation
from ade.sandbox.inside import landlock
from ade.sandbox.inside.spec import Limits
from ade.sandbox.launcher import Launcher
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.sandbox.removal import remove_folder
from ade_engine.protocol import Request

_LIMITS = Limits(wall_seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The level a real child reached, and each missing layer with its reason."""

    level: Isolation
    missing: Mapping[str, str]
    description: str


def probe() -> Reached:
    """Start a child that does nothing, and return what its self-test proved."""
    outcome = _run_nothing()
    if outcome.level is None or outcome.kind is not OutcomeKind.SUCCEEDED:
        reason = {"process": outcome.message or str(outcome.kind)}
        return Reached(level=Isolation.OPEN, missing=reason, description="no child could be started")
    abi = landlock.version()
    description = f"Landlock {abi}" if abi else "no Landlock"
    return Reached(level=outcome.level, missing=outcome.missing, description=description)


def missing_for_network() -> str:
    """Start a child with network access that does nothing; return why it cannot have it, or nothing."""
    outcome = _run_nothing(is_network_allowed=True)
    return "" if outcome.kind is OutcomeKind.SUCCEEDED else outcome.message or str(outcome.kind)


def _run_nothing(*, is_network_allowed: bool = False) -> Outcome:
    folder = Path(tempfile.mkdtemp(prefix="ade-probe-"))
    try:
        folder.chmod(0o755)  # as run folders are: others may pass through, the child's own part is its own
        output, script = folder / "output", folder / "nothing.py"
        output.mkdir()
        script.write_text("")
        script.chmod(0o644)  # whatever the umask: the child has another user
        request = Request(entry="script", output_folder=str(output), configuration_path=str(script))
        with Launcher(mode="spawn", minimum=Isolation.OPEN) as launcher:
            return launcher.start(request, limits=_LIMITS, is_network_allowed=is_network_allowed).wait()
    finally:
        remove_folder(folder)

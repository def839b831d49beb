"""Turns the layers that were proven to hold into a level."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ade.domain.isolation import Isolation
from ade.sandbox.inside.spec import LAYERS

_LIMITS = frozenset({"environment", "descriptors", "limits"})
_GUARDED = _LIMITS | {"no_new_privileges", "capabilities", "parent_death", "seccomp"}
_CONFINED = _GUARDED | {"not_dumpable", "landlock"}
_ISOLATED = _CONFINED | {"identity", "network_namespace", "ipc_namespace", "pid_namespace", "mount_namespace"}

NEEDED: Mapping[Isolation, frozenset[str]] = {
    Isolation.ISOLATED: _ISOLATED,
    Isolation.CONFINED: _CONFINED,
    Isolation.GUARDED: _GUARDED,
    Isolation.LIMITS: _LIMITS,
    Isolation.OPEN: frozenset(),
}
_UNPROVEN = "could not be proven"


def level_of(proven: Collection[str]) -> Isolation:
    """Return the strongest level all of whose layers hold."""
    return next(level for level, needed in NEEDED.items() if needed <= frozenset(proven))


def missing_layers(proven: Collection[str], reasons: Mapping[str, str]) -> dict[str, str]:
    """Return each layer that does not hold, and why."""
    # The keeper's watch is outside the child, which cannot prove it; it misses only when it was switched off.
    expected = [layer for layer in LAYERS if layer != "watch" or layer in reasons]
    return {layer: reasons.get(layer, _UNPROVEN) for layer in expected if layer not in proven}

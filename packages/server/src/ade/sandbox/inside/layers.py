"""Puts the layers on, in the one order that works, and notes why one could not be."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ade.sandbox.inside import landlock, limits, namespaces, privileges, root, seccomp
from ade.sandbox.inside.spec import LAYERS, PROXY_PORT, Spec

NAMESPACES = ("network_namespace", "ipc_namespace", "pid_namespace")
SWITCHED_OFF = "switched off"


@dataclass(slots=True)
class Layers:
    """The layers of one child on their way."""

    spec: Spec
    reasons: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reasons.update({layer: SWITCHED_OFF for layer in LAYERS if not self.spec.has(layer)})

    def enter_namespaces(self) -> None:
        """Move the children of this process into namespaces of their own."""
        self.before = {name: namespaces.identity(name) for name in ("user", *NAMESPACES)}
        if self.spec.has_user_namespace:
            uid = self.spec.uid if self.spec.uid is not None else os.getuid()
            self.put_on("identity", lambda: namespaces.enter_user(inside_uid=uid))
            if self.spec.closed_path and self.spec.has("identity"):
                # The kernel counts no processes of root, and root's files are its own.
                self.reasons["identity"] = f"it remains root: no other user can read {self.spec.closed_path}"
        for name in NAMESPACES:
            self.put_on(name, lambda name=name: namespaces.enter(name))  # type: ignore[misc]

    def open_network(self, open_proxy: Callable[[], None]) -> None:
        """Connect the network namespace to its proxy, or note why the run cannot have network access."""
        name = "network_namespace"
        if name in self.reasons or namespaces.identity(name) in ("", self.before[name]):
            self.reasons["network"] = f"{name}: {self.reasons.get(name, 'it was not entered')}"
            return
        try:
            open_proxy()
        except OSError as error:
            self.reasons["network"] = str(error)

    def entered(self) -> frozenset[str]:
        """Return the namespaces in which this process is not what it was; a user namespace is an identity."""
        names = {name for name, old in self.before.items() if old and namespaces.identity(name) not in ("", old)}
        return frozenset("identity" if name == "user" else name for name in names) - self.reasons.keys()

    def shut_in(self, *, parent: int) -> None:
        """Give up everything else this process could do. It can never be undone."""
        spec = self.spec
        is_own_user = spec.has("identity") and "identity" not in self.reasons
        self.put_on("mount_namespace", self._leave_host_files)
        self.put_on("limits", lambda: limits.apply(spec.limits, is_own_user=is_own_user))
        if spec.uid is not None and not spec.has_user_namespace:
            uid = spec.uid
            self.put_on("identity", lambda: privileges.become(uid))
        self.put_on("capabilities", privileges.drop_capabilities)
        self.put_on("no_new_privileges", privileges.forbid_new_privileges)
        # After the change of user, which clears it.
        self.put_on("parent_death", lambda: privileges.die_with_parent(parent))
        self.put_on("not_dumpable", privileges.forbid_inspection)
        self.put_on("landlock", self._restrict_files)
        self.put_on("seccomp", lambda: seccomp.restrict(is_network_allowed=spec.network is not None))

    def put_on(self, name: str, act: Callable[[], None]) -> None:
        """Put one layer on, or note why it is missing."""
        if not self.spec.has(name):
            return
        try:
            act()
        except (OSError, ValueError) as error:
            self.reasons[name] = str(error)

    def _leave_host_files(self) -> None:
        devices = (*landlock.DEVICES, landlock.REFUSED_DEVICE)
        root.enter(readable=self.spec.readable, writable=self.spec.writable, devices=devices)

    def _restrict_files(self) -> None:
        landlock.restrict(
            readable=self.spec.readable,
            writable=self.spec.writable,
            ports=() if self.spec.network is None else (PROXY_PORT,),
        )


def close_descriptors_from(lowest: int) -> None:
    """Close every descriptor from this one on."""
    try:
        numbers = [int(path.name) for path in Path("/proc/self/fd").iterdir()]
    except OSError:
        os.closerange(lowest, os.sysconf("SC_OPEN_MAX"))
        return
    for number in numbers:
        if number >= lowest:
            with suppress(OSError):  # the one that listed them is gone
                os.close(number)


def move_down(numbers: list[int]) -> list[int]:
    """Move descriptors right behind the standard ones and close all others."""
    high = [os.dup(number) for number in numbers]
    while min(high) < 3 + len(numbers):
        high = [os.dup(number) for number in high]
    for place, number in enumerate(high, 3):
        os.dup2(number, place, inheritable=False)
    close_descriptors_from(3 + len(numbers))
    return list(range(3, 3 + len(numbers)))

"""Gives up what a process may do because of its user and groups."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from contextlib import suppress

from ade.sandbox.inside import kernel

_CAPABILITY_VERSION = 0x20080522
_CAPABILITY_COUNT = 64


def become(uid: int) -> None:
    """Become a user that owns nothing else, in no group but its own."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_capabilities() -> None:
    """Give up every capability, also those a later program would get."""
    for capability in range(_CAPABILITY_COUNT):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:
            break  # without privileges there is nothing to drop; past the last one there is nothing left
    with suppress(OSError):
        kernel.prctl(kernel.PR_CAP_AMBIENT, kernel.PR_CAP_AMBIENT_CLEAR_ALL)
    kernel.syscall("capset", struct.pack("=Ii", _CAPABILITY_VERSION, 0), bytes(24))


def has_capabilities() -> bool:
    """Return whether this process has, or could raise, any capability."""
    held = ctypes.create_string_buffer(24)
    kernel.syscall("capget", struct.pack("=Ii", _CAPABILITY_VERSION, 0), held)
    return any(held.raw)


def forbid_new_privileges() -> None:
    """Make set-user-id programs ordinary ones, for this process and all it starts."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(expected_parent: int) -> None:
    """Be killed when the parent ends; end at once when it already has."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != expected_parent:
        os._exit(1)


def forbid_inspection() -> None:
    """Keep processes of the same user from reading this one's memory and environment."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)

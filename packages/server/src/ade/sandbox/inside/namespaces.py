"""Namespaces: a network, processes and shared memory that hold nothing of the host's."""

from __future__ import annotations

import os
from pathlib import Path

from ade.sandbox.inside.kernel import PR_SET_DUMPABLE, prctl, syscall

_FLAGS = {
    "user": 0x10000000,
    "pid_namespace": 0x20000000,
    "network_namespace": 0x40000000,
    "ipc_namespace": 0x0C000000,  # with the host's name
}
_FILES = {"user": "user", "pid_namespace": "pid", "network_namespace": "net", "ipc_namespace": "ipc"}


def enter(name: str) -> None:
    """Move into a new namespace; for processes, the next child does."""
    syscall("unshare", _FLAGS[name])


def enter_user(*, inside_uid: int) -> None:
    """Move into a user namespace, in which this user is `inside_uid` and has every capability."""
    uid, gid = os.getuid(), os.getgid()
    prctl(PR_SET_DUMPABLE, 1)  # or the maps below belong to root
    enter("user")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{inside_uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{inside_uid} {gid} 1")


def identity(name: str) -> str:
    """Return which namespace of a kind this process is in; empty when it is not known."""
    try:
        return str(Path(f"/proc/self/ns/{_FILES[name]}").readlink())
    except OSError:
        return ""

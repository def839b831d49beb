"""Tries what each layer should refuse. A layer counts only when it was seen to hold."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from ade.sandbox.inside import kernel, landlock, limits, privileges, root
from ade.sandbox.inside.spec import ENVIRONMENT_NAMES, Spec

_HIGHEST_DESCRIPTOR = 4096


def prove(spec: Spec, *, entered: frozenset[str], descriptors: range) -> list[str]:
    """Return the layers that hold in this process. `entered` are the namespaces seen to differ from the keeper's."""
    is_own_user = "identity" in entered or (not spec.has_user_namespace and os.getuid() == spec.uid)
    proofs: dict[str, Callable[[], bool]] = {
        "environment": lambda: ENVIRONMENT_NAMES.issuperset(os.environ),
        "descriptors": lambda: _has_only(descriptors),
        "identity": lambda: is_own_user and os.getuid() != 0,
        "network_namespace": lambda: "network_namespace" in entered,
        "ipc_namespace": lambda: "ipc_namespace" in entered,
        "pid_namespace": lambda: "pid_namespace" in entered and os.getppid() == 1,
        "mount_namespace": root.is_entered,
        "limits": lambda: (
            limits.is_applied(spec.limits, is_own_user=is_own_user) and (not is_own_user or limits.is_thread_refused())
        ),
        "capabilities": lambda: not privileges.has_capabilities(),
        "no_new_privileges": lambda: kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS) == 1,
        "parent_death": lambda: kernel.parent_death_signal() == signal.SIGKILL,
        "not_dumpable": lambda: kernel.prctl(kernel.PR_GET_DUMPABLE) == 0,
        "landlock": _is_shut_in_by_landlock,
        "seccomp": lambda: _is_shut_in_by_seccomp(has_network=spec.network is not None),
    }
    return [layer for layer, proof in proofs.items() if _holds(proof)]


def _holds(proof: Callable[[], bool]) -> bool:
    try:
        return proof()
    except OSError:
        return False


def _has_only(descriptors: range) -> bool:
    ceiling = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], _HIGHEST_DESCRIPTOR)
    return not any(_is_open(number) for number in range(descriptors.stop, ceiling))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _is_shut_in_by_landlock() -> bool:
    """Try what any user may read or write: only Landlock says no."""
    device = landlock.REFUSED_DEVICE
    return (
        _refusal(lambda: os.close(os.open(device, os.O_RDONLY))) == errno.EACCES
        and _refusal(lambda: os.close(os.open(device, os.O_WRONLY))) == errno.EACCES
        and _refusal(lambda: list(Path("/").iterdir())) == errno.EACCES
    )


def _is_shut_in_by_seccomp(*, has_network: bool) -> bool:
    """Try calls that do nothing, or fail otherwise, unless seccomp says no first."""
    attempts: list[Callable[[], object]] = [
        lambda: kernel.syscall("unshare", 0),
        lambda: kernel.syscall("execve", None, None, None),
        lambda: kernel.syscall("io_uring_setup", 0, None),
        lambda: kernel.syscall("process_vm_readv", os.getpid(), None, 0, None, 0, 0),
        lambda: os.kill(os.getppid(), 0),
        lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close(),
    ]
    attempts += [
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
        lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM).close(),
    ]
    if not has_network:
        attempts.append(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close())
    return all(_refusal(attempt) == errno.EPERM for attempt in attempts)


def _refusal(attempt: Callable[[], object]) -> int | None:
    try:
        attempt()
    except OSError as error:
        return error.errno
    return None

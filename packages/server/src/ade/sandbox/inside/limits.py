"""Resource limits the kernel itself keeps."""

from __future__ import annotations

import _thread
import os
import resource
import sys
from contextlib import suppress

from ade.sandbox.inside import kernel
from ade.sandbox.inside.spec import MIB, Limits

# The address space holds more than memory in use: libraries, stacks of threads, room the allocator keeps. The keeper
# watches what is in use; this bounds how far a child gets between two looks.
ADDRESS_SPACE_ROOM = 256 * MIB
_THREAD_STACK = 8 * MIB
# In a container, all threads of a host's server, worker and runs share its processors by their weight. The server goes
# before: 64 threads of a run weigh about as much as two of its own.
_NICENESS = 15


def apply(limits: Limits, *, is_own_user: bool) -> None:
    """Limit this process. The count of processes is per user: it says nothing about a user shared with others."""
    for kind, (soft, hard) in _wanted(limits, is_own_user=is_own_user).items():
        _, ceiling = resource.getrlimit(kind)
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))
    with suppress(OSError):  # a service manager may refuse it; it is a courtesy to others and no limit
        os.nice(max(_NICENESS - os.getpriority(os.PRIO_PROCESS, 0), 0))
    if sys.platform == "linux":
        # Of a huge page that is unmapped but for one small page, the kernel counts the small one and keeps all of it.
        kernel.prctl(kernel.PR_SET_THP_DISABLE, 1)


def is_applied(limits: Limits, *, is_own_user: bool) -> bool:
    """Return whether every limit holds."""
    if sys.platform == "linux" and kernel.prctl(kernel.PR_GET_THP_DISABLE) != 1:
        return False
    wanted = _wanted(limits, is_own_user=is_own_user)
    return all(0 <= resource.getrlimit(kind)[1] <= hard for kind, (_, hard) in wanted.items())


def is_thread_refused() -> bool:
    """Return whether the kernel keeps the limit of processes: it does not for every user. One thread is tried."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (1, hard))
    try:
        _thread.start_new_thread(_do_nothing, ())
    except RuntimeError:
        return True
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
    return False


def _do_nothing() -> None:
    """End."""


def _wanted(limits: Limits, *, is_own_user: bool) -> dict[int, tuple[int, int]]:
    space = limits.memory_bytes + ADDRESS_SPACE_ROOM
    wanted = {
        # The soft limit's signal can be ignored; the hard one, a second later, cannot.
        resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + 1),
        resource.RLIMIT_FSIZE: (limits.file_bytes, limits.file_bytes),
        resource.RLIMIT_NOFILE: (limits.open_files, limits.open_files),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_STACK: (_THREAD_STACK, _THREAD_STACK),
        resource.RLIMIT_MEMLOCK: (0, 0),
    }
    if sys.platform == "linux":  # what the kernel keeps for a process counts too
        wanted[resource.RLIMIT_SIGPENDING] = (limits.open_files, limits.open_files)
        wanted[resource.RLIMIT_MSGQUEUE] = (0, 0)
    if sys.platform != "darwin":  # there it cannot be set
        wanted[resource.RLIMIT_AS] = (space, space)
    if is_own_user:
        wanted[resource.RLIMIT_NPROC] = (limits.processes, limits.processes)
    return wanted

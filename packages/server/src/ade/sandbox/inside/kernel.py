"""Calls the kernel where Python has no function for it. Off Linux every call fails as "not implemented"."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache

from ade.sandbox.inside import syscalls

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39
PR_SET_THP_DISABLE, PR_GET_THP_DISABLE = 41, 42
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def syscall(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call; raise OSError as Python's own functions do."""
    found = syscalls.number(name) if sys.platform == "linux" else None
    if found is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return _checked(_libc().syscall(ctypes.c_long(found), *words), name)


def prctl(option: int, *arguments: int) -> int:
    """Ask or set something about this process."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, f"prctl: {os.strerror(errno.ENOSYS)}")
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc().prctl(ctypes.c_int(option), *words), "prctl")


def parent_death_signal() -> int:
    """Return the signal this process gets when its parent dies; 0 for none."""
    answer = ctypes.c_int(0)
    prctl(PR_GET_PDEATHSIG, ctypes.addressof(answer))
    return answer.value


def _checked(answer: int, name: str) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return answer

"""Asks the kernel which layers of isolation it offers. Confines nothing."""

import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path

_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_VERSION_FLAG = 1
_PR_GET_SECCOMP = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """The layers this kernel has for this user."""

    landlock_abi: int
    has_seccomp: bool
    has_namespaces: bool

    @property
    def missing(self) -> list[str]:
        """Return the layers that are not there."""
        layers = {"landlock": self.landlock_abi > 0, "seccomp": self.has_seccomp, "namespaces": self.has_namespaces}
        return [name for name, is_there in layers.items() if not is_there]


def probe() -> Offered:
    """Return what the kernel offers; nothing of it off Linux."""
    if sys.platform != "linux":
        return Offered(landlock_abi=0, has_seccomp=False, has_namespaces=False)
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_VERSION_FLAG)
    return Offered(
        landlock_abi=max(abi, 0),
        has_seccomp=libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0,
        has_namespaces=os.getuid() == 0 or _users_may_unshare(),
    )


def _users_may_unshare() -> bool:
    switches = ("/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone")
    return all(_read(switch) != "0" for switch in switches)


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""  # not every kernel has every switch

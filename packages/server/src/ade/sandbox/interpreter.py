"""The Python that children run, and the files it needs."""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ASK = """
import json, sys, sysconfig
stdlib = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
print(json.dumps([sys.base_prefix, sys.base_exec_prefix, *stdlib]))
"""
FLAGS = ("-I", "-S", "-B", "-X", "utf8")
SYSTEM_PATHS = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/mime.types", "/usr/share/zoneinfo", "/etc/zoneinfo",
)  # fmt: skip
NETWORK_PATHS = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates",
)  # fmt: skip
# The engine, and what it imports: the only packages of the server's environment that a child can see.
TRUSTED_PACKAGES = ("ade_engine", "python_calamine", "rapidfuzz", "pyarrow")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An executable and the folders of its standard library."""

    executable: str
    library: tuple[str, ...]


@cache
def find_interpreter(executable: str = sys.executable) -> Interpreter:
    """Ask a Python where its standard library is. A virtual environment's is its parent's."""
    resolved = str(Path(executable).resolve())
    answer = subprocess.run([resolved, *FLAGS, "-c", _ASK], capture_output=True, text=True, check=True, env={})
    prefix, exec_prefix, *stdlib = json.loads(answer.stdout)
    libraries = {*stdlib, f"{prefix}/lib", f"{exec_prefix}/lib"}
    return Interpreter(resolved, tuple(sorted(libraries)))


@cache
def trusted_packages() -> dict[str, str]:
    """Return the folder each trusted package lies in; those that are not installed are left out."""
    found = {name: importlib.util.find_spec(name) for name in TRUSTED_PACKAGES}
    return {
        name: str(Path(spec.origin).parent.parent)
        for name, spec in found.items()
        if spec is not None and spec.origin is not None and spec.submodule_search_locations
    }


def own_folder() -> str:
    """Return the folder this very package is imported from."""
    return str(Path(__file__).resolve().parents[2])


def unreachable(paths: Iterable[str], uid: int) -> str | None:
    """Return the first folder or file that keeps a user from one of the paths, or None."""
    return next((closed for path in paths if (closed := _closed_part(Path(path), uid))), None)


def _closed_part(path: Path, uid: int) -> str | None:
    for part in (*reversed(path.resolve().parents), path):
        try:
            status = part.stat()
        except OSError:
            return None  # what is not there need not be reached
        needed = stat.S_IXOTH if part != path else stat.S_IROTH
        is_owner = status.st_uid == uid
        if not (status.st_mode & needed or (is_owner and status.st_mode & (needed << 6))):
            return str(part)
    return None


def is_root() -> bool:
    """Tell whether this process may become another user."""
    return os.geteuid() == 0

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
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
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
# What a child with network access checks the certificates of servers with. Not the folders of private keys beside them.
CERTIFICATE_PATHS = (
    "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted", "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
)  # fmt: skip
# What its proxy finds the addresses of names with.
RESOLVER_PATHS = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
)  # fmt: skip
# The engine, and what it imports: the only packages of the server's environment that a child can see.
TRUSTED_PACKAGES = ("ade_engine", "chardet", "pyarrow")


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
def trusted_modules() -> dict[str, str]:
    """Return the file that each trusted module is loaded from; packages that are not installed are left out."""
    files: dict[str, str] = {}
    for name in TRUSTED_PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None and spec.submodule_search_locations:
            files |= {name: spec.origin, **_libraries_beside(name)}
    return files


def _libraries_beside(package: str) -> dict[str, str]:
    """Return the compiled modules of a package outside of its folder: those of mypyc share one."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return {}
    beside = [file for file in files if len(file.parts) == 1 and file.name.endswith(tuple(EXTENSION_SUFFIXES))]
    return {file.name.partition(".")[0]: str(file.locate()) for file in beside}


def readable_of(module_file: str) -> str:
    """Return what a child must be able to read to import a module: the folder of a package, or a file."""
    path = Path(module_file)
    return str(path.parent if path.name == "__init__.py" else path)


def own_folder() -> str:
    """Return the folder this very package is imported from."""
    return str(Path(__file__).resolve().parents[2])


def unreachable(paths: Iterable[str], uid: int) -> str | None:
    """Return the first folder or file that keeps a user from one of the paths, or None."""
    return next((closed for path in paths if (closed := _closed_part(Path(path), uid))), None)


def _closed_part(path: Path, uid: int) -> str | None:
    for part in (*reversed(Path(os.path.realpath(path)).parents), path):  # resolve() raises for links in a circle
        try:
            status = part.stat()
        except OSError:
            return None  # what is not there need not be reached
        needed = stat.S_IXOTH if part != path else stat.S_IROTH
        # A child has one group, of the same number as its user.
        allowed = needed | (needed << 6) * (status.st_uid == uid) | (needed << 3) * (status.st_gid == uid)
        if not status.st_mode & allowed:
            return str(part)
    return None


def is_root() -> bool:
    """Return whether this process may become another user."""
    return os.geteuid() == 0

"""How uv is called: with which words, limits and variables."""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

from ade.sandbox.inside.spec import MIB
from ade.settings import Settings

# uv must end with us and keep its limits: it is started by way of a few lines that tell the kernel so.
_START = """
import json, os, resource, sys
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
for kind, limit in json.loads(sys.argv[2]):
    hard = resource.getrlimit(kind)[1]
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (limit, limit))
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[3], sys.argv[3:])
"""
# The address space holds more than memory in use: stacks of threads, room the allocator keeps.
_ADDRESS_SPACE_ROOM = 512 * MIB
_OPEN_FILES = 1024
# uv unpacks and compiles in this many processes and threads at once; each has limits of its own.
_AT_ONCE = 2
_KEPT_VARIABLES = frozenset(
    {"PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallLimits:
    """How much installing the packages of one build may use; disk is what lies in the build and in its cache."""

    cpu_seconds: int
    memory_bytes: int
    disk_bytes: int
    free_disk_bytes: int
    file_count: int = 200_000


def install_limits(settings: Settings) -> InstallLimits:
    """Return the limits the operator decided on."""
    return InstallLimits(
        cpu_seconds=settings.build_cpu_seconds,
        memory_bytes=settings.build_mem_mb * MIB,
        disk_bytes=settings.build_disk_mb * MIB,
        free_disk_bytes=settings.min_free_disk_mb * MIB,
    )


def command(target: Path, requirements: Path, *, wheelhouse: Path | None) -> list[str]:
    """Return how uv is called. A wheel runs nothing when it is installed, so only wheels are."""
    sources = ["--offline", "--no-index", "--find-links", str(wheelhouse)] if wheelhouse is not None else []
    return [
        _uv(), "pip", "install", "--no-progress", "--color=never", "--no-config", "--python", sys.executable,
        "--target", str(target), "--only-binary=:all:", "--compile-bytecode", "--link-mode=copy",
        *sources, "--requirements", str(requirements),
    ]  # fmt: skip


def bounded(words: list[str], limits: InstallLimits) -> list[str]:
    """Return a command that ends with this process, however that ends, and keeps to the limits."""
    kinds = [
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, limits.disk_bytes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ]
    if sys.platform != "darwin":  # there it cannot be set
        kinds.append((resource.RLIMIT_AS, limits.memory_bytes + _ADDRESS_SPACE_ROOM))
    return [sys.executable, "-I", "-S", "-c", _START, str(os.getpid()), json.dumps(kinds), *words]


def installer_environment(*, cache: Path) -> dict[str, str]:
    """Pass on where packages come from and nothing else: uv needs none of our secrets."""
    passed = {
        name: value for name, value in os.environ.items() if name.upper() in _KEPT_VARIABLES or name.startswith("UV_")
    }
    # Certificates of the host, as everything else on it uses: a company's own index has one of the company's own.
    if not passed.keys() & {"SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS"}:
        passed |= {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}  # the new and the old name
    return {
        **passed,
        "UV_CACHE_DIR": str(cache),
        "UV_CONCURRENT_INSTALLS": str(_AT_ONCE),
        # By content, not by time: an environment is packed without times, and its compiled files must stay valid.
        "PYC_INVALIDATION_MODE": "UNCHECKED_HASH",
    }


def _uv() -> str:
    from uv import find_uv_bin

    return find_uv_bin()

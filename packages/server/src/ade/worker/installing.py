"""Installs a configuration's dependencies with uv: wheels only, since a wheel runs nothing when it is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import tomllib
from collections import deque
from collections.abc import Callable
from pathlib import Path

from ade.settings import Settings

REQUIREMENTS = "requirements.txt"
PYPROJECT = "pyproject.toml"
# uv must end with us: started by way of a few lines that tell the kernel so.
_DIE_WITH_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
_LEADS_TO_CODE = re.compile(r"^\s*(-|\.{0,2}/|\w[\w+.-]*:)|@|\.(zip|tar|tgz|gz|bz2|xz)\b", re.IGNORECASE)
_HASHES = re.compile(r"--hash=sha\d{3}:[0-9a-fA-F]+")


class InstallFailed(Exception):
    """Dependencies cannot be installed; the message says why."""


class Installer:
    """Runs uv once; may be killed from another thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._is_killed = False
        self._is_too_late = False

    def install(self, configuration: Path, target: Path, *, seconds: float, tell: Callable[[str], None]) -> None:
        """Install what the configuration asks for, if anything."""
        wanted = wanted_by(configuration)
        if not wanted:
            return
        last: deque[str] = deque(maxlen=6)
        checked = target.with_name("requirements-checked.txt")
        checked.write_text("".join(f"{requirement}\n" for requirement in wanted))
        process = self._start(self._command(target, checked))
        watch = threading.Timer(seconds, self._end_late)
        watch.start()
        assert process.stdout is not None  # noqa: S101 - we asked for a pipe
        with process.stdout:
            for line in process.stdout:
                last.append(line.strip())
                tell(line.rstrip())
        watch.cancel()
        checked.unlink()
        if process.wait() != 0:
            raise InstallFailed(self._reason(last))

    def kill(self) -> None:
        """End uv, now or before it starts."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                self._process.kill()

    def _end_late(self) -> None:
        self._is_too_late = True
        self.kill()

    def _reason(self, last: deque[str]) -> str:
        if self._is_too_late:
            seconds = f"{self._settings.build_timeout_seconds:g}"
            return (
                f"Dependencies took longer than {seconds} s to install. Raise ADE_BUILD_TIMEOUT_SECONDS or need less."
            )
        if self._is_killed:
            return "The build was stopped."
        return "Dependencies could not be installed: " + " ".join(last)

    def _command(self, target: Path, requirements: Path) -> list[str]:
        return [
            _uv(), "pip", "install", "--no-progress", "--color=never", "--no-config", "--python", sys.executable,
            "--target", str(target), "--only-binary=:all:", "--compile-bytecode", "--link-mode=copy",
            *self._sources(), "--requirements", str(requirements),
        ]  # fmt: skip

    def _start(self, command: list[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._is_killed:
                raise InstallFailed("The build was stopped.")
            self._process = subprocess.Popen(
                _mortal(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=_environment(),
                errors="replace",
            )
            return self._process

    def _sources(self) -> list[str]:
        if self._settings.wheelhouse is None:
            return []
        return ["--offline", "--no-index", "--find-links", str(self._settings.wheelhouse)]


def wanted_by(configuration: Path) -> list[str]:
    """Return the requirements of a configuration; raise InstallFailed for what could run code or lead elsewhere.

    A requirement is a name with versions, and hashes if it likes. Options, paths and addresses could bring a source
    distribution, or another index than the operator's.
    """
    found = _from_requirements(configuration / REQUIREMENTS) or _from_project(configuration / PYPROJECT)
    for file, line, requirement in found:
        if _LEADS_TO_CODE.search(_HASHES.sub("", requirement)):
            place = f"{file}, line {line}" if line else file
            raise InstallFailed(f"{place}: {requirement[:80]!r} is refused. Name packages and versions only.")
    return [requirement for _, _, requirement in found]


def _from_requirements(path: Path) -> list[tuple[str, int, str]]:
    """Return (file, line, requirement); a line that ends in a backslash goes on in the next one."""
    if not path.is_file():
        return []
    found: list[tuple[str, int, str]] = []
    whole, first = "", 1
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        text = line.partition("#")[0].strip()
        first = first if whole else number
        whole = f"{whole} {text.removesuffix(chr(92)).strip()}".strip()
        if not text.endswith(chr(92)):
            found += [(REQUIREMENTS, first, whole)] if whole else []
            whole = ""
    return [*found, (REQUIREMENTS, first, whole)] if whole else found


def _from_project(path: Path) -> list[tuple[str, int, str]]:
    if not path.is_file():
        return []
    try:
        wanted = tomllib.loads(path.read_text()).get("project", {}).get("dependencies", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InstallFailed(f"{PYPROJECT} cannot be read: {error}") from None
    return [(PYPROJECT, 0, str(requirement)) for requirement in wanted]


def _mortal(command: list[str]) -> list[str]:
    """Return a command that ends with this process, however that ends."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", _DIE_WITH_PARENT, str(os.getpid()), *command]


def _uv() -> str:
    from uv import find_uv_bin

    return find_uv_bin()


def _environment() -> dict[str, str]:
    """Pass on where packages come from and nothing else: uv needs none of our secrets."""
    kept = ("PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
    passed = {name: value for name, value in os.environ.items() if name in kept or name.startswith("UV_")}
    # By content, not by time: an environment is packed without times, and its compiled files must stay valid.
    return {**passed, "PYC_INVALIDATION_MODE": "UNCHECKED_HASH"}

"""Installs a configuration's dependencies with uv: wheels only, since a wheel runs nothing when it is installed."""

from __future__ import annotations

import os
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


class InstallFailed(Exception):
    """uv refused; the message is its last words."""


class Installer:
    """Runs uv once; may be killed from another thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._is_killed = False

    def install(self, configuration: Path, target: Path, *, tell: Callable[[str], None]) -> None:
        """Install what the configuration asks for, if anything."""
        wanted = _wanted(configuration)
        if not wanted:
            return
        command = [
            _uv(), "pip", "install", "--no-progress", "--color=never", "--no-config", "--python", sys.executable,
            "--target", str(target), "--only-binary=:all:", "--compile-bytecode", "--link-mode=copy",
            *self._sources(), *wanted,
        ]  # fmt: skip
        last = deque(maxlen=6)  # type: deque[str]
        process = self._start(command)
        assert process.stdout is not None  # noqa: S101 - we asked for a pipe
        with process.stdout:
            for line in process.stdout:
                last.append(line.strip())
                tell(line.rstrip())
        if process.wait() != 0:
            raise InstallFailed("Dependencies could not be installed: " + " ".join(last))

    def kill(self) -> None:
        """End uv, now or before it starts."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                self._process.kill()

    def _start(self, command: list[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._is_killed:
                raise InstallFailed("The build was stopped.")
            self._process = subprocess.Popen(
                command,
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


def _wanted(configuration: Path) -> list[str]:
    """Return uv's arguments for the dependencies of a configuration."""
    if (configuration / REQUIREMENTS).is_file():
        return ["-r", str(configuration / REQUIREMENTS)]
    project = configuration / PYPROJECT
    if not project.is_file():
        return []
    try:
        wanted = tomllib.loads(project.read_text()).get("project", {}).get("dependencies", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InstallFailed(f"{PYPROJECT} cannot be read: {error}") from None
    return [str(requirement) for requirement in wanted]


def _uv() -> str:
    from uv import find_uv_bin

    return find_uv_bin()


def _environment() -> dict[str, str]:
    """Pass on where packages come from and nothing else: uv needs none of our secrets."""
    kept = ("PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
    return {name: value for name, value in os.environ.items() if name in kept or name.startswith("UV_")}

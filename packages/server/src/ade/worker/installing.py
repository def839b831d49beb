"""Installs a configuration's dependencies with uv: wheels only, since a wheel runs nothing when it is installed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ade.domain.run import LimitedResource
from ade.sandbox.inside import disk
from ade.sandbox.inside.spec import MIB
from ade.sandbox.removal import remove_folder
from ade.settings import Settings
from ade.worker import uv_words
from ade.worker.install_watch import InstallWatch
from ade.worker.uv_process import bounded, command, install_limits, installer_environment
from ade_engine.configuration.requirements import Requirement, read_requirements, requirement_files

CACHES = "uv-cache"
# What uv prints is part of events and logs, and some of it is written by packages.
_LONGEST_LINE = 2000
_MOST_LINES = 2000
_LINES_OF_THE_END = 50
_SIGNALS = {-signal.SIGXCPU: LimitedResource.CPU, -signal.SIGXFSZ: LimitedResource.DISK}
_STOPPED = "The build was stopped."


class InstallFailed(Exception):
    """Dependencies cannot be installed; the message says why. `resource` is the limit that was reached, if one was."""

    def __init__(
        self,
        message: str,
        *,
        is_disk_full: bool = False,
        is_late: bool = False,
        resource: LimitedResource | None = None,
    ) -> None:
        super().__init__(message)
        self.is_disk_full = is_disk_full
        self.is_late = is_late
        self.resource = resource


class Installer:
    """Runs uv once; may be killed from another thread."""

    def __init__(self, settings: Settings, *, cache: Path) -> None:
        """`cache` belongs to one configuration, so that a package of one never reaches another."""
        self._settings = settings
        self._limits = install_limits(settings)
        self._cache = cache
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._is_killed = False

    def install(self, configuration: Path, target: Path, *, seconds: float, on_line: Callable[[str], None]) -> None:
        """Install what the configuration requires, if anything; raise InstallFailed."""
        found = requirements_of(configuration)
        if not found:
            return
        self._make_room()
        checked = target.with_name("requirements-checked.txt")
        checked.write_text("".join(f"{each.text}\n" for each in found))
        last: deque[str] = deque(maxlen=_LINES_OF_THE_END)
        watch = InstallWatch([target, self._cache], self._limits, seconds=seconds, end=self.kill)
        try:
            with watch:
                status = self._run(command(target, checked, wheelhouse=self._settings.wheelhouse), last, on_line)
        finally:
            checked.unlink()
        if status != 0 or watch.cause is not None:
            failure = self._failure(watch, status, list(last), found)
            if failure.resource is not None or failure.is_disk_full:
                remove_folder(target)
                remove_folder(self._cache)
            raise failure

    def kill(self) -> None:
        """End uv, now or before it starts."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                _kill(self._process)

    def _make_room(self) -> None:
        """Begin with an empty cache when the packages of earlier versions take most of what this one may."""
        self._cache.mkdir(parents=True, exist_ok=True)
        try:
            used = disk.measure([str(self._cache)], max_files=self._limits.file_count // 2).used_bytes
        except disk.TooMuch:
            used = self._limits.disk_bytes
        if used > self._limits.disk_bytes // 2:
            remove_folder(self._cache)
            self._cache.mkdir()
        os.utime(self._cache)  # retention goes by the time of the last use

    def _run(self, words: list[str], last: deque[str], on_line: Callable[[str], None]) -> int:
        process = self._start(words)
        if process is None:
            return -signal.SIGKILL
        assert process.stdout is not None  # noqa: S101 - we asked for a pipe
        try:
            with process.stdout as printed:
                for number, said in enumerate(iter(lambda: printed.readline(_LONGEST_LINE), "")):
                    line = uv_words.without_queries(said)
                    last.append(line.strip())
                    if number < _MOST_LINES:
                        on_line(line.rstrip())
            return process.wait()
        finally:
            _kill(process)  # when telling failed: the next try must not meet it in the same folder
            process.wait()

    def _start(self, words: list[str]) -> subprocess.Popen[str] | None:
        """Start uv, unless the watch or a person has already ended it."""
        with self._lock:
            if self._is_killed:
                return None
            self._process = subprocess.Popen(
                bounded(words, self._limits),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=installer_environment(cache=self._cache),
                errors="replace",
                start_new_session=True,  # so that what uv started ends with it
            )
            return self._process

    def _failure(
        self, watch: InstallWatch, status: int, last: Sequence[str], found: Sequence[Requirement]
    ) -> InstallFailed:
        if watch.cause == "time":
            return InstallFailed(self._late(), is_late=True)
        if watch.cause == "free disk":
            return InstallFailed(self._low(), is_disk_full=True)  # perhaps by somebody else's doing
        if self._is_killed and watch.cause is None:
            return InstallFailed(_STOPPED)
        resource = (
            LimitedResource.DISK if watch.cause == "disk" else _SIGNALS.get(status) or uv_words.limit_reached(last)
        )
        if resource is not None:
            return InstallFailed(self._over(resource), resource=resource)
        reason = f"{uv_words.place(found, last)}: dependencies could not be installed. {uv_words.cause(last)}"
        return InstallFailed(reason, is_disk_full=uv_words.is_disk_full(last))

    def _late(self) -> str:
        seconds = f"{self._settings.build_timeout_seconds:g}"
        return f"Dependencies took longer than {seconds} s to install. Raise ADE_BUILD_TIMEOUT_SECONDS or require less."

    def _low(self) -> str:
        return (
            f"Less than {self._settings.min_free_disk_mb} MB of disk were left while dependencies were installed "
            "(ADE_MIN_FREE_DISK_MB). Free space on the worker's host or require less."
        )

    def _over(self, resource: LimitedResource) -> str:
        limits = self._limits
        used, setting = {
            LimitedResource.CPU: (f"{limits.cpu_seconds} s of CPU time", "ADE_BUILD_CPU_SECONDS"),
            LimitedResource.MEMORY: (f"{limits.memory_bytes // MIB} MB of memory", "ADE_BUILD_MEM_MB"),
            LimitedResource.DISK: (
                f"{limits.disk_bytes // MIB} MB or {limits.file_count} files on disk",
                "ADE_BUILD_DISK_MB",
            ),
        }[resource]
        return f"Installing dependencies took more than {used}. Require less, or raise {setting}."


def _kill(process: subprocess.Popen[str]) -> None:
    """End uv and the processes it started to compile."""
    with suppress(ProcessLookupError, PermissionError):  # PermissionError: on macOS, for a group that has just ended
        os.killpg(process.pid, signal.SIGKILL)


def requirements_of(configuration: Path) -> list[Requirement]:
    """Return what a configuration requires; raise InstallFailed for what could run code or lead elsewhere."""
    found, problems = read_requirements(requirement_files(configuration))
    if problems:
        raise InstallFailed(str(problems[0]))
    return found

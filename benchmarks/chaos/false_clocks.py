"""Clocks that can be set while a process runs, one for each host."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

SOURCE = Path(__file__).with_name("false_clock.c")


class FalseClocks:
    """Makes what a process is started with so that its time of day can be stepped; needs a C compiler."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = folder / "false_clock.so"
        self.is_there = self._compiles() and self._is_believed()

    def variables(self, host: str) -> dict[str, str]:
        """Return what a process of a host is started with."""
        if not self.is_there:
            return {}
        if not self._file(host).exists():
            self.step(host, 0)
        return {"LD_PRELOAD": str(self._library), "FALSE_CLOCK": str(self._file(host))}

    def step(self, host: str, seconds: float) -> None:
        """Set the clock of a host some seconds ahead of the true one, or behind it if the number is negative."""
        microseconds = int(seconds * 1_000_000)
        file = self._file(host)
        file.touch()
        file.chmod(0o644)  # PostgreSQL runs as somebody else
        with file.open("r+b") as opened:  # in its place: processes have it mapped
            opened.write(microseconds.to_bytes(8, "little", signed=True))

    def _compiles(self) -> bool:
        command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(self._library), str(SOURCE), "-ldl"]
        with suppress(FileNotFoundError):
            return subprocess.run(command, check=False).returncode == 0
        return False

    def _is_believed(self) -> bool:
        """Return whether Python and SQLite, as they are here, see the time that is set."""
        self.step("trial", -7200)
        asked = "import sqlite3, time; now = sqlite3.connect('').execute(\"SELECT strftime('%s', 'now')\")"
        shown = "print(time.time(), now.fetchone()[0])"
        variables = {**os.environ, "LD_PRELOAD": str(self._library), "FALSE_CLOCK": str(self._file("trial"))}
        command = [sys.executable, "-c", f"{asked}; {shown}"]
        told = subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout.split()
        return all(3600 < time.time() - float(seconds) < 10800 for seconds in told)

    def _file(self, host: str) -> Path:
        return self._folder / f"{host}.clock"

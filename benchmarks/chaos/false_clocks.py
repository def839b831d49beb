"""Clocks that can be set while a process runs, one for each host."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

SOURCE = Path(__file__).with_name("false_clock.c")


class FalseClocks:
    """Makes what a process is started with so that its time of day can be stepped; needs a C compiler."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = folder / "false_clock.so"
        with suppress(FileNotFoundError):
            command = ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(self._library), str(SOURCE)]
            subprocess.run([*command, "-ldl"], check=True)
        self.is_there = self._library.exists()

    def variables(self, host: str) -> dict[str, str]:
        """Return what a process of a host is started with."""
        if not self.is_there:
            return {}
        if not self._file(host).exists():
            self.step(host, 0)
        return {"LD_PRELOAD": str(self._library), "FALSE_CLOCK": str(self._file(host))}

    def step(self, host: str, seconds: float) -> None:
        """Set the clock of a host so many seconds before or behind the true one."""
        microseconds = int(seconds * 1_000_000)
        file = self._file(host)
        file.touch()
        with file.open("r+b") as opened:  # in its place: processes have it mapped
            opened.write(microseconds.to_bytes(8, "little", signed=True))

    def _file(self, host: str) -> Path:
        return self._folder / f"{host}.clock"

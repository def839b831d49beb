"""A disk that is full for a moment fails the run, says so, blames no rule and leaves no half workbook."""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ade_engine.__main__ import run
from ade_engine.protocol import Request, Result

CONTENT = "Name,Age\nAda,36\nGrace,85\n"
NEVER = 0


class Disk:
    """Counts what is written to it, and refuses one of the writes."""

    def __init__(self) -> None:
        self.write_count = 0
        self.full_at = NEVER

    def open(self, file: Any, mode: str = "r", *rest: Any, **words: Any) -> Any:
        """Open a file as Python does; one that is written goes through this disk."""
        if isinstance(file, int) or not set(mode) & set("wxa+"):
            return _open(file, mode, *rest, **words)
        raw = _File(self, os.fspath(file), mode.replace("b", "").replace("t", ""))
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return (
            buffered if "b" in mode else io.TextIOWrapper(buffered, words.get("encoding"), newline=words.get("newline"))
        )


class _File(io.FileIO):
    def __init__(self, disk: Disk, path: str, mode: str) -> None:
        super().__init__(path, mode)
        self._disk = disk

    def write(self, content: Any) -> int:
        self._disk.write_count += 1
        if self._disk.write_count == self._disk.full_at:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(content)


_open = io.open


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk()
    monkeypatch.setattr(builtins, "open", made.open)
    monkeypatch.setattr(io, "open", made.open)
    return made


@pytest.fixture
def normalize(tmp_path: Path) -> Callable[[str, str], tuple[Result, list[str]]]:
    document = tmp_path / "people.csv"
    document.write_text(CONTENT)

    def call(output_format: str, name: str) -> tuple[Result, list[str]]:
        folder = tmp_path / name
        folder.mkdir()
        options = {"format": output_format}
        request = Request(entry="engine", input_path=str(document), output_folder=str(folder), options=options)
        return run(request, lambda _: None), [path.name for path in folder.glob("normalized*")]

    return call


@pytest.mark.parametrize("output_format", ["xlsx", "csv"])
def test_a_disk_that_is_full_for_a_moment_is_not_blamed_on_the_rules(
    disk: Disk, normalize: Callable[[str, str], tuple[Result, list[str]]], output_format: str
) -> None:
    disk.write_count = 0
    normalize(output_format, "whole")
    count = disk.write_count

    for number in range(1, count + 1):
        disk.write_count, disk.full_at = 0, number
        result, left = normalize(output_format, str(number))

        assert result.failure is not None
        assert (result.failure.code, "disk is full" in result.failure.message) == ("internal_error", True), number
        assert left == [] or number == count  # the last is the artifact's: then the workbook is whole

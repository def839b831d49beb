"""Puts the results of several documents into one file, in the sandbox: rules wrote what is read here."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from ade.cli.local_sandbox import LocalSandbox
from ade.sandbox.collector import RefusedOutput, collect
from ade_engine.outputs import OUTPUT_NAME

_MOST_FILE_BYTES = 1 << 40  # the child has been held to its disk limit


class CombineFailed(Exception):
    """The results could not be put into one file."""


def combine_in_sandbox(sandbox: LocalSandbox, out: Path, folders: Sequence[Path], into: Path) -> list[Path]:
    """Combine the results in folders below `out`; return the files written, or raise CombineFailed."""
    options = {"folders": [folder.relative_to(out).as_posix() for folder in folders], "format": _format(into)}
    with sandbox.execute("combine", document=out, options=options) as ended:
        if ended.failure is not None or ended.outcome.result is None:
            raise CombineFailed((ended.failure or {}).get("message", "The engine left no results."))
        names = ended.outcome.result.outputs
        if any(not OUTPUT_NAME.fullmatch(name) for name in names):
            raise CombineFailed("The results were refused: a file has the name of no output.")
        try:
            return _bring(ended.output, names, into)
        except (RefusedOutput, OSError) as error:
            raise CombineFailed(f"The results could not be written: {error}") from None


def _bring(source: Path, names: Sequence[str], into: Path) -> list[Path]:
    """Copy the files next to `into`, under its name; they appear once all of them are complete."""
    targets = [into.with_name(name.replace("normalized", into.stem, 1)) for name in names]
    with tempfile.TemporaryDirectory(prefix=".ade-", dir=into.parent) as folder:
        for name in names:
            collect(source, name, Path(folder) / name, max_bytes=_MOST_FILE_BYTES)
        for name, target in zip(names, targets, strict=True):
            (Path(folder) / name).replace(target)
    return targets


def combine_here(folders: Sequence[Path], into: Path) -> list[Path]:
    """Combine the results in this process."""
    from ade_engine import EngineError, combine

    try:
        return combine(folders, into)
    except (EngineError, OSError) as error:
        raise CombineFailed(str(error)) from None


def _format(into: Path) -> str:
    return into.suffix.removeprefix(".").lower()

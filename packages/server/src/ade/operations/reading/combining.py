"""Has a child put the outputs of runs into one document: rules wrote what it reads."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ade.errors import Invalid
from ade.operations.reading.reader import LIMITS, carry_out
from ade.operations.reading.turns import Turn
from ade.operations.views.run_files import output_names
from ade.sandbox.collector import open_output
from ade.sandbox.inside.spec import MIB
from ade.sandbox.outcome import OutcomeKind
from ade.sandbox.removal import remove_folder
from ade_engine.protocol import Request

MOST_BYTES = 512 * MIB  # of the outputs that are combined
_MOST_WRITTEN_BYTES = 2 * MOST_BYTES
_LIMITS = replace(
    LIMITS,
    cpu_seconds=600,
    wall_seconds=900,
    file_bytes=_MOST_WRITTEN_BYTES,
    disk_bytes=_MOST_WRITTEN_BYTES,
    file_count=10_000,
)


def combine_in_child(turn: Turn, given: Path, names: Sequence[str], home: Path, *, output_format: str) -> list[Path]:
    """Combine runs, which are folders below the given one; return the files, taken over from the child."""
    output, kept = home / f"output-{turn.arrival}", home / f"kept-{turn.arrival}"
    for folder in home.glob("output-*"):  # of a turn that was stopped for others
        remove_folder(folder)
    for folder in (output, kept):
        folder.mkdir(mode=0o700)
    options = {"folders": list(names), "format": output_format}
    request = Request(entry="combine", input_path=str(given), output_folder=str(output), options=options)
    outcome = carry_out(turn, request, limits=_LIMITS)
    if outcome.kind is OutcomeKind.SUCCEEDED and outcome.result is not None:
        return [_collected(output, name, kept) for name in output_names(outcome.result.outputs)]
    said = outcome.result.failure.message if outcome.result and outcome.result.failure else outcome.message
    raise Invalid(f"The outputs could not be combined: {said}")


def _collected(folder: Path, name: str, kept: Path) -> Path:
    """Take a file over from the child, which may have made it anything."""
    path = kept / name
    with open_output(folder, name, max_bytes=_MOST_WRITTEN_BYTES) as source, path.open("xb") as target:
        shutil.copyfileobj(source, target)
    (folder / name).unlink()  # one after the other: both together take twice the disk
    return path

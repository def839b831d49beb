"""Takes over what a child wrote: only what a run may leave, and trusting nothing in its folder."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ade.files import FileStore, LocalFiles
from ade.operations.queue.attempts import Produced
from ade.sandbox.collector import RefusedOutput, open_output
from ade.sandbox.inside.spec import Limits
from ade.sandbox.outcome import Outcome
from ade.worker.log_file import LogFile
from ade_engine.protocol import ARTIFACT, ISSUES

ALWAYS = (ARTIFACT, ISSUES)
MOST_OUTPUTS = 1000
BLOCK_BYTES = 256 * 1024
# The child names its outputs; it must not name our own files of the run folder, nor lead out of it.
_OUTPUT = re.compile(r"normalized[A-Za-z0-9._-]{0,100}")

OutputRefused = RefusedOutput


class OutputTooLarge(Exception):
    """The outputs together are larger than what a run may write."""


class OutOfTime(Exception):
    """The run's time was over before its outputs were stored."""


def collect_outputs(
    files: FileStore, folder: Path, key: str, outcome: Outcome, *, log: LogFile, limits: Limits, deadline: float
) -> int:
    """Copy log and outputs of a child that has ended into the file store; return how many bytes.

    Raise OutputRefused for anything but plain files of a decent size, OutputTooLarge or OutOfTime. Nothing is copied
    unless there is room for all of it.
    """
    output = folder / "output"
    names = [name for name in (*ALWAYS, *_outputs_of(outcome)) if os.path.lexists(output / name)]
    _require_room(files, sum(os.lstat(output / name).st_size for name in names), limits)
    found = ((f"{key}/{name}", before(deadline, _blocks(output, name, limits))) for name in names)
    return files.write_all([(log.key, [log.content]), *found])


def before(deadline: float, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks, or raise OutOfTime at the first one after the deadline."""
    for block in blocks:
        if time.monotonic() > deadline:
            raise OutOfTime
        yield block


def _require_room(files: FileStore, size_bytes: int, limits: Limits) -> None:
    if size_bytes > limits.disk_bytes:
        raise OutputTooLarge
    if isinstance(files, LocalFiles) and size_bytes > shutil.disk_usage(files.folder).free:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _blocks(folder: Path, name: str, limits: Limits) -> Iterator[bytes]:
    with open_output(folder, name, max_bytes=limits.file_bytes) as content:
        while block := content.read(BLOCK_BYTES):
            yield block


def _outputs_of(outcome: Outcome) -> tuple[str, ...]:
    names = outcome.result.outputs if outcome.result is not None else ()
    if len(names) > MOST_OUTPUTS:
        raise OutputRefused("output", f"more than {MOST_OUTPUTS} files")
    for name in names:
        if not _OUTPUT.fullmatch(name):
            raise OutputRefused(name[:80], "not the name of an output")
    return tuple(dict.fromkeys(names))  # one that is named twice is stored once


def hand_on(files: FileStore, output: str, document_key: str, *, deadline: float) -> Produced:
    """Store an output as the document of the next phase, which is not read before this run has succeeded."""
    digest = hashlib.sha256()
    size_bytes = files.write(document_key, _seen_by(digest, before(deadline, files.read(output))))
    return Produced(size_bytes=size_bytes, sha256=digest.hexdigest())


def _seen_by(digest: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        digest.update(chunk)
        yield chunk

"""Takes over what a child wrote: only what a run may leave, and trusting nothing in its folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ade.files import FileStore
from ade.operations.attempts import Produced
from ade.sandbox.collector import RefusedOutput, open_output
from ade.sandbox.inside.spec import MIB
from ade.sandbox.outcome import Outcome
from ade.worker.log_file import LogFile

ALWAYS = ("artifact.json", "issues.ndjson")
MOST_OUTPUTS = 1000
BLOCK_BYTES = 256 * 1024
# The child names its outputs; it must not name our own files of the run folder, nor lead out of it.
_OUTPUT = re.compile(r"normalized[A-Za-z0-9._-]{0,100}")

OutputRefused = RefusedOutput


def collect_outputs(files: FileStore, folder: Path, key: str, outcome: Outcome, *, log: LogFile, max_mb: int) -> int:
    """Copy log and outputs of a child that has ended into the file store; return how many bytes.

    Raise OutputRefused for anything but plain files of a decent size.
    """
    output, max_bytes = folder / "output", max_mb * MIB
    names = [name for name in (*ALWAYS, *_claimed(outcome)) if os.path.lexists(output / name)]
    found = ((f"{key}/{name}", _blocks(output, name, max_bytes=max_bytes)) for name in names)
    return files.write_all([(log.key, [log.content]), *found])


def _blocks(folder: Path, name: str, *, max_bytes: int) -> Iterator[bytes]:
    with open_output(folder, name, max_bytes=max_bytes) as content:
        while block := content.read(BLOCK_BYTES):
            yield block


def _claimed(outcome: Outcome) -> tuple[str, ...]:
    names = outcome.result.outputs if outcome.result is not None else ()
    if len(names) > MOST_OUTPUTS:
        raise OutputRefused("output", f"more than {MOST_OUTPUTS} files")
    for name in names:
        if not _OUTPUT.fullmatch(name):
            raise OutputRefused(name[:80], "not the name of an output")
    return names


def hand_on(files: FileStore, output: str, document_key: str) -> Produced:
    """Store an output as the document of the next phase; nobody reads it before this run has succeeded."""
    digest = hashlib.sha256()
    size_bytes = files.write(document_key, _seen_by(digest, files.read(output)))
    return Produced(size_bytes=size_bytes, sha256=digest.hexdigest())


def _seen_by(digest: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        digest.update(chunk)
        yield chunk

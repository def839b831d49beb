"""Takes over what a child wrote: only what a run may leave, and trusting nothing in its folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ade.files import FileStore, chunks_of
from ade.operations.attempts import Produced
from ade.sandbox.collector import RefusedOutput, collect
from ade.sandbox.inside.spec import MIB
from ade.sandbox.outcome import Outcome

LOGS = "logs.txt"
ALWAYS = ("artifact.json", "issues.ndjson")
MOST_OUTPUTS = 1000
# The child names its outputs; it must not name our own files of the run folder, nor lead out of it.
_OUTPUT = re.compile(r"normalized[A-Za-z0-9._-]{0,100}")

OutputRefused = RefusedOutput


def collect_outputs(files: FileStore, folder: Path, key: str, outcome: Outcome, *, max_mb: int) -> int:
    """Copy log and outputs of a child into the file store; return how many bytes. Raise OutputRefused."""
    total = files.write(f"{key}/{LOGS}", [outcome.log])
    for name in (*ALWAYS, *_claimed(outcome)):
        with suppress(FileNotFoundError):
            total += _collect_file(files, folder, key, name, max_bytes=max_mb * MIB)
    return total


def _claimed(outcome: Outcome) -> tuple[str, ...]:
    names = outcome.result.outputs if outcome.result is not None else ()
    if len(names) > MOST_OUTPUTS:
        raise OutputRefused("output", f"more than {MOST_OUTPUTS} files")
    for name in names:
        if not _OUTPUT.fullmatch(name):
            raise OutputRefused(name[:80], "not the name of an output")
    return names


def _collect_file(files: FileStore, folder: Path, key: str, name: str, *, max_bytes: int) -> int:
    copied = folder / "collected"
    copied.unlink(missing_ok=True)
    collect(folder / "output", name, copied, max_bytes=max_bytes)
    return files.write(f"{key}/{name}", chunks_of(copied))


def hand_on(files: FileStore, output: str, document_key: str) -> Produced:
    """Store an output as the document of the next phase; nobody reads it before this run has succeeded."""
    digest = hashlib.sha256()
    size_bytes = files.write(document_key, _seen_by(digest, files.read(output)))
    return Produced(size_bytes=size_bytes, sha256=digest.hexdigest())


def _seen_by(digest: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        digest.update(chunk)
        yield chunk

"""Reads documents of strangers in a child process that is shut in as far as this host allows.

The reader is our own code, so a host that cannot shut it in still reads: its memory, time and disk are bounded
everywhere. What it writes is collected without trust.
"""

from __future__ import annotations

import atexit
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from ade.domain.isolation import Isolation
from ade.errors import AdeError, DocumentTooLarge, Invalid, Unavailable, UnreadableDocument, UnsupportedType
from ade.logs import get_logger
from ade.operations.reading.turns import Stopped, Turn
from ade.sandbox.collector import RefusedOutput, open_output
from ade.sandbox.inside.spec import MIB, Limits
from ade.sandbox.launcher import Launcher
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.settings import load_settings
from ade_engine.protocol import ANSWER, MOST_ANSWER_BYTES, MOST_INDEX_BYTES, Request

# Above those of workers (worker/start.py), of which each slot has one.
FIRST_UID = 64_900
LIMITS = Limits(
    cpu_seconds=30,
    memory_bytes=1024 * MIB,
    file_bytes=MOST_INDEX_BYTES + 16 * MIB,
    disk_bytes=MOST_INDEX_BYTES + 64 * MIB,
    file_count=1_000,
    output_bytes=1 * MIB,
    wall_seconds=60,
)
TOO_MUCH = "Reading it needs more memory or time than a preview may use. A run may still succeed."
# What the person asking got wrong, not the document.
_BAD_QUESTIONS = {"no_such_sheet", "no_such_view"}
_ERRORS: dict[str, type[AdeError]] = {"too_large": DocumentTooLarge, "unsupported": UnsupportedType}
log = get_logger()


def ask(turn: Turn, request: Request, *, limits: Limits = LIMITS, launcher: Launcher | None = None) -> dict[str, Any]:
    """Return the answer to a question; raise what is wrong with the document, or Stopped."""
    outcome = read(turn, request, limits=limits, launcher=launcher)
    if outcome.kind is not OutcomeKind.SUCCEEDED:
        raise UnreadableDocument(TOO_MUCH)
    return answer_in(Path(request.output_folder))


def read(turn: Turn, request: Request, *, limits: Limits = LIMITS, launcher: Launcher | None = None) -> Outcome:
    """Have a child read, and return how it ended; raise Stopped when others need its place."""
    outcome = carry_out(turn, request, limits=limits, launcher=launcher)
    if outcome.kind is OutcomeKind.FAILED:  # what is wrong with a document is an answer
        raise Unavailable("The answer could not be written. The server's disk may be full.")
    return outcome


def carry_out(turn: Turn, request: Request, *, limits: Limits = LIMITS, launcher: Launcher | None = None) -> Outcome:
    """Have a child do something, and return how it ended, well or not; raise Stopped when others need its place."""
    try:
        child = (launcher or reader_launcher()).start(request, limits=limits, slot=turn.slot)
    except OSError as error:
        raise Unavailable(f"The reader could not be started: {error.strerror}.") from error
    turn.stop_with(child.kill)
    outcome = child.wait()
    match outcome.kind:
        case OutcomeKind.KILLED:
            raise Stopped
        case OutcomeKind.NOT_STARTED:
            log.error("reader.not_started", cause=outcome.cause)
            raise Unavailable("The reader could not be started. The server's log has the cause.")
        case _:
            return outcome


def answer_in(folder: Path) -> dict[str, Any]:
    """Return the answer that a child left; raise the error that it is."""
    try:
        with open_output(folder, ANSWER, max_bytes=MOST_ANSWER_BYTES) as file:
            answer: dict[str, Any] = json.loads(file.read())
    except (FileNotFoundError, RefusedOutput, ValueError, RecursionError) as error:
        raise RuntimeError(f"the reader left no answer: {type(error).__name__}") from None
    if "error" in answer:
        raise _error_of(answer["error"])
    return answer


def files_in(folder: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the content of files that a child left."""
    found = {}
    for name in names:
        with open_output(folder, name, max_bytes=MOST_ANSWER_BYTES) as file:
            found[name] = file.read()
    return found


def _error_of(error: dict[str, Any]) -> Exception:
    message = str(error["message"])
    if error["code"] == "internal_error":
        return RuntimeError(f"the reader crashed: {message}")
    if error["code"] == "configuration_error" or error["cause"] in _BAD_QUESTIONS:
        return Invalid(message)
    return _ERRORS.get(error["cause"], UnreadableDocument)(message)


@cache
def reader_launcher() -> Launcher:
    """Return the launcher of this process's readers."""
    launcher = Launcher(minimum=Isolation.OPEN, mode=load_settings().child_start, first_uid=FIRST_UID)
    atexit.register(launcher.close)
    return launcher

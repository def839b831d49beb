"""A child process that runs the engine on one file after another, so that a file that kills it harms no other."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

TERMINATED = "Reading this file ended the engine's process, most likely for want of memory. Save it anew first."
PATIENCE_SECONDS = 10
UNWRITABLE = "The results could not be written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One file to normalise."""

    path: Path
    out: Path
    configuration: Path | None
    sheets: list[str] | None
    output_format: str | None


class EngineChild:
    """Starts the child when it is first needed, and again when it died."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None

    def normalize(self, order: Order, *, on_event: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Return what the engine says of a file: status, artifact, paths, failure."""
        pipe = self._pipe or self._start()
        try:
            pipe.send(order)
            for kind, content in _messages(pipe):
                if kind == "result":
                    return content
                on_event(content)
        except (EOFError, OSError):
            self.close()
        return failed("process_terminated", TERMINATED)

    def close(self) -> None:
        """End the child; one that is still at work gets the time to clear away what it has begun to write."""
        if self._pipe is not None:
            self._pipe.close()
            self._process.join(PATIENCE_SECONDS)
            self._process.terminate()
            self._pipe = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe


def _messages(pipe: Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    while True:
        yield pipe.recv()


def _serve(pipe: Connection) -> None:
    """Work off orders until the parent closes the pipe, or somebody ends both."""
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while True:
            order: Order = pipe.recv()
            pipe.send(("result", _attempt(order, pipe)))


def _attempt(order: Order, pipe: Connection) -> dict[str, Any]:
    """Normalise the file; whatever goes wrong is said in a sentence."""
    try:
        return _normalize(order, pipe)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return failed("resource_limit", f"{UNWRITABLE}: {reason}. Make room, or name another folder with --out.")
    except Exception as error:  # noqa: BLE001 - the other files are still to be done
        return failed("internal_error", f"The engine failed on this file ({_place(error)}). Please report this line.")


def failed(code: str, message: str) -> dict[str, Any]:
    """Return what is said of a file without results."""
    failure = {"code": code, "message": message}
    return {"status": "failed", "failure": failure, "artifact": None, "output": None, "tables": [], "issues": 0}


def _place(error: Exception) -> str:
    """Name the kind of error and where it came from, but not its text: that may hold what is in the cells."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"


def _normalize(order: Order, pipe: Connection) -> dict[str, Any]:
    from ade_engine import normalize

    result = normalize(
        order.path,
        order.out,
        configuration=order.configuration,
        sheets=order.sheets,
        format=order.output_format,
        events=lambda event: pipe.send(("event", event)),
    )
    return {
        "status": result.status,
        "artifact": str(result.artifact_path),
        "output": str(result.output_path) if result.output_path else None,
        "tables": result.tables,
        "issues": result.issue_count,
        "failure": result.failure.as_json() if result.failure else None,
    }

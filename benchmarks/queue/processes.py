"""Runs the same work in several processes that start together, and times the whole."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

LONGEST_SECONDS = 120
_context = multiprocessing.get_context("spawn")


class Gate(Protocol):
    """Where the processes wait for each other."""

    def wait(self, timeout: float | None = None) -> int:
        """Return when all have come."""
        ...


Work = Callable[..., Any]  # called with the gate, then the arguments; returns what it has to tell


@dataclass(frozen=True)
class Raced:
    """How long it took until the last process was done, and what each told."""

    seconds: float
    told: list[Any]


def race(work: Work, count: int, *arguments: Any) -> Raced:
    """Call `work(gate, *arguments)` in a number of processes; time from their common start to the last one's end."""
    gate = _context.Barrier(count + 1)
    answers: Any = _context.Queue()
    processes = [_context.Process(target=_call, args=(work, gate, answers, arguments)) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        gate.wait(LONGEST_SECONDS)
        started = time.perf_counter()
        told = [answers.get(timeout=LONGEST_SECONDS) for _ in processes]
        seconds = time.perf_counter() - started
        for process in processes:
            process.join(LONGEST_SECONDS)
    finally:
        for process in processes:
            process.kill()  # what has not ended by now never will
    if any(isinstance(answer, BaseException) for answer in told):
        raise next(answer for answer in told if isinstance(answer, BaseException))
    return Raced(seconds, told)


def _call(work: Work, gate: Any, answers: Any, arguments: tuple[Any, ...]) -> None:
    try:
        answers.put(work(gate, *arguments))
    except BaseException as error:  # noqa: BLE001 - the parent raises it
        gate.abort()
        answers.put(RuntimeError(f"{type(error).__name__}: {error}"))


class Background:
    """A process that works until it is stopped."""

    def __init__(self, work: Work, *arguments: Any) -> None:
        self._stop = _context.Event()
        self.answers: Any = _context.Queue()
        self._process = _context.Process(target=work, args=(self._stop, self.answers, *arguments))

    def __enter__(self) -> Background:
        self._process.start()
        self.answers.get(timeout=60)  # it says when it is ready
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._process.join(15)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()

"""Ends a child on Ctrl-C, SIGTERM or a closed terminal, and lets clean-up finish before the command ends."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

from ade.sandbox.child import Child

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """While entered, a signal kills the watched child; the exception it usually raises comes on exit."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, or a job in the background
                self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._received == signal.SIGINT:
            raise KeyboardInterrupt
        if self._received is not None:
            raise SystemExit(128 + self._received)

    def watch(self, child: Child) -> None:
        """Kill this child when a signal comes, or has come already."""
        self._child = child
        if self._received is not None:
            child.kill()

    def _receive(self, number: int, _: FrameType | None) -> None:
        self._received = number
        if self._child is not None:
            # Not here: this thread may be the one that holds the child's lock.
            threading.Thread(target=self._child.kill, daemon=True).start()

"""A process that has imported the trusted engine, and nothing else, and forks a keeper per run.

What a run is about never passes through it: all that it ever read, every later child could find in its own memory.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ade.sandbox.inside import keeper, modules, privileges
from ade.sandbox.inside.channel import Ends, first_line
from ade.sandbox.inside.layers import move_down
from ade.sandbox.inside.spec import Spec

START = b"start"
RETIRE = b"retire"
READY = b"ready"


def serve(control: int, *, parent: int, trusted: dict[str, str], preload: Sequence[str]) -> None:
    """Fork a keeper for each request that arrives. Once retired, end with the last of them."""
    with suppress(OSError):
        privileges.die_with_parent(parent)
    modules.trust(trusted)
    for module in preload:
        importlib.import_module(module)
    if not _is_single_threaded():
        return  # a fork would copy one thread and every lock the others hold
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=control) as requests:
        requests.send(READY)
        _Loop(requests).run()


def _is_single_threaded() -> bool:
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return threading.active_count() == 1


class _Loop:
    """Waits for requests and for the end of keepers, at once."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._child_count = 0
        self._is_retired = False

    def run(self) -> None:
        """Serve until retired, or until the process that asks is gone."""
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        events = select.poll()
        events.register(woken, select.POLLIN)
        events.register(self._requests, select.POLLIN)
        while not (self._is_retired and self._child_count == 0):
            ready = {number for number, _ in events.poll()}
            if woken in ready:
                os.read(woken, 4096)
                self._reap()
            if self._requests.fileno() in ready and not self._serve_one():
                return

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                self._child_count -= 1

    def _serve_one(self) -> bool:
        """Fork for one request; return False when the requester is gone."""
        content, numbers, _, _ = socket.recv_fds(self._requests, len(RETIRE), 4)
        if content == RETIRE:
            self._is_retired = True
            return True
        if not content:
            return False
        parent = os.getpid()
        if os.fork() == 0:
            self._become_keeper(numbers, parent)
        self._child_count += 1
        for number in numbers:
            os.close(number)
        return True

    def _become_keeper(self, numbers: list[int], parent: int) -> None:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            said = first_line(Ends.from_list(numbers).channel)
            if not said:
                return  # the worker ended before it said what to do
            spec = Spec.from_bytes(said)
            if spec.has("descriptors"):
                numbers = move_down(numbers)
            keeper.keep(spec, Ends.from_list(numbers), parent=parent)
        finally:
            sys.stderr.flush()
            os._exit(1)

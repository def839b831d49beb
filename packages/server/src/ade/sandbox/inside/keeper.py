"""Keeps one child: watches time, memory and disk from the outside, kills the whole tree, and leaves nothing behind.

It runs no user code and shares nothing with the process that does, so what it says about the end can be believed.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from ade.sandbox.inside import disk, init, kernel, privileges
from ade.sandbox.inside.channel import Ends, send
from ade.sandbox.inside.layers import Layers
from ade.sandbox.inside.spec import Spec

_LOOK_SECONDS = 0.02
_DISK_LOOK_SECONDS = 0.1
_END_SECONDS = 0.5
_DISK_SHARE = 10  # looking at the disk may take a tenth of the time
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


def keep(spec: Spec, ends: Ends, *, parent: int) -> NoReturn:
    """Start a child that does what the spec says, watch it to its end, and end."""
    channel = socket.socket(fileno=ends.channel)
    with suppress(BrokenPipeError, ConnectionResetError):  # nobody is left to tell
        try:
            _keep(spec, ends, channel, parent=parent)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must be told
            send(channel, "broken", error=f"{type(error).__name__}: {error}")
    os._exit(0)


def _keep(spec: Spec, ends: Ends, channel: socket.socket, *, parent: int) -> None:
    if spec.has("parent_death"):
        with suppress(OSError):  # not on every system; the channel's end tells as well
            privileges.die_with_parent(parent)
    with suppress(PermissionError):  # a spawned keeper already leads a session
        os.setsid()
    with suppress(OSError):
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    send(channel, "kept", pid=os.getpid())
    layers = Layers(spec)
    layers.enter_namespaces()
    meter, child_meter = socket.socketpair()
    done, child_done = os.pipe()
    own_pid = 0 if spec.has("pid_namespace") and "pid_namespace" not in layers.reasons else os.getpid()
    first = os.fork()
    if first == 0:
        os.close(done)
        meter.close()
        init.run(layers, ends, child_meter.fileno(), parent=own_pid)
    os.close(child_done)
    child_meter.close()
    with suppress(OSError):
        privileges.forbid_inspection()
    for number in (ends.gate, ends.messages, ends.log):
        os.close(number)
    watch = Watch(spec, channel, done, meter)
    cause = watch.until_end()
    if cause:
        _ask_to_end(first, done)
    _kill_everything(first)
    send(channel, "over", cause=cause or watch.last_look())


class Watch:
    """Looks at a running child from outside until it ends or must be ended."""

    def __init__(self, spec: Spec, channel: socket.socket, done: int, meter: socket.socket) -> None:
        self._spec = spec
        self._channel = channel
        self._done = done
        self._meter = meter
        self._memory: int | None = None
        self._deadline = time.monotonic() + spec.limits.wall_seconds
        self._next_disk_look = 0.0
        self._free_at_start = disk.free_bytes(spec.writable)
        meter.setblocking(False)

    def until_end(self) -> str | None:
        """Return why the child must be ended, or None once it ended by itself."""
        events = select.poll()
        events.register(self._channel, select.POLLIN)
        events.register(self._done, select.POLLIN)
        while True:
            ready = {number for number, _ in events.poll(_LOOK_SECONDS * 1000)}
            if self._done in ready:
                return None
            if self._channel.fileno() in ready:
                if self._spec.has("parent_death") or self._channel.recv(1):
                    return "killed"  # asked to, or nobody is left to ask
                events.unregister(self._channel)
            if cause := self._look():
                return cause

    def last_look(self) -> str | None:
        """Return what only shows once the child has ended."""
        return self._disk_cause() if self._spec.has("watch") else None

    def _look(self) -> str | None:
        if not self._spec.has("watch"):
            return None
        now = time.monotonic()
        if now >= self._deadline:
            return "timed_out"
        if self._memory_bytes() > self._spec.limits.memory_bytes:
            return "memory"
        if now < self._next_disk_look:
            return None
        cause = self._disk_cause()
        took = time.monotonic() - now
        self._next_disk_look = now + max(_DISK_LOOK_SECONDS, _DISK_SHARE * took)
        return cause

    def _memory_bytes(self) -> int:
        if self._memory is None:
            with suppress(BlockingIOError):
                _, received, _, _ = socket.recv_fds(self._meter, 1, 1)
                self._memory = received[0] if received else None
        if self._memory is None:
            return 0
        try:
            return int(os.pread(self._memory, 64, 0).split()[1]) * _PAGE_BYTES
        except (OSError, IndexError):
            return 0  # it has just ended

    def _disk_cause(self) -> str | None:
        limits = self._spec.limits
        try:
            found = disk.measure(self._spec.writable, max_files=limits.file_count)
        except disk.TooMuch:
            return "disk"
        is_over = found.used_bytes > limits.disk_bytes or found.largest_bytes >= limits.file_bytes
        return "disk" if is_over or self._is_disk_filled() else None

    def _is_disk_filled(self) -> bool:
        """Tell whether the disk has run low since the start: files without a name show in no folder.

        Others fill disks too. But a run that may be the cause must end before everything else does.
        """
        limits = self._spec.limits
        free = disk.free_bytes(self._spec.writable)
        return free < limits.free_disk_bytes and self._free_at_start - free > limits.disk_bytes


def _ask_to_end(first: int, done: int) -> None:
    """Let init end the payload and tell what it used; not for long."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(first, signal.SIGTERM)
    select.select([done], [], [], _END_SECONDS)


def _kill_everything(first: int) -> None:
    """Kill and reap the child and all it may have started, however it tried to hide."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(first, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(first, signal.SIGKILL)
    while True:
        for pid in _children():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children() -> list[int]:
    """Return the children of this process. Orphans below it become its own."""
    try:
        return [int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []

"""Watches a running child from the outside: its time, memory, threads, CPU time and disk."""

from __future__ import annotations

import os
import select
import socket
import time
from contextlib import suppress
from dataclasses import dataclass

from ade.sandbox.inside import disk
from ade.sandbox.inside.spec import Spec

METERS = ("status", "stat")  # of /proc/PID
_LOOK_SECONDS = 0.02
_DISK_LOOK_SECONDS = 0.1
_LONGEST_DISK_PAUSE_SECONDS = 1.0
_DISK_SHARE = 10  # looking at the disk may take a tenth of the time
# A process whose first thread has ended shows no memory. One that is about to end does so for a moment.
_LONGEST_UNSEEN_SECONDS = 2.0
# The kernel's own limit counts ticks and ends most runs first: this one is for runs that sleep through every tick.
_CPU_ROOM_SECONDS = 1.5
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Load:
    """What a process has in use; its memory is None when it does not show."""

    memory_bytes: int | None = None
    thread_count: int = 0
    cpu_seconds: float = 0.0

    @classmethod
    def from_proc(cls, status: bytes, stat: bytes) -> Load:
        """Return what the files of /proc/PID say. Tables of pages are memory too: a few pages can take many tables."""
        words = dict(line.split(b":", 1) for line in status.splitlines() if b":" in line)
        kilobytes = [int(words[name].split()[0]) for name in (b"VmRSS", b"VmPTE", b"VmSwap") if name in words]
        # Behind the name, which may contain anything: user and system time of all threads, also of those that ended.
        ticks = sum(map(int, stat.rpartition(b")")[2].split()[11:13]))
        return cls(
            memory_bytes=sum(kilobytes) * 1024 if kilobytes else None,
            thread_count=int(words.get(b"Threads", 0)),
            cpu_seconds=ticks / _TICKS_PER_SECOND,
        )


class Watch:
    """Looks at a running child until it ends or must be ended."""

    def __init__(self, spec: Spec, channel: socket.socket, done: int, meter: socket.socket) -> None:
        self._spec = spec
        self._channel = channel
        self._done = done
        self._meter = meter
        self._meters: list[int] = []
        self._unseen_since: float | None = None
        self._deadline = time.monotonic() + spec.limits.wall_seconds
        self._next_disk_look = 0.0
        self._free_at_start = disk.free_bytes(spec.writable)
        self._inodes_at_start = disk.free_inodes(spec.writable)
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
                    return "killed"  # on request, or the requester is gone
                events.unregister(self._channel)
            if cause := self._look():
                return cause

    def last_look(self) -> str | None:
        """Return what only shows once the child has ended."""
        return self._disk_cause() if self._spec.has("watch") else None

    def _look(self) -> str | None:
        if not self._spec.has("watch"):
            return None
        if time.monotonic() >= self._deadline:
            return "timed_out"
        if cause := self._load_cause(self._load()):
            return cause
        return "disk" if self._is_disk_filled() else self._look_at_disk()

    def _load_cause(self, load: Load) -> str | None:
        limits = self._spec.limits
        if load.memory_bytes is not None:
            self._unseen_since = None
        elif load.thread_count > 1:
            self._unseen_since = self._unseen_since or time.monotonic()
            if time.monotonic() - self._unseen_since > _LONGEST_UNSEEN_SECONDS:
                return "memory"
        if (load.memory_bytes or 0) > limits.memory_bytes:
            return "memory"
        if load.cpu_seconds > limits.cpu_seconds + _CPU_ROOM_SECONDS:
            return "cpu"
        return "processes" if load.thread_count > limits.processes else None

    def _look_at_disk(self) -> str | None:
        """Measure the folders, not so often that it takes the time of others.

        What counts is the keeper's own CPU time: a child that keeps all processors busy must not be looked at less.
        """
        if time.monotonic() < self._next_disk_look:
            return None
        before = time.thread_time()
        cause = self._disk_cause()
        pause = max(_DISK_LOOK_SECONDS, _DISK_SHARE * (time.thread_time() - before))
        self._next_disk_look = time.monotonic() + min(pause, _LONGEST_DISK_PAUSE_SECONDS)
        return cause

    def _load(self) -> Load:
        if not self._meters:
            with suppress(BlockingIOError):
                self._meters = socket.recv_fds(self._meter, 1, len(METERS))[1]
        if not self._meters:
            return Load()
        try:
            return Load.from_proc(*(os.pread(file, 8192, 0) for file in self._meters))
        except OSError:
            return Load()  # it has just ended

    def _disk_cause(self) -> str | None:
        limits = self._spec.limits
        try:
            found = disk.measure(self._spec.writable, max_files=limits.file_count)
        except disk.TooMuch:
            return "disk"
        is_over = found.used_bytes > limits.disk_bytes or found.largest_bytes >= limits.file_bytes
        return "disk" if is_over or self._is_disk_filled() else None

    def _is_disk_filled(self) -> bool:
        """Return whether the disk has run low since the start: files without a name show in no folder.

        Others fill disks too. But a run that may be the cause must end before everything else does.
        """
        limits = self._spec.limits
        free = disk.free_bytes(self._spec.writable)
        if free < limits.free_disk_bytes and self._free_at_start - free > limits.disk_bytes:
            return True
        inodes = disk.free_inodes(self._spec.writable)
        if inodes is None or self._inodes_at_start is None:
            return False
        return inodes < limits.free_inodes and self._inodes_at_start - inodes > limits.file_count

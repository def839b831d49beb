"""The first process of a child's own process namespace: waits for the payload, and reports how it really ended."""

from __future__ import annotations

import os
import select
import signal
import socket
from contextlib import suppress
from typing import NoReturn

from ade.sandbox.inside import payload, privileges
from ade.sandbox.inside.channel import Ends, send
from ade.sandbox.inside.layers import Layers


def run(layers: Layers, ends: Ends, meter: int, *, parent: int) -> NoReturn:
    """Start the payload, reap whatever ends, and end with the payload."""
    if layers.spec.has("parent_death"):
        with suppress(OSError):  # not on every system
            privileges.die_with_parent(parent)
        if _is_alone(meter):
            os._exit(1)
    os.setsid()
    own_pid = os.getpid()
    child = os.fork()
    if child == 0:
        payload.run(layers, ends, meter, parent=own_pid)
    for number in (ends.gate, ends.messages, ends.log, meter):
        os.close(number)
    with suppress(OSError):
        privileges.forbid_inspection()
    # When asked to end, it ends the payload first: once killed, it could not report what the payload used.
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    status, usage = _wait_for(child)
    with socket.socket(fileno=ends.channel) as channel:
        send(channel, "ended", status=status, cpu_seconds=usage.ru_utime + usage.ru_stime, peak=usage.ru_maxrss)
    os._exit(0)


def _is_alone(meter: int) -> bool:
    """Return whether the keeper ended before it could be watched: from a new namespace its process id is not seen."""
    look = select.poll()
    look.register(meter, 0)
    return bool(look.poll(0))


def _wait_for(child: int) -> tuple[int, os.struct_rusage]:  # type: ignore[name-defined]
    while True:
        pid, status, usage = os.wait4(-1, 0)
        if pid == child:
            return status, usage

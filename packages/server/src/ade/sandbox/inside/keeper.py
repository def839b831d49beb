"""Keeps one child: watches it from the outside, kills the whole tree when it must, and leaves nothing behind.

It runs no user code and shares nothing with the process that does, so what it says about the end can be believed.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from ade.sandbox.inside import init, kernel, privileges
from ade.sandbox.inside.channel import Ends, send
from ade.sandbox.inside.layers import Layers
from ade.sandbox.inside.network import start_proxy
from ade.sandbox.inside.spec import Spec
from ade.sandbox.inside.watch import Watch

_END_SECONDS = 0.5


def keep(spec: Spec, ends: Ends, *, parent: int) -> NoReturn:
    """Start a child that does what the spec says, watch it to its end, and end."""
    channel = socket.socket(fileno=ends.channel)
    with suppress(BrokenPipeError, ConnectionResetError):  # nobody is left to tell
        try:
            _keep(spec, ends, channel, parent=parent)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must be reported
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
    # The proxy stays in the host's network namespace, so it is started before this process leaves that.
    proxy = start_proxy(spec.network, ends.channel) if spec.network else None
    layers.enter_namespaces()
    if proxy is not None:
        layers.open_network(proxy.open)
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
    if proxy is not None:
        proxy.close()
    _kill_everything(first)
    send(channel, "over", cause=cause or watch.last_look())


def _ask_to_end(first: int, done: int) -> None:
    """Let init end the payload and report what it used; wait only briefly."""
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

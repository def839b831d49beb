"""The process that runs user code: shuts itself in, proves it, waits to be released, and then touches the build."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import site
import socket
import sys
import tempfile
import traceback
from contextlib import ExitStack, suppress
from typing import NoReturn

from ade.sandbox.inside import landlock, modules, selftest
from ade.sandbox.inside.channel import GO, Ends, send
from ade.sandbox.inside.layers import Layers, close_descriptors_from
from ade.sandbox.inside.spec import Spec
from ade.sandbox.inside.watch import METERS

_MESSAGES, _GATE, _CHANNEL, _METER = 3, 4, 5, 6
_OUT_OF_THE_WAY = 32


def run(layers: Layers, ends: Ends, meter: int, *, parent: int) -> NoReturn:
    """Run the request inside the sandbox; never return."""
    status = 1
    try:
        channel = _arrange(ends, meter, closes_others=layers.spec.has("descriptors"))
        _start_afresh(layers.spec)
        _hand_over_meter()
        _report(layers, channel, parent=parent)
        channel.close()
        if os.read(_GATE, 1) == GO:
            os.close(_GATE)
            _run_user_code(layers.spec)
        status = 0
    except BaseException:  # noqa: BLE001 - the last frame of this process: nothing is above it
        traceback.print_exc()
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _arrange(ends: Ends, meter: int, *, closes_others: bool) -> socket.socket:
    """Put the descriptors in their places and close all others."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    wanted = [nothing, ends.log, ends.log, ends.messages, ends.gate, ends.channel, meter]
    safe = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY) for number in wanted]
    for place, number in enumerate(safe):
        os.dup2(number, place, inheritable=place <= 2)
    if closes_others:
        close_descriptors_from(len(wanted))
    return socket.socket(fileno=_CHANNEL)


def _start_afresh(spec: Spec) -> None:
    """Forget what a process forked from a zygote would share with its siblings."""
    os.environ.clear()
    os.environ.update(spec.environment)
    random.seed()
    tempfile._name_sequence = None  # type: ignore[attr-defined]  # noqa: SLF001 - else siblings use the same names
    tempfile.tempdir = None
    # The log of a run shows a line when it is printed, not when a block is full.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.umask(0o077)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(spec.working_folder)


def _hand_over_meter() -> None:
    """Let the keeper read this process's memory, threads and CPU time; from inside, /proc will be out of reach."""
    with socket.socket(fileno=_METER) as meter, ExitStack() as opened:
        files = []
        for name in METERS:
            try:
                files.append(os.open(f"/proc/self/{name}", os.O_RDONLY))
            except OSError:
                return
            opened.callback(os.close, files[-1])
        socket.send_fds(meter, [b"m"], files)


def _report(layers: Layers, channel: socket.socket, *, parent: int) -> None:
    entered = layers.entered()
    layers.shut_in(parent=parent)
    proven = selftest.prove(layers.spec, entered=entered, descriptors=range(_METER))
    send(channel, "report", proven=proven, reasons=layers.reasons, landlock=landlock.version())


def _run_user_code(spec: Spec) -> None:
    modules.trust(spec.modules)
    sys.argv = ["ade_engine"]
    from ade_engine.__main__ import serve
    from ade_engine.protocol import Request

    request = Request.from_json(spec.request)
    if request.site_packages is not None:
        site.addsitedir(request.site_packages)  # runs what .pth files say: never before this point
    sys.path.extend(path for path in request.import_paths if path not in sys.path)
    serve(request, _MESSAGES)

"""Connects the network namespace of a child with a proxy outside of it.

A socket belongs to the network namespace it was made in, whichever process holds it. So the keeper makes the listening
socket inside and hands it to the proxy, which accepts what comes from inside and connects to the outside.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import struct
from contextlib import suppress
from pathlib import Path

from ade.sandbox.inside.channel import KIND
from ade.sandbox.inside.spec import PROXY_PORT, Network

LISTENER = b"l"
READY = b"r"
BUFFER_BYTES = 128 * 1024
_START_SECONDS = 10.0
_END_SECONDS = 2.0
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


class ProxyProcess:
    """The keeper's side of a proxy."""

    def __init__(self, pid: int, control: socket.socket) -> None:
        self._pid = pid
        self._control = control

    def open(self) -> None:
        """Let the child reach the proxy; to be called inside the child's network namespace."""
        if not select.select([self._control], [], [], _START_SECONDS)[0] or self._control.recv(1) != READY:
            raise OSError("the network proxy did not start")
        _raise_loopback()
        with socket.create_server(("127.0.0.1", PROXY_PORT), backlog=16) as listener:
            socket.send_fds(self._control, [LISTENER], [listener.fileno()])

    def close(self) -> None:
        """Let the proxy report what was reached, for a short time, and end it."""
        with suppress(OSError):  # it has ended already
            self._control.shutdown(socket.SHUT_WR)
        select.select([self._control], [], [], _END_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def start_proxy(network: Network, channel: int) -> ProxyProcess:
    """Start a proxy that stays in the present network namespace; what it sees is reported on the channel."""
    from ade.sandbox.inside import proxy  # few runs use the network, and the others need not wait for its modules

    control, inside = socket.socketpair(socket.AF_UNIX, KIND)
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        proxy.run(network, [inside.fileno(), channel], parent=keeper)
    inside.close()
    return ProxyProcess(pid, control)


def _raise_loopback() -> None:
    """Bring up the one interface of a new network namespace, with small buffers: no limit of a run counts those."""
    for name in ("tcp_rmem", "tcp_wmem"):
        with suppress(OSError):  # containers may mount it read-only; the buffers are then those of the host
            Path(f"/proc/sys/net/ipv4/{name}").write_text(f"4096 65536 {BUFFER_BYTES}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", _IFF_UP))
